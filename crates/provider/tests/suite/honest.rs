//! A provider that keeps every promise, over an infrastructure in memory.

use std::{
    fmt,
    ops::Bound,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use jiff::SignedDuration;
use plimsoll_model::{
    Conditions, Group, GroupOptions, Instance, InstanceError, InstanceState, Labels, Money, Node,
    Resources, Symbol,
};
use plimsoll_provider::{
    Capabilities, Class, Deletion, Error, GroupSpec, GroupState, Inventory, NodeIdentity, Order,
    Overrides, Provider, Whose,
    conformance::{Doing, Machine},
};
use service::{Page, Record, Refusal, Request, Service, State, TOKEN};

pub(crate) mod bed;
pub(crate) mod service;

/// What the service underneath can do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ability {
    /// It keeps names of orders, answers for each machine, and makes groups.
    Full,
    /// It does none of these.
    Bare,
    /// It does all of these, sees the machines of its groups only, and keeps their minimum itself.
    Guarded,
}

/// The provider.
pub(crate) struct Honest {
    service: Arc<Service>,
    ability: Ability,
    /// What the last refresh saw.
    seen: Mutex<Option<Inventory>>,
    /// Held from reading a target to changing it, where that is how orders are known again or the minimum is kept.
    ordering: tokio::sync::Mutex<()>,
}

// === impl Ability ===

impl Ability {
    /// Whether the service does more than it must.
    fn is_full(self) -> bool {
        self != Self::Bare
    }
}

// === impl Honest ===

impl Honest {
    pub(crate) fn new(service: Arc<Service>, ability: Ability) -> Self {
        let ordering = tokio::sync::Mutex::default();
        Self { service, ability, seen: Mutex::default(), ordering }
    }

    async fn read<T>(&self, effect: impl FnOnce(&mut State) -> T) -> Result<T, Error> {
        let answer = self.service.request(Request::Read, |state| Ok(effect(state))).await;
        answer.map_err(|refusal| error(&refusal))
    }

    async fn change<T>(
        &self,
        effect: impl FnOnce(&mut State) -> Result<T, Refusal>,
    ) -> Result<T, Error> {
        self.service.request(Request::Change, effect).await.map_err(|refusal| error(&refusal))
    }

    /// All machines, page by page.
    async fn machines(&self) -> Result<Vec<Record>, Error> {
        let mut all: Vec<Record> = Vec::new();
        loop {
            let last = all.last().map(|record| record.machine.id.clone());
            let page = self.read(|state| {
                let after = last.map_or(Bound::Unbounded, Bound::Excluded);
                let rest = state.machines.range::<Box<str>, _>((after, Bound::Unbounded));
                let rest = rest.map(|(_, record)| record.clone()).collect();
                state.page(rest)
            });
            let Page { entries, count, more } = page.await?;
            if entries.len() != count {
                return Err(Error::retry("the list of machines was cut short"));
            }
            all.extend(entries);
            if !more {
                return Ok(all);
            }
        }
    }

    async fn groups(&self) -> Result<Vec<(Symbol, service::Group)>, Error> {
        self.read(|state| state.groups.iter().map(|(id, group)| (*id, group.clone())).collect())
            .await
    }
}

#[async_trait]
impl Provider for Honest {
    fn name(&self) -> &'static str {
        "honest"
    }

    fn capabilities(&self) -> Capabilities {
        let full = self.ability.is_full();
        Capabilities {
            prices: full,
            templates: full,
            options: full,
            groups: full,
            stock: full,
            order_ids: full,
            single_deletions: full,
            strangers: self.ability == Ability::Full,
            keeps_minimum: self.ability == Ability::Guarded,
            counts_orders: full,
        }
    }

    async fn refresh(&self) -> Result<Inventory, Error> {
        let groups = self.groups().await?;
        let machines = self.machines().await?;
        let groups = groups.into_iter().map(|(id, group)| {
            let own = machines.iter().filter(|record| record.machine.group == Some(id));
            group_state(id, &group, own.map(instance).collect(), self.ability)
        });
        let inventory = Inventory { groups: groups.collect(), ..Inventory::default() };
        *self.seen.lock().unwrap() = Some(inventory.clone());
        Ok(inventory)
    }

    async fn increase(&self, order: &Order) -> Result<u32, Error> {
        let Order { id, group, count, from } = order;
        if *count == 0 {
            return Err(Error::invalid("an order of no machines"));
        }
        if self.ability.is_full() {
            return self.change(|state| state.buy(Some(id.as_str()), *group, *count)).await;
        }
        let _ordering = self.ordering.lock().await;
        let groups = self.groups().await?;
        let Some((_, state)) = groups.iter().find(|(id, _)| id == group) else {
            return Err(Error::not_found(format!("there is no group {group}")));
        };
        let missing = from.saturating_add(*count).saturating_sub(state.target);
        if missing == 0 {
            return Ok(*count);
        }
        self.change(|state| state.buy(None, *group, missing.min(*count))).await?;
        Ok(*count)
    }

    async fn lower_target(&self, group: Symbol, target: u32) -> Result<u32, Error> {
        self.change(|state| state.give_up(group, target)).await
    }

    async fn delete(&self, group: Symbol, instances: &[Box<str>]) -> Result<Vec<Deletion>, Error> {
        let _ordering = match self.ability {
            Ability::Guarded => Some(self.ordering.lock().await),
            Ability::Full | Ability::Bare => None,
        };
        let groups = self.groups().await?;
        let Some((_, state)) = groups.into_iter().find(|(id, _)| *id == group) else {
            return Err(Error::not_found(format!("there is no group {group}")));
        };
        let mut machines = self.machines().await?;
        if self.ability != Ability::Full {
            machines.retain(|record| record.machine.group.is_some());
        }
        machines.retain(|record| instances.contains(&record.machine.id));
        let is_foreign = |record: &&Record| record.machine.group != Some(group);
        if let Some(foreign) = machines.iter().find(is_foreign) {
            let id = &foreign.machine.id;
            return Err(Error::invalid(format!("{id} is not a machine of {group}")));
        }
        if self.ability == Ability::Guarded {
            keep_minimum(&state, &machines)?;
        }
        let mut answers = Vec::new();
        for instance in instances {
            let outcome = if machines.iter().any(|record| record.machine.id == *instance) {
                self.change(|state| state.delete(instance)).await
            } else {
                Err(Error::not_found(format!("there is no machine {instance}")))
            };
            answers.push(Deletion { instance: instance.clone(), outcome });
        }
        if self.ability.is_full() {
            return Ok(answers);
        }
        // One answer for all that are there: the worst.
        let is_bad = |error: &Error| error.class() != Class::NotFound;
        let worst = answers.iter().filter_map(|answer| answer.outcome.clone().err()).find(is_bad);
        for answer in answers.iter_mut().filter(|answer| answer.outcome.is_ok()) {
            answer.outcome = worst.clone().map_or(Ok(()), Err);
        }
        Ok(answers)
    }

    async fn owner(&self, node: &NodeIdentity) -> Result<Whose, Error> {
        let seen = self.seen.lock().unwrap().clone();
        let seen = match seen {
            Some(seen) => seen,
            None => self.refresh().await?,
        };
        Ok(seen.owner_by_provider_id(node).into())
    }

    async fn create_group(&self, spec: &GroupSpec) -> Result<Symbol, Error> {
        match self.ability {
            Ability::Bare => Err(Error::unsupported("groups are made elsewhere")),
            _ => self.change(|state| Ok(state.create_group(spec))).await,
        }
    }

    async fn delete_group(&self, group: Symbol) -> Result<(), Error> {
        match self.ability {
            Ability::Bare => Err(Error::unsupported("groups are removed elsewhere")),
            _ => self.change(|state| state.delete_group(group)).await,
        }
    }
}

impl fmt::Debug for Honest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Honest")
    }
}

/// What the service says of refused credentials shows them, so it is not passed on.
fn error(refusal: &Refusal) -> Error {
    Error::new(refusal.class, refusal.text.replace(TOKEN, "the token"))
}

/// Refuses to delete machines that run when fewer than the minimum would be left.
fn keep_minimum(group: &service::Group, named: &[Record]) -> Result<(), Error> {
    let going = named.iter().filter(|record| record.machine.stays());
    let left = group.target.saturating_sub(u32::try_from(going.count()).unwrap());
    if left < group.min && named.iter().any(|record| record.machine.doing == Doing::Running) {
        return Err(Error::invalid(format!("{left} would be left, the minimum is {}", group.min)));
    }
    Ok(())
}

fn group_state(
    id: Symbol,
    group: &service::Group,
    instances: Vec<Instance>,
    ability: Ability,
) -> GroupState {
    let full = ability.is_full();
    let threshold = full.then_some(0.6);
    GroupState {
        group: Group {
            id,
            min: group.min,
            max: group.max,
            target: group.target,
            price: full.then(|| Money::from_micros(250_000)),
            template: full.then(|| Arc::new(template())),
            instances,
            options: GroupOptions::default(),
            stock: group.stock.filter(|_| full),
            frozen: None,
        },
        overrides: Overrides { utilization_threshold: threshold, ..Overrides::default() },
        boot_time: Some(SignedDuration::from_mins(1)),
        about: "a group in memory".into(),
    }
}

fn instance(record: &Record) -> Instance {
    let Machine { id, doing, .. } = record.machine.clone();
    let reason = record.reason.filter(|_| doing == Doing::Failed);
    Instance {
        id,
        node: None,
        state: match doing {
            Doing::Running => InstanceState::Running,
            Doing::Creating | Doing::Failed => InstanceState::Creating,
            Doing::Deleting => InstanceState::Deleting,
        },
        created: Some(record.created),
        error: reason.map(|class| InstanceError {
            class: class.of_instance(),
            code: class.name().into(),
            message: "the machine did not come up".into(),
        }),
    }
}

fn template() -> Node {
    let amounts = [("cpu", 4000), ("memory", 16 << 30), ("pods", 110)];
    let amounts =
        Resources::from_amounts(amounts.map(|(name, amount)| (Symbol::new(name), amount)));
    Node {
        name: Symbol::new("template"),
        labels: Labels::default(),
        taints: Box::default(),
        unschedulable: false,
        allocatable: amounts.clone(),
        capacity: amounts,
        provider_id: Box::default(),
        created: jiff::Timestamp::UNIX_EPOCH,
        conditions: Conditions::default(),
        keep: false,
        deleting: false,
    }
}
