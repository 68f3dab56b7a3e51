//! What others may see of the loop, and ask of it.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use jiff::Timestamp;
use tokio::sync::{Notify, broadcast, watch};

use super::pass::{News, Pass};

/// How many pieces of news a slow listener may be behind before it misses some.
const NEWS: usize = 4096;

/// How many passes one who wants to see all of them may be behind.
const PASSES: usize = 32;

/// What others may see of the loop, and ask of it.
#[derive(Clone, Debug)]
pub struct Handle {
    passes: watch::Sender<Option<Arc<Pass>>>,
    /// Kept only until everybody who listens has seen them.
    each_pass: broadcast::Sender<Arc<Pass>>,
    news: broadcast::Sender<Arc<News>>,
    world_wanted: Arc<AtomicBool>,
    pass_wanted: Arc<Notify>,
    /// Until when what is known of the cluster can be relied on if nothing more is heard of it.
    fresh_until: Arc<Mutex<Option<Timestamp>>>,
}

// === impl Handle ===

impl Default for Handle {
    fn default() -> Self {
        Self {
            passes: watch::Sender::new(None),
            each_pass: broadcast::Sender::new(PASSES),
            news: broadcast::Sender::new(NEWS),
            world_wanted: Arc::default(),
            pass_wanted: Arc::default(),
            fresh_until: Arc::default(),
        }
    }
}

impl Handle {
    /// The latest pass; `None` before the first. One that is late sees the latest and misses those between.
    pub fn passes(&self) -> watch::Receiver<Option<Arc<Pass>>> {
        self.passes.subscribe()
    }

    /// Every pass from now on, one after the other.
    pub fn each_pass(&self) -> broadcast::Receiver<Arc<Pass>> {
        self.each_pass.subscribe()
    }

    /// Everything that happens from now on.
    pub fn news(&self) -> broadcast::Receiver<Arc<News>> {
        self.news.subscribe()
    }

    /// Asks for a pass that shows the whole World.
    pub fn want_world(&self) {
        self.world_wanted.store(true, Ordering::Relaxed);
        self.pass_wanted.notify_one();
    }

    /// Whether all of the cluster has been seen and is still being watched, by who leads and by who stands by. It is a question
    /// of time: a watch that freezes says nothing.
    pub fn is_warm(&self, now: Timestamp) -> bool {
        let until = *self.fresh_until.lock().unwrap_or_else(PoisonError::into_inner);
        until.is_some_and(|until| now <= until)
    }

    /// Says until when it is if nothing more is heard of the cluster, `None` if it is not: what the loop does, and who tests those
    /// that listen.
    pub fn set_warm(&self, until: Option<Timestamp>) {
        *self.fresh_until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }

    /// Publishes a pass: what the loop does, and who tests those that listen.
    pub fn publish(&self, pass: Pass) {
        let pass = Arc::new(pass);
        // Nobody has to listen.
        let _ = self.each_pass.send(Arc::clone(&pass));
        self.passes.send_replace(Some(pass));
    }

    /// Tells news: what the loop does, and who tests those that listen.
    pub fn tell(&self, news: News) {
        // Nobody has to listen.
        let _ = self.news.send(Arc::new(news));
    }

    /// Waits until somebody asks for a pass.
    pub(super) async fn asked(&self) {
        self.pass_wanted.notified().await;
    }

    /// Whether somebody wants to see the whole World, who gets it now.
    pub(super) fn take_wish(&self) -> bool {
        self.world_wanted.swap(false, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::Handle;
    use crate::sketch::{CLUSTER, pass};

    #[test]
    fn what_is_not_heard_of_grows_cold_by_itself() {
        let (handle, at) = (Handle::default(), jiff::Timestamp::constant(1_800_000_000, 0));
        let second = jiff::SignedDuration::from_secs(1);
        assert!(!handle.is_warm(at));
        handle.set_warm(Some(at));
        assert!(handle.is_warm(at) && !handle.is_warm(at + second));
        handle.set_warm(None);
        assert!(!handle.is_warm(at));
    }

    #[tokio::test]
    async fn one_who_is_late_still_sees_every_pass() {
        let handle = Handle::default();
        let (mut each, latest) = (handle.each_pass(), handle.passes());
        for number in 1..=3 {
            let mut pass = pass(CLUSTER);
            pass.number = number;
            handle.publish(pass);
        }
        assert_eq!(latest.borrow().as_ref().map(|pass| pass.number), Some(3));
        let mut seen = Vec::new();
        while let Ok(pass) = each.try_recv() {
            seen.push(pass.number);
        }
        assert_eq!(seen, [1, 2, 3]);
    }
}
