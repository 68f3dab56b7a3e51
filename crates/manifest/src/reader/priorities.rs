//! Priorities: a class may stand after the pods that name it.

use plimsoll_model::Symbol;
use rustc_hash::FxHashMap;

use crate::{
    convert::meta,
    problem::{At as _, Checked},
    wire::{pod::PodSpec, workload::PriorityClass},
};

/// Classes that every cluster has.
const BUILT_IN: [(&str, i32); 2] =
    [("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)];

/// Whose priority it is: a place in one of the reader's lists.
#[derive(Clone, Copy, Debug)]
pub(super) enum Holder {
    Pod(usize),
    Question(usize),
    DaemonSet(usize),
    PodTemplate(usize),
    Controller(usize),
}

/// The priority classes of the input, and what is still to be decided by them.
#[derive(Debug, Default)]
pub(super) struct Priorities {
    classes: FxHashMap<Symbol, i32>,
    global_default: Option<i32>,
    settled: Vec<(Holder, i32)>,
    /// Pods that name a class, or nothing at all.
    waiting: Vec<(Holder, Option<Symbol>)>,
}

// === impl Priorities ===

impl Priorities {
    /// Takes a class.
    pub(super) fn add(&mut self, class: &PriorityClass<'_>) -> Checked<()> {
        let value = meta::count(class.value.unwrap_or_default(), i32::MIN, "value")?;
        self.classes.insert(Symbol::new(meta::name(&class.metadata)?), value);
        if class.global_default == Some(true) {
            // Of several the API server takes the lowest.
            self.global_default = Some(self.global_default.map_or(value, |other| other.min(value)));
        }
        Ok(())
    }

    /// Takes what a pod says about its priority.
    pub(super) fn note(&mut self, holder: Holder, spec: &PodSpec<'_>) -> Checked<()> {
        match spec.priority {
            Some(number) => {
                let priority = meta::count(number, i32::MIN, "priority").at("spec")?;
                if priority != 0 {
                    self.settled.push((holder, priority));
                }
            }
            None => self.waiting.push((holder, meta::given_symbol(&spec.priority_class))),
        }
        Ok(())
    }

    /// All priorities that are not 0.
    pub(super) fn settle(&mut self) -> Vec<(Holder, i32)> {
        let mut settled = std::mem::take(&mut self.settled);
        for (holder, class) in std::mem::take(&mut self.waiting) {
            let priority = match class {
                Some(class) => self.of_class(class),
                None => self.global_default,
            };
            settled.extend(priority.map(|priority| (holder, priority)));
        }
        settled
    }

    fn of_class(&self, class: Symbol) -> Option<i32> {
        let built_in = || BUILT_IN.iter().find(|(name, _)| *name == class.as_str());
        let known = self.classes.get(&class).copied();
        known.or_else(|| built_in().map(|(_, value)| *value))
    }
}
