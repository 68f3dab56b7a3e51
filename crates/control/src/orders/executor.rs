//! The calls: to the cluster to write an intention down, to the provider to act on it.

use std::sync::Arc;

use plimsoll_cluster::{
    Client, nodes,
    orders::{Orders, OrdersError, Progress, Written},
};
use plimsoll_model::{DeleteMachine, Intent, Order, OrderId, OrderPhase, ScaleUp, Symbol};
use plimsoll_net::Clock;
use plimsoll_plan::Repair;
use plimsoll_provider::{Class, Error, Fleet, NodeIdentity, Provider as _};
use tokio::sync::Semaphore;
use tracing::{info, warn};

use super::{Errand, Outcome, new_id};
use crate::{
    fault::{Faults, Point},
    settings::Calls,
};

/// Makes the calls that orders need. Clones are the same.
#[derive(Clone)]
pub(crate) struct OrderExecutor {
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

// === impl OrderExecutor ===

impl OrderExecutor {
    /// Puts right what has to be, writes the order down, places it, and writes down what became of it.
    pub(crate) async fn run(&self, errand: Errand) -> Done {
        let (mut repairs, mut deletions) = (Vec::new(), Vec::new());
        for repair in errand.repairs {
            let outcome = self.repair(&repair, &mut deletions).await;
            repairs.push((repair, outcome));
        }
        let Some(mut order) = errand.scale_up else {
            return Done { repairs, deletions, order: None };
        };
        match refusals(&repairs) {
            Ok(refused) => order.intent.from = order.intent.from.saturating_add(refused),
            Err(error) => {
                let outcome = Outcome::NotPlaced(error.to_string());
                let order = Some((order.id, outcome, true));
                return Done { repairs, deletions, order };
            }
        }
        let (outcome, noted) = self.order(&order).await;
        Done { repairs, deletions, order: Some((order.id, outcome, noted)) }
    }

    /// Writes an order down, places it, and writes down what became of it.
    ///
    /// One that is there already is written to before the provider is asked again: by that a process that lost leadership finds out
    /// that another one has taken the order over.
    pub(crate) async fn order(&self, order: &Order<ScaleUp>) -> (Outcome, bool) {
        self.faults.point(Point::Decided).await;
        let intent = Intent::ScaleUp(order.intent.clone());
        match self.write(&order.id, &intent).await {
            // The provider is asked as soon as the order is there; the phase is for those who look.
            Ok(Written::Created) => {
                let (placed, _) = tokio::join!(self.place(order), self.note_first(order));
                self.note_outcome(order, placed).await
            }
            Ok(Written::Found) => {
                let placed = self.place(order).await;
                self.note_outcome(order, placed).await
            }
            Err(error) => {
                warn!(order = %order.id, %error, "scale-up not started: the order cannot be written down");
                let why = error.to_string();
                let outcome = match error {
                    OrdersError::Undefined => Outcome::Undefined(why),
                    _ => Outcome::Unwritten(why),
                };
                (outcome, true)
            }
        }
    }

    /// Writes the first phase of a new order, for those who look. An order without a phase is read as one that is in its first.
    async fn note_first(&self, order: &Order<ScaleUp>) -> bool {
        self.note(&order.id, &order.phase.into()).await
    }

    async fn write(&self, id: &OrderId, intent: &Intent) -> Result<Written, OrdersError> {
        let provider = self.fleet.name_of(intent.group()).map(|name| name.provider);
        self.orders.write(id, intent, provider.as_deref(), self.clock.now()).await
    }

    /// Asks the provider to serve an order that is written down.
    async fn place(&self, order: &Order<ScaleUp>) -> Result<u32, Error> {
        self.faults.point(Point::Wanted).await;
        let ScaleUp { group, count, from, .. } = order.intent;
        let request = plimsoll_provider::Order { id: order.id.clone(), group, count, from };
        let answer = {
            // The semaphore is never closed, so there always is a turn.
            let _turn = self.turns.acquire().await;
            self.fleet.increase(&request).await
        };
        self.faults.point(Point::Answered).await;
        answer
    }

    /// Writes down what a provider answered.
    async fn note_outcome(
        &self,
        order: &Order<ScaleUp>,
        answer: Result<u32, Error>,
    ) -> (Outcome, bool) {
        let ScaleUp { group, count: wanted, .. } = order.intent;
        let (message, made);
        let progress = match &answer {
            Ok(count) if *count < wanted => {
                warn!(order = %order.id, %group, made = count, wanted, "scale-up served in part");
                (message, made) = (format!("{count} of {wanted} machines"), Some(*count));
                Progress { phase: OrderPhase::Placed, message: &message, made }
            }
            Ok(count) => {
                info!(order = %order.id, %group, made = count, "scale-up placed");
                Progress { phase: OrderPhase::Placed, message: "", made: Some(wanted) }
            }
            Err(error) if error.class() == Class::Retry => {
                warn!(order = %order.id, %group, %error, "scale-up got no answer");
                return (Outcome::Failed(error.clone()), true);
            }
            Err(error) => {
                warn!(order = %order.id, %group, %error, "scale-up refused by the provider");
                message = error.to_string();
                Progress { phase: OrderPhase::Failed, message: &message, made: None }
            }
        };
        let noted = self.note(&order.id, &progress).await;
        self.faults.point(Point::Noted).await;
        (answer.map_or_else(Outcome::Failed, Outcome::Placed), noted)
    }

    /// Writes how far an order has come. Says whether that went well.
    pub(crate) async fn note(&self, id: &OrderId, progress: &Progress<'_>) -> bool {
        match self.orders.advance(id, progress, self.clock.now()).await {
            // One that was deleted is over: the provider has been asked, so there is nothing left that it would keep from being done
            // twice.
            Ok(()) | Err(OrdersError::Missing(_)) => true,
            Err(error) => {
                warn!(order = %id, %error, "cannot write how far the order has come");
                false
            }
        }
    }

    /// Removes an order that is over. Says whether that went well.
    pub(crate) async fn remove(&self, id: &OrderId) -> bool {
        let removed = self.orders.remove(id).await;
        if let Err(error) = &removed {
            warn!(order = %id, %error, "cannot delete an order that has ended");
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

impl OrderExecutor {
    /// Deletes a machine that did not become a node. It is an order like any other: written down before the provider is asked.
    async fn delete(
        &self,
        id: &OrderId,
        group: Symbol,
        instance: &str,
        why: &str,
    ) -> Result<(), Error> {
        let unwritten = |error: OrdersError| Error::retry(error.to_string()).with_code("Unwritten");
        let (machine, reason) = (instance.into(), why.to_owned());
        let intent = Intent::DeleteMachine(DeleteMachine { group, instance: machine, why: reason });
        self.write(id, &intent).await.map_err(unwritten)?;
        self.note(id, &OrderPhase::Deleting.into()).await;
        self.faults.point(Point::DeletionNoted).await;
        let outcome = self.delete_unclaimed(group, instance, (id, why)).await;
        self.faults.point(Point::DeletionAnswered).await;
        match &outcome {
            Ok(()) => {
                info!(machine = instance, %group, order = %id, why, "machine without a node deleted");
                self.note(id, &OrderPhase::Done.into()).await;
            }
            Err(error) => {
                warn!(machine = instance, %group, order = %id, why, %error, "machine without a node not deleted");
                let message = error.to_string();
                let progress =
                    Progress { phase: OrderPhase::Failed, message: &message, made: None };
                self.note(id, &progress).await;
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
        self.fleet.introduce(group, instance, &NodeIdentity::unregistered(instance));
        info!(machine = instance, %group, order = %id, why, "machine deletion started");
        let deleted = self.fleet.delete(group, &[instance.into()]).await?;
        let outcome = deleted.into_iter().find(|deletion| &*deletion.instance == instance);
        match outcome.map(|deletion| deletion.outcome) {
            Some(Err(error)) if error.class() != Class::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

impl std::fmt::Debug for OrderExecutor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OrderExecutor").finish_non_exhaustive()
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
