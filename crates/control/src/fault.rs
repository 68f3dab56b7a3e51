//! Places between an intention, the call and its record at which tests stop the process.
//!
//! In a release there is nothing here but empty functions.

#[cfg(debug_assertions)]
use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

#[cfg(debug_assertions)]
use tokio::sync::watch;

/// A place at which a process may be killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Point {
    /// An increase is decided, and nothing is written.
    Decided,
    /// An increase is written down, and the provider has not been asked.
    Wanted,
    /// The provider has answered, and that is not written down.
    Answered,
    /// The provider's answer is written down.
    Noted,
    /// A retirement is written down, and the node is not marked.
    RetirementWanted,
    /// The node is marked, and nothing else has been done.
    Marked,
    /// It is written down that pods are asked to leave, and none has been asked.
    DrainNoted,
    /// A pod was asked to leave.
    Evicted,
    /// It is written down that the machine is to be deleted, and the provider has not been asked.
    DeletionNoted,
    /// The provider has answered the deletion, and nobody knows.
    DeletionAnswered,
    /// The Node is deleted, and that is not written down.
    NodeDeleted,
    /// A node that stays after all is to be opened again, and is not.
    ReleaseBegun,
    /// A node that stays after all has been opened, and that is not written down.
    ReleaseDone,
}

/// Where to stop, if anywhere.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    #[cfg(debug_assertions)]
    wire: Option<Arc<Tripwire>>,
}

/// Stops whoever comes by, and tells.
#[cfg(debug_assertions)]
#[derive(Debug)]
pub struct Tripwire {
    point: Point,
    /// How many pass unharmed before.
    spared: AtomicU32,
    tripped: watch::Sender<bool>,
}

// === impl Point ===

impl Point {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Decided,
        Self::Wanted,
        Self::Answered,
        Self::Noted,
        Self::RetirementWanted,
        Self::Marked,
        Self::DrainNoted,
        Self::Evicted,
        Self::DeletionNoted,
        Self::DeletionAnswered,
        Self::NodeDeleted,
        Self::ReleaseBegun,
        Self::ReleaseDone,
    ];
}

// === impl Faults ===

impl Faults {
    /// Whoever comes to this point stays there for ever.
    #[cfg(debug_assertions)]
    pub fn at(point: Point) -> (Self, Arc<Tripwire>) {
        Self::after(0, point)
    }

    /// Whoever comes to this point after so many others stays there for ever.
    #[cfg(debug_assertions)]
    pub fn after(spared: u32, point: Point) -> (Self, Arc<Tripwire>) {
        let (spared, tripped) = (AtomicU32::new(spared), watch::Sender::new(false));
        let wire = Arc::new(Tripwire { point, spared, tripped });
        (Self { wire: Some(Arc::clone(&wire)) }, wire)
    }

    /// Goes on, unless a test wants the process to end here.
    #[cfg(debug_assertions)]
    pub(crate) async fn point(&self, point: Point) {
        if let Some(wire) = self.wire.as_ref().filter(|wire| wire.point == point)
            && wire.trips()
        {
            wire.tripped.send_replace(true);
            std::future::pending::<()>().await;
        }
    }

    /// Goes on.
    #[cfg(not(debug_assertions))]
    #[expect(clippy::unused_async, reason = "the same words with and without faults")]
    pub(crate) async fn point(&self, _point: Point) {}
}

// === impl Tripwire ===

#[cfg(debug_assertions)]
impl Tripwire {
    /// Whether who comes by now is stopped.
    fn trips(&self) -> bool {
        let less = |left: u32| left.checked_sub(1);
        self.spared.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err()
    }

    /// Waits until somebody has been stopped.
    pub async fn tripped(&self) {
        // The sender lives as long as `self`.
        let _ = self.tripped.subscribe().wait_for(|tripped| *tripped).await;
    }
}
