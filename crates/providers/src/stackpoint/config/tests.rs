use std::collections::BTreeMap;

use expect_test::expect;

use super::{Config, Placement, Prices, UnknownKinds};

const WHOLE: [(&str, &str); 4] = [
    ("CLUSTER_API_TOKEN", "0123abcd"),
    ("SPC_API_BASE_URL", "https://api.stackpoint.io/"),
    ("ORGANIZATION_ID", "12"),
    ("CLUSTER_ID", "345"),
];

/// The whole environment but for these.
fn from(changes: &[(&'static str, &'static str)]) -> Result<Config, String> {
    let mut all: BTreeMap<_, _> = WHOLE.into();
    all.extend(changes.iter().copied());
    let environment = |name: &str| all.get(name).map(|value| (*value).to_owned());
    Config::from_environment(&environment).map_err(|refused| refused.to_string())
}

#[test]
fn four_variables_are_enough() {
    let config = from(&[]).unwrap();
    let shown = (config.endpoint.to_string(), config.organization, config.cluster);
    assert_eq!(shown, ("https://api.stackpoint.io".to_owned(), 12, 345));
    assert!(!format!("{config:?}").contains("0123abcd"));
}

#[test]
fn a_bad_environment_is_refused_in_one_line() {
    let refused = |name, value| {
        let error = from(&[(name, value)]).unwrap_err();
        assert_eq!(error.lines().count(), 1, "{error}");
        error
    };
    let all = [
        refused("CLUSTER_API_TOKEN", ""),
        refused("CLUSTER_API_TOKEN", "two words"),
        refused("SPC_API_BASE_URL", " "),
        refused("SPC_API_BASE_URL", "api.stackpoint.io"),
        refused("ORGANIZATION_ID", ""),
        refused("ORGANIZATION_ID", "acme"),
        refused("CLUSTER_ID", ""),
        refused("CLUSTER_ID", "0"),
    ];
    expect![[r#"
        CLUSTER_API_TOKEN is not set; set it, or token-file in a file that --cloud-config names
        CLUSTER_API_TOKEN has characters that no token has; it has to be one line
        SPC_API_BASE_URL is not set; set it, or base-url in a file that --cloud-config names
        SPC_API_BASE_URL is "api.stackpoint.io", which is neither a URL nor the path of a socket: relative URL without a base
        ORGANIZATION_ID is not set; set it, or organization-id in a file that --cloud-config names
        ORGANIZATION_ID is "acme", which is not the number of anything
        CLUSTER_ID is not set; set it, or cluster-id in a file that --cloud-config names
        CLUSTER_ID is "0", which is not the number of anything
    "#]].assert_eq(&(all.join("\n") + "\n"));
}

/// A file, and the whole environment.
fn load(text: &str) -> Result<Config, String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("spc.yaml");
    std::fs::write(&file, text).unwrap();
    let environment = |name: &str| {
        let found = WHOLE.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    Config::load(&file, &environment)
        .map_err(|refused| refused.to_string().replace(&folder.path().display().to_string(), ""))
}

#[test]
fn prices_are_by_kind_of_machine() {
    let config = load("prices: {m5.large: 0.096, m5.xlarge: 1}").unwrap();
    let micros = |size: &str| config.prices.get(size).map(|price| price.micros());
    assert_eq!((micros("m5.large"), micros("m5.xlarge")), (Some(96_000), Some(1_000_000)));
    assert_eq!(load("cluster-id: 5").unwrap().prices, Prices::new());
    expect!["/spc.yaml:1: prices[m5.large]: \"dear\" is not a number"]
        .assert_eq(&load("prices: {m5.large: dear}").unwrap_err());
}

#[test]
fn new_nodes_wait_for_what_the_user_says() {
    let held_back = |text: &str| {
        let hold_back = load(text).unwrap().hold_back;
        hold_back.map(|hold_back| format!("{:?}", hold_back.until))
    };
    let network = Some("Network".to_owned());
    assert_eq!(held_back("cluster-id: 5"), network, "on by default");
    assert_eq!(
        from(&[]).unwrap().hold_back.map(|hold_back| format!("{:?}", hold_back.until)),
        network
    );
    assert_eq!(held_back("network-agent: none"), None);
    let pod = "Pod { namespace: \"kube-system\", which: Prefix(\"kube-flannel\") }";
    assert_eq!(held_back("network-agent: kube-system/kube-flannel").as_deref(), Some(pod));
}

#[test]
fn bounds_may_come_from_the_environment() {
    let bounds = |changes: &[(&'static str, &'static str)]| {
        let bounds = from(changes)?.bounds;
        Ok::<_, String>((bounds.min, bounds.max))
    };
    assert_eq!(bounds(&[]), Ok((0, None)));
    assert_eq!(bounds(&[("CLUSTER_MIN_NODES", "3")]), Ok((3, None)));
    let both = [("CLUSTER_MIN_NODES", " 3 "), ("CLUSTER_MAX_NODES", "50")];
    assert_eq!(bounds(&both), Ok((3, Some(50))));
    assert_eq!(bounds(&[("CLUSTER_MAX_NODES", "")]), Ok((0, None)), "an empty one is not set");
    let all = [
        bounds(&[("CLUSTER_MAX_NODES", "many")]).unwrap_err(),
        bounds(&[("CLUSTER_MIN_NODES", "-1")]).unwrap_err(),
        bounds(&[("CLUSTER_MIN_NODES", "5"), ("CLUSTER_MAX_NODES", "3")]).unwrap_err(),
    ];
    expect![[r#"
        CLUSTER_MAX_NODES is "many", which is not a number of machines
        CLUSTER_MIN_NODES is "-1", which is not a number of machines
        CLUSTER_MIN_NODES contradicts another bound: the minimum of all groups together is 5, the maximum 3
    "#]].assert_eq(&(all.join("\n") + "\n"));
}

#[test]
fn a_file_goes_before_the_environment() {
    let bounds = |text: &str| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("spc.yaml");
        std::fs::write(&file, text).unwrap();
        let environment = |name: &str| match name {
            "CLUSTER_MIN_NODES" => Some("2".to_owned()),
            "CLUSTER_MAX_NODES" => Some("9".to_owned()),
            _ => {
                WHOLE.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            }
        };
        let bounds = Config::load(&file, &environment).map_err(|refused| refused.to_string());
        bounds.map(|config| (config.bounds.min, config.bounds.max))
    };
    assert_eq!(bounds("cluster-id: 5"), Ok((2, Some(9))));
    assert_eq!(bounds("max-nodes: 20"), Ok((2, Some(20))));
    assert_eq!(bounds("min-nodes: 0"), Ok((0, Some(9))));
    assert!(bounds("min-nodes: 10").unwrap_err().starts_with("CLUSTER_MAX_NODES contradicts"));
}

#[test]
fn how_the_service_is_asked_is_a_setting() {
    let config = load("cluster-id: 5").unwrap();
    let default = (config.unknown_kinds, config.placement, config.poll.as_secs());
    assert_eq!(default, (UnknownKinds::Learn, Placement::Service, 60));
    let text = "unknown-sizes: leave\nworker-placement: pool\npoll-seconds: 5\n";
    let config = load(text).unwrap();
    let set = (config.unknown_kinds, config.placement, config.poll.as_secs());
    assert_eq!(set, (UnknownKinds::Leave, Placement::Pool, 5));
    let all = [
        load("unknown-sizes: guess").unwrap_err(),
        load("worker-placement: here").unwrap_err(),
        load("poll-seconds: often").unwrap_err(),
    ];
    expect![[r#"
        /spc.yaml:1: unknown-sizes: "guess" is not learn or leave
        /spc.yaml:1: worker-placement: "here" is not service or pool
        /spc.yaml:1: poll-seconds: "often" is not a whole number
    "#]]
    .assert_eq(&(all.join("\n") + "\n"));
}

#[test]
fn groups_of_a_service_without_pools_are_named_in_the_file() {
    let text = "groups:\n- {name: A0, size: t2.medium, max: 8}\n- {name: big, size: x1, cpu: 16, memory: 64000, min: 1, max: 4, labels: {tier: db}}\n";
    let config = load(text).unwrap();
    let [plain, big] = &*config.groups else { panic!("two groups are named") };
    assert_eq!((&*plain.name, &*plain.size, plain.min, plain.max), ("A0", "t2.medium", 0, 8));
    assert_eq!((&*big.cpu, &*big.memory, big.labels.len()), ("16", "64000", 1));
    let all = [
        load("groups: [{name: A0, size: x1}]").unwrap_err(),
        load("groups: [{name: A0, size: x1, min: 3, max: 2}]").unwrap_err(),
        load("groups: [{name: A0, size: x1, max: 2}, {name: A0, size: x1, max: 2}]").unwrap_err(),
        load("groups: [{name: A0, size: x1, max: 2, colour: red}]").unwrap_err(),
    ];
    expect![[r"
        /spc.yaml:1: groups[0].max: is missing
        /spc.yaml:1: groups[0].min: 3 is above max, which is 2
        /spc.yaml:1: groups: two groups are called A0
        /spc.yaml:1: groups[0].colour: unknown field, known are name, size, min, max, cpu, memory, labels
    "]]
    .assert_eq(&(all.join("\n") + "\n"));
}
