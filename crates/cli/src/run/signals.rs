//! The end, as somebody outside asks for it.

use std::io;

use plimsoll_net::Shutdown;
use tokio::signal::unix::{SignalKind, signal};

/// Passes the first SIGINT or SIGTERM on, and ends with the second: who asks twice does not want to wait.
pub(super) async fn obey(shutdown: &Shutdown) -> io::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    for _ in 0..2 {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        shutdown.trigger();
    }
    Ok(())
}
