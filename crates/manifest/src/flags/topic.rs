//! What flags are about, so that a person finds the one that they need.

/// What a flag is about. Topics are in the order in which a person wants to read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// Which infrastructures, and which of their groups.
    Groups,
    /// The process and its way to the cluster.
    Process,
    /// What to buy, and for whom.
    Buy,
    /// Machines and nodes on their way, and those that do not come up.
    ComeUp,
    /// How large the whole cluster may be.
    Bounds,
    /// What to give back, and when.
    GiveBack,
    /// How a node leaves.
    Leave,
    /// What it tells.
    Status,
    /// Who acts, where several run.
    Election,
    /// What it writes to the log.
    Logs,
    /// Upstream flags that are taken and do nothing.
    Accepted,
}

// === impl Topic ===

impl Topic {
    /// All of them, in order.
    pub const ALL: [Self; 11] = [
        Self::Groups,
        Self::Process,
        Self::Buy,
        Self::ComeUp,
        Self::Bounds,
        Self::GiveBack,
        Self::Leave,
        Self::Status,
        Self::Election,
        Self::Logs,
        Self::Accepted,
    ];

    /// A heading for it.
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Groups => "Infrastructures and their node groups",
            Self::Buy => "Scale-up: what to buy",
            Self::ComeUp => "Scale-up: what comes up, and what does not",
            Self::Bounds => "Limits of the whole cluster",
            Self::GiveBack => "Scale-down: what to give back",
            Self::Leave => "Scale-down: how a node leaves",
            Self::Process => "The process and its way to the cluster",
            Self::Status => "Status, metrics, events and health",
            Self::Election => "Leader election",
            Self::Logs => "Logging",
            Self::Accepted => "Accepted without effect",
        }
    }
}
