//! What must never happen, whatever is wrong with what is seen: a machine deleted on which something runs, one forgotten that costs
//! money, or scale-ups without bound. Each promise of `docs/safety.md` has its test here.

#[path = "harm/adoption.rs"]
mod adoption;
#[path = "harm/claims.rs"]
mod claims;
#[path = "harm/configuration.rs"]
mod configuration;
#[path = "harm/frozen.rs"]
mod frozen;
#[path = "harm/health.rs"]
mod health;
#[path = "harm/identity.rs"]
mod identity;
#[path = "harm/immutable.rs"]
mod immutable;
#[path = "harm/leadership.rs"]
mod leadership;
#[path = "harm/lost_nodes.rs"]
mod lost_nodes;
#[path = "harm/orders.rs"]
mod orders;
#[path = "harm/removal.rs"]
mod removal;
#[path = "harm/runaway.rs"]
mod runaway;
#[path = "harm/unreadable.rs"]
mod unreadable;
