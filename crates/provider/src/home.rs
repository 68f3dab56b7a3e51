//! The process and the cluster that a provider works for.

use std::sync::{Arc, OnceLock};

use plimsoll_model::Symbol;
use plimsoll_net::{Clock, Fence, Lapsed};

use crate::{Class, Error};

/// The code of calls that were not made because another replica may lead.
const NOT_LEADER: &str = "NotLeader";

/// The code of calls that were not made because nobody knows yet which cluster they are for.
const UNIDENTIFIED: &str = "Unidentified";

/// The code of calls that were not made because others of the same group were under way.
const BUSY: &str = "Busy";

/// The code of calls that were not made because there were too many before them.
pub(crate) const RATE_LIMITED: &str = "RateLimited";

/// What a provider needs to know of the process and the cluster that it works for. Clones share everything.
#[derive(Clone, Debug)]
pub struct Home {
    /// The time.
    pub clock: Clock,
    /// Whether this process may change anything: asked before every request that does.
    pub fence: Fence,
    /// Which cluster the machines are for.
    pub cluster: Binding,
}

/// Which cluster machines are bound to: the uid of its `kube-system` namespace, which no other cluster has. Machines carry it where
/// the infrastructure lets them, so that a provider that is pointed at another cluster knows them for that cluster's.
#[derive(Clone, Debug, Default)]
pub struct Binding {
    /// `None` for a process that serves whoever asks and sees no cluster.
    uid: Option<Arc<OnceLock<Box<str>>>>,
}

/// What is known of the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound<'b> {
    /// This process sees no cluster: the configuration alone tells machines apart.
    Unbound,
    /// The API server has not been asked yet, or has not answered. Nothing can be bought or deleted before it has.
    Pending,
    /// The cluster of this uid.
    To(&'b str),
}

// === impl Home ===

impl Home {
    /// A process that nobody competes with and that sees no cluster.
    pub fn alone(clock: Clock) -> Self {
        Self { clock, fence: Fence::open(), cluster: Binding::unbound() }
    }
}

// === impl Binding ===

impl Binding {
    /// To no cluster.
    pub const fn unbound() -> Self {
        Self { uid: None }
    }

    /// To a cluster whose uid is told later, by [`Binding::bind`].
    pub fn pending() -> Self {
        Self { uid: Some(Arc::default()) }
    }

    /// Tells the uid. The first one counts.
    pub fn bind(&self, uid: &str) {
        if let Some(known) = &self.uid {
            // Told before: a cluster does not change its uid.
            let _ = known.set(uid.into());
        }
    }

    /// What is known.
    pub fn bound(&self) -> Bound<'_> {
        match &self.uid {
            None => Bound::Unbound,
            Some(uid) => uid.get().map_or(Bound::Pending, |uid| Bound::To(uid)),
        }
    }
}

impl From<Lapsed> for Error {
    /// Nothing was sent. The replica that leads now decides anew.
    fn from(lapsed: Lapsed) -> Self {
        Self::new(Class::Retry, lapsed.to_string()).with_code(NOT_LEADER)
    }
}

impl Error {
    /// That nothing can be done before the API server has said which cluster this is. Nothing was sent.
    pub fn unidentified() -> Self {
        Self::retry("the cluster has not been identified yet").with_code(UNIDENTIFIED)
    }

    /// That other calls about this group are under way. Nothing was sent.
    pub fn busy(group: Symbol) -> Self {
        Self::retry(format!("other changes of {group} are under way")).with_code(BUSY)
    }

    /// Whether this process itself kept the call from being made, and the service was not asked.
    pub fn is_held_back(&self) -> bool {
        [NOT_LEADER, UNIDENTIFIED, BUSY, RATE_LIMITED].contains(&self.code())
    }
}
