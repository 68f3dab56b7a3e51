//! What goes wrong with orders and targets.

use std::sync::atomic::Ordering;

use plimsoll_model::Symbol;
use plimsoll_provider::{Class, Error, Order, OrderId, Provider};

use super::{Broken, Flaw, IMPATIENCE, number, out_of_capacity};

impl Broken {
    pub(super) async fn order(&self, order: &Order) -> Result<u32, Error> {
        let room = self.truth().groups.get(&order.group).map(|group| (group.target, group.max));
        let Some((target, max)) = room else { return self.honest.increase(order).await };
        let wanted = u64::from(target) + u64::from(order.count);
        let above = wanted.saturating_sub(u64::from(max));
        match self.flaw {
            Flaw::TakesOrdersOfNothing if order.count == 0 => return Ok(order.count),
            Flaw::WrapsSums if order.count > u32::MAX / 2 => return Ok(order.count),
            Flaw::CutsOrdersToTheMaximum if above > 0 => {
                let count = max.saturating_sub(target);
                return self.honest.increase(&Order { count, ..order.clone() }).await;
            }
            Flaw::BuysAboveTheMaximum if (1..100).contains(&above) => {
                self.truth().begin(order.group, order.count);
                return Ok(order.count);
            }
            Flaw::StopsBelowTheMaximum if wanted == u64::from(max) => {
                return Err(Error::invalid("that would be all"));
            }
            Flaw::ChecksTheMaximumTooEarly if above == 0 => {
                tokio::task::yield_now().await;
                self.truth().begin(order.group, order.count);
                return Ok(order.count);
            }
            Flaw::DropsOverlappingOrders if self.is_busy() => return Ok(order.count),
            Flaw::NeedsOneToCopy if self.truth().staying(order.group) == 0 => {
                return Err(Error::bug("nothing to copy"));
            }
            Flaw::StockoutIsContagious if self.grudge.load(Ordering::SeqCst) > 0 => {
                return Err(out_of_capacity());
            }
            Flaw::RemembersFailedOrders if self.orders.lock().unwrap().contains_key(&order.id) => {
                return Ok(order.count);
            }
            Flaw::IsImpatient => {
                let call = tokio::time::timeout(IMPATIENCE, self.honest.increase(order));
                return call.await.unwrap_or_else(|_| Err(Error::retry("too slow")));
            }
            _ => {}
        }
        let changed = self.misread(order, target);
        let answer = self.honest.increase(&changed).await;
        self.misjudge(order, target, answer).await
    }

    /// The order that a flaw makes of one.
    fn misread(&self, order: &Order, target: u32) -> Order {
        let mut changed = order.clone();
        match self.flaw {
            Flaw::BuysEveryTime => changed.id = fresh(),
            Flaw::ForgetsOrdersOnRestart => {
                let mut known = self.orders.lock().unwrap();
                changed.id = known.entry(order.id.clone()).or_insert_with(fresh).clone();
            }
            Flaw::ForgetsServedOrders if target == order.from => changed.id = fresh(),
            Flaw::ComparesTheBeginningOfNames => {
                changed.id = OrderId::new(&order.id.as_str()[..1]).unwrap();
            }
            Flaw::BringsTheTargetThere => {
                let missing = order.from.saturating_add(order.count).saturating_sub(target);
                changed.count = missing.max(order.count);
            }
            Flaw::IgnoresFrom => changed.from = target,
            Flaw::LosesOne if order.count > 1 => changed.count -= 1,
            Flaw::MakesUpForRefusals if self.grudge.load(Ordering::SeqCst) > 0 => {
                changed.count = order.count.saturating_mul(2);
            }
            _ => {}
        }
        changed
    }

    /// The answer that a flaw makes of one.
    async fn misjudge(
        &self,
        order: &Order,
        before: u32,
        answer: Result<u32, Error>,
    ) -> Result<u32, Error> {
        let class = answer.as_ref().err().map(Error::class);
        match (self.flaw, class) {
            (Flaw::ForgetsPartialSuccess, None) => {
                let target = self.truth().groups[&order.group].target;
                let rose = target.saturating_sub(before);
                if rose > 0 && rose < order.count { Err(out_of_capacity()) } else { Ok(rose) }
            }
            (Flaw::CountsOrdersOnce, None) => {
                let id = order.id.clone();
                let is_first = self.orders.lock().unwrap().insert(id.clone(), id).is_none();
                if is_first { answer } else { Ok(order.count) }
            }
            (Flaw::CountsWhatWasOrdered, None)
            | (Flaw::ForgetsStockouts, Some(Class::OutOfCapacity | Class::Quota)) => {
                Ok(order.count)
            }
            (Flaw::StockoutIsContagious | Flaw::MakesUpForRefusals, Some(_)) => {
                self.grudge.fetch_add(1, Ordering::SeqCst);
                answer
            }
            (Flaw::RemembersFailedOrders, Some(_)) => {
                self.orders.lock().unwrap().insert(order.id.clone(), order.id.clone());
                answer
            }
            (Flaw::RepeatsUnderAnotherName, Some(Class::Retry)) => {
                self.honest.increase(&Order { id: fresh(), ..order.clone() }).await
            }
            (Flaw::BuysInSpiteOfErrors, Some(Class::Retry | Class::Auth | Class::Quota)) => {
                self.truth().begin(order.group, order.count);
                answer
            }
            _ => answer,
        }
    }

    pub(super) async fn lower(&self, group: Symbol, target: u32) -> Result<u32, Error> {
        let before = self.truth().groups.get(&group).map_or(0, |group| group.target);
        if self.is(Flaw::LoweringDoesNothing) && self.knows(group) {
            return Ok(before);
        }
        let told = self.honest.lower_target(group, target).await?;
        let mut truth = self.truth();
        match self.flaw {
            Flaw::LoweringKills => {
                let own =
                    truth.machines.values().filter(|record| record.machine.group == Some(group));
                let all: Vec<_> = own.map(|record| record.machine.id.clone()).collect();
                for id in all.iter().skip(usize::try_from(target).unwrap()) {
                    truth.delete(id).unwrap();
                }
            }
            Flaw::LoweringRaises if target < 1000 => {
                let there = u32::try_from(truth.staying(group)).unwrap();
                truth.groups.get_mut(&group).unwrap().target = target.max(there);
            }
            Flaw::LoweringStepsDown if told == before && told > 0 => {
                let there = u32::try_from(truth.staying(group)).unwrap();
                truth.groups.get_mut(&group).unwrap().target = there.max(told - 1);
            }
            Flaw::LoweringForgetsTheAnswer => return Ok(target),
            Flaw::LoweringLowersAll => {
                for (_, other) in truth.groups.iter_mut().filter(|(id, _)| **id != group) {
                    other.target = 0;
                }
            }
            _ => {}
        }
        Ok(truth.groups[&group].target)
    }
}

/// A name that no order had.
fn fresh() -> OrderId {
    OrderId::new(&format!("fresh-{}", number())).unwrap()
}
