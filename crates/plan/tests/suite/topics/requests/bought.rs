//! What is missing is bought, whole or not at all.

use expect_test::expect;

use crate::fixture::check;

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
