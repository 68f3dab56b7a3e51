//! What goes wrong with looking.

use std::sync::{Arc, atomic::Ordering};

use jiff::Timestamp;
use plimsoll_model::{ErrorClass, Instance, InstanceState, Money, Node, Resources, Symbol};
use plimsoll_provider::{Class, Error, GroupState, Inventory, Provider};

use super::{Broken, Flaw, IMPATIENCE, fold, number};

impl Broken {
    pub(super) async fn look(&self) -> Result<Inventory, Error> {
        if self.is(Flaw::StaysAwayAfterAnOutage) && self.grudge.load(Ordering::SeqCst) > 0 {
            return Err(Error::retry("still away"));
        }
        if self.is(Flaw::OverlappingLooksAreEmpty) && self.is_busy() {
            return Ok(self.short());
        }
        let looking = tokio::time::timeout(IMPATIENCE, self.honest.refresh());
        let answer = match self.flaw {
            Flaw::LooksBriefly => looking.await.unwrap_or_else(|_| Ok(self.short())),
            _ => self.honest.refresh().await,
        };
        if answer.is_err() {
            self.grudge.fetch_add(1, Ordering::SeqCst);
        }
        let mut inventory = match (self.flaw, answer) {
            (Flaw::EmptyWhenAway, Err(_)) => return Ok(Inventory::default()),
            (Flaw::ShortListOnFailure, Err(error)) if error.class() == Class::Retry => {
                return Ok(self.short());
            }
            (Flaw::BelievesCutReplies, Err(error)) if error.to_string().contains("cut short") => {
                return Ok(self.short());
            }
            (_, answer) => answer?,
        };
        let last = self.last.lock().unwrap().replace(inventory.clone()).unwrap_or_default();
        let first = {
            let mut first = self.first.lock().unwrap();
            let kept = first.take().filter(|first| !first.groups.is_empty());
            first.insert(kept.unwrap_or_else(|| inventory.clone())).clone()
        };
        if self.is(Flaw::LooksOnlyOnce) {
            return Ok(first);
        }
        self.misread_groups(&mut inventory, &first);
        for state in &mut inventory.groups {
            self.misread_machines(state, last.group(state.group.id));
        }
        if self.is(Flaw::ReadsOnePage) {
            let mut left = self.truth().page_size.unwrap_or(usize::MAX);
            for state in &mut inventory.groups {
                state.group.instances.truncate(left);
                left -= state.group.instances.len();
            }
        }
        Ok(inventory)
    }

    /// The last inventory, without the half of it.
    fn short(&self) -> Inventory {
        let mut short = self.last.lock().unwrap().clone().unwrap_or_default();
        for state in &mut short.groups {
            let half = state.group.instances.len() / 2;
            state.group.instances.truncate(half);
        }
        short
    }

    fn misread_groups(&self, inventory: &mut Inventory, first: &Inventory) {
        if self.is(Flaw::HidesEmptyGroups) {
            inventory.groups.retain(|state| !state.group.instances.is_empty());
        }
        for GroupState { group, overrides, .. } in &mut inventory.groups {
            match self.flaw {
                Flaw::LiesAboutStock => group.stock = Some(100),
                Flaw::KeepsOldBounds => {
                    let old = first.group(group.id).map(|old| (old.group.min, old.group.max));
                    (group.min, group.max) = old.unwrap_or((group.min, group.max));
                }
                Flaw::TurnsBounds => (group.min, group.max) = (group.max, group.min),
                Flaw::CountsMachinesAsTarget => {
                    let staying = group.instances.iter();
                    let staying = staying.filter(|one| one.state != InstanceState::Deleting);
                    group.target = u32::try_from(staying.count()).unwrap();
                }
                Flaw::EmptyTemplates => {
                    let template = group.template.as_deref().cloned();
                    let empty = |node| Node { allocatable: Resources::default(), ..node };
                    group.template = template.map(empty).map(Arc::new);
                }
                Flaw::ChangingTemplates => {
                    let template = group.template.as_deref().cloned();
                    let name = Symbol::new(&format!("template-{}", number()));
                    group.template = template.map(|node| Arc::new(Node { name, ..node }));
                }
                Flaw::ChangingPrices => group.price = Some(Money::from_micros(number().into())),
                Flaw::ImpossibleOptions => overrides.utilization_threshold = Some(60.0),
                Flaw::FoldsNames => group.id = Symbol::new(&fold(group.id)),
                _ => {}
            }
        }
    }

    fn misread_machines(&self, state: &mut GroupState, last: Option<&GroupState>) {
        let group = state.group.id;
        let instances = &mut state.group.instances;
        match self.flaw {
            Flaw::RemembersVanished => {
                let old = last.map(|last| last.group.instances.clone()).unwrap_or_default();
                let is_gone = |old: &Instance| instances.iter().all(|new| new.id != old.id);
                let gone: Vec<_> = old.into_iter().filter(is_gone).collect();
                instances.extend(gone);
            }
            Flaw::MakesUpForTheVanished => {
                let was = last.map(|last| last.group.instances.as_slice()).unwrap_or_default();
                let stayed = was.iter().filter(|old| old.state == InstanceState::Running);
                let gone = stayed.filter(|old| instances.iter().all(|new| new.id != old.id));
                let gone = u32::try_from(gone.count()).unwrap();
                self.truth().begin(group, gone);
            }
            Flaw::HidesTheUnfinished => {
                instances.retain(|instance| instance.state == InstanceState::Running);
            }
            Flaw::HidesReasons => instances.iter_mut().for_each(|one| one.error = None),
            Flaw::ConfusesReasons => {
                for error in instances.iter_mut().filter_map(|one| one.error.as_mut()) {
                    error.class = match error.class {
                        ErrorClass::OutOfResources => ErrorClass::Other,
                        ErrorClass::Other => ErrorClass::OutOfResources,
                    };
                }
            }
            Flaw::NamesTwice => instances.extend(instances.first().cloned()),
            Flaw::ShufflesMachines if !instances.is_empty() => {
                let places = usize::try_from(number()).unwrap() % instances.len();
                instances.rotate_left(places);
            }
            Flaw::AdoptsForeigners if group == Symbol::new("plain") => {
                let truth = self.truth();
                let foreign = truth.machines.values().find(|record| record.machine.group.is_none());
                instances.extend(foreign.map(|record| Instance {
                    id: record.machine.id.clone(),
                    node: None,
                    state: InstanceState::Running,
                    created: None,
                    error: None,
                }));
            }
            Flaw::DropsMachinesOfTheFuture => {
                instances.retain(|one| one.created <= Some(Timestamp::UNIX_EPOCH));
            }
            _ => {}
        }
    }
}
