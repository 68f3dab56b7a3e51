//! Who wrote: clients that apply for the first time, that applied otherwise before, and that give no name.

use serde_json::{Value, json};

use super::{
    super::{Conflicts, manager_name},
    Bench, config_map, deployment,
};
use crate::patch::tests::kind;

#[test]
fn untracked_objects_belong_to_nobody_before_the_first_apply() {
    let mut bench = Bench::new(kind("", "v1", "ConfigMap"));
    bench.live = Some(config_map(&json!({ "x": "1" })));
    let error =
        bench.apply("one", &config_map(&json!({ "x": "2" })), Conflicts::Refuse).unwrap_err();
    assert_eq!(
        error.message,
        "Apply failed with 1 conflict: conflict with \"before-first-apply\" using v1: .data.x"
    );
    bench.apply("one", &config_map(&json!({ "y": "2" })), Conflicts::Refuse).unwrap();
    assert_eq!(bench.owners(), ["one Apply: .data.y", "before-first-apply Update: .data .data.x"]);
}

#[test]
fn kubectl_takes_over_what_it_applied_from_the_client() {
    const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";
    let last = deployment(&json!({ "replicas": 2, "minReadySeconds": 1 }));
    let mut bench = Bench::new(kind("apps", "v1", "Deployment"));
    bench.write("kubectl-client-side-apply", "", |new| {
        *new = last.clone();
        new["metadata"]["annotations"] = json!({ ANNOTATION: last.to_string() });
    });
    // Others have to ask.
    let newer = deployment(&json!({ "replicas": 3 }));
    assert!(bench.apply("helm", &newer, Conflicts::Refuse).is_err());
    bench.apply("kubectl", &newer, Conflicts::Refuse).unwrap();
    assert_eq!(bench.at("/spec/replicas"), json!(3));
    let noted = bench.live()["metadata"]["annotations"][ANNOTATION].as_str().unwrap();
    assert!(noted.ends_with('\n'));
    assert_eq!(serde_json::from_str::<Value>(noted).unwrap(), newer);

    // What somebody changed since is not kubectl's.
    bench.write("scaler", "", |new| new["spec"]["replicas"] = json!(5));
    let error = bench.apply("kubectl", &newer, Conflicts::Refuse).unwrap_err();
    assert_eq!(
        error.message,
        "Apply failed with 1 conflict: conflict with \"scaler\" using apps/v1: .spec.replicas"
    );
}

#[test]
fn managers_are_named_after_clients() {
    let long = "m".repeat(200);
    let table = [
        (Some("given"), "kubectl/v1.36", "given"),
        (None, "kubectl/v1.36 (linux)", "kubectl"),
        (Some(""), "a\u{7}b", "ab"),
        (None, "", "unknown"),
        (None, long.as_str(), &long[..128]),
    ];
    for (given, agent, expected) in table {
        assert_eq!(manager_name(given, agent), expected);
    }
}
