//! What new nodes are taken to look like.

use jiff::SignedDuration;

/// What new nodes are taken to look like. Unlike the upstream's, its switches are on unless somebody turns them off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelSettings {
    /// `enable-csi-node-aware-scheduling`: a new node takes as many volumes of a driver as others of its group.
    pub volume_limits: bool,
    /// `force-ds`: a new node carries the pods of every DaemonSet that suits it, whether or not the node that it is modelled
    /// on has them yet.
    pub every_daemon: bool,
    /// `node-info-cache-expire-time`: so long it is remembered what nodes of a group looked like after the last of them is
    /// gone; zero for not at all.
    pub remembered: SignedDuration,
}

// === impl ModelSettings ===

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            volume_limits: true,
            every_daemon: true,
            remembered: SignedDuration::from_hours(87_600),
        }
    }
}
