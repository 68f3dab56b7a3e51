//! Who has a turn, when, and who has none any more.

use expect_test::expect;
use plimsoll_model::SignedDuration;
use plimsoll_plan::plan;

use crate::fixture::{check, show, world};

#[test]
fn pauses_double_up_to_the_longest() {
    let fixture = |tried: &str| {
        format!(
            "
            flags enable-provisioning-requests=true
            node a-0 1cpu 16Gi
            template worker 2cpu 1Gi
            request job check worker*1 age=2h {tried}
            "
        )
    };
    let cases = [
        ("accepted=59s missing=59s", "waits"),
        ("accepted=60s missing=60s", "tries"),
        ("accepted=179s missing=119s", "waits"),
        ("accepted=180s missing=120s", "tries"),
        ("accepted=419s missing=239s", "waits"),
        ("accepted=420s missing=240s", "tries"),
        ("accepted=1h missing=599s", "waits"),
        ("accepted=1h missing=600s", "tries"),
    ];
    for (tried, expected) in cases {
        let plan = plan(&world(&fixture(tried)));
        let seen = if plan.requests[0].is_news { "tries" } else { "waits" };
        assert_eq!(seen, expected, "{tried}");
    }
}

#[test]
fn only_so_many_wait_longer() {
    let fixture = |flag: &str| {
        format!(
            "
            flags enable-provisioning-requests=true {flag}
            node a-0 1cpu 16Gi
            template worker 2cpu 1Gi
            request old check worker*1 age=2h accepted=30m missing=2m
            request young check worker*1 age=1h accepted=30m missing=2m
            "
        )
    };
    let tried = |flag: &str| {
        let plan = plan(&world(&fixture(flag)));
        let tried = plan.requests.iter().filter(|report| report.is_news);
        tried.map(|report| report.name.to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(tried(""), "");
    assert_eq!(tried("provisioning-request-max-backoff-cache-size=1"), "young");
    assert_eq!(tried("provisioning-request-max-backoff-cache-size=0"), "old young");
    assert_eq!(tried("provisioning-request-max-backoff-time=90s"), "old young");
}

#[test]
fn what_cannot_be_served_fails_in_words() {
    check(
        "
        flags enable-provisioning-requests=true
        node a-0 1cpu 16Gi
        template worker 2cpu 1Gi
        request nothing check
        request unknown check worker*1 nowhere*2
        request fresh check nowhere*2 age=10s
        request boundless atomic worker*2000000000 worker*2000000000
        request ancient check worker*1 age=168h accepted=168h missing=1m
        request impatient atomic worker*1 age=1h accepted=59m missing=1m with=ValidUntilSeconds=3600
        request late check nowhere*2 accepted=5m provisioned=5m
        ",
        expect![[r#"
            request ancient over
                      (Accepted=True)
                      (Provisioned=False)
                      Failed=True, Expired, ProvisioningRequest is expired
            request boundless over
                      Failed=True, FailedToCreatePods, it asks for 4000000000 pods, and may for 50000
            request fresh waits
            request impatient over
                      (Accepted=True)
                      (Provisioned=False)
                      Failed=True, Expired, ProvisioningRequest is expired
            request late over
                      (Accepted=True)
                      (Provisioned=True)
                      Failed=True, FailedToBookCapacity, there is no PodTemplate nowhere
            request nothing over
                      Failed=True, FailedToCreatePods, it has no pod sets
            request unknown over
                      Failed=True, FailedToCreatePods, there is no PodTemplate nowhere
            keep    a-0: NoNodeGroup
        "#]],
    );
}

#[test]
fn of_many_that_are_large_some_wait_for_another_pass() {
    check(
        "
        flags enable-provisioning-requests=true
        node a-0 1cpu 16Gi
        template worker 2cpu 1Gi
        request first check worker*30000 age=3m
        request second check worker*30000 age=2m
        request third check worker*20000 age=1m
        ",
        expect![[r#"
            request first waits
                      Accepted=True, Accepted, ProvisioningRequest is accepted
                      Provisioned=False, CapacityIsNotFound, Capacity is not found: no room for 30000 of 30000 pods on the nodes that are here or on their way; it is looked for again
            request second waits
            request third waits
                      Accepted=True, Accepted, ProvisioningRequest is accepted
                      Provisioned=False, CapacityIsNotFound, Capacity is not found: no room for 20000 of 20000 pods on the nodes that are here or on their way; it is looked for again
            keep    a-0: NoNodeGroup
        "#]],
    );
}

#[test]
fn requests_of_others_are_left_alone() {
    let fixture = |flag: &str| {
        format!(
            "
            flags enable-provisioning-requests=true {flag}
            node a-0 16cpu 16Gi
            template worker 1cpu 1Gi
            request plain check worker*1
            request atomic atomic worker*1
            request theirs queued-provisioning.gke.io worker*1
            request named check worker*1 with=processorInstance=x.
            request prefixed x.check-capacity.autoscaling.x-k8s.io worker*1
            "
        )
    };
    let served = |flag: &str| {
        let plan = plan(&world(&fixture(flag)));
        plan.requests.iter().map(|report| report.name.to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(served(""), "atomic plain");
    assert_eq!(served("check-capacity-processor-instance=x."), "named prefixed");
}

#[test]
fn a_request_that_is_long_over_is_to_be_deleted() {
    check(
        "
        flags enable-provisioning-requests=true
        template worker 2cpu 1Gi
        request done check worker*1 age=169h accepted=169h provisioned=169h expired=168h
        request failed check worker*1 age=169h failed=168h
        request lately check worker*1 age=169h failed=167h
        ",
        expect![[r#"
            request done to be deleted
                      (Accepted=True)
                      (Provisioned=True)
                      (BookingExpired=True)
            request failed to be deleted
                      (Failed=True)
            request lately over
                      (Failed=True)
        "#]],
    );
}

/// What was decided counts before anybody sees it written on the request.
#[test]
fn nothing_is_bought_twice_for_a_request() {
    let mut world = world(
        "
        flags enable-provisioning-requests=true
        group only 0..10 4cpu 16Gi $0.20
        template worker 2cpu 1Gi
        request job atomic worker*4
        ",
    );
    let first = plan(&world);
    world.orders = first.orders_after(&world);
    world.memory = first.memory.clone();
    world.groups[0].target = 2;
    world.now += SignedDuration::from_secs(1);
    let second = plan(&world);
    assert_eq!(second.requests, first.requests);
    assert_eq!(show(&second).lines().filter(|line| line.starts_with("buy")).count(), 0);
    world.requests[0].conditions = second.requests[0].conditions.clone();
    world.orders = second.orders_after(&world);
    world.memory = second.memory;
    let third = plan(&world);
    assert!(!third.requests[0].is_news);
    assert!(third.memory.requests.is_empty());
}
