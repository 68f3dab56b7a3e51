use super::{ownership, purity, refused};
use crate::tidy::Workspace;
use crate::tidy::tests::{check, crates, graph, member};

fn with_links(member_name: &str, links: &[&str]) -> Workspace {
    Workspace {
        members: vec![member(member_name, &[])],
        graph: graph(links),
        ..Workspace::default()
    }
}

#[test]
fn the_core_may_not_reach_a_runtime_through_others() {
    let links = ["plimsoll-fit -> foo", "foo -> bar", "bar -> tokio", "foo -> tokio"];
    check(
        &purity(&with_links("plimsoll-fit", &links)),
        &["plimsoll-fit: must not reach tokio: plimsoll-fit → foo → tokio"],
    );
}

#[test]
fn each_runtime_is_named() {
    let links = ["plimsoll-model -> hyper", "hyper -> tokio"];
    check(
        &purity(&with_links("plimsoll-model", &links)),
        &[
            "plimsoll-model: must not reach tokio: plimsoll-model → hyper → tokio",
            "plimsoll-model: must not reach hyper: plimsoll-model → hyper",
        ],
    );
}

#[test]
fn a_loop_of_packages_is_walked_once() {
    let links = ["plimsoll-plan -> foo", "foo -> bar", "bar -> foo"];
    check(&purity(&with_links("plimsoll-plan", &links)), &[]);
}

#[test]
fn build_scripts_of_the_core_and_other_crates_may_reach_a_runtime() {
    check(&purity(&with_links("plimsoll-fit", &["plimsoll-fit => tokio"])), &[]);
    check(&purity(&with_links("plimsoll-control", &["plimsoll-control -> tokio"])), &[]);
}

#[test]
fn owned_packages_stay_with_their_owners() {
    let workspace = crates(&[
        ("plimsoll", &["clap", "clap_complete"]),
        ("plimsoll-cluster", &["kube"]),
        ("plimsoll-liqo", &["kube"]),
        ("plimsoll-extgrpc", &["tonic", "tonic-prost-build"]),
        ("plimsoll-minicluster", &["kubelet-fake", "tonics"]),
        ("xtask", &["clap"]),
    ]);
    check(&ownership(&workspace), &[]);
}

#[test]
fn the_embedded_cluster_has_clients_in_its_tests_alone() {
    let workspace = |links: &[&str]| Workspace {
        members: vec![member("plimsoll-minicluster", &["kube"])],
        graph: graph(links),
        ..Workspace::default()
    };
    check(&ownership(&workspace(&["plimsoll-minicluster -> axum"])), &[]);
    check(
        &ownership(&workspace(&["plimsoll-minicluster -> kube"])),
        &["plimsoll-minicluster: names kube in its manifest; only plimsoll-cluster and \
           plimsoll-liqo may"],
    );
}

#[test]
fn owned_packages_are_refused_to_others() {
    let workspace = crates(&[
        ("plimsoll-control", &["kube-runtime", "tonic"]),
        ("plimsoll-sim", &["clap_complete"]),
    ]);
    check(
        &ownership(&workspace),
        &[
            "plimsoll-control: names kube-runtime in its manifest; only plimsoll-cluster and \
             plimsoll-liqo may",
            "plimsoll-control: names tonic in its manifest; only plimsoll-extgrpc may",
            "plimsoll-sim: names clap_complete in its manifest; only plimsoll and xtask may",
        ],
    );
}

#[test]
fn a_build_with_cmake_is_refused() {
    let links = ["plimsoll-net -> rustls", "rustls -> aws-lc-rs", "aws-lc-rs => cmake"];
    check(
        &refused(&with_links("plimsoll-net", &links)),
        &[
            "plimsoll-net: must not build aws-lc-rs: plimsoll-net → rustls → aws-lc-rs",
            "plimsoll-net: must not build cmake: plimsoll-net → rustls → aws-lc-rs → cmake",
        ],
    );
}

#[test]
fn a_build_with_ring_is_fine() {
    let links = ["plimsoll-net -> rustls", "rustls -> ring", "ring => cc"];
    check(&refused(&with_links("plimsoll-net", &links)), &[]);
}
