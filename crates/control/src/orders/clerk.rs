//! The calls: to the cluster to write an intention down, to the provider to act on it.

use std::sync::Arc;

use plimsoll_cluster::orders::{Intent, Orders, Phase};
use plimsoll_net::Clock;
use plimsoll_plan::Repair;
use plimsoll_provider::{Class, Error, Fleet, Order, OrderId, Provider as _};
use tokio::sync::Semaphore;
use tracing::{info, warn};

use super::{Errand, Outcome};
use crate::{
    fault::{Faults, Point},
    settings::Calls,
};

/// Makes the calls that orders need. Clones are the same.
#[derive(Clone, Debug)]
pub(crate) struct Clerk {
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
    /// The order, what became of it, and whether that is written down.
    pub order: Option<(OrderId, Outcome, bool)>,
}

// === impl Clerk ===

impl Clerk {
    /// Puts right what has to be, writes the order down, places it, and writes down what became of it.
    pub(crate) async fn run(&self, errand: Errand) -> Done {
        let mut repairs = Vec::new();
        for repair in errand.repairs {
            let outcome = self.repair(&repair).await;
            repairs.push((repair, outcome));
        }
        let Some((mut order, why)) = errand.order else { return Done { repairs, order: None } };
        match refusals(&repairs) {
            Ok(refused) => order.from = order.from.saturating_add(refused),
            Err(error) => {
                let outcome = Outcome::NotPlaced(error.to_string());
                return Done { repairs, order: Some((order.id, outcome, true)) };
            }
        }
        let (outcome, noted) = self.order(&order, Some(&why)).await;
        Done { repairs, order: Some((order.id, outcome, noted)) }
    }

    /// Places an order, and writes down what became of it. One of which is said what it is for is written down first.
    pub(crate) async fn order(&self, order: &Order, why: Option<&str>) -> (Outcome, bool) {
        if let Some(why) = why {
            self.faults.point(Point::Decided).await;
            let Order { group, count, from, .. } = *order;
            let intent = Intent::Increase { group, count, from, why: why.to_owned() };
            if let Err(error) = self.orders.write(&order.id, &intent, self.clock.now()).await {
                warn!(order = %order.id, %error, "nothing is bought before it is written down");
                return (Outcome::Unwritten(error.to_string()), true);
            }
        }
        self.place(order).await
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
            Ok(_) => {
                info!(order = %order.id, group = %order.group, count = order.count, "placed");
                (Phase::Placed, String::new())
            }
            Err(error) if error.class() == Class::Retry => {
                warn!(order = %order.id, group = %order.group, %error, "got no answer");
                return (Outcome::Failed(error.clone()), true);
            }
            Err(error) => {
                warn!(order = %order.id, group = %order.group, %error, "was refused");
                (Phase::Failed, error.to_string())
            }
        };
        let noted = self.note(&order.id, phase, &message).await;
        self.faults.point(Point::Noted).await;
        (answer.map_or_else(Outcome::Failed, |_| Outcome::Placed), noted)
    }

    /// Writes a phase down. Says whether that went well.
    pub(crate) async fn note(&self, id: &OrderId, phase: Phase, message: &str) -> bool {
        let written = self.orders.advance(id, phase, message, self.clock.now()).await;
        if let Err(error) = &written {
            warn!(order = %id, %error, "could not note how far an order has come");
        }
        written.is_ok()
    }

    /// Removes an order that is over. Says whether that went well.
    pub(crate) async fn remove(&self, id: &OrderId) -> bool {
        let removed = self.orders.remove(id).await;
        if let Err(error) = &removed {
            warn!(order = %id, %error, "could not remove an order that is over");
        }
        removed.is_ok()
    }

    async fn repair(&self, repair: &Repair) -> Result<(), Error> {
        match repair {
            Repair::DeleteInstance { group, instance, .. } => {
                let deleted = self.fleet.delete(*group, std::slice::from_ref(instance)).await?;
                let outcome = deleted.into_iter().find(|deletion| deletion.instance == *instance);
                match outcome.map(|deletion| deletion.outcome) {
                    Some(Err(error)) if error.class() != Class::NotFound => Err(error),
                    _ => Ok(()),
                }
            }
            Repair::LowerTarget { group, to, .. } => {
                self.fleet.lower_target(*group, *to).await.map(drop)
            }
            // An increase, and no repair of ours.
            Repair::RaiseToMin { .. } => Ok(()),
        }
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
