use expect_test::{Expect, expect};

use super::{budget, daemon_pod};
use crate::{parse::parse, wire::workload as wire};

fn check_budget(spec: &str, expected: &Expect) {
    let json = format!(r#"{{"metadata":{{"name":"b"}},"spec":{spec}}}"#);
    match budget(&parse::<wire::Budget<'_>>(&json).unwrap()) {
        Ok(budget) => expected.assert_eq(&format!("{:?} {:?}", budget.rule, budget.allowed)),
        Err(problem) => expected.assert_eq(&format!("{}: {}", problem.path(), problem.text)),
    }
}

#[test]
fn budgets_count_pods_or_percent() {
    check_budget("{}", &expect!["MaxUnavailable(Count(1)) None"]);
    check_budget(r#"{"minAvailable":3}"#, &expect!["MinAvailable(Count(3)) None"]);
    check_budget(r#"{"maxUnavailable":"30%"}"#, &expect!["MaxUnavailable(Percent(30)) None"]);
    check_budget(
        r#"{"maxUnavailable":"half"}"#,
        &expect![[r#"spec.maxUnavailable: "half" is neither a number nor a percentage"#]],
    );
    check_budget(
        r#"{"maxUnavailable":-1}"#,
        &expect!["spec.maxUnavailable: -1 is neither a number nor a percentage"],
    );
    check_budget(
        r#"{"minAvailable":1,"maxUnavailable":1}"#,
        &expect!["spec.maxUnavailable: cannot stand beside minAvailable"],
    );
}

#[test]
fn a_daemon_tolerates_what_its_controller_lets_it_tolerate() {
    let tolerations = |host_network: bool| {
        let json = format!(
            r#"{{"metadata":{{"name":"d","namespace":"kube-system"}},"spec":{{"template":{{
                "metadata":{{"labels":{{"k":"d"}}}},
                "spec":{{"hostNetwork":{host_network},"tolerations":[
                    {{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute"}},
                    {{"key":"mine","value":"x"}}],
                  "volumes":[{{"name":"v","ephemeral":{{}}}}],"containers":[{{}}]}}}}}}}}"#
        );
        let shape = daemon_pod(&parse::<wire::DaemonSet<'_>>(&json).unwrap()).unwrap();
        assert_eq!(shape.namespace.as_str(), "kube-system");
        assert!(shape.volumes.is_empty(), "a pod without a name has no claim to wait for");
        let keys = shape.tolerations.iter().filter_map(|one| one.key);
        keys.map(|key| key.as_str().trim_start_matches("node.kubernetes.io/")).collect::<Vec<_>>()
    };
    let usual =
        ["not-ready", "mine", "unreachable", "disk-pressure", "memory-pressure", "pid-pressure"];
    assert_eq!(tolerations(false), [&usual[..], &["unschedulable"]].concat());
    assert_eq!(tolerations(true), [&usual[..], &["unschedulable", "network-unavailable"]].concat());
}
