//! The loop: waits for a reason, looks, decides, begins what was decided, and tells.

mod pass;

pub use self::pass::{Begun, Cause, HeldBack, News, OpenOrder, OpenRetirement, Pass, Seen, Took};

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use tokio::sync::{broadcast, watch};

/// How many pieces of news a slow listener may be behind before it misses some.
const NEWS: usize = 4096;

/// What others may see of the loop, and ask of it.
#[derive(Clone, Debug)]
pub struct Handle {
    passes: watch::Sender<Option<Arc<Pass>>>,
    news: broadcast::Sender<Arc<News>>,
    world_wanted: Arc<AtomicBool>,
}

// === impl Handle ===

impl Default for Handle {
    fn default() -> Self {
        Self {
            passes: watch::Sender::new(None),
            news: broadcast::Sender::new(NEWS),
            world_wanted: Arc::default(),
        }
    }
}

impl Handle {
    /// The latest pass; `None` before the first. One that is late sees the latest and misses those between.
    pub fn passes(&self) -> watch::Receiver<Option<Arc<Pass>>> {
        self.passes.subscribe()
    }

    /// Everything that happens from now on.
    pub fn news(&self) -> broadcast::Receiver<Arc<News>> {
        self.news.subscribe()
    }

    /// Asks for the whole World in the next pass.
    pub fn want_world(&self) {
        self.world_wanted.store(true, Ordering::Relaxed);
    }

    /// Publishes a pass: what the loop does, and who tests those that listen.
    pub fn publish(&self, pass: Pass) {
        self.passes.send_replace(Some(Arc::new(pass)));
    }

    /// Tells news: what the loop does, and who tests those that listen.
    pub fn tell(&self, news: News) {
        // Nobody has to listen.
        let _ = self.news.send(Arc::new(news));
    }
}
