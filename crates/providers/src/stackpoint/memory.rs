//! What was seen of the service, for questions that need no request. A restart may lose all of it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use jiff::{SignedDuration, Timestamp};
use plimsoll_model::Symbol;
use tracing::warn;

use super::{
    inventory::Sighting,
    learning::Lessons,
    reconcile::{Books, Machine, Phase},
    template::{Catalogue, Kinds},
    wire::{Cluster, Key},
};

/// What was seen.
#[derive(Debug, Default)]
pub(super) struct Memory {
    sighting: Sighting,
    last_look: Option<Look>,
    /// How often something was changed, or is suspected to have changed.
    changes: u64,
    pub(super) catalogue: Option<(Timestamp, Arc<Catalogue>)>,
    pub(super) cluster: Option<(Timestamp, Arc<Cluster>)>,
    lessons: Lessons,
    /// Machines that were made for a group and that the service put nowhere, by number.
    misplaced: BTreeMap<Symbol, BTreeSet<Key>>,
    /// What was last said to be wrong, so that it is said once.
    problems: BTreeSet<String>,
    pools_problem: Option<String>,
    unknown_groups: String,
}

/// What the service had at one moment.
#[derive(Debug)]
struct Look {
    books: Arc<Books>,
    began: Timestamp,
    /// How often something had been changed when the look began.
    changes: u64,
}

// === impl Memory ===

impl Memory {
    /// What was last seen.
    pub(super) fn books(&self) -> Option<Arc<Books>> {
        self.last_look.as_ref().map(|look| Arc::clone(&look.books))
    }

    /// What was last seen, if nothing can be expected to be otherwise: it is younger than `poll`, nothing was changed since, and no
    /// machine is on its way.
    pub(super) fn recent(&self, now: Timestamp, poll: SignedDuration) -> Option<Arc<Books>> {
        let look = self.last_look.as_ref()?;
        let is_young = now.duration_since(look.began) < poll;
        let is_settled = |machine: &Machine| machine.phase == Phase::Running;
        let mut machines = look.books.groups.iter().flat_map(|shelf| &shelf.machines);
        let is_recent = is_young && look.changes == self.changes && machines.all(is_settled);
        is_recent.then(|| Arc::clone(&look.books))
    }

    /// How often something was changed so far.
    pub(super) const fn changes(&self) -> u64 {
        self.changes
    }

    /// Something is being changed, or may have changed: what was seen before is not recent.
    pub(super) const fn change(&mut self) {
        self.changes += 1;
    }

    /// The service had this, at a look that began when so much had been changed.
    pub(super) fn remember(&mut self, books: Arc<Books>, began: Timestamp, changes: u64) {
        // Of two looks at a time the one that began last counts.
        if self.last_look.as_ref().is_some_and(|look| look.began > began) {
            return;
        }
        self.sighting.look(&books, began);
        self.last_look = Some(Look { books, began, changes });
    }

    pub(super) const fn sighting(&self) -> &Sighting {
        &self.sighting
    }

    /// A node of this name says that it is this machine.
    pub(super) fn name(&mut self, machine: &str, node: &str) {
        self.sighting.name(machine, node);
    }

    /// Groups of unknown kinds get a machine to learn from.
    pub(super) fn learn(&mut self, books: &mut Books, kinds: &Kinds) {
        self.lessons.teach(books, &self.sighting, |pool| kinds.is_unknown(pool));
    }

    /// Whether the service limits how many machines all groups together have.
    pub(super) fn has_maximum(&self) -> bool {
        self.cluster.as_ref().is_some_and(|(_, cluster)| cluster.max_nodes().is_some())
    }

    /// The service made these machines for a group, and put them nowhere.
    pub(super) fn misplace(&mut self, group: Symbol, machines: &[Key]) {
        self.misplaced.entry(group).or_default().extend(machines);
    }

    /// Freezes groups for which the service made machines that it put nowhere: they would be ordered again and again.
    pub(super) fn freeze_misplaced(&mut self, books: &mut Books) {
        let nobodys: BTreeSet<Key> = books.nobodys.iter().map(|machine| machine.pk).collect();
        self.misplaced.retain(|_, machines| {
            machines.retain(|machine| nobodys.contains(machine));
            !machines.is_empty()
        });
        for shelf in &mut books.groups {
            let Some(machines) = self.misplaced.get(&shelf.id) else { continue };
            let numbers: Vec<String> = machines.iter().map(Key::to_string).collect();
            let problem = format!(
                "the service made the machines {} for {} and does not have them in that group; delete them, or put them there",
                numbers.join(", "),
                shelf.id
            );
            books.problems.push(problem.clone());
            shelf.frozen.get_or_insert(problem);
        }
    }

    /// Says what is wrong now and was not before.
    pub(super) fn report(&mut self, problems: BTreeSet<String>) {
        for problem in problems.difference(&self.problems) {
            warn!(problem, "the service's answer is not understood");
        }
        self.problems = problems;
    }

    /// Says once why pools that others tell cannot be used.
    pub(super) fn report_pools_problem(&mut self, problem: Option<String>) {
        if self.pools_problem != problem
            && let Some(problem) = &problem
        {
            warn!(problem, "asks the service for pools instead");
        }
        self.pools_problem = problem;
    }

    /// Says once which groups are to be avoided that there are not.
    pub(super) fn report_unknown_groups(&mut self, unknown: String) {
        if self.unknown_groups != unknown {
            warn!(unknown, "avoid-groups names what no autoscaled pool is called");
            self.unknown_groups = unknown;
        }
    }
}
