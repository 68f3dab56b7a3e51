use std::{collections::BTreeMap, sync::Arc, time::Duration};

use jiff::Timestamp;
use plimsoll_model::{Order, OrderId, OrderPhase, ScaleUp, Symbol};
use plimsoll_plan::{Plan, Purchase, Repair};
use plimsoll_provider::{Class, Error};

use super::{Chore, Ledger, Outcome, Wanted, errands, new_id};
use crate::{engine::News, settings::OrderSettings};

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_772_366_400 + seconds).unwrap()
}

fn group() -> Symbol {
    Symbol::new("group")
}

fn order(id: &str) -> Order<ScaleUp> {
    let (pods, why) = (vec!["uid-1".into()], "web".to_owned());
    let intent = ScaleUp { group: group(), count: 2, from: 3, pods, why };
    Order::new(OrderId::new(id).unwrap(), intent, OrderPhase::Wanted, at(0))
}

/// An order that an earlier leader left in this phase.
fn stored(phase: OrderPhase) -> Order<ScaleUp> {
    Order { phase, ..order("old") }
}

/// The order as it is once it has come so far.
fn in_phase(id: &str, phase: OrderPhase, since: i64) -> Order<ScaleUp> {
    Order { phase, since: at(since), ..order(id) }
}

#[test]
fn while_an_order_is_under_way_the_group_is_seen_as_it_will_be() {
    let settings = OrderSettings::default();
    let mut ledger = Ledger::default();
    let order = order("one");
    ledger.begin(order.clone(), Arc::default());
    assert!(ledger.is_busy(group()));
    assert_eq!(ledger.expected(Wanted::All)[&group()], 5);
    ledger.answered(&order.id, Outcome::Placed(2), true, &settings, at(1));
    assert!(!ledger.is_busy(group()));
    assert_eq!(
        ledger.expected(Wanted::All)[&group()],
        5,
        "the inventory may be older than the answer"
    );
    ledger.review(|_| Some((3, at(1))), &[], at(2));
    assert_eq!(ledger.expected(Wanted::All)[&group()], 5);
    ledger.review(|_| Some((4, at(3))), &[], at(4));
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
    ledger.begin(order.clone(), Arc::default());
    ledger.answered(&order.id, Outcome::Placed(2), true, &settings, at(1));
    ledger.review(|_| Some((5, at(2))), std::slice::from_ref(&order.id), at(2));
    assert_eq!(ledger.chores(&settings, at(2)), []);
    let other = OrderId::new("other").unwrap();
    ledger.review(|_| Some((5, at(60))), &[other], at(60));
    let done = Order { made: Some(2), ..in_phase("one", OrderPhase::Done, 60) };
    assert_eq!(ledger.chores(&settings, at(60)), [Chore::Note(done)]);
    assert_eq!(ledger.chores(&settings, at(61)), []);
    assert_eq!(ledger.chores(&settings, at(900)), [], "the runaway guard still counts it");
    assert_eq!(ledger.chores(&settings, at(901)), [Chore::Remove(order.id)]);
}

#[test]
fn without_an_answer_the_same_order_is_placed_again_and_given_up_after_a_while() {
    let settings = OrderSettings::default();
    let mut ledger = Ledger::default();
    let order = order("one");
    ledger.begin(order.clone(), Arc::default());
    let away = || Outcome::Failed(Error::retry("away"));
    assert!(ledger.answered(&order.id, away(), true, &settings, at(1)).is_none());
    assert!(ledger.is_busy(group()), "nobody knows whether it was taken");
    assert_eq!((ledger.undecided(at(5)), ledger.chores(&settings, at(5))), (vec![], vec![]));
    assert_eq!(ledger.undecided(at(6)).len(), 1);
    assert_eq!(ledger.chores(&settings, at(6)), [], "the limits may be others by now");
    ledger.allow(&order.id);
    assert_eq!(ledger.wake(), Some(at(6)));
    let again = Order { message: "away".to_owned(), ..order.clone() };
    assert_eq!(ledger.chores(&settings, at(6)), [Chore::Place(again)]);
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
    ledger.begin(order.clone(), Arc::default());
    let away = || Outcome::Unwritten("away".to_owned());
    assert!(ledger.answered(&order.id, away(), true, &settings, at(1)).is_none());
    assert!(ledger.is_busy(group()), "nobody knows whether it was written");
    let again = Order { message: "away".to_owned(), ..order.clone() };
    assert_eq!(ledger.chores(&settings, at(6)), [Chore::Place(again)]);
    assert!(ledger.answered(&order.id, away(), true, &settings, at(200)).is_none());
    assert!(!ledger.is_busy(group()), "it is given up");
    let chores = ledger.chores(&settings, at(200));
    let failed = in_phase("one", OrderPhase::Failed, 200);
    let failed = Order { message: "away".to_owned(), ..failed };
    assert_eq!(
        chores,
        [Chore::Note(failed)],
        "an order that was written after all is not placed later"
    );
}

#[test]
fn a_refusal_is_told_with_the_providers_code() {
    let settings = OrderSettings::default();
    let mut ledger = Ledger::default();
    let order = order("one");
    ledger.begin(order.clone(), Arc::default());
    let refusal = Error::new(Class::OutOfCapacity, "sold out").with_code("STOCKOUT");
    let news = ledger.answered(&order.id, Outcome::Failed(refusal), false, &settings, at(1));
    let Some(News::OrderFailed { code, order: failed, .. }) = news else { panic!("{news:?}") };
    assert_eq!((code.as_str(), failed.message.as_str()), ("STOCKOUT", "sold out"));
    let chores = ledger.chores(&settings, at(1));
    let noted = in_phase("one", OrderPhase::Failed, 1);
    assert_eq!(chores, [Chore::Note(Order { message: "sold out".to_owned(), ..noted })]);
    ledger.not_noted(&order.id, &settings, at(2));
    assert_eq!((ledger.chores(&settings, at(3)), ledger.wake()), (Vec::new(), Some(at(7))));
    assert_eq!(ledger.chores(&settings, at(7)).len(), 1, "until it is written down");
}

#[test]
fn what_an_earlier_leader_wanted_is_placed_again_under_its_name() {
    let settings = OrderSettings::default();
    let mut ledger = Ledger::default();
    ledger.resume(stored(OrderPhase::Wanted), at(30));
    assert!(ledger.is_resuming());
    assert_eq!(ledger.open(), [stored(OrderPhase::Wanted)], "the planner knows of it");
    ledger.resume(stored(OrderPhase::Wanted), at(30));
    assert_eq!(ledger.open().len(), 1, "and once only");
    let again = stored(OrderPhase::Wanted);
    assert_eq!(ledger.chores(&settings, at(30)), [], "it is not known yet whether it is allowed");
    assert_eq!(ledger.undecided(at(30)), std::slice::from_ref(&again));
    ledger.allow(&again.id);
    assert_eq!(ledger.chores(&settings, at(30)), [Chore::Place(again.clone())]);
    ledger.answered(&again.id, Outcome::Placed(2), true, &settings, at(31));
    assert!(!ledger.is_resuming());

    let mut ledger = Ledger::default();
    ledger.resume(stored(OrderPhase::Placed), at(30));
    assert!(!ledger.is_resuming() && !ledger.is_busy(group()));

    let mut ledger = Ledger::default();
    ledger.resume(stored(OrderPhase::Wanted), at(3600));
    assert!(!ledger.is_resuming() && ledger.open().is_empty(), "it is too old");
    let chores = ledger.chores(&settings, at(3600));
    let [Chore::Note(noted)] = chores.as_slice() else { panic!("{chores:?}") };
    assert_eq!(noted.phase, OrderPhase::Failed);
}

#[test]
fn an_order_that_an_earlier_leader_got_in_part_promises_no_more_than_that() {
    let mut ledger = Ledger::default();
    ledger.resume(Order { made: Some(1), ..stored(OrderPhase::Placed) }, at(30));
    assert_eq!(ledger.expected(Wanted::All)[&group()], 4);
}

#[test]
fn a_group_gets_one_order_after_what_has_to_be_put_right() {
    let lower = Repair::LowerTarget { group: group(), from: 5, to: 3, why: String::new() };
    let plan = Plan {
        purchases: vec![Purchase { group: group(), from: 4, to: 6, pods: Vec::new() }],
        repairs: vec![lower.clone(), Repair::RaiseToMin { group: group(), from: 3, to: 4 }],
        ..Plan::default()
    };
    let errands = errands(&plan, &BTreeMap::new(), at(0));
    let [errand] = errands.as_slice() else { panic!("{errands:?}") };
    assert_eq!(errand.repairs, [lower]);
    let ScaleUp { from, count, why, .. } = &errand.scale_up.as_ref().unwrap().intent;
    assert_eq!((*from, *count), (3, 3));
    assert_eq!(why, "the group's minimum; pods that have to move");
}

#[test]
fn an_order_that_was_served_in_part_promises_no_more_than_that() {
    let settings = OrderSettings::default();
    let mut ledger = Ledger::default();
    let order = order("one");
    ledger.begin(order.clone(), Arc::default());
    let news = ledger.answered(&order.id, Outcome::Placed(1), true, &settings, at(1));
    let Some(News::Placed(placed)) = news else { panic!("{news:?}") };
    assert_eq!((placed.machines(), &*placed.message), (1, "1 of 2 machines"));
    assert_eq!(ledger.expected(Wanted::All)[&group()], 4);
}

#[test]
fn what_the_limits_do_not_allow_any_more_is_given_up() {
    let settings = OrderSettings::default();
    let mut ledger = Ledger::default();
    ledger.resume(stored(OrderPhase::Wanted), at(30));
    assert!(ledger.expected(Wanted::Allowed).is_empty());
    assert_eq!(ledger.expected(Wanted::All)[&group()], 5, "it may have been taken");
    let id = OrderId::new("old").unwrap();
    let refused = Outcome::NotAllowed("at its maximum of 4".to_owned());
    assert!(ledger.answered(&id, refused, false, &settings, at(31)).is_none());
    assert!(!ledger.is_resuming() && !ledger.is_busy(group()));
    let message = "at its maximum of 4".to_owned();
    let failed = Order { message, ..in_phase("old", OrderPhase::Failed, 31) };
    assert_eq!(ledger.chores(&settings, at(31)), [Chore::Note(failed)]);
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
