//! Room is looked for, and nothing is bought.

use expect_test::expect;

use crate::fixture::check;

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
            buy     only 1 → 2 for worker
            fits    web on a-0
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
