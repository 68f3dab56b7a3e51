//! Stopping in order: one signal that everybody can wait for.

use tokio::sync::watch;

/// A signal to stop. Clones see the same signal; it is given once and stays given.
#[derive(Clone, Debug)]
pub struct Shutdown {
    sender: watch::Sender<bool>,
}

// === impl Shutdown ===

impl Default for Shutdown {
    fn default() -> Self {
        Self { sender: watch::Sender::new(false) }
    }
}

impl Shutdown {
    /// A signal that has not been given.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives the signal.
    pub fn trigger(&self) {
        self.sender.send_replace(true);
    }

    /// Whether it has been given.
    pub fn is_triggered(&self) -> bool {
        *self.sender.borrow()
    }

    /// Waits until it is given.
    pub async fn wait(&self) {
        let mut receiver = self.sender.subscribe();
        // The sender lives as long as `self`, so this ends only with the signal.
        let _ = receiver.wait_for(|given| *given).await;
    }

    /// Gives the signal when the process is asked to end: SIGINT or SIGTERM.
    pub async fn on_signal(&self) -> std::io::Result<()> {
        use tokio::signal::unix::{SignalKind, signal};

        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            () = self.wait() => {}
        }
        self.trigger();
        Ok(())
    }
}
