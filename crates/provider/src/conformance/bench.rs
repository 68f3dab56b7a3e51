//! What a check works with: the testbed, a provider over it, and the few questions that all checks ask.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use plimsoll_model::Symbol;

use super::{Doing, Knob, Machine, NoSuchKnob, Role, Testbed};
use crate::{
    Capabilities, Class, Deletion, Error, GroupState, Inventory, Order, OrderId, Provider,
};

/// How often a call is repeated that is answered with [`Class::Retry`].
const ATTEMPTS: usize = 10;

/// What a check says: nothing when the promise was kept.
pub(super) type Verdict<T = ()> = Result<T, Finding>;

/// Why a check did not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Finding {
    /// The promise was broken.
    Broken(String),
    /// The testbed or the provider lacks what the check needs.
    NotApplicable(String),
}

/// A fresh infrastructure and the first provider over it.
pub(super) struct Bench {
    pub(super) testbed: Box<dyn Testbed>,
    pub(super) provider: Arc<dyn Provider>,
    /// How many orders have been named.
    orders: AtomicU32,
}

/// How large a group is once everything has settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) target: u32,
    /// Machines that are there and not being deleted.
    pub(super) machines: u32,
}

/// Ends the check as failed unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err($crate::conformance::bench::Finding::Broken(format!($($message)+)));
        }
    };
}
pub(super) use ensure;

// === impl Finding ===

impl From<NoSuchKnob> for Finding {
    fn from(missing: NoSuchKnob) -> Self {
        Self::NotApplicable(missing.to_string())
    }
}

// === impl Bench ===

impl Bench {
    pub(super) async fn new(testbed: Box<dyn Testbed>) -> Self {
        let provider = testbed.connect().await;
        Self { testbed, provider, orders: AtomicU32::new(0) }
    }

    /// A provider that remembers nothing, over the same infrastructure.
    pub(super) async fn restart(&self) -> Arc<dyn Provider> {
        self.testbed.connect().await
    }

    pub(super) async fn turn(&self, knob: Knob) -> Verdict {
        Ok(self.testbed.turn(knob).await?)
    }

    /// The check applies only to providers that can do this.
    pub(super) fn needs(&self, can: fn(&Capabilities) -> bool, otherwise: &str) -> Verdict {
        if can(&self.provider.capabilities()) {
            return Ok(());
        }
        Err(Finding::NotApplicable(format!("the provider {otherwise}")))
    }

    /// The first group of this role.
    pub(super) fn group(&self, role: Role) -> Verdict<Symbol> {
        self.groups(role).first().copied().ok_or_else(|| {
            Finding::NotApplicable(format!("the testbed has no group of the role {role:?}"))
        })
    }

    /// All groups of this role.
    pub(super) fn groups(&self, role: Role) -> Vec<Symbol> {
        let of_role = |group: &super::TestGroup| (group.role == role).then_some(group.id);
        self.testbed.groups().iter().filter_map(of_role).collect()
    }

    /// The machines of a group that are not being deleted.
    pub(super) async fn staying(&self, group: Symbol) -> Vec<Machine> {
        let mut machines = self.testbed.machines().await;
        machines.retain(|machine| machine.group == Some(group) && machine.stays());
        machines
    }

    /// Whether there is such a machine that is not being deleted.
    pub(super) async fn lives(&self, id: &str) -> bool {
        self.testbed.machines().await.iter().any(|machine| &*machine.id == id && machine.stays())
    }

    /// The size of a group once everything has settled.
    pub(super) async fn settled(&self, group: Symbol) -> Size {
        self.testbed.settle().await;
        let machines = u32::try_from(self.staying(group).await.len()).unwrap_or(u32::MAX);
        Size { target: self.testbed.target(group).await, machines }
    }

    /// Both target and machines have to have changed by this much, once everything has settled.
    pub(super) async fn expect(&self, group: Symbol, start: Size, by: i64, when: &str) -> Verdict {
        let now = self.settled(group).await;
        let target = i64::from(now.target) - i64::from(start.target);
        let machines = i64::from(now.machines) - i64::from(start.machines);
        ensure!(target == by, "{when}: the target of {group} changed by {target}, not {by}");
        ensure!(machines == by, "{when}: {group} has {machines:+} machines, not {by:+}");
        Ok(())
    }

    /// A new order, decided on what is true now.
    pub(super) async fn order(&self, group: Symbol, count: u32) -> Verdict<Order> {
        let number = self.orders.fetch_add(1, Ordering::Relaxed);
        let id = order_id(&format!("conformance-{number}"))?;
        Ok(Order { id, group, count, from: self.testbed.target(group).await })
    }

    /// Sees to it that this many machines run, and names them all.
    pub(super) async fn running(&self, group: Symbol, count: usize) -> Verdict<Vec<Box<str>>> {
        self.testbed.settle().await;
        let there = self.staying(group).await.len();
        let missing = u32::try_from(count.saturating_sub(there)).unwrap_or(u32::MAX);
        if missing > 0 {
            let order = self.order(group, missing).await?;
            place(&*self.provider, &order).await?;
            self.testbed.settle().await;
        }
        let machines = self.staying(group).await;
        let running: Vec<_> = machines
            .into_iter()
            .filter(|machine| machine.doing == Doing::Running)
            .map(|machine| machine.id)
            .collect();
        let found = running.len();
        ensure!(found >= count, "{group} was to have {count} running machines and has {found}");
        Ok(running)
    }

    /// A machine that the service knows and that no group has.
    pub(super) async fn foreign(&self) -> Verdict<Machine> {
        self.turn(Knob::AddForeign).await?;
        let machines = self.testbed.machines().await;
        let foreign = machines.into_iter().find(|machine| machine.group.is_none());
        foreign.ok_or_else(|| Finding::Broken("the knob AddForeign added no machine".to_owned()))
    }

    /// What the provider says has to be what there is, at a moment when nothing changes.
    pub(super) async fn agrees(&self, provider: &dyn Provider) -> Verdict<Inventory> {
        let mut attempts = 0;
        loop {
            attempts += 1;
            let before = self.testbed.machines().await;
            let inventory = see(provider).await?;
            let seen = self.compare(&inventory).await;
            if seen.is_ok() {
                return Ok(inventory);
            }
            if self.testbed.machines().await == before || attempts >= ATTEMPTS {
                return seen.map(|()| inventory);
            }
        }
    }

    /// Whether an inventory says what there is.
    pub(super) async fn compare(&self, inventory: &Inventory) -> Verdict {
        let truth = self.testbed.machines().await;
        for group in self.testbed.groups() {
            ensure!(inventory.group(group.id).is_some(), "{} is not in the inventory", group.id);
        }
        for state in &inventory.groups {
            let group = state.group.id;
            let there: BTreeSet<_> = truth
                .iter()
                .filter(|machine| machine.group == Some(group))
                .map(|machine| (&*machine.id, machine.doing))
                .collect();
            let told: BTreeSet<_> = state.group.instances.iter().map(doing).collect();
            ensure!(
                there == told,
                "{group}: the inventory has {told:?}, the infrastructure {there:?}"
            );
            let (told, target) = (state.group.target, self.testbed.target(group).await);
            ensure!(told == target, "{group}: the inventory says target {told}, it is {target}");
        }
        Ok(())
    }
}

// === impl Size ===

impl Size {
    /// Target and machines are the same number: nothing is missing and nothing too much.
    pub(super) fn is_even(self) -> bool {
        self.target == self.machines
    }
}

/// An order's name from text that is known to be one.
pub(super) fn order_id(text: &str) -> Verdict<OrderId> {
    OrderId::new(text).ok_or_else(|| Finding::Broken(format!("{text} cannot name an order")))
}

/// One of several machines.
pub(super) fn pick(machines: &[Box<str>], place: usize) -> Verdict<Box<str>> {
    let missing = || Finding::Broken(format!("there is no machine {place} in {machines:?}"));
    machines.get(place).cloned().ok_or_else(missing)
}

/// Places an order that has to be taken.
pub(super) async fn place(provider: &dyn Provider, order: &Order) -> Verdict {
    let answer = provider.increase(order).await.map(drop);
    answer.map_err(|error| {
        let Order { id, group, count, .. } = order;
        unexpected(&format!("the order {id} for {count} machines in {group}"), &error)
    })
}

/// Places an order again and again while the answer is [`Class::Retry`].
pub(super) async fn place_persistently(provider: &dyn Provider, order: &Order) -> Verdict {
    for _ in 1..ATTEMPTS {
        match provider.increase(order).await {
            Err(error) if error.class() == Class::Retry => {}
            answer => {
                let answer = answer.map(drop);
                return answer.map_err(|error| unexpected("an order placed again", &error));
            }
        }
    }
    place(provider, order).await
}

/// Refreshes, which has to work.
pub(super) async fn see(provider: &dyn Provider) -> Verdict<Inventory> {
    provider.refresh().await.map_err(|error| unexpected("refresh", &error))
}

/// Refreshes and picks out a group.
pub(super) async fn see_group(provider: &dyn Provider, group: Symbol) -> Verdict<GroupState> {
    let inventory = see(provider).await?;
    let state = inventory.group(group).cloned();
    state.ok_or_else(|| Finding::Broken(format!("{group} is not in the inventory")))
}

/// Deletes machines, which has to work as a call, whatever the answer for each.
pub(super) async fn delete(
    provider: &dyn Provider,
    group: Symbol,
    machines: &[Box<str>],
) -> Verdict<Vec<Deletion>> {
    let answers = provider
        .delete(group, machines)
        .await
        .map_err(|error| unexpected(&format!("delete of {machines:?} in {group}"), &error))?;
    let named: Vec<_> = answers.iter().map(|answer| &answer.instance).collect();
    ensure!(
        named.iter().copied().eq(machines),
        "asked to delete {machines:?}, answered for {named:?}"
    );
    Ok(answers)
}

/// The answer for every one of these machines has to be that it is on its way out.
pub(super) fn all_deleted(answers: &[Deletion]) -> Verdict {
    for Deletion { instance, outcome } in answers {
        if let Err(error) = outcome {
            return Err(unexpected(&format!("deletion of {instance}"), error));
        }
    }
    Ok(())
}

/// The call has to fail with this class.
pub(super) fn fails<T>(what: &str, class: Class, answer: Result<T, Error>) -> Verdict<Error> {
    match answer {
        Err(error) if error.class() == class => Ok(error),
        Err(error) => {
            let found = error.class();
            Err(Finding::Broken(format!("{what} failed as {found}, not {class}: {error}")))
        }
        Ok(_) => Err(Finding::Broken(format!("{what} was answered as if it were fine"))),
    }
}

/// A failure where there should have been none.
pub(super) fn unexpected(what: &str, error: &Error) -> Finding {
    Finding::Broken(format!("{what} failed ({}): {error}", error.class()))
}

/// What the inventory says of a machine, in the words of the testbed.
fn doing(instance: &plimsoll_model::Instance) -> (&str, Doing) {
    let doing = match Doing::from(instance.state) {
        Doing::Deleting => Doing::Deleting,
        _ if instance.error.is_some() => Doing::Failed,
        other => other,
    };
    (&instance.id, doing)
}
