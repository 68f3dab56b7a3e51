//! Room is kept, and used.

use expect_test::expect;

use crate::fixture::check;

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
            fits    stray on a-0
            wait    fits, waits: ConsumesRequest
            request job over
                      (Accepted=True)
                      (Provisioned=True)
                      (BookingExpired=True)
            keep    a-0: NotUnderutilized
        "#]],
    );
}
