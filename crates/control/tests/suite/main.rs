//! The loop against a whole cluster in this process: API server, controllers, scheduler, fake kubelets, and a simulated
//! infrastructure whose machines become nodes. Time is tokio's and paused: hours pass at once.

mod stage;

mod kills;
mod scale_down;
mod scale_up;
mod trouble;
