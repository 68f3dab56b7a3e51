use crate::{InitContainer, PodRequests, Quantity, Requests, Symbol};

fn asks(text: &str) -> Requests {
    text.split_whitespace()
        .map(|part| {
            let (name, amount) = part.split_once('=').unwrap();
            (Symbol::new(name), Quantity::parse(amount).unwrap())
        })
        .collect()
}

fn init(text: &str) -> InitContainer {
    InitContainer { requests: asks(text), sidecar: false }
}

fn sidecar(text: &str) -> InitContainer {
    InitContainer { requests: asks(text), sidecar: true }
}

#[track_caller]
fn check(pod: &PodRequests, want: &str) {
    let want = crate::scheduler_units(&asks(want)).unwrap();
    assert_eq!(pod.total().unwrap(), want);
}

#[test]
fn containers_add_up() {
    let containers = vec![asks("cpu=100m memory=1Gi"), asks("cpu=1 nvidia.com/gpu=2")];
    check(
        &PodRequests { containers, ..Default::default() },
        "cpu=1100m memory=1Gi nvidia.com/gpu=2",
    );
}

#[test]
fn only_the_largest_init_container_counts() {
    let pod = PodRequests {
        containers: vec![asks("cpu=1")],
        init_containers: vec![init("cpu=3"), init("cpu=2 memory=1Mi")],
        ..Default::default()
    };
    check(&pod, "cpu=3 memory=1Mi");
}

#[test]
fn a_sidecar_runs_beside_later_init_containers_and_the_containers() {
    let later = |init_containers| PodRequests {
        containers: vec![asks("cpu=1")],
        init_containers,
        ..Default::default()
    };
    check(&later(vec![sidecar("cpu=2"), init("cpu=3")]), "cpu=5");
    check(&later(vec![init("cpu=3"), sidecar("cpu=2")]), "cpu=3");
    check(&later(vec![sidecar("cpu=1"), sidecar("cpu=4")]), "cpu=6");
}

#[test]
fn pod_level_requests_replace_the_sum_and_overhead_comes_on_top() {
    let pod = PodRequests {
        containers: vec![asks("cpu=1 memory=1Gi")],
        pod_level: asks("cpu=500m"),
        overhead: asks("cpu=250m memory=64Mi"),
        ..Default::default()
    };
    check(&pod, "cpu=750m memory=1088Mi");
}

#[test]
fn fractions_are_rounded_up_once_for_the_pod() {
    let containers = vec![asks("memory=500m"), asks("memory=500m")];
    check(&PodRequests { containers, ..Default::default() }, "memory=1");
}

#[test]
fn a_sum_too_large_is_an_error_that_names_the_resource() {
    let containers = vec![asks("memory=9E"), asks("memory=9E")];
    let (name, _) = PodRequests { containers, ..Default::default() }.total().unwrap_err();
    assert_eq!(name.as_str(), "memory");
}
