//! Requests for room: checked for, bought whole or not at all, kept for a while.

use expect_test::expect;
use plimsoll_model::SignedDuration;
use plimsoll_plan::plan;

use crate::fixture::{check, show, world};

#[test]
fn room_that_is_there_is_found_and_kept() {
    check(
        "
        flags enable-provisioning-requests=true
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        node a-1 of only
        template worker 2cpu 1Gi
        request job check worker*4
        memory unneeded a-0 since=30m
        ",
        expect![[r#"
            request job booked
                      Accepted=True, Accepted, ProvisioningRequest is accepted
                      Provisioned=True, CapacityIsFound, Capacity is found in the cluster
            keep    a-0, a-1: NotUnderutilized
        "#]],
    );
}

#[test]
fn nothing_is_bought_for_a_check() {
    check(
        "
        flags enable-provisioning-requests=true
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        template worker 2cpu 1Gi
        request job check worker*4
        ",
        expect![[r#"
            request job waits
                      Accepted=True, Accepted, ProvisioningRequest is accepted
                      Provisioned=False, CapacityIsNotFound, Capacity is not found: no room for 2 of 4 pods on the nodes that are here or on their way; it is looked for again
            keep    a-0: NotUnneededLongEnough, idle since 12:00
        "#]],
    );
}

#[test]
fn one_who_does_not_want_to_wait_is_told_so() {
    check(
        "
        flags enable-provisioning-requests=true
        node a-0 4cpu 16Gi
        template worker 2cpu 1Gi
        request job check worker*4 with=noRetry=true
        request other check worker*4 with=noRetry=false
        ",
        expect![[r#"
            request job over
                      Accepted=True, Accepted, ProvisioningRequest is accepted
                      Failed=True, CapacityIsNotFound, Capacity is not found: no room for 2 of 4 pods on the nodes that are here or on their way
            request other waits
                      Accepted=True, Accepted, ProvisioningRequest is accepted
                      Provisioned=False, CapacityIsNotFound, Capacity is not found: no room for 2 of 4 pods on the nodes that are here or on their way; it is looked for again
            keep    a-0: NoNodeGroup
        "#]],
    );
}

#[test]
fn without_the_flag_requests_are_left_alone() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        template worker 2cpu 1Gi
        request job check worker*1
        request other atomic worker*9
        pods worker 3cpu 1Gi consumes=job
        pods web 3cpu 1Gi
        ",
        expect![[r#"
            buy     only 1 → 2 for web
            fits    worker on a-0
            keep    a-0: NotUnderutilized
            cost    $0.20 → $0.40
        "#]],
    );
}

#[test]
fn older_requests_come_first_and_keep_what_they_get() {
    check(
        "
        flags enable-provisioning-requests=true
        node a-0 4cpu 16Gi
        template worker 2cpu 1Gi
        request young check worker*2 age=1m
        request old check worker*1 age=3m
        request middle check worker*1 age=2m
        ",
        expect![[r#"
            request middle booked
                      Accepted=True, Accepted, ProvisioningRequest is accepted
                      Provisioned=True, CapacityIsFound, Capacity is found in the cluster
            request old booked
                      Accepted=True, Accepted, ProvisioningRequest is accepted
                      Provisioned=True, CapacityIsFound, Capacity is found in the cluster
            request young waits
                      Accepted=True, Accepted, ProvisioningRequest is accepted
                      Provisioned=False, CapacityIsNotFound, Capacity is not found: no room for 2 of 2 pods on the nodes that are here or on their way; it is looked for again
            keep    a-0: NoNodeGroup
        "#]],
    );
}

#[test]
fn pods_that_exist_come_before_requests() {
    check(
        "
        flags enable-provisioning-requests=true
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        template worker 2cpu 1Gi
        request job check worker*2
        pods web 3cpu 1Gi
        ",
        expect![[r#"
            fits    web on a-0
            request job waits
                      Accepted=True, Accepted, ProvisioningRequest is accepted
                      Provisioned=False, CapacityIsNotFound, Capacity is not found: no room for 2 of 2 pods on the nodes that are here or on their way; it is looked for again
            keep    a-0: NotUnderutilized
        "#]],
    );
}

#[test]
fn room_that_is_only_being_bought_is_not_found() {
    check(
        "
        flags enable-provisioning-requests=true
        group only 0..10 4cpu 16Gi $0.20
        template worker 2cpu 1Gi
        request job check worker*1
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 0 → 1 for web
            request job waits
                      Accepted=True, Accepted, ProvisioningRequest is accepted
                      Provisioned=False, CapacityIsNotFound, Capacity is not found: no room for 1 of 1 pods on the nodes that are here or on their way; it is looked for again
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn booked_room_is_nobody_elses() {
    check(
        "
        flags enable-provisioning-requests=true
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        template worker 2cpu 1Gi
        request job check worker*2 accepted=5m provisioned=5m
        pods web 1cpu 1Gi
        memory unneeded a-0 since=30m
        ",
        expect![[r#"
            buy     only 1 → 2 for web
            request job booked
                      (Accepted=True)
                      (Provisioned=True)
            keep    a-0: NotUnderutilized
            cost    $0.20 → $0.40
        "#]],
    );
}

#[test]
fn pods_that_consume_a_request_have_its_room() {
    check(
        "
        flags enable-provisioning-requests=true
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        node a-1 of only
        template worker 2cpu 1Gi
        request job check worker*4 accepted=5m provisioned=5m
        pods running*2 2cpu 1Gi consumes=job on=a-0
        pods coming 2cpu 1Gi consumes=job
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 2 → 3 for web
            fits    coming on a-1
            request job booked
                      (Accepted=True)
                      (Provisioned=True)
            keep    a-0, a-1: NotUnderutilized
            cost    $0.40 → $0.60
        "#]],
    );
}

#[test]
fn a_booking_ends_when_all_its_pods_have_nodes() {
    check(
        "
        flags enable-provisioning-requests=true
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        template worker 2cpu 1Gi
        request job check worker*2 accepted=5m provisioned=5m
        pods worker*2 2cpu 1Gi consumes=job on=a-0
        ",
        expect![[r#"
            request job over
                      (Accepted=True)
                      (Provisioned=True)
                      BookingExpired=True, CapacityBookingConsumed, All pods that the capacity was booked for have their nodes
            keep    a-0: NotUnderutilized
        "#]],
    );
}

#[test]
fn a_booking_ends_after_ten_minutes() {
    check(
        "
        flags enable-provisioning-requests=true
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        template worker 2cpu 1Gi
        request job check worker*2 accepted=10m provisioned=10m
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            fits    web on a-0
            request job over
                      (Accepted=True)
                      (Provisioned=True)
                      BookingExpired=True, CapacityReservationTimeExpired, Capacity reservation time is expired
            keep    a-0: NotUnderutilized
        "#]],
    );
}

#[test]
fn pods_that_consume_a_request_are_never_bought_for() {
    check(
        "
        flags enable-provisioning-requests=true
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        template worker 2cpu 1Gi
        request job check worker*2 accepted=20m provisioned=20m expired=10m
        pods fits 2cpu 1Gi consumes=job
        pods waits 4cpu 1Gi consumes=job
        pods stray 4cpu 1Gi consumes=nothing
        ",
        expect![[r#"
            fits    waits on a-0
            wait    fits, stray: ConsumesRequest
            request job over
                      (Accepted=True)
                      (Provisioned=True)
                      (BookingExpired=True)
            keep    a-0: NotUnderutilized
        "#]],
    );
}

#[test]
fn all_that_is_missing_is_bought_in_one_go() {
    check(
        "
        flags enable-provisioning-requests=true
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        template worker 2cpu 1Gi
        template chief 3cpu 1Gi
        request job atomic chief*1 worker*5
        ",
        expect![[r#"
            buy     only 1 → 4 for nobody
            request job booked
                      Accepted=True, Accepted, ProvisioningRequest is accepted
                      Provisioned=True, CapacityIsProvisioned, Capacity is bought, and on its way
            keep    a-0: NotUnderutilized
            cost    $0.20 → $0.80
        "#]],
    );
}

#[test]
fn nothing_is_bought_unless_all_of_it_can_be_had() {
    check(
        "
        flags enable-provisioning-requests=true
        group only 0..3 4cpu 16Gi $0.20
        group other 0..9 1cpu 4Gi $0.20
        template worker 2cpu 1Gi
        request job atomic worker*7
        request small atomic worker*6 age=30s
        ",
        expect![[r#"
            buy     only 0 → 3 for nobody
            request job waits
                      Accepted=True, Accepted, ProvisioningRequest is accepted
                      Provisioned=False, CapacityIsNotFound, Capacity is not found: no room for 1 of 7 pods (only: at its maximum of 3; other: insufficient cpu: asks 2, a new node has 1); it is looked for again
            request small booked
                      Accepted=True, Accepted, ProvisioningRequest is accepted
                      Provisioned=True, CapacityIsProvisioned, Capacity is bought, and on its way
            cost    $0.00 → $0.60
        "#]],
    );
}

#[test]
fn nothing_has_to_be_bought_for_what_fits() {
    check(
        "
        flags enable-provisioning-requests=true
        group only 0..3 4cpu 16Gi $0.20
        node a-0 of only
        template worker 2cpu 1Gi
        request job atomic worker*2
        ",
        expect![[r#"
            request job booked
                      Accepted=True, Accepted, ProvisioningRequest is accepted
                      Provisioned=True, CapacityIsFound, Capacity is found in the cluster
            keep    a-0: NotUnderutilized
        "#]],
    );
}

#[test]
fn what_was_bought_for_a_request_is_kept_for_it_while_it_comes() {
    check(
        "
        flags enable-provisioning-requests=true
        group only 0..10 4cpu 16Gi $0.20 instance i-1 creating
        template worker 2cpu 1Gi
        request job atomic worker*2 accepted=1m provisioned=1m
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 1 → 2 for web
            group   only: healthy, 0 ready and 1 upcoming of 1
            request job booked
                      (Accepted=True)
                      (Provisioned=True)
            cost    $0.20 → $0.40
        "#]],
    );
}

#[test]
fn what_was_promised_is_bought_again_when_it_does_not_come() {
    check(
        "
        flags enable-provisioning-requests=true
        group only 0..10 4cpu 16Gi $0.20
        template worker 2cpu 1Gi
        request job atomic worker*3 accepted=1m provisioned=1m
        pods worker 2cpu 1Gi consumes=job
        ",
        expect![[r#"
            buy     only 0 → 2 for worker
            request job booked
                      (Accepted=True)
                      (Provisioned=True)
            cost    $0.00 → $0.40
        "#]],
    );
}

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
    world.memory = first.memory.clone();
    world.groups[0].target = 2;
    world.now += SignedDuration::from_secs(1);
    let second = plan(&world);
    assert_eq!(second.requests, first.requests);
    assert_eq!(show(&second).lines().filter(|line| line.starts_with("buy")).count(), 0);
    world.requests[0].conditions = second.requests[0].conditions.clone();
    world.memory = second.memory;
    let third = plan(&world);
    assert!(!third.requests[0].is_news);
    assert!(third.memory.requests.is_empty());
}
