//! table: for each thing that a scheduler's profile can say, a world in which it matters, and what is planned without and with it.

use std::fs;

use expect_test::{Expect, expect};
use plimsoll_manifest::scenario;
use plimsoll_plan::plan;
use serde_json::{Value, json};

use super::{
    summary::summary,
    worlds::{group, labelled, node, on, pod, pods, replica_set, tainted, with, world},
};
use crate::run::tests::process;

pub(crate) const FLAG: &str = "scheduler-config-file";

/// What is planned without and with a file that has this in its profile and that beside it.
fn planned(profile: &Value, beside: &Value, world: &Value) -> [String; 2] {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scheduler.yaml");
    let mut file = json!({
        "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
        "profiles": [profile],
    });
    for (key, value) in beside.as_object().into_iter().flatten() {
        file[key] = value.clone();
    }
    fs::write(&path, file.to_string()).unwrap();
    let planned = |words: &[&str]| {
        let mut world = scenario::read(&world.to_string()).unwrap();
        world.settings = process(words).unwrap().settings.plan;
        summary(&plan(&world))
    };
    let flag = format!("--{FLAG}={}", path.display());
    [planned(&[]), planned(&[&flag])]
}

/// Such a file makes the difference that is expected.
fn check(profile: &Value, beside: &Value, world: &Value, expected: &Expect) {
    let [without, with] = planned(profile, beside, world);
    assert_ne!(without, with, "{profile} makes no difference");
    expected.assert_eq(&format!("without: {without}\nwith: {with}"));
}

/// The same for plugins that are wholly off.
fn check_off(plugins: &[&str], world: &Value, expected: &Expect) {
    let disabled: Vec<Value> = plugins.iter().map(|name| json!({"name": name})).collect();
    let profile = json!({"plugins": {"multiPoint": {"disabled": disabled}}});
    check(&profile, &json!({}), world, expected);
}

/// The same for the arguments of a plugin.
fn check_arguments(plugin: &str, arguments: &Value, world: &Value, expected: &Expect) {
    let profile = json!({"pluginConfig": [{"name": plugin, "args": arguments}]});
    check(&profile, &json!({}), world, expected);
}

/// A group, a node that is none of its, and a pod that waits.
fn waits(node: Value, pod: Value) -> Value {
    world(&[group("a", 4)], vec![node, pod])
}

fn other() -> Value {
    node("other", "", 4)
}

fn labels(object: Value, labels: &Value) -> Value {
    with(object, "/metadata/labels", labels.clone())
}

#[test]
fn filters_that_are_off_keep_nobody_away() {
    let cordoned = with(other(), "/spec/unschedulable", json!(true));
    check_off(
        &["NodeUnschedulable"],
        &waits(cordoned, pod("p", "1")),
        &expect![[r"
        without: buy a 0→1, p TriggeredScaleUp, keep other (NoNodeGroup)
        with: p FitsExisting, keep other (NoNodeGroup)"]],
    );
    check_off(
        &["TaintToleration"],
        &tainted(),
        &expect![[r"
        without: p NoGroupFits, keep n (NotUnneededLongEnough)
        with: p FitsExisting, keep n (NotUnderutilized)"]],
    );
    let choosy = with(pod("p", "1"), "/spec/nodeSelector", json!({"disk": "ssd"}));
    check_off(
        &["NodeAffinity"],
        &waits(other(), choosy),
        &expect![[r"
        without: p NoGroupFits, keep other (NoNodeGroup)
        with: p FitsExisting, keep other (NoNodeGroup)"]],
    );
    check_off(
        &["NodeResourcesFit"],
        &waits(other(), pod("p", "5")),
        &expect![[r"
        without: p NoGroupFits, keep other (NoNodeGroup)
        with: p FitsExisting, keep other (NoNodeGroup)"]],
    );
    let port = json!([{"containerPort": 80, "hostPort": 80}]);
    let ports = |pod: Value| with(pod, "/spec/containers/0/ports", port.clone());
    let both = vec![other(), ports(on("other", "q", "1")), ports(pod("p", "1"))];
    check_off(
        &["NodePorts"],
        &world(&[group("a", 4)], both),
        &expect![[r"
        without: buy a 0→1, p TriggeredScaleUp, keep other (NoNodeGroup)
        with: p FitsExisting, keep other (NoNodeGroup)"]],
    );
    let claim = json!([{"name": "d", "persistentVolumeClaim": {"claimName": "missing"}}]);
    let lost = with(pod("p", "1"), "/spec/volumes", claim);
    let of_volumes = ["VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone"];
    check_off(
        &of_volumes,
        &waits(other(), lost),
        &expect![[r"
        without: p NoGroupFits, keep other (NoNodeGroup)
        with: p FitsExisting, keep other (NoNodeGroup)"]],
    );
}

#[test]
fn company_does_not_matter_to_a_scheduler_without_the_filters_for_it() {
    let app = json!({"app": "p"});
    let host = "kubernetes.io/hostname";
    let named = labels(other(), &json!({host: "other"}));
    let term = json!([{"labelSelector": {"matchLabels": app}, "topologyKey": host}]);
    let shy = json!({"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": term}});
    let shy_ones = |pod: Value| with(labels(pod, &app), "/spec/affinity", shy.clone());
    let objects = vec![named.clone(), shy_ones(pod("p", "1")), shy_ones(pod("q", "1"))];
    check_off(
        &["InterPodAffinity"],
        &world(&[group("a", 4)], objects),
        &expect![[r"
        without: buy a 0→1, p FitsExisting, q TriggeredScaleUp, keep other (NoNodeGroup)
        with: p FitsExisting, q FitsExisting, keep other (NoNodeGroup)"]],
    );
    let spread = json!([{
        "maxSkew": 1, "topologyKey": host, "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": app},
    }]);
    let even =
        |pod: Value| with(labels(pod, &app), "/spec/topologySpreadConstraints", spread.clone());
    let second = labels(node("second", "", 1), &json!({host: "second"}));
    let objects = vec![named, second, even(pod("p", "2")), even(pod("q", "2"))];
    check_off(
        &["PodTopologySpread"],
        &world(&[group("a", 4)], objects),
        &expect![[r"
        without: buy a 0→1, p FitsExisting, q TriggeredScaleUp, keep other (NoNodeGroup), keep second (NoNodeGroup)
        with: p FitsExisting, q FitsExisting, keep other (NoNodeGroup), keep second (NoNodeGroup)"]],
    );
}

#[test]
fn of_all_that_are_off_some_can_be_on() {
    let cordoned = with(other(), "/spec/unschedulable", json!(true));
    let objects = vec![cordoned, pod("p", "1"), pod("q", "5")];
    let plugins = |enabled: &[&str]| {
        let enabled: Vec<Value> = enabled.iter().map(|name| json!({"name": name})).collect();
        json!({"plugins": {"filter": {"disabled": [{"name": "*"}], "enabled": enabled}}})
    };
    let world = world(&[group("a", 4)], objects);
    check(
        &plugins(&[]),
        &json!({}),
        &world,
        &expect![[r"
        without: buy a 0→1, p TriggeredScaleUp, q NoGroupFits, keep other (NoNodeGroup)
        with: p FitsExisting, q FitsExisting, keep other (NoNodeGroup)"]],
    );
    check(
        &plugins(&["NodeResourcesFit"]),
        &json!({}),
        &world,
        &expect![[r"
        without: buy a 0→1, p TriggeredScaleUp, q NoGroupFits, keep other (NoNodeGroup)
        with: p FitsExisting, q NoGroupFits, keep other (NoNodeGroup)"]],
    );
}

#[test]
fn the_arguments_of_node_affinity_choose_the_nodes() {
    let term = json!({"matchExpressions": [{"key": "pool", "operator": "In", "values": ["b"]}]});
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    let args = json!({"addedAffinity": {required: {"nodeSelectorTerms": [term]}}});
    let dear = with(labelled("b", "pool", "b"), "/price", json!(9));
    let world = world(&[labelled("a", "pool", "a"), dear], pods(2, "1"));
    check_arguments(
        "NodeAffinity",
        &args,
        &world,
        &expect![[r"
        without: buy a 0→1, p0 TriggeredScaleUp, p1 TriggeredScaleUp
        with: buy b 0→1, p0 TriggeredScaleUp, p1 TriggeredScaleUp"]],
    );
}

#[test]
fn the_arguments_of_node_resources_fit_say_what_may_be_short() {
    let asks = json!("1");
    let pod =
        with(pod("p", "1"), "/spec/containers/0/resources/requests/example.com~1licence", asks);
    let world = world(&[group("a", 4)], vec![pod]);
    let by_name = json!({"ignoredResources": ["example.com/licence"]});
    check_arguments(
        "NodeResourcesFit",
        &by_name,
        &world,
        &expect![[r"
        without: p NoGroupFits
        with: buy a 0→1, p TriggeredScaleUp"]],
    );
    let by_group = json!({"ignoredResourceGroups": ["example.com"]});
    check_arguments(
        "NodeResourcesFit",
        &by_group,
        &world,
        &expect![[r"
        without: p NoGroupFits
        with: buy a 0→1, p TriggeredScaleUp"]],
    );
    let managed = json!([{"name": "example.com/licence", "ignoredByScheduler": true}]);
    let extender = json!({"urlPrefix": "http://licences", "managedResources": managed});
    check(
        &json!({}),
        &json!({"extenders": [extender]}),
        &world,
        &expect![[r"
        without: p NoGroupFits
        with: buy a 0→1, p TriggeredScaleUp"]],
    );
}

/// Pods of a ReplicaSet are spread by the profile's constraints, unless they have their own.
#[test]
fn the_arguments_of_pod_topology_spread_hold_for_pods_without_constraints() {
    let host = "kubernetes.io/hostname";
    let constraint =
        |when: &str| json!({"maxSkew": 1, "topologyKey": host, "whenUnsatisfiable": when});
    let listed = |when: &str| {
        let args = json!({"defaultingType": "List", "defaultConstraints": [constraint(when)]});
        json!({"pluginConfig": [{"name": "PodTopologySpread", "args": args}]})
    };
    let owned = |name: &str| {
        let pod = labels(on("", name, "1"), &json!({"app": "rs"}));
        with(with(pod, "/spec/nodeName", json!("")), "/status", json!({"phase": "Pending"}))
    };
    let busy = labels(on("n", "q", "1"), &json!({"app": "rs"}));
    let named = |name: &str| labels(node(name, "", 4), &json!({host: name}));
    let one = |pod: Value| {
        let objects = vec![named("n"), named("m"), replica_set(2), busy.clone(), pod];
        let mut world = world(&[group("a", 4)], objects);
        // Its node takes nothing, so that only the one that has the other pod is left.
        world["objects"][1]["spec"]["unschedulable"] = json!(true);
        world
    };
    check(
        &listed("DoNotSchedule"),
        &json!({}),
        &one(owned("p")),
        &expect![[r"
        without: p FitsExisting, keep m (NoNodeGroup), keep n (NoNodeGroup)
        with: buy a 0→1, p TriggeredScaleUp, keep m (NoNodeGroup), keep n (NoNodeGroup)"]],
    );
    let unchanged = |profile: &Value, world: &Value| {
        let [without, with] = planned(profile, &json!({}), world);
        assert_eq!(without, with, "{profile} {world}");
    };
    unchanged(&listed("ScheduleAnyway"), &one(owned("p")));
    let own = json!([{"maxSkew": 1, "topologyKey": host, "whenUnsatisfiable": "ScheduleAnyway"}]);
    let wishes = with(owned("p"), "/spec/topologySpreadConstraints", own);
    unchanged(&listed("DoNotSchedule"), &one(wishes));
    let nobodys = with(owned("p"), "/metadata/ownerReferences", json!([]));
    unchanged(&listed("DoNotSchedule"), &one(nobodys));
}
