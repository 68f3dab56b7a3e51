//! What must never happen, as far as it depends on what an API server answers. The rest of these tests run on the embedded cluster
//! alone: they wait for days, or need two clusters.

#[path = "../../../control/tests/suite/harm/immutable.rs"]
mod immutable;
#[path = "../../../control/tests/suite/harm/leadership.rs"]
mod leadership;
#[path = "../../../control/tests/suite/harm/orders.rs"]
mod orders;
#[path = "../../../control/tests/suite/harm/removal.rs"]
mod removal;
#[path = "../../../control/tests/suite/harm/unreadable.rs"]
mod unreadable;
