use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::coordination::v1::LeaseSpec;

use super::{Election, Step, Timings};

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).unwrap()
}

fn candidate(name: &str) -> Election {
    Election::new(name, Timings::default())
}

/// Takes a step, and the write succeeds.
fn advance(election: &mut Election, lease: &mut Option<LeaseSpec>, now: Timestamp) -> bool {
    match election.step(lease.as_ref(), now) {
        Step::Write(spec) => {
            election.won(spec.clone(), now);
            *lease = Some(spec);
            true
        }
        Step::Wait => false,
    }
}

#[test]
fn the_first_leads_and_the_second_waits_until_the_lease_has_run_out_by_its_own_clock() {
    let (mut a, mut b) = (candidate("a"), candidate("b"));
    let mut lease = None;
    assert!(advance(&mut a, &mut lease, at(0)));
    assert!(a.leads(at(0)));
    // The clock of b is an hour off, which does not matter.
    let off = |seconds: i64| at(seconds) + SignedDuration::from_hours(1);
    assert!(!advance(&mut b, &mut lease, off(1)));
    assert!(advance(&mut a, &mut lease, at(2)));
    assert!(!advance(&mut b, &mut lease, off(3)));
    assert!(!advance(&mut b, &mut lease, off(17)));
    assert!(!a.leads(at(12)), "a stops before anybody else may begin");
    assert!(advance(&mut b, &mut lease, off(18)));
    assert!(b.leads(off(18)));
    let spec = lease.clone().unwrap();
    assert_eq!((spec.holder_identity.as_deref(), spec.lease_transitions), (Some("b"), Some(1)));
    assert!(!advance(&mut a, &mut lease, at(20)));
    assert!(!a.leads(at(20)));
}

#[test]
fn who_leads_keeps_the_time_it_began() {
    let mut a = candidate("a");
    let mut lease = None;
    advance(&mut a, &mut lease, at(0));
    let began = lease.clone().unwrap().acquire_time;
    advance(&mut a, &mut lease, at(2));
    let spec = lease.unwrap();
    assert_eq!(spec.acquire_time, began);
    assert_ne!(spec.renew_time, began);
    assert_eq!(spec.lease_transitions, Some(0));
}

#[test]
fn a_lease_that_was_given_back_is_free_at_once() {
    let mut b = candidate("b");
    let mut lease = Some(LeaseSpec {
        holder_identity: Some(String::new()),
        lease_duration_seconds: Some(1),
        lease_transitions: Some(3),
        ..LeaseSpec::default()
    });
    assert!(advance(&mut b, &mut lease, at(0)));
    assert_eq!(lease.unwrap().lease_transitions, Some(4));
}

#[test]
fn nobody_leads_while_somebody_else_may() {
    // Whatever happens, in whatever order: two that look at the same lease never both lead.
    let mut seed = 7_u64;
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    for _ in 0..200 {
        let mut candidates = [candidate("a"), candidate("b"), candidate("c")];
        let mut lease = None;
        let mut now = 0;
        for _ in 0..200 {
            now += i64::try_from(random(6)).unwrap();
            let who = usize::try_from(random(3)).unwrap();
            let election = &mut candidates[who];
            match election.step(lease.as_ref(), at(now)) {
                // The write may be lost, or succeed and the answer be lost.
                Step::Write(spec) => match random(4) {
                    0 => {}
                    1 => lease = Some(spec),
                    _ => {
                        election.won(spec.clone(), at(now));
                        lease = Some(spec);
                    }
                },
                Step::Wait => {}
            }
            let leading = candidates.iter().filter(|one| one.leads(at(now))).count();
            assert!(leading <= 1, "{leading} lead at {now}");
        }
    }
}
