use std::{fs, path::Path};

use expect_test::{Expect, expect};
use jiff::Timestamp;
use plimsoll_model::GroupOptions;
use plimsoll_net::Clock;
use plimsoll_provider::Home;

use super::{Choice, Infrastructure};

fn refused(providers: &str, configs: &str) -> String {
    Choice::from_flags(providers, configs).unwrap_err().to_string()
}

#[test]
fn names_and_files_go_together() {
    let choices = Choice::from_flags("simulated,externalgrpc", "a.yaml,b.yaml").unwrap();
    let shown: Vec<_> =
        choices.iter().map(|one| (one.infrastructure, one.config.as_deref())).collect();
    assert_eq!(
        shown,
        [
            (Infrastructure::Simulated, Some(Path::new("a.yaml"))),
            (Infrastructure::ExternalGrpc, Some(Path::new("b.yaml"))),
        ]
    );
}

#[test]
fn what_makes_no_sense_is_said() {
    let all = [
        refused("", ""),
        refused("", "a.yaml,b.yaml"),
        refused("simulated,externalgrpc", "a.yaml"),
        refused("simulatd", "a.yaml"),
        refused("aws", "a.yaml"),
        refused("simulated,", "a.yaml,b.yaml"),
        refused("simulated", ""),
        refused("spc,simulated", "a.yaml,"),
    ];
    expect![[r#"
        say which infrastructure with --cloud-provider
        several files in --cloud-config need as many names in --cloud-provider
        --cloud-provider names 2 and --cloud-config has 1; each needs its own file, in the same order
        --cloud-provider: "simulatd": unknown infrastructure, did you mean simulated?
        --cloud-provider: "aws": unknown infrastructure, known are simulated, externalgrpc, slicer, spc, stackpoint, nks
        --cloud-provider: "": unknown infrastructure, known are simulated, externalgrpc, slicer, spc, stackpoint, nks
        simulated needs a file in --cloud-config
        simulated needs a file in --cloud-config
    "#]]
    .assert_eq(&(all.join("\n") + "\n"));
}

#[test]
fn a_list_names_several() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("providers.yaml");
    let read = |text: &str| {
        fs::write(&path, text).unwrap();
        Choice::from_flags("", &path.display().to_string())
    };
    let choices =
        read("providers:\n- {name: cellar, type: simulated, config: c.yaml}\n- {type: externalgrpc, config: /etc/p.yaml}\n")
            .unwrap();
    assert_eq!(choices[0].name.as_deref(), Some("cellar"));
    assert_eq!(choices[0].config, Some(folder.path().join("c.yaml")));
    assert_eq!(choices[1].config.as_deref(), Some(Path::new("/etc/p.yaml")));

    let check = |text: &str, expected: Expect| {
        let error = read(text).unwrap_err().to_string();
        let error = error.replace(&folder.path().display().to_string(), "");
        expected.assert_eq(&error);
    };
    check("providers: []", expect!["/providers.yaml:1: providers: names no provider"]);
    check(
        "providers:\n- {type: simulate, config: c}",
        expect![[
            r#"/providers.yaml:2: providers[0].type: "simulate": unknown infrastructure, did you mean simulated?"#
        ]],
    );
    check(
        "providers:\n- {type: simulated}",
        expect!["/providers.yaml:2: providers[0].config: is missing"],
    );
    check(
        "providers:\n- {type: simulated, confg: c}",
        expect!["/providers.yaml:2: providers[0].confg: unknown field, did you mean config?"],
    );
    check("groups: []", expect!["/providers.yaml:1: groups: unknown field, known are providers"]);
}

#[test]
fn bad_configurations_are_refused_before_anything_happens() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.yaml");
    let open = |infrastructure, text: &str| {
        fs::write(&path, text).unwrap();
        let choice = Choice { name: None, infrastructure, config: Some(path.clone()) };
        let clock = Clock::starting_at(Timestamp::UNIX_EPOCH);
        let error =
            choice.open(Home::alone(clock), &GroupOptions::default()).unwrap_err().to_string();
        error.replace(&folder.path().display().to_string(), "")
    };
    let all = [
        open(Infrastructure::Simulated, "groups: [{id: a, min: 3, max: 2, template: {cpu: 1}}]"),
        open(Infrastructure::ExternalGrpc, "adress: localhost:1"),
        open(Infrastructure::ExternalGrpc, "address: localhost"),
        open(Infrastructure::ExternalGrpc, "address: a:1\ncert: /no/c\nkey: /no/k\ncacert: /no/a"),
    ];
    expect![[r#"
        /config.yaml:1: groups[0].min: 3 is above max, which is 2
        /config.yaml: address is missing
        /config.yaml:1:10: address: "localhost" is not of the form host:port, [host]:port or unix:/path
        /config.yaml:4:9: cacert: cannot read /no/a: No such file or directory (os error 2)
    "#]]
    .assert_eq(&(all.join("\n") + "\n"));
}

#[test]
fn stackpoint_has_several_names_and_needs_no_file() {
    for name in ["spc", "stackpoint", "nks"] {
        let choices = Choice::from_flags(name, "").unwrap();
        let shown: Vec<_> = choices.iter().map(|one| (one.infrastructure, &one.config)).collect();
        assert_eq!(shown, [(Infrastructure::StackPoint, &None)]);
    }
    let choices = Choice::from_flags("simulated,spc", "a.yaml,").unwrap();
    assert_eq!(choices[1].config, None);
}

#[test]
fn bad_configurations_of_stackpoint_are_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("token"), "one\ntwo").unwrap();
    fs::write(folder.path().join("empty"), "\n").unwrap();
    fs::write(folder.path().join("good"), "token\n").unwrap();
    let path = folder.path().join("spc.yaml");
    let rest = "base-url: http://localhost:1\norganization-id: 1\ncluster-id: 2\n";
    let open = |text: &str| {
        fs::write(&path, text).unwrap();
        let config = Some(path.clone());
        let choice = Choice { name: None, infrastructure: Infrastructure::StackPoint, config };
        let clock = Clock::starting_at(Timestamp::UNIX_EPOCH);
        let error =
            choice.open(Home::alone(clock), &GroupOptions::default()).unwrap_err().to_string();
        assert_eq!(error.lines().count(), 1, "{error}");
        error.replace(&folder.path().display().to_string(), "")
    };
    let all = [
        open(""),
        open("base-ulr: http://localhost:1"),
        open("base-url: localhost"),
        open("base-url: ftp://localhost"),
        open("base-url: https://me:secret@localhost"),
        open("organization-id: none"),
        open("cluster-id: -4"),
        open("cluster-id: 4\ncluster-id: 5"),
        open("token-file: missing"),
        open("token-file: token"),
        open("token-file: empty"),
        open("ca-file: good"),
        open("ca-file: missing"),
        open("network-agent: kube-flannel"),
        open("min-nodes: many"),
        open("min-nodes: 5\nmax-nodes: 4"),
        open("token-file: [good]"),
        open("base-url: http://localhost:1"),
        open(rest),
    ];
    expect![[r#"
        /spc.yaml: the file is empty
        /spc.yaml:1: base-ulr: unknown field, did you mean base-url?
        /spc.yaml:1: base-url: "localhost" is neither a URL nor the path of a socket: relative URL without a base
        /spc.yaml:1: base-url: "ftp://localhost" begins with ftp: where http, https or unix is understood
        /spc.yaml:1: base-url: a URL of "localhost" has a user or a password in it, which would be shown
        /spc.yaml:1: organization-id: "none" is not the number of anything
        /spc.yaml:1: cluster-id: -4 is not the number of anything
        /spc.yaml:2: duplicate mapping key: cluster-id
        /spc.yaml:1: token-file: cannot read /missing: No such file or directory (os error 2)
        /spc.yaml:1: token-file: the token in /token has characters that no token has; it has to be one line
        /spc.yaml:1: token-file: the token in /empty is empty
        /spc.yaml:1: ca-file: /good: the authority's certificate has no usable certificate: no CERTIFICATE section found
        /spc.yaml:1: ca-file: cannot read /missing: No such file or directory (os error 2)
        /spc.yaml:1: network-agent: "kube-flannel" is not none, or a namespace and the beginning of a pod's name, such as kube-system/kube-flannel
        /spc.yaml:1: min-nodes: "many" is not a whole number
        /spc.yaml:1: min-nodes: 5 is above max-nodes, which is 4
        /spc.yaml:1: token-file: a list is not a text; put it in quotes
        ORGANIZATION_ID is not set; set it, or organization-id in a file that --cloud-config names
        CLUSTER_API_TOKEN is not set; set it, or token-file in a file that --cloud-config names
    "#]].assert_eq(&(all.join("\n") + "\n"));
}
