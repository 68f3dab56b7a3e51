use jiff::{SignedDuration, Timestamp};

use super::{Hope, Queue};
use crate::object::Key;

fn key(name: &str) -> Key {
    Key::new("default", name)
}

fn at(milliseconds: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_millis(milliseconds)
}

fn turns(queue: &mut Queue, now: Timestamp) -> Vec<String> {
    std::iter::from_fn(|| queue.next(now)).map(|key| key.name.to_string()).collect()
}

#[test]
fn priority_comes_first_then_age_then_arrival() {
    let mut queue = Queue::default();
    queue.add(&key("late"), 0, at(2000), Hope::Room);
    queue.add(&key("b"), 0, at(1000), Hope::Room);
    queue.add(&key("a"), 0, at(1000), Hope::Room);
    queue.add(&key("urgent"), 10, at(9000), Hope::Room);
    assert_eq!(turns(&mut queue, at(9000)), ["urgent", "b", "a", "late"]);
}

#[test]
fn a_refused_pod_waits_for_a_change_and_for_the_end_of_its_rest() {
    let mut queue = Queue::default();
    queue.add(&key("a"), 0, at(0), Hope::Room);
    let mut now = at(0);
    // One second, then twice as long each time, ten at most.
    for rest in [1, 2, 4, 8, 10, 10] {
        assert_eq!(queue.next(now), Some(key("a")));
        queue.refuse(&key("a"), now);
        assert!(!queue.is_ready(now + SignedDuration::from_hours(1)), "nothing has changed");
        queue.wake(Hope::Room, now);
        assert_eq!(queue.next_due(), Some(now + SignedDuration::from_secs(rest)));
        assert_eq!(queue.next(now), None);
        now += SignedDuration::from_secs(rest);
    }
    queue.next(now);
    queue.refuse(&key("a"), now);
    // Long after the last attempt there is nothing to wait for.
    now += SignedDuration::from_mins(1);
    queue.wake(Hope::Room, now);
    assert_eq!(queue.next(now), Some(key("a")));
}

#[test]
fn a_new_neighbour_helps_only_those_that_look_at_neighbours() {
    let mut queue = Queue::default();
    queue.add(&key("alone"), 0, at(0), Hope::Room);
    queue.add(&key("social"), 0, at(0), Hope::Neighbours);
    for _ in 0..2 {
        let next = queue.next(at(0)).unwrap();
        queue.refuse(&next, at(0));
    }
    queue.wake(Hope::Neighbours, at(5000));
    assert_eq!(turns(&mut queue, at(5000)), ["social"]);
    queue.wake(Hope::Room, at(5000));
    assert_eq!(turns(&mut queue, at(5000)), ["alone"]);
}

#[test]
fn a_pod_that_leaves_is_not_tried() {
    let mut queue = Queue::default();
    for name in ["active", "resting", "unschedulable", "trying"] {
        queue.add(&key(name), 0, at(0), Hope::Room);
    }
    for _ in 0..4 {
        queue.next(at(0));
    }
    queue.remove(&key("active"));
    queue.add(&key("active"), 0, at(0), Hope::Room);
    queue.rest(&key("resting"), at(0));
    queue.refuse(&key("unschedulable"), at(0));
    for name in ["active", "resting", "unschedulable", "trying"] {
        assert!(queue.holds(&key(name)));
        queue.remove(&key(name));
        assert!(!queue.holds(&key(name)));
    }
    queue.wake(Hope::Room, at(60_000));
    assert_eq!(turns(&mut queue, at(60_000)), Vec::<String>::new());
    assert_eq!(queue.next_due(), None);
}
