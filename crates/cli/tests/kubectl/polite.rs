//! What the cluster says about itself and about the one who asks, and how it declines what it does not have.

use expect_test::{Expect, expect};

use super::{cluster::Cluster, normal::normal};

#[test]
fn the_cluster_knows_itself_and_its_user() {
    let cluster = Cluster::start(0);
    let version = cluster.ok("version");
    assert!(version.ends_with("Server Version: v1.36.4\n"), "{version}");
    let info = normal(&cluster.ok("cluster-info"));
    assert!(info.starts_with("Kubernetes control plane is running at <server>\n"), "{info}");
    assert_eq!(cluster.ok("get --raw /readyz"), "ok");
    assert_eq!(cluster.ok("auth can-i create pods"), "yes\n");
    assert_eq!(cluster.ok("auth can-i * *"), "yes\n");
    expect![[r"
        ATTRIBUTE VALUE
        Username admin
        Groups [system:masters system:authenticated]
    "]]
    .assert_eq(&normal(&cluster.ok("auth whoami")));
    let rights = normal(&cluster.ok("auth can-i --list"));
    assert!(rights.contains("\n*.* [] [] [*]\n"), "{rights}");
}

#[test]
fn what_is_not_there_is_declined_with_a_reason() {
    let cluster = Cluster::start(1);
    cluster.ok("run solo --image=registry.example/x");
    cluster.ok("wait --for=condition=Ready pod/solo --timeout=120s");
    let check = |line: &str, expected: Expect| expected.assert_eq(&normal(&cluster.refused(line)));
    check(
        "top nodes",
        expect![[r"
        error: Metrics API not available
    "]],
    );
    check(
        "top pods",
        expect![[r"
        error: Metrics API not available
    "]],
    );
    check(
        "logs solo",
        expect![[r#"
        Error from server (NotImplemented): there are no logs of pod "solo": its containers exist in name only
    "#]],
    );
    check(
        "logs nope",
        expect![[r#"
        error: error from server (NotFound): pods "nope" not found in namespace "default"
    "#]],
    );
    check(
        "exec solo -- true",
        expect![[r#"
        Error from server (NotImplemented): cannot connect to pod "solo": its containers exist in name only
    "#]],
    );
    check(
        "exec nope -- true",
        expect![[r#"
        Error from server (NotFound): pods "nope" not found
    "#]],
    );
    check(
        "port-forward solo 18080:80",
        expect![[r#"
        error: error upgrading connection: cannot connect to pod "solo": its containers exist in name only
    "#]],
    );
    check(
        "get nonsense",
        expect![[r#"
        error: the server doesn't have a resource type "nonsense"
    "#]],
    );
}
