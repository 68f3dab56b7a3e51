use std::{collections::BTreeMap, sync::Arc, time::Duration};

use jiff::Timestamp;
use plimsoll_cluster::orders::{Intent, Phase, StoredOrder};
use plimsoll_model::{Memory, Symbol};
use plimsoll_plan::{Plan, Purchase, Repair};
use plimsoll_provider::{Class, Error, Order, OrderId};

use super::{Chore, Increase, Ledger, Outcome, Wanted, errands, new_id};
use crate::{engine::News, settings::OrderSettings};

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_772_366_400 + seconds).unwrap()
}

fn group() -> Symbol {
    Symbol::new("group")
}

fn order(id: &str) -> Order {
    Order { id: OrderId::new(id).unwrap(), group: group(), count: 2, from: 3 }
}

fn stored(phase: Phase) -> StoredOrder {
    let Increase { order: Order { group, count, from, .. }, why, pods } = increase("old");
    let intent = Intent::Increase { group, count, from, pods, why };
    let id = OrderId::new("old").unwrap();
    let (since, created) = (Some(at(0)), Some(at(0)));
    StoredOrder { id, provider: None, intent, phase, since, created }
}

fn increase(id: &str) -> Increase {
    Increase { order: order(id), why: "web".to_owned(), pods: vec!["uid-1".into()] }
}

#[test]
fn while_an_order_is_under_way_the_group_is_seen_as_it_will_be() {
    let settings = OrderSettings::default();
    let mut ledger = Ledger::default();
    let order = order("one");
    ledger.begin(&increase("one"), Arc::default(), at(0));
    assert!(ledger.is_busy(group()));
    assert_eq!(ledger.expected(Wanted::All)[&group()], 5);
    ledger.answered(&order.id, Outcome::Placed(2), true, &settings, at(1));
    assert!(!ledger.is_busy(group()));
    assert_eq!(
        ledger.expected(Wanted::All)[&group()],
        5,
        "the inventory may be older than the answer"
    );
    let memory = Memory::default();
    ledger.review(|_| Some((3, at(1))), &memory, at(2));
    assert_eq!(ledger.expected(Wanted::All)[&group()], 5);
    ledger.review(|_| Some((4, at(3))), &memory, at(4));
    assert!(
        ledger.expected(Wanted::All).is_empty(),
        "one of two was to be had, and the inventory says so"
    );
}

#[test]
fn an_order_is_done_when_nothing_of_it_is_awaited() {
    let settings = OrderSettings::default();
    let mut ledger = Ledger::default();
    let order = order("one");
    ledger.begin(&increase("one"), Arc::default(), at(0));
    ledger.answered(&order.id, Outcome::Placed(2), true, &settings, at(1));
    let awaited = plimsoll_model::Order { group: group(), increase: 2, at: at(0) };
    let awaiting = Memory { orders: vec![awaited], ..Memory::default() };
    ledger.review(|_| Some((5, at(2))), &awaiting, at(2));
    assert_eq!(ledger.chores(&settings, at(2)), []);
    ledger.review(|_| Some((5, at(60))), &Memory::default(), at(60));
    let done = Chore::Note(order.id.clone(), Phase::Done, String::new());
    assert_eq!(ledger.chores(&settings, at(60)), [done]);
    assert_eq!(ledger.chores(&settings, at(61)), []);
    assert_eq!(ledger.chores(&settings, at(660)), [Chore::Remove(order.id)]);
}

#[test]
fn without_an_answer_the_same_order_is_placed_again_and_given_up_after_a_while() {
    let settings = OrderSettings::default();
    let mut ledger = Ledger::default();
    let order = order("one");
    ledger.begin(&increase("one"), Arc::default(), at(0));
    let away = || Outcome::Failed(Error::retry("away"));
    assert!(ledger.answered(&order.id, away(), true, &settings, at(1)).is_none());
    assert!(ledger.is_busy(group()), "nobody knows whether it was taken");
    assert_eq!((ledger.undecided(at(5)), ledger.chores(&settings, at(5))), (vec![], vec![]));
    assert_eq!(ledger.undecided(at(6)), std::slice::from_ref(&order));
    assert_eq!(ledger.chores(&settings, at(6)), [], "the limits may be others by now");
    ledger.allow(&order.id);
    assert_eq!(ledger.wake(), Some(at(6)));
    assert_eq!(ledger.chores(&settings, at(6)), [Chore::Place(increase("one"))]);
    assert_eq!(ledger.chores(&settings, at(6)), [], "once");
    let slow = Error::retry("busy").with_retry_after(Duration::from_secs(40));
    assert!(ledger.answered(&order.id, Outcome::Failed(slow), true, &settings, at(7)).is_none());
    assert_eq!((ledger.undecided(at(46)).len(), ledger.undecided(at(47)).len()), (0, 1));
    ledger.allow(&order.id);
    ledger.chores(&settings, at(47));
    let news = ledger.answered(&order.id, away(), true, &settings, at(200));
    assert!(matches!(news, Some(News::OrderFailed { class: Class::Retry, .. })));
    assert!(!ledger.is_busy(group()));
    assert!(ledger.expected(Wanted::All).is_empty());
}

#[test]
fn an_order_that_could_not_be_written_keeps_its_name() {
    let settings = OrderSettings::default();
    let mut ledger = Ledger::default();
    let order = order("one");
    ledger.begin(&increase("one"), Arc::default(), at(0));
    let away = || Outcome::Unwritten("away".to_owned());
    assert!(ledger.answered(&order.id, away(), true, &settings, at(1)).is_none());
    assert!(ledger.is_busy(group()), "nobody knows whether it was written");
    let again = [Chore::Place(increase("one"))];
    assert_eq!(ledger.chores(&settings, at(6)), again);
    assert!(ledger.answered(&order.id, away(), true, &settings, at(200)).is_none());
    assert!(!ledger.is_busy(group()), "it is given up");
    let chores = ledger.chores(&settings, at(200));
    let failed = Chore::Note(order.id, Phase::Failed, "away".to_owned());
    assert_eq!(chores, [failed], "should it be there, nobody places it later");
}

#[test]
fn a_refusal_is_told_with_the_providers_code() {
    let settings = OrderSettings::default();
    let mut ledger = Ledger::default();
    let order = order("one");
    ledger.begin(&increase("one"), Arc::default(), at(0));
    let refusal = Error::new(Class::OutOfCapacity, "sold out").with_code("STOCKOUT");
    let news = ledger.answered(&order.id, Outcome::Failed(refusal), false, &settings, at(1));
    let Some(News::OrderFailed { code, order: failed, .. }) = news else { panic!("{news:?}") };
    assert_eq!((code.as_str(), failed.message.as_str()), ("STOCKOUT", "sold out"));
    let chores = ledger.chores(&settings, at(1));
    assert_eq!(chores, [Chore::Note(order.id.clone(), Phase::Failed, "sold out".to_owned())]);
    ledger.not_noted(&order.id, &settings, at(2));
    assert_eq!((ledger.chores(&settings, at(3)), ledger.wake()), (Vec::new(), Some(at(7))));
    assert_eq!(ledger.chores(&settings, at(7)).len(), 1, "until it is written down");
}

#[test]
fn what_an_earlier_run_wanted_is_placed_again_under_its_name() {
    let settings = OrderSettings::default();
    let (mut ledger, mut memory) = (Ledger::default(), Memory::default());
    ledger.resume(&stored(Phase::Wanted), &mut memory, at(30));
    assert!(ledger.is_resuming());
    assert_eq!(memory.orders.len(), 1, "it is waited for even if the memory was older");
    ledger.resume(&stored(Phase::Wanted), &mut memory, at(30));
    assert_eq!(memory.orders.len(), 1, "and once only");
    let again = Order { id: OrderId::new("old").unwrap(), ..order("one") };
    assert_eq!(ledger.chores(&settings, at(30)), [], "nobody knows yet whether it is allowed");
    assert_eq!(ledger.undecided(at(30)), std::slice::from_ref(&again));
    ledger.allow(&again.id);
    let placed = Increase { order: again.clone(), ..increase("old") };
    assert_eq!(ledger.chores(&settings, at(30)), [Chore::Place(placed)]);
    ledger.answered(&again.id, Outcome::Placed(2), true, &settings, at(31));
    assert!(!ledger.is_resuming());

    let mut ledger = Ledger::default();
    ledger.resume(&stored(Phase::Placed), &mut Memory::default(), at(30));
    assert!(!ledger.is_resuming() && !ledger.is_busy(group()));

    let (mut ledger, mut memory) = (Ledger::default(), Memory::default());
    ledger.resume(&stored(Phase::Wanted), &mut memory, at(3600));
    assert!(!ledger.is_resuming() && memory.orders.is_empty(), "it is too old");
    let chores = ledger.chores(&settings, at(3600));
    assert!(matches!(chores.as_slice(), [Chore::Note(_, Phase::Failed, _)]), "{chores:?}");
}

#[test]
fn a_group_gets_one_order_after_what_has_to_be_put_right() {
    let lower = Repair::LowerTarget { group: group(), from: 5, to: 3, why: String::new() };
    let plan = Plan {
        purchases: vec![Purchase { group: group(), from: 4, to: 6, pods: Vec::new() }],
        repairs: vec![lower.clone(), Repair::RaiseToMin { group: group(), from: 3, to: 4 }],
        ..Plan::default()
    };
    let errands = errands(&plan, &BTreeMap::new());
    let [errand] = errands.as_slice() else { panic!("{errands:?}") };
    assert_eq!(errand.repairs, [lower]);
    let Increase { order, why, .. } = errand.increase.as_ref().unwrap();
    assert_eq!((order.from, order.count), (3, 3));
    assert_eq!(why, "the group's minimum; pods that have to move");
}

#[test]
fn an_order_that_was_served_in_part_promises_no_more_than_that() {
    let settings = OrderSettings::default();
    let mut ledger = Ledger::default();
    let order = order("one");
    ledger.begin(&increase("one"), Arc::default(), at(0));
    let news = ledger.answered(&order.id, Outcome::Placed(1), true, &settings, at(1));
    let Some(News::Placed(placed)) = news else { panic!("{news:?}") };
    assert_eq!((placed.count, &*placed.message), (1, "1 of 2 machines"));
    assert_eq!(ledger.expected(Wanted::All)[&group()], 4);
}

#[test]
fn what_the_limits_do_not_allow_any_more_is_given_up() {
    let settings = OrderSettings::default();
    let (mut ledger, mut memory) = (Ledger::default(), Memory::default());
    ledger.resume(&stored(Phase::Wanted), &mut memory, at(30));
    assert!(ledger.expected(Wanted::Allowed).is_empty());
    assert_eq!(ledger.expected(Wanted::All)[&group()], 5, "it may have been taken");
    let id = OrderId::new("old").unwrap();
    let refused = Outcome::NotAllowed("at its maximum of 4".to_owned());
    assert!(ledger.answered(&id, refused, false, &settings, at(31)).is_none());
    assert!(!ledger.is_resuming() && !ledger.is_busy(group()));
    let failed = Chore::Note(id, Phase::Failed, "at its maximum of 4".to_owned());
    assert_eq!(ledger.chores(&settings, at(31)), [failed]);
}

#[test]
fn a_group_with_an_order_that_cannot_be_read_is_left_alone() {
    let mut ledger = Ledger::default();
    ledger.leave_alone(group());
    assert!(ledger.is_busy(group()) && !ledger.is_busy(Symbol::new("other")));
}

#[test]
fn any_group_makes_a_name_for_orders() {
    let long = "x".repeat(200);
    for subject in ["small", "GPU_large/eu.1", "--a--b--", "größe", "東京", "", &long] {
        let id = new_id("increase", subject).unwrap();
        assert!(id.as_str().starts_with("increase-"), "{id}");
        assert_ne!(Some(id), new_id("increase", subject));
    }
}
