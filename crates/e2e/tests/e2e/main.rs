//! Plimsoll against components that nobody here wrote.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test stops where it is surprised")]

mod ground;
mod shipped;

mod fidelity;
mod rights;
mod scheduler;
mod start;

// The loop's own tests, as they are: see `ground`. Only `embedded` is not for here, and says why.
#[expect(dead_code, reason = "tests that run on the embedded cluster alone use the rest")]
#[path = "../../../control/tests/suite/gate.rs"]
mod gate;
#[path = "../../../control/tests/suite/running.rs"]
mod running;
#[expect(dead_code, reason = "tests that run on the embedded cluster alone use the rest")]
#[path = "../../../control/tests/suite/stage.rs"]
mod stage;

#[path = "../../../control/tests/suite/buffers.rs"]
mod buffers;
#[path = "../../../control/tests/suite/devices.rs"]
mod devices;
mod harm;
#[path = "../../../control/tests/suite/hold.rs"]
mod hold;
#[cfg(debug_assertions)]
#[path = "../../../control/tests/suite/kills.rs"]
mod kills;
#[path = "../../../control/tests/suite/meanwhile.rs"]
mod meanwhile;
#[path = "../../../control/tests/suite/outages.rs"]
mod outages;
#[path = "../../../control/tests/suite/quotas.rs"]
mod quotas;
#[path = "../../../control/tests/suite/record_whole.rs"]
mod record_whole;
#[path = "../../../control/tests/suite/requests.rs"]
mod requests;
#[path = "../../../control/tests/suite/scale_down.rs"]
mod scale_down;
#[path = "../../../control/tests/suite/scale_up.rs"]
mod scale_up;
#[cfg(debug_assertions)]
#[path = "../../../control/tests/suite/seeds.rs"]
mod seeds;
#[expect(dead_code, reason = "tests that run on the embedded cluster alone use the rest")]
#[path = "../../../control/tests/suite/slicer.rs"]
mod slicer;
#[path = "../../../control/tests/suite/stackpoint.rs"]
mod stackpoint;
#[path = "../../../control/tests/suite/trouble.rs"]
mod trouble;
