use jiff::{SignedDuration, Timestamp};
use plimsoll_cluster::evict::Eviction;
use plimsoll_model::{OrderPhase, PodName, Symbol};
use plimsoll_provider::{Class, Error, OrderId};
use proptest::prelude::*;

use super::{
    Answer, Belongs, Deletion, End, Job, Machine, PodKind, PodSeen, Retirement, Sighting, Step,
};
use crate::settings::RetireSettings;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_772_366_400 + seconds).unwrap()
}

fn retirement() -> Retirement {
    let id = OrderId::new("retire-node").unwrap();
    let (group, node) = (Symbol::new("group"), Symbol::new("node"));
    Retirement::new(id, group, node, "machine".into(), "nothing runs on it".to_owned(), at(0))
}

fn pod(name: &str, priority: i32) -> PodSeen {
    PodSeen {
        name: PodName { namespace: Symbol::new("default"), name: name.into() },
        uid: None,
        priority,
        grace: Some(30),
        kind: PodKind::Movable,
        ends_in: None,
    }
}

fn seen(pods: &[PodSeen]) -> Sighting {
    Sighting { is_here: true, pods: pods.to_vec(), machine: Machine::Here, ..Sighting::default() }
}

fn deleted() -> Answer {
    Answer::Deleted(Ok(Deletion::Answered(Ok(()))))
}

fn refused(error: Error) -> Answer {
    Answer::Deleted(Ok(Deletion::Answered(Err(error))))
}

/// The calls of a step, in words.
fn jobs(step: &Step) -> Vec<String> {
    let words = step.jobs.iter().map(|job| match job {
        Job::Evict { pod, grace: None, .. } => format!("evict {}", pod.name),
        Job::Evict { pod, grace: Some(grace), .. } => format!("evict {} in {grace}", pod.name),
        Job::Release { why } => format!("release: {why}"),
        Job::Close { why } => format!("close: {why}"),
        Job::Delete { .. } => "Delete".to_owned(),
        Job::Finish { uid: None } => "finish".to_owned(),
        Job::Finish { uid: Some(uid) } => format!("finish {uid}"),
        other => format!("{other:?}"),
    });
    words.collect()
}

/// One that has been marked and checked, and whose drain is written down.
fn draining(rules: &RetireSettings) -> Retirement {
    let mut node = retirement();
    assert_eq!(jobs(&node.step(&seen(&[]), rules, at(0))), ["Mark"]);
    assert_eq!(jobs(&node.step(&seen(&[]), rules, at(1))), [""; 0], "a call is made once");
    node.hear(Answer::Marked(Ok(true)), rules, at(1));
    assert_eq!(node.step(&seen(&[]), rules, at(1)).wake, Some(at(6)));
    node.step(&seen(&[]), rules, at(6));
    assert!(node.is_in_doubt());
    node.judged(Ok(()), at(7));
    assert_eq!(jobs(&node.step(&seen(&[]), rules, at(7))), ["NoteDrain"]);
    node.hear(Answer::DrainNoted(Ok(())), rules, at(7));
    node
}

#[test]
fn an_empty_node_goes_all_the_way() {
    let rules = RetireSettings::default();
    let mut node = draining(&rules);
    assert_eq!(jobs(&node.step(&seen(&[]), &rules, at(8))), ["Delete"]);
    node.hear(deleted(), &rules, at(9));
    let deleting = Sighting { machine: Machine::Deleting, ..seen(&[]) };
    assert_eq!(jobs(&node.step(&deleting, &rules, at(20))), [""; 0]);
    let gone = |as_of| Sighting { machine: Machine::Gone { as_of }, ..seen(&[]) };
    assert_eq!(jobs(&node.step(&gone(at(9)), &rules, at(30))), [""; 0], "that list may be older");
    assert_eq!(jobs(&node.step(&gone(at(30)), &rules, at(31))), ["finish"]);
    node.hear(Answer::Finished(Ok(())), &rules, at(31));
    assert_eq!(node.end(), Some(&End::Gone));
}

#[test]
fn no_machine_goes_while_an_order_of_its_group_has_no_answer() {
    let rules = RetireSettings::default();
    let mut node = draining(&rules);
    let waiting = Sighting { awaits_order: true, ..seen(&[]) };
    let step = node.step(&waiting, &rules, at(8));
    assert_eq!(jobs(&step), [""; 0]);
    assert_eq!(step.wake, Some(super::later(at(8), rules.retry)));
    assert_eq!(jobs(&node.step(&seen(&[]), &rules, at(20))), ["Delete"]);
}

#[test]
fn pods_leave_in_waves_and_daemons_are_not_waited_for() {
    let rules = RetireSettings { waves: vec![(0, 10), (100, 60)], ..RetireSettings::default() };
    let mut node = draining(&rules);
    let daemon = PodSeen { kind: PodKind::Daemon(None), ..pod("agent", 2000) };
    let fixed = PodSeen { kind: PodKind::Static, ..pod("proxy", 0) };
    let all = [pod("low", -5), pod("mid", 50), pod("high", 500), daemon.clone(), fixed.clone()];
    let step = node.step(&seen(&all), &rules, at(10));
    assert_eq!(jobs(&step), ["evict low in 10", "evict mid in 10"]);
    for name in ["low", "mid"] {
        node.hear(Answer::Evicted(pod(name, 0).name, Eviction::Accepted), &rules, at(10));
    }
    let step = node.step(&seen(&all), &rules, at(11));
    assert_eq!((jobs(&step), step.wake), (Vec::new(), Some(at(10 + 10 + 30))));
    let rest = [pod("high", 500), daemon.clone(), fixed.clone()];
    assert_eq!(jobs(&node.step(&seen(&rest), &rules, at(15))), ["evict agent", "evict high"]);
    assert_eq!(jobs(&node.step(&seen(&[daemon, fixed]), &rules, at(16))), ["Delete"]);
}

#[test]
fn a_budget_is_asked_again_and_wins_in_the_end() {
    let rules = RetireSettings::default();
    let mut node = draining(&rules);
    let pods = [pod("web", 0)];
    let mut now = 10;
    let mut asked = 0;
    let end = loop {
        let step = node.step(&seen(&pods), &rules, at(now));
        match jobs(&step).as_slice() {
            [] => now += 1,
            [job] if job == "evict web" => {
                asked += 1;
                let blocked = Eviction::Blocked { why: "the budget web".to_owned() };
                node.hear(Answer::Evicted(pods[0].name.clone(), blocked), &rules, at(now));
            }
            [job] => break (job.clone(), now),
            jobs => panic!("{jobs:?}"),
        }
    };
    assert_eq!(asked, 12, "every ten seconds for two minutes");
    let words = "release: default/web could not be evicted: the budget web";
    assert_eq!(end, (words.to_owned(), 130));
    node.hear(Answer::Released(Err("away".to_owned())), &rules, at(130));
    assert_eq!(node.step(&seen(&pods), &rules, at(131)).wake, Some(at(140)));
    assert_eq!(jobs(&node.step(&seen(&pods), &rules, at(140))), [words], "until it is done");
    node.hear(Answer::Released(Ok(())), &rules, at(140));
    assert!(matches!(node.end(), Some(End::Released(_))));
}

#[test]
fn what_ends_a_retirement_before_its_machine_is_asked_for() {
    let rules = RetireSettings::default();
    let pinned = PodSeen { kind: PodKind::Pinned, ..pod("db", 0) };
    let cases = [
        (Sighting::default(), "release: the node is gone"),
        (Sighting { keep: true, ..seen(&[]) }, "release: it is marked as not to be removed"),
        (
            Sighting { rival: Some(Symbol::new("other")), ..seen(&[]) },
            "release: node other claims the same machine",
        ),
        (seen(&[pinned]), "release: default/db must not be evicted"),
    ];
    for (sighting, words) in cases {
        assert_eq!(jobs(&retirement().step(&sighting, &rules, at(0))), [words]);
        assert_eq!(jobs(&draining(&rules).step(&sighting, &rules, at(9))), [words]);
    }
    let mut node = draining(&rules);
    node.step(&seen(&[]), &rules, at(8));
    assert_eq!(jobs(&node.step(&Sighting::default(), &rules, at(9))), [""; 0], "it is too late");
}

#[test]
fn a_check_that_fails_opens_the_node() {
    let rules = RetireSettings::default();
    let mut node = retirement();
    node.step(&seen(&[]), &rules, at(0));
    node.hear(Answer::Marked(Ok(true)), &rules, at(0));
    node.step(&seen(&[]), &rules, at(5));
    node.judged(Err("NoPlaceToMovePods".to_owned()), at(5));
    let step = node.step(&seen(&[]), &rules, at(5));
    assert_eq!(jobs(&step), ["release: the node is needed: NoPlaceToMovePods"]);
    assert!(node.view().needed, "that is no failure");
}

#[test]
fn a_provider_that_is_away_is_asked_again_and_one_that_refuses_is_not() {
    let rules = RetireSettings::default();
    let mut node = draining(&rules);
    node.step(&seen(&[]), &rules, at(8));
    node.hear(refused(Error::retry("away")), &rules, at(8));
    assert_eq!(node.step(&seen(&[]), &rules, at(9)).wake, Some(at(18)));
    assert_eq!(jobs(&node.step(&seen(&[]), &rules, at(18))), ["Delete"]);
    node.hear(refused(Error::new(Class::Invalid, "protected")), &rules, at(18));
    let words = "release: its machine could not be deleted: protected";
    assert_eq!(jobs(&node.step(&seen(&[]), &rules, at(18))), [words]);
}

#[test]
fn after_a_restart_it_is_checked_again_unless_the_machine_may_be_gone() {
    let rules = RetireSettings::default();
    let mut early = retirement().resume(OrderPhase::Draining, at(100));
    assert_eq!(jobs(&early.step(&seen(&[]), &rules, at(100))), ["Mark"]);
    let mut late = retirement().resume(OrderPhase::Deleting, at(100));
    // It may have been opened again before the process ended, so it is checked like any other.
    assert_eq!(jobs(&late.step(&seen(&[]), &rules, at(100))), ["Mark"]);
    let gone = |as_of| Sighting { machine: Machine::Gone { as_of }, ..Sighting::default() };
    let mut gone_before = retirement().resume(OrderPhase::Deleting, at(100));
    assert_eq!(jobs(&gone_before.step(&gone(at(110)), &rules, at(111))), ["finish"]);
    let deleting = Sighting { machine: Machine::Deleting, ..seen(&[pod("last", 0)]) };
    assert_eq!(jobs(&late.step(&deleting, &rules, at(101))), [""; 0]);
    late.hear(Answer::Marked(Ok(true)), &rules, at(101));
    assert_eq!(jobs(&late.step(&gone(at(110)), &rules, at(111))), ["finish"]);
}

#[test]
fn a_deletion_that_was_taken_and_not_made_is_asked_for_again() {
    let rules = RetireSettings::default();
    let mut node = draining(&rules);
    node.step(&seen(&[]), &rules, at(8));
    node.hear(deleted(), &rules, at(8));
    assert_eq!(node.step(&seen(&[]), &rules, at(9)).wake, Some(at(308)));
    assert_eq!(jobs(&node.step(&seen(&[]), &rules, at(308))), ["Delete"]);
}

#[test]
fn a_drain_ends_though_pods_keep_coming() {
    let rules = RetireSettings::default();
    let mut node = draining(&rules);
    let mut asked = 0;
    for second in 8.. {
        let pods = [pod(&format!("web-{second}"), 0)];
        let jobs = jobs(&node.step(&seen(&pods), &rules, at(second)));
        if jobs == ["release: pods keep coming back"] {
            break;
        }
        asked += jobs.len();
        node.hear(Answer::Evicted(pods[0].name.clone(), Eviction::Accepted), &rules, at(second));
    }
    assert_eq!(asked, 600 + 120 + 30 - 1);
}

#[test]
fn who_comes_during_a_delay_has_to_leave_first() {
    let rules = RetireSettings::default();
    let mut node = draining(&rules);
    let delayed = Sighting { delays: vec!["backup".to_owned()], ..seen(&[]) };
    assert_eq!(jobs(&node.step(&delayed, &rules, at(8))), [""; 0]);
    assert_eq!(jobs(&node.step(&seen(&[pod("late", 0)]), &rules, at(60))), ["evict late"]);
    assert_eq!(jobs(&node.step(&seen(&[]), &rules, at(62))), ["Delete"]);
}

#[test]
fn a_machine_that_others_seemed_to_delete_is_checked_before_it_is_deleted() {
    let rules = RetireSettings::default();
    let mut node = retirement();
    let deleting = Sighting { machine: Machine::Deleting, ..seen(&[]) };
    assert_eq!(jobs(&node.step(&deleting, &rules, at(0))), [""; 0]);
    node.step(&deleting, &rules, at(240));
    // It is listed as if nothing had been said.
    assert_eq!(jobs(&node.step(&seen(&[]), &rules, at(290))), [""; 0]);
    assert_eq!(jobs(&node.step(&seen(&[]), &rules, at(310))), ["Mark"], "from the beginning");
}

#[test]
fn a_pod_that_comes_before_any_call_is_evicted_first() {
    let batch = SignedDuration::from_secs(12);
    let rules = RetireSettings { batch, ..RetireSettings::default() };
    let mut node = draining(&rules);
    let batched = |pods: &[PodSeen]| Sighting { batch_until: Some(at(20)), ..seen(pods) };
    let step = node.step(&batched(&[]), &rules, at(8));
    assert_eq!((jobs(&step), step.wake), (Vec::new(), Some(at(20))));
    assert_eq!(jobs(&node.step(&batched(&[pod("late", 0)]), &rules, at(15))), ["evict late"]);
    assert_eq!(jobs(&node.step(&batched(&[]), &rules, at(20))), ["Delete"]);
    node.hear(refused(Error::retry("away")), &rules, at(21));
    let again = node.step(&seen(&[pod("later", 0)]), &rules, at(31));
    assert_eq!(jobs(&again), ["evict later"], "before it is asked again as well");
}

#[test]
fn a_pod_that_only_the_api_server_knows_of_keeps_the_machine() {
    let rules = RetireSettings::default();
    let mut node = draining(&rules);
    let mut asked = 0;
    let mut now = 8;
    let end = loop {
        let words = jobs(&node.step(&seen(&[]), &rules, at(now)));
        match words.first().map(String::as_str) {
            Some("Delete") => {
                asked += 1;
                node.hear(Answer::Deleted(Ok(Deletion::Occupied)), &rules, at(now));
            }
            Some(other) => break other.to_owned(),
            None => {}
        }
        now += 1;
    };
    assert_eq!(end, "release: pods keep coming back");
    assert!((10..100).contains(&asked), "{asked}: not again and again without a pause");
}

#[test]
fn another_node_of_the_name_is_neither_removed_nor_touched() {
    let rules = RetireSettings::default();
    let named = |uid: &str| Sighting { uid: Some(uid.into()), ..seen(&[]) };
    let mut node = Retirement { node_uid: Some("first".into()), ..retirement() };
    assert_eq!(jobs(&node.step(&named("first"), &rules, at(0))), ["Mark"]);
    node.hear(Answer::Marked(Ok(true)), &rules, at(0));
    let words = "close: another node is called node by now";
    assert_eq!(jobs(&node.step(&named("second"), &rules, at(1))), [words]);
    // The same when its machine is gone already.
    let mut node = Retirement { node_uid: Some("first".into()), ..draining(&rules) };
    assert_eq!(jobs(&node.step(&named("first"), &rules, at(8))), ["Delete"]);
    node.hear(deleted(), &rules, at(9));
    let gone = |uid: &str| Sighting { machine: Machine::Gone { as_of: at(30) }, ..named(uid) };
    assert_eq!(jobs(&node.step(&gone("second"), &rules, at(31))), ["finish"]);
    node.hear(Answer::Finished(Err("away".to_owned())), &rules, at(31));
    assert_eq!(jobs(&node.step(&gone("first"), &rules, at(60))), ["finish first"]);
}

#[test]
fn an_order_that_names_the_wrong_node_touches_nothing() {
    let rules = RetireSettings::default();
    let cases = [
        (
            Sighting { belongs: Belongs::Elsewhere, ..seen(&[]) },
            "close: node is not the machine machine of group group",
        ),
        (Sighting { is_control_plane: true, ..seen(&[]) }, "close: node runs the control plane"),
    ];
    for (sighting, words) in cases {
        for phase in [OrderPhase::Marked, OrderPhase::Draining, OrderPhase::Deleting] {
            let mut node = retirement().resume(phase, at(0));
            assert_eq!(jobs(&node.step(&sighting, &rules, at(1))), [words]);
        }
    }
    // A machine that nobody lists is no reason to delete a Node that is well.
    let gone = |as_of, is_ready| Sighting {
        uid: Some("uid".into()),
        is_ready,
        machine: Machine::Gone { as_of: at(as_of) },
        ..seen(&[])
    };
    let resumed =
        |phase| Retirement { node_uid: Some("uid".into()), ..retirement() }.resume(phase, at(0));
    let mut node = resumed(OrderPhase::Deleting);
    assert_eq!(jobs(&node.step(&gone(10, true), &rules, at(11))), [""; 0]);
    let words = "release: its provider lists no machine machine, and the node is ready";
    assert_eq!(jobs(&node.step(&gone(300, true), &rules, at(301))), [words]);
    let mut node = resumed(OrderPhase::Deleting);
    assert_eq!(jobs(&node.step(&gone(10, false), &rules, at(11))), ["finish uid"]);
    let mut node = resumed(OrderPhase::Draining);
    let words = "release: its provider lists no machine machine";
    assert_eq!(jobs(&node.step(&gone(10, false), &rules, at(11))), [words]);
}

#[test]
fn a_group_that_nobody_knows_releases_the_node_after_a_while() {
    let rules = RetireSettings::default();
    let unknown = Sighting { machine: Machine::Unknown, ..seen(&[]) };
    let mut node = draining(&rules);
    let step = node.step(&unknown, &rules, at(8));
    assert_eq!((jobs(&step), step.wake), (Vec::new(), Some(at(308))), "it may be known again");
    let words = "release: no provider knows the group group any more";
    assert_eq!(jobs(&node.step(&unknown, &rules, at(308))), [words]);
}

#[test]
fn a_pod_gets_its_time_by_our_own_clock() {
    let rules = RetireSettings::default();
    let mut node = draining(&rules);
    // Whatever the API server's clock says, it is seen ending now, with a minute to go.
    let ending = PodSeen { ends_in: Some(SignedDuration::from_secs(60)), ..pod("web", 0) };
    let ending = [PodSeen { grace: Some(600), uid: Some("u".into()), ..ending }];
    for second in [8, 60, 128] {
        assert_eq!(jobs(&node.step(&seen(&ending), &rules, at(second))), [""; 0]);
    }
    let step = node.step(&seen(&ending), &rules, at(129));
    assert_eq!(step.jobs, [Job::Delete { lost: vec!["u".into()] }], "its kubelet is silent");
}

/// Something that happens to a node on its way out.
#[derive(Clone, Debug)]
enum Happens {
    Time(i64),
    Answer(u8),
    Verdict(bool),
    Pods(Vec<(u8, bool)>),
    Keep(bool),
    Machine(u8),
}

fn happens() -> impl Strategy<Value = Happens> {
    prop_oneof![
        (0..40_i64).prop_map(Happens::Time),
        any::<u8>().prop_map(Happens::Answer),
        any::<bool>().prop_map(Happens::Verdict),
        proptest::collection::vec((0..4_u8, any::<bool>()), 0..4).prop_map(Happens::Pods),
        proptest::bool::weighted(0.1).prop_map(Happens::Keep),
        (0..3_u8).prop_map(Happens::Machine),
    ]
}

proptest! {
    /// Whatever happens: no machine is deleted while a pod that has to leave is seen, or before a check has gone well; nothing is
    /// begun after a release; and what is asked for is asked one at a time.
    #[test]
    fn nothing_is_lost_whatever_happens(story in proptest::collection::vec(happens(), 0..60)) {
        let rules = RetireSettings::default();
        let (mut node, mut sighting, mut now) = (retirement(), seen(&[]), 0);
        let (mut checked, mut released) = (false, false);
        let mut open: Vec<Job> = Vec::new();
        for event in story {
            match event {
                Happens::Time(seconds) => now += seconds,
                Happens::Verdict(good) => {
                    checked |= node.is_in_doubt() && good;
                    node.judged(if good { Ok(()) } else { Err("needed".to_owned()) }, at(now));
                }
                Happens::Pods(pods) => {
                    sighting.pods = pods.iter().map(|(name, ends)| PodSeen {
                        ends_in: ends.then(|| SignedDuration::from_secs(30)),
                        ..pod(&name.to_string(), i32::from(*name))
                    }).collect();
                    sighting.pods.dedup_by(|one, other| one.name == other.name);
                }
                Happens::Keep(keep) => sighting.keep = keep,
                Happens::Machine(0) => sighting.machine = Machine::Here,
                Happens::Machine(1) => sighting.machine = Machine::Deleting,
                Happens::Machine(_) => sighting.machine = Machine::Gone { as_of: at(now) },
                Happens::Answer(_) if open.is_empty() => {}
                Happens::Answer(choice) => {
                    let job = open.remove(usize::from(choice) % open.len());
                    let good = choice % 3 != 0;
                    let outcome = || if good { Ok(()) } else { Err("away".to_owned()) };
                    node.hear(match job {
                        Job::Mark => Answer::Marked(outcome().map(|()| true)),
                        Job::NoteDrain => Answer::DrainNoted(outcome()),
                        Job::Evict { pod, .. } if good => Answer::Evicted(pod, Eviction::Accepted),
                        Job::Evict { pod, .. } => {
                            Answer::Evicted(pod, Eviction::Blocked { why: "budget".to_owned() })
                        }
                        Job::Delete { .. } if good => deleted(),
                        Job::Delete { .. } => refused(Error::retry("away")),
                        Job::Finish { .. } => Answer::Finished(outcome()),
                        Job::Release { .. } | Job::Close { .. } => Answer::Released(outcome()),
                    }, &rules, at(now));
                }
            }
            let step = node.step(&sighting, &rules, at(now));
            for job in &step.jobs {
                match job {
                    Job::Delete { .. } => {
                        let runs = |pod: &PodSeen| pod.ends_in.is_none();
                        prop_assert!(!sighting.pods.iter().any(runs), "a pod is there");
                        prop_assert!(checked);
                        prop_assert!(!released);
                    }
                    Job::Release { .. } | Job::Close { .. } => released = true,
                    Job::Evict { .. } => prop_assert!(checked && !released),
                    _ => {}
                }
            }
            let single = |job: &&Job| !matches!(job, Job::Evict { .. });
            open.extend(step.jobs);
            prop_assert!(open.iter().filter(single).count() <= 1, "{:?}", open);
        }
        // In the end, when everything works and all pods are gone, it is over one way or the other.
        sighting.pods.clear();
        for _ in 0..40 {
            for job in std::mem::take(&mut open) {
                node.hear(match job {
                    Job::Mark => Answer::Marked(Ok(true)),
                    Job::NoteDrain => Answer::DrainNoted(Ok(())),
                    Job::Evict { pod, .. } => Answer::Evicted(pod, Eviction::Gone),
                    Job::Delete { .. } => deleted(),
                    Job::Finish { .. } => Answer::Finished(Ok(())),
                    Job::Release { .. } | Job::Close { .. } => Answer::Released(Ok(())),
                }, &rules, at(now));
            }
            node.judged(Ok(()), at(now));
            now += 60;
            sighting.machine = Machine::Gone { as_of: at(now) };
            open = node.step(&sighting, &rules, at(now)).jobs;
        }
        prop_assert!(node.end().is_some(), "{:?}", node);
    }
}
