//! Which requests are ours, and what they want.

use plimsoll_model::{Request, RequestSettings};

const CHECK_CAPACITY: &str = "check-capacity.autoscaling.x-k8s.io";
const ATOMIC_SCALE_UP: &str = "best-effort-atomic-scale-up.autoscaling.x-k8s.io";

/// How room is to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Among what is there: nothing is bought.
    CheckCapacity,
    /// Whatever is missing is bought, all of it or nothing.
    AtomicScaleUp,
}

// === impl Class ===

impl Class {
    /// The class of a request that is ours to serve. One who serves an instance leaves all to others that do not name it.
    pub(super) fn of(request: &Request, settings: &RequestSettings) -> Option<Self> {
        let (class, ours) = (&*request.class, &*settings.instance);
        let named = request.parameter("processorInstance");
        // Before there was a parameter, the class began with the instance.
        let is_prefixed = named.is_empty() && class.strip_prefix(ours) == Some(CHECK_CAPACITY);
        if class == CHECK_CAPACITY && named == ours || !ours.is_empty() && is_prefixed {
            Some(Self::CheckCapacity)
        } else if class == ATOMIC_SCALE_UP && ours.is_empty() {
            Some(Self::AtomicScaleUp)
        } else {
            None
        }
    }
}
