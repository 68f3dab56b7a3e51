//! Every flag of the upstream autoscaler is known, and those that a user needs change what they should.

use std::{collections::BTreeSet, ffi::OsString, fs};

use expect_test::expect;
use plimsoll_manifest::flags::{FlagValue, IGNORED, TABLE, Topic};

use super::{
    flags::Known,
    process::Process,
    wanted::{Wanted, Wish},
};

mod effects;
mod plans;
mod stage;

/// The flags of the upstream autoscaler, each with how much a user who changes over needs it.
const UPSTREAM: &str = include_str!("tests/upstream.txt");

/// Flags that do nothing although users have them: what they tune is not there, or is always so, see docs/run.md.
const WITHOUT_EFFECT: [&str; 3] = [
    "aws-use-static-instance-list",
    "clusterapi-cloud-config-authoritative",
    "enable-dynamic-resource-allocation",
];

fn upstream() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = UPSTREAM.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split_once(' ').unwrap())
}

fn wanted(words: &[&str]) -> Result<Wanted, String> {
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    match Wanted::read(&words)? {
        Wish::Run(wanted) => Ok(wanted),
        Wish::Help => Err("wants help".to_owned()),
    }
}

/// What the words come to.
fn process(words: &[&str]) -> Result<Process, String> {
    wanted(words)?.resolve()
}

#[test]
fn every_upstream_flag_is_known() {
    let unknown: Vec<&str> =
        upstream().map(|(name, _)| name).filter(|name| Known::named(name).is_err()).collect();
    assert_eq!(unknown, [""; 0]);
    assert_eq!(upstream().count(), 164);
}

/// What a flag does is shown by a pair of plans or by somebody outside, or it is in the list of those that do nothing.
#[test]
fn the_effect_of_every_flag_that_users_need_is_shown() {
    let shown: BTreeSet<&str> = effects::names().chain(plans::names()).collect();
    let missing: Vec<&str> = upstream()
        .filter(|(_, need)| *need != "rare")
        .map(|(name, _)| name)
        .filter(|name| !shown.contains(name) && !WITHOUT_EFFECT.contains(name))
        .collect();
    assert_eq!(missing, [""; 0]);
    let unknown: Vec<&&str> = shown.iter().filter(|name| Known::named(name).is_err()).collect();
    assert_eq!(unknown, [&""; 0]);
    let idle: Vec<&&str> = shown.iter().filter(|name| WITHOUT_EFFECT.contains(name)).collect();
    assert_eq!(idle, [&""; 0]);
}

/// The page says of each flag that does nothing why, and what to use in its place.
#[test]
fn flags_without_effect_are_on_the_page() {
    let page = include_str!("../../../../docs/run.md");
    let (_, page) = page.split_once("### Accepted without effect").unwrap();
    let is_missing = |name: &&str| !page.contains(&format!("`{name}`"));
    let missing: Vec<&str> = WITHOUT_EFFECT.into_iter().filter(is_missing).collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn what_does_nothing_is_never_a_must_and_says_so() {
    for name in WITHOUT_EFFECT {
        let need = upstream().find(|(known, _)| *known == name).unwrap().1;
        assert_eq!(need, "should", "{name}");
        assert!(matches!(Known::named(name), Ok(Known::Accepted(_))), "{name}");
    }
    for flag in Known::all() {
        let Known::Accepted(accepted) = flag else { continue };
        let need = upstream().find(|(known, _)| *known == accepted.name).unwrap().1;
        assert!(need == "rare" || WITHOUT_EFFECT.contains(&accepted.name), "{}", accepted.name);
    }
}

#[test]
fn every_flag_stands_once_with_a_line_of_help() {
    let names: BTreeSet<&str> = Known::all().map(Known::name).collect();
    assert_eq!(names.len(), Known::all().count());
    for flag in Known::all() {
        let help = flag.help();
        assert!(
            !help.is_empty() && !help.ends_with('.') && !help.contains('\n'),
            "{}",
            flag.name()
        );
    }
    for topic in Topic::ALL {
        assert!(Known::all().any(|flag| flag.topic() == topic), "{topic:?}");
    }
}

/// A scenario taken from a running installation may name every flag of the process.
#[test]
fn scenarios_know_the_same_flags() {
    let own: BTreeSet<&str> = Known::all()
        .filter(|flag| !matches!(flag, Known::Plan(_)))
        .map(Known::name)
        .filter(|name| !["config", "dry-run"].contains(name))
        .collect();
    let ignored: BTreeSet<&str> = IGNORED.iter().copied().collect();
    assert_eq!(own, ignored);
    assert!(TABLE.iter().all(|flag| !own.contains(flag.name)));
}

#[test]
fn setting_what_holds_anyway_changes_nothing() {
    let default = format!("{:?}", Process::default());
    for flag in Known::all() {
        let Known::Own(own) = flag else { continue };
        if own.default.is_empty() {
            continue;
        }
        let mut process = Process::default();
        own.set(&mut process, &FlagValue::from(own.default)).unwrap();
        assert_eq!(format!("{process:?}"), default, "{}", own.name);
    }
}

#[test]
fn warnings_are_for_those_who_ask_for_what_is_not_done() {
    let warnings = |words: &[&str]| wanted(words).unwrap().warnings().join("\n");
    expect![[r"
        --aws-use-static-instance-list has no effect: there is no AWS provider
        --predicate-parallelism has no effect: the number of threads makes no difference to the plan"]]
    .assert_eq(&warnings(&["--aws-use-static-instance-list", "--predicate-parallelism=9", "--v=2"]));
    let same = [
        "--estimator=binpacking",
        "--gce-mig-instances-min-refresh-wait-time=5000ms",
        "--logtostderr=true",
    ];
    assert_eq!(warnings(&same), "");
}

#[test]
fn the_last_of_a_flag_counts_and_lists_add_up() {
    let process = process(&[
        "--scan-interval=20s",
        "--scan-interval",
        "30s",
        "--startup-taint=a",
        "--startup-taint=b",
        "--nodes=1:2:x",
        "--nodes=3:4:y",
        "--balance-similar-node-groups",
        "--leader-elect=false",
    ])
    .unwrap();
    assert_eq!(process.settings.pace.scan.as_secs(), 30);
    assert_eq!(process.settings.plan.taints.startup.len(), 2);
    assert_eq!(process.groups.picks.len(), 2);
    assert!(process.settings.plan.scale_up.balance.is_some());
    assert!(!process.election.wanted);
}

#[test]
fn what_was_typed_wins_over_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.yaml");
    fs::write(
        &path,
        "scan-interval: 20s\nmax-nodes-total: 7\nstartup-taint: [a, b]\nscan_interval_x: 1\n",
    )
    .unwrap();
    let config = format!("--config={}", path.display());
    let refused = process(&[&config]).unwrap_err().replace(&path.display().to_string(), "FILE");
    assert_eq!(refused, "FILE:4: scan_interval_x: unknown flag, did you mean scan-interval?");
    fs::write(&path, "scan-interval: 20s\nmax-nodes-total: 7\nstartup-taint: [a, b]\n").unwrap();
    let process = process(&[&config, "--scan-interval=5s", "--startup-taint=c"]).unwrap();
    assert_eq!(process.settings.pace.scan.as_secs(), 5);
    assert_eq!(process.settings.plan.limits.nodes, 7);
    assert_eq!(process.settings.plan.taints.startup, ["c".into()]);
}

#[test]
fn what_makes_no_sense_is_refused_by_its_name() {
    let cases: &[&[&str]] = &[
        &["--scan-intervall=10s"],
        &["--colour=blue"],
        &["--scan-interval=10"],
        &["--scan-interval=0"],
        &["--scale-down-unneeded-time=-1m"],
        &["--address=nowhere"],
        &["--namespace=Kube_System"],
        &["--nodes=3:1:a"],
        &["--nodes=1:3"],
        &["--nodes=0:0:a"],
        &["--node-group-auto-discovery=mig:namePrefix=a"],
        &["--node-group-auto-discovery=mig:namePrefix=a,min=0,mx=3"],
        &["--node-group-auto-discovery=asg:tag=a"],
        &["--node-group-auto-discovery=all"],
        &["--drain-priority-config=10"],
        &["--drain-priority-config=10:1,10:2"],
        &["--drain-priority-config=10:1", "--max-graceful-termination-sec=3"],
        &["--expander=grpc"],
        &["--expander=cheapest"],
        &["--leader-elect=perhaps"],
        &["--leader-elect-resource-lock=endpoints"],
        &["--leader-elect-lease-duration=10s"],
        &["--leader-elect-retry-period=9s"],
        &["--logging-format=xml"],
        &["-v=much"],
        &["--kube-client-qps=-1"],
        &["--balancing-label=a", "--balancing-ignore-label=b"],
        &["--bypassed-scheduler-names=a", "--allowed-scheduler-names=b"],
        &["--max-nodes-total"],
        &["now"],
    ];
    let lines: Vec<String> = cases.iter().map(|words| process(words).unwrap_err()).collect();
    expect![[r#"
        --scan-intervall: unknown flag, did you mean --scan-interval?
        --colour: unknown flag
        --scan-interval: "10" is not a duration such as 90s or 1h30m
        --scan-interval: has to be more than nothing
        --scale-down-unneeded-time: "-1m" is negative
        --address: "nowhere" is not of the form address:port or :port
        --namespace: "Kube_System" is not a name that an object may have
        --nodes: min 3 is above max 1
        --nodes: "1:3" is not of the form min:max:id
        --nodes: max has to be at least 1
        --node-group-auto-discovery: mig needs namePrefix=…, min=… and max=…
        --node-group-auto-discovery: "mx=3" is none of namePrefix=…, min=… and max=…
        --node-group-auto-discovery: asg: no infrastructure here can be searched so; known are mig and label
        --node-group-auto-discovery: "all" is neither mig:namePrefix=…,min=…,max=… nor label:key=value,…
        --drain-priority-config: "10" is not of the form priority:seconds
        --drain-priority-config: priority 10 stands twice
        --drain-priority-config: cannot be set together with max-graceful-termination-sec
        --grpc-expander-url: the expander grpc needs the address of its service
        --expander: "cheapest" is not an expander, known are least-cost, least-waste, most-pods, least-nodes, price, priority, random and grpc
        --leader-elect: "perhaps" is neither true nor false
        --leader-elect-resource-lock: "endpoints" is not leases, which is all there is
        --leader-elect-lease-duration: has to be longer than leader-elect-renew-deadline
        --leader-elect-renew-deadline: has to be longer than 1.2 times leader-elect-retry-period
        --logging-format: "xml" is neither text nor json
        --v: "much" is not a whole number
        --kube-client-qps: -1 is negative
        --balancing-label: cannot be set together with balancing-ignore-label
        --bypassed-scheduler-names: allowed-scheduler-names does not contain "a"
        --max-nodes-total: needs a value
        "now" is no flag; a switch takes its value with =, as in --leader-elect=false"#]]
    .assert_eq(&lines.join("\n"));
}

/// What the shipped Deployment, its roles and its policy promise.
#[test]
fn the_deployment_lets_in_as_little_as_it_can() {
    let shipped = include_str!("../../../../deploy/plimsoll.yaml");
    let documents: Vec<serde_json::Value> = serde_saphyr::from_multiple(shipped).unwrap();
    let of_kind = |kind: &str| documents.iter().find(|document| document["kind"] == kind).unwrap();
    let deployment = of_kind("Deployment");
    let pod = &deployment["spec"]["template"]["spec"];
    let image = concat!("plimsoll:", env!("CARGO_PKG_VERSION"));
    assert_eq!(pod["containers"][0]["image"], image, "a version, and ours");
    let volumes = pod["volumes"].as_array().unwrap();
    let secrets: Vec<_> = volumes.iter().filter(|volume| !volume["secret"].is_null()).collect();
    assert!(!secrets.is_empty());
    for volume in secrets {
        assert_eq!(volume["secret"]["defaultMode"], 0o400, "{volume}");
    }
    // Without a group of its own, the process could not read what only root may.
    assert_eq!(pod["securityContext"]["fsGroup"], pod["securityContext"]["runAsGroup"]);
    let apart = pod.pointer(
        "/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/0/topologyKey",
    );
    assert_eq!(apart.unwrap(), "kubernetes.io/hostname");
    // A new replica could not be scheduled beside the old ones on as many nodes as there are replicas.
    assert_eq!(deployment["spec"]["strategy"]["rollingUpdate"]["maxSurge"], 0);

    let policy = &of_kind("NetworkPolicy")["spec"];
    assert_eq!(policy["policyTypes"], serde_json::json!(["Ingress", "Egress"]));
    let port = &policy["ingress"][0]["ports"][0]["port"];
    assert_eq!(*port, pod["containers"][0]["ports"][0]["containerPort"]);
    assert_eq!(policy["podSelector"], deployment["spec"]["selector"]);
    assert_eq!(policy["ingress"].as_array().unwrap().len(), 1);
}

/// Who may create pods may run anything anywhere, so only a file that is for nothing else gives that right.
#[test]
fn no_role_may_create_pods_unless_it_is_asked_for() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy");
    let mut creating = Vec::new();
    for place in [folder.to_owned(), format!("{folder}/optional")] {
        for file in fs::read_dir(place).unwrap().map(|file| file.unwrap().path()) {
            if !file.is_file() {
                continue;
            }
            let text = fs::read_to_string(&file).unwrap();
            assert!(!text.contains(":latest"), "{}", file.display());
            let documents: Vec<serde_json::Value> = serde_saphyr::from_multiple(&text).unwrap();
            let rules = documents.iter().filter_map(|document| document["rules"].as_array());
            let has = |list: &serde_json::Value, wanted: &[&str]| {
                let entries = list.as_array().into_iter().flatten();
                entries.filter_map(|entry| entry.as_str()).any(|entry| wanted.contains(&entry))
            };
            let creates = rules.flatten().any(|rule| {
                has(&rule["resources"], &["pods", "*"]) && has(&rule["verbs"], &["create", "*"])
            });
            if creates {
                creating.push(file.file_name().unwrap().to_string_lossy().into_owned());
            }
        }
    }
    assert_eq!(creating, ["capacity-buffers-dry-run.yaml"]);
}

/// A kind that is watched without the right to do so would keep the whole autoscaler from ever acting.
#[test]
fn the_deployment_has_the_right_to_watch_all_that_is_watched() {
    let shipped = include_str!("../../../../deploy/plimsoll.yaml");
    let requests = include_str!("../../../../deploy/optional/provisioning-requests.yaml");
    let all = [shipped, requests].join("\n---\n");
    let cases: [(&[&str], &str); 2] = [(&[], shipped), (&["--enable-provisioning-requests"], &all)];
    for (words, text) in cases {
        let documents: Vec<serde_json::Value> = serde_saphyr::from_multiple(text).unwrap();
        let roles = documents.iter().filter(|document| document["kind"] == "ClusterRole");
        let rules: Vec<_> = roles.flat_map(|role| role["rules"].as_array().unwrap()).collect();
        let has = |list: &serde_json::Value, wanted: &str| {
            list.as_array().unwrap().iter().any(|entry| entry == wanted)
        };
        for watched in process(words).unwrap().settings.kinds.iter() {
            let resource = watched.resource();
            for verb in ["list", "watch"] {
                let allowed = rules.iter().any(|rule| {
                    has(&rule["apiGroups"], &resource.group)
                        && has(&rule["resources"], &resource.plural)
                        && has(&rule["verbs"], verb)
                });
                assert!(allowed, "{verb} {}", resource.plural);
            }
        }
    }
}
