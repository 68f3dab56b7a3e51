//! What new nodes are taken to look like.

/// What new nodes are taken to look like. Unlike the upstream's, all of it is at work unless it is switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelSettings {
    /// `enable-csi-node-aware-scheduling`: a new node takes as many volumes of a driver as others of its group.
    pub volume_limits: bool,
    /// `force-ds`: a new node carries the pods of every DaemonSet that suits it, whether or not the node that it is modelled
    /// on has them yet.
    pub every_daemon: bool,
}

// === impl ModelSettings ===

impl Default for ModelSettings {
    fn default() -> Self {
        Self { volume_limits: true, every_daemon: true }
    }
}
