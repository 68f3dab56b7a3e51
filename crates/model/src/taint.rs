//! Taints, and the tolerations that let a pod ignore them.

use std::fmt;

use crate::Symbol;

/// What a taint does to pods that do not tolerate it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// New pods stay away.
    NoSchedule,
    /// Advice only; it never filters.
    PreferNoSchedule,
    /// New pods stay away and running ones are evicted.
    NoExecute,
}

/// A mark on a node that keeps pods away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Taint {
    /// What the taint is about.
    pub key: Symbol,
    /// Empty when the taint has none.
    pub value: Symbol,
    /// What it does.
    pub effect: Effect,
}

/// A pod's leave to ignore taints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Toleration {
    /// The taint's key; `None` means every key.
    pub key: Option<Symbol>,
    /// The taint's value; `None` (operator Exists) means every value.
    pub value: Option<Symbol>,
    /// The taint's effect; `None` means every effect.
    pub effect: Option<Effect>,
}

// === impl Effect ===

impl Effect {
    /// Whether the scheduler filters by it.
    pub fn filters(self) -> bool {
        self != Self::PreferNoSchedule
    }

    /// As written in a manifest.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoSchedule => "NoSchedule",
            Self::PreferNoSchedule => "PreferNoSchedule",
            Self::NoExecute => "NoExecute",
        }
    }
}

// === impl Taint ===

impl fmt::Display for Taint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.value.is_empty() {
            write!(f, "{}:{}", self.key, self.effect.as_str())
        } else {
            write!(f, "{}={}:{}", self.key, self.value, self.effect.as_str())
        }
    }
}

// === impl Toleration ===

impl Toleration {
    /// Whether this toleration covers `taint`.
    pub fn tolerates(&self, taint: &Taint) -> bool {
        self.effect.is_none_or(|effect| effect == taint.effect)
            && self.key.is_none_or(|key| key == taint.key)
            && self.value.is_none_or(|value| value == taint.value)
    }
}

/// The first taint that filters and is covered by none of the tolerations.
pub fn first_untolerated<'a>(taints: &'a [Taint], tolerations: &[Toleration]) -> Option<&'a Taint> {
    taints.iter().find(|taint| {
        taint.effect.filters() && !tolerations.iter().any(|toleration| toleration.tolerates(taint))
    })
}
