use std::collections::BTreeMap;

use expect_test::expect;

use super::{Config, Prices};

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
    let ready = Some("Condition(\"Ready\")".to_owned());
    assert_eq!(held_back("cluster-id: 5"), ready, "on by default");
    assert_eq!(
        from(&[]).unwrap().hold_back.map(|hold_back| format!("{:?}", hold_back.until)),
        ready
    );
    assert_eq!(held_back("network-agent: none"), None);
    let pod = "Pod { namespace: \"kube-system\", which: Prefix(\"kube-flannel\") }";
    assert_eq!(held_back("network-agent: kube-system/kube-flannel").as_deref(), Some(pod));
}
