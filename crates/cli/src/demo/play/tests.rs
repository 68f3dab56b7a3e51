//! Acts are judged by what was observed, and by nothing else.

use crate::demo::{
    facts::{Facts, Service, Waiting},
    play::{ACTS, Scene},
};

/// What the act of this name says when this was so, and this is so.
fn judge(name: &str, before: &Facts, now: &Facts) -> Result<String, String> {
    let act = ACTS.iter().find(|act| act.name == name).unwrap();
    (act.outcome)(&Scene { before, now })
}

fn service(wanted: u32, running: u32) -> Service {
    Service { wanted, running, ..Service::default() }
}

fn with(name: &str, service: Service) -> Facts {
    Facts { services: [(name.to_owned(), service)].into(), ..Facts::default() }
}

fn bought(mut facts: Facts, group: &str, count: u32) -> Facts {
    facts.bought.insert(group.to_owned(), count);
    facts
}

#[test]
fn nothing_has_come_about_before_it_began() {
    let facts = Facts::default();
    for act in ACTS {
        assert!(judge(act.name, &facts, &facts).is_err(), "{}", act.name);
    }
}

#[test]
fn a_burst_is_over_when_all_run_on_machines_that_were_bought() {
    let before = Facts::default();
    let some = bought(with("web", service(16, 12)), "small", 3);
    assert_eq!(judge("burst", &before, &some), Err("12 of 16 pods of web run".to_owned()));
    let free = with("web", service(16, 16));
    assert_eq!(judge("burst", &before, &free), Err("no machine was bought for it".to_owned()));
    let all = bought(free, "small", 3);
    assert_eq!(judge("burst", &before, &all), Ok("16 pods run, 3 machines bought".to_owned()));
    // What was bought before does not count.
    assert!(judge("burst", &all, &all).is_err());
}

#[test]
fn a_group_may_have_something_before_its_name() {
    let all = with("checkout", service(3, 3));
    let judge = |group| judge("stockout", &Facts::default(), &bought(all.clone(), group, 3));
    assert!(judge("autoscaling-small").is_ok());
    assert!(judge("autoscaling-large").is_err());
    assert!(judge("verysmall").is_err(), "this is another one");
}

#[test]
fn a_service_in_one_zone_is_not_spread() {
    let zones = |zones: &[(&str, u32)]| {
        let zones = zones.iter().map(|(zone, pods)| ((*zone).to_owned(), *pods)).collect();
        with("api", Service { zones, ..service(4, 4) })
    };
    let judge = |now: &Facts| judge("zone spread", &Facts::default(), now);
    assert!(judge(&zones(&[("a", 4)])).is_err());
    assert!(judge(&zones(&[("a", 3), ("b", 1)])).is_err());
    assert_eq!(judge(&zones(&[("a", 2), ("b", 2)])), Ok("all pods run, 2 in a, 2 in b".to_owned()));
}

#[test]
fn a_fallback_is_one_only_without_the_group_that_is_sold_out() {
    let all = with("checkout", service(3, 3));
    let before = Facts::default();
    assert!(judge("stockout", &before, &bought(all.clone(), "large", 1)).is_err());
    assert!(judge("stockout", &before, &bought(all, "small", 3)).is_ok());
}

#[test]
fn the_dead_are_gone_and_their_pods_run() {
    let before = Facts::default();
    let mut now = with("checkout", service(4, 4));
    assert_eq!(judge("dead machine", &before, &now), Err("no machine died".to_owned()));
    now.killed.push("small-1".to_owned());
    assert!(judge("dead machine", &before, &now).is_ok());
    now.pending.push(Waiting { pod: "checkout-1".to_owned(), since: now.at });
    assert_eq!(judge("dead machine", &before, &now), Err("1 pod waits".to_owned()));
}
