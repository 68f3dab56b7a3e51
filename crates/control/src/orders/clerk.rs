//! The calls: to the cluster to write an intention down, to the provider to act on it.

use std::sync::Arc;

use plimsoll_cluster::{
    Client, nodes,
    orders::{Intent, Orders, OrdersError, Phase},
};
use plimsoll_model::Symbol;
use plimsoll_net::Clock;
use plimsoll_plan::Repair;
use plimsoll_provider::{Class, Error, Fleet, Order, OrderId, Provider as _};
use tokio::sync::Semaphore;
use tracing::{info, warn};

use super::{Errand, Increase, Outcome, new_id};
use crate::{
    fault::{Faults, Point},
    settings::Calls,
};

/// Makes the calls that orders need. Clones are the same.
#[derive(Clone)]
pub(crate) struct Clerk {
    pub client: Client,
    pub orders: Orders,
    pub fleet: Arc<Fleet>,
    pub clock: Clock,
    pub faults: Faults,
    /// Has to be had to ask a provider for machines. There is one turn, or as many as anybody wants.
    pub turns: Arc<Semaphore>,
}

/// What became of an errand.
#[derive(Clone, Debug)]
pub(crate) struct Done {
    /// The repairs that were tried, each with what became of it.
    pub repairs: Vec<(Repair, Result<(), Error>)>,
    /// The orders of machines that were to be deleted. They are over, one way or the other.
    pub deletions: Vec<OrderId>,
    /// The order, what became of it, and whether that is written down.
    pub order: Option<(OrderId, Outcome, bool)>,
}

// === impl Clerk ===

impl Clerk {
    /// Puts right what has to be, writes the order down, places it, and writes down what became of it.
    pub(crate) async fn run(&self, errand: Errand) -> Done {
        let (mut repairs, mut deletions) = (Vec::new(), Vec::new());
        for repair in errand.repairs {
            let outcome = self.repair(&repair, &mut deletions).await;
            repairs.push((repair, outcome));
        }
        let Some(mut increase) = errand.increase else {
            return Done { repairs, deletions, order: None };
        };
        let order = &mut increase.order;
        match refusals(&repairs) {
            Ok(refused) => order.from = order.from.saturating_add(refused),
            Err(error) => {
                let outcome = Outcome::NotPlaced(error.to_string());
                let order = Some((increase.order.id, outcome, true));
                return Done { repairs, deletions, order };
            }
        }
        let (outcome, noted) = self.order(&increase).await;
        Done { repairs, deletions, order: Some((increase.order.id, outcome, noted)) }
    }

    /// Writes an order down, places it, and writes down what became of it.
    ///
    /// One that is there already is written to all the same before the provider is asked again: by that whoever does not lead any
    /// more finds out that another process has taken the order over.
    pub(crate) async fn order(&self, increase: &Increase) -> (Outcome, bool) {
        let Increase { order, why, pods } = increase;
        self.faults.point(Point::Decided).await;
        let Order { group, count, from, .. } = *order;
        let intent = Intent::Increase { group, count, from, pods: pods.clone(), why: why.clone() };
        if let Err(error) = self.write(&order.id, &intent).await {
            warn!(order = %order.id, %error, "scale-up not started: the order cannot be written down");
            let why = error.to_string();
            return (
                match error {
                    OrdersError::Undefined => Outcome::Undefined(why),
                    _ => Outcome::Unwritten(why),
                },
                true,
            );
        }
        self.place(order).await
    }

    async fn write(&self, id: &OrderId, intent: &Intent) -> Result<(), OrdersError> {
        let provider = self.fleet.name_of(intent.group()).map(|name| name.provider);
        self.orders.write(id, intent, provider.as_deref(), self.clock.now()).await
    }

    /// Places an order that is written down, and writes down what became of it.
    async fn place(&self, order: &Order) -> (Outcome, bool) {
        self.faults.point(Point::Wanted).await;
        let answer = {
            // Nobody closes it, so there always is a turn.
            let _turn = self.turns.acquire().await;
            self.fleet.increase(order).await
        };
        self.faults.point(Point::Answered).await;
        let (phase, message) = match &answer {
            Ok(made) if *made < order.count => {
                let wanted = order.count;
                warn!(order = %order.id, group = %order.group, made, wanted, "scale-up served in part");
                (Phase::Placed, format!("{made} of {wanted} machines"))
            }
            Ok(made) => {
                info!(order = %order.id, group = %order.group, made, "scale-up placed");
                (Phase::Placed, String::new())
            }
            Err(error) if error.class() == Class::Retry => {
                warn!(order = %order.id, group = %order.group, %error, "scale-up got no answer");
                return (Outcome::Failed(error.clone()), true);
            }
            Err(error) => {
                warn!(order = %order.id, group = %order.group, %error, "scale-up refused by the provider");
                (Phase::Failed, error.to_string())
            }
        };
        let noted = self.note(&order.id, phase, &message).await;
        self.faults.point(Point::Noted).await;
        (answer.map_or_else(Outcome::Failed, Outcome::Placed), noted)
    }

    /// Writes a phase down. Says whether that went well.
    pub(crate) async fn note(&self, id: &OrderId, phase: Phase, message: &str) -> bool {
        match self.orders.advance(id, phase, message, self.clock.now()).await {
            // One that somebody deleted is over: the provider has been asked, so there is nothing left that it would keep from
            // being done twice.
            Ok(()) | Err(OrdersError::Missing(_)) => true,
            Err(error) => {
                warn!(order = %id, %error, "could not note how far an order has come");
                false
            }
        }
    }

    /// Removes an order that is over. Says whether that went well.
    pub(crate) async fn remove(&self, id: &OrderId) -> bool {
        let removed = self.orders.remove(id).await;
        if let Err(error) = &removed {
            warn!(order = %id, %error, "could not remove an order that is over");
        }
        removed.is_ok()
    }

    async fn repair(&self, repair: &Repair, orders: &mut Vec<OrderId>) -> Result<(), Error> {
        match repair {
            Repair::DeleteInstance { group, instance, why } => {
                let id = new_id("delete", instance);
                let id =
                    id.ok_or_else(|| Error::bug(format!("no order can be named for {instance}")))?;
                orders.push(id.clone());
                self.delete(&id, *group, instance, why).await
            }
            Repair::LowerTarget { group, to, .. } => {
                self.fleet.lower_target(*group, *to).await.map(drop)
            }
            // An increase, and no repair of ours.
            Repair::RaiseToMin { .. } => Ok(()),
        }
    }
}

impl Clerk {
    /// Deletes a machine that did not become a node. It is an order like any other: written down before the provider is asked.
    async fn delete(
        &self,
        id: &OrderId,
        group: Symbol,
        instance: &str,
        why: &str,
    ) -> Result<(), Error> {
        let unwritten = |error: OrdersError| Error::retry(error.to_string()).with_code("Unwritten");
        let intent = Intent::Delete { group, instance: instance.into(), why: why.to_owned() };
        self.write(id, &intent).await.map_err(unwritten)?;
        self.faults.point(Point::DeletionNoted).await;
        let outcome = self.delete_unclaimed(group, instance, (id, why)).await;
        self.faults.point(Point::DeletionAnswered).await;
        match &outcome {
            Ok(()) => {
                info!(machine = instance, %group, order = %id, why, "machine without a node deleted");
                self.note(id, Phase::Done, "").await;
            }
            Err(error) => {
                warn!(machine = instance, %group, order = %id, why, %error, "machine without a node not deleted");
                self.note(id, Phase::Failed, &error.to_string()).await;
            }
        }
        outcome
    }

    /// Asks the provider, if no Node says at this moment that it is the machine: what is watched may be behind.
    async fn delete_unclaimed(
        &self,
        group: Symbol,
        instance: &str,
        (id, why): (&OrderId, &str),
    ) -> Result<(), Error> {
        let claimant = nodes::claimant(&self.client, instance).await;
        let claimant = claimant.map_err(|error| Error::retry(error.to_string()))?;
        if let Some(node) = claimant {
            return Err(Error::retry(format!("the node {node} says that it is {instance}")));
        }
        info!(machine = instance, %group, order = %id, why, "machine deletion started");
        let deleted = self.fleet.delete(group, &[instance.into()]).await?;
        let outcome = deleted.into_iter().find(|deletion| &*deletion.instance == instance);
        match outcome.map(|deletion| deletion.outcome) {
            Some(Err(error)) if error.class() != Class::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

impl std::fmt::Debug for Clerk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Clerk").finish_non_exhaustive()
    }
}

/// The turns that there are to ask providers for machines.
pub(crate) fn turns(calls: Calls) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(match calls {
        Calls::Together => Semaphore::MAX_PERMITS,
        Calls::InTurn => 1,
    }))
}

/// How many deletions were refused, or the failure that leaves nobody knowing how large the group is.
///
/// A provider that keeps the minimum lets no machine go before its replacement is there, so what is refused must not keep the order
/// back: it is placed on top of the machines that stay, and the deletion is asked for again when the group is larger.
fn refusals(repairs: &[(Repair, Result<(), Error>)]) -> Result<u32, &Error> {
    let mut refused = 0;
    for (repair, outcome) in repairs {
        match (repair, outcome) {
            (Repair::DeleteInstance { .. }, Err(error)) if error.class() == Class::Invalid => {
                refused += 1;
            }
            (_, Err(error)) => return Err(error),
            (_, Ok(())) => {}
        }
    }
    Ok(refused)
}

#[cfg(test)]
mod tests {
    use plimsoll_plan::Repair;
    use plimsoll_provider::{Class, Error};

    use super::refusals;

    fn deletion(outcome: Result<(), Error>) -> (Repair, Result<(), Error>) {
        let (group, instance, why) = ("web".into(), "web-1".into(), "failed".to_owned());
        (Repair::DeleteInstance { group, instance, why }, outcome)
    }

    #[test]
    fn machines_that_may_not_go_yet_keep_no_order_back() {
        let refused = || deletion(Err(Error::invalid("the minimum of web is 3")));
        assert_eq!(refusals(&[deletion(Ok(())), refused(), refused()]), Ok(2));
    }

    #[test]
    fn nothing_is_bought_while_nobody_knows_what_became_of_a_repair() {
        for class in Class::ALL.into_iter().filter(|class| *class != Class::Invalid) {
            let failed = Error::new(class, "away");
            assert_eq!(refusals(&[deletion(Err(failed.clone()))]), Err(&failed));
        }
        let why = "nothing comes".to_owned();
        let lowering = Repair::LowerTarget { group: "web".into(), from: 3, to: 2, why };
        let invalid = Error::invalid("no");
        assert_eq!(refusals(&[(lowering, Err(invalid.clone()))]), Err(&invalid));
    }
}
