//! The loop against a whole cluster in this process: API server, controllers, scheduler, fake kubelets, and a simulated
//! infrastructure whose machines become nodes. Time is tokio's and paused: hours pass at once.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test stops where it is surprised")]

mod gate;
mod ground;
mod running;
mod stage;

mod buffers;
mod devices;
mod embedded;
mod harm;
mod hold;
mod introduced;
// Places to stop at are not compiled into releases.
#[cfg(debug_assertions)]
mod kills;
mod meanwhile;
mod outages;
mod quotas;
mod record_whole;
mod requests;
mod scale_down;
mod scale_up;
#[cfg(debug_assertions)]
mod seeds;
mod slicer;
mod stackpoint;
mod trouble;
