use std::{fs, path::Path};

use expect_test::{Expect, expect};
use jiff::Timestamp;
use plimsoll_model::GroupOptions;
use plimsoll_net::Clock;

use super::{Choice, Infrastructure};

fn refused(providers: &str, configs: &str) -> String {
    Choice::from_flags(providers, configs).unwrap_err().to_string()
}

#[test]
fn names_and_files_go_together() {
    let choices = Choice::from_flags("simulated,externalgrpc", "a.yaml,b.yaml").unwrap();
    let shown: Vec<_> = choices.iter().map(|one| (one.infrastructure, &*one.config)).collect();
    assert_eq!(
        shown,
        [
            (Infrastructure::Simulated, Path::new("a.yaml")),
            (Infrastructure::ExternalGrpc, Path::new("b.yaml")),
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
    ];
    expect![[r#"
        say which infrastructure with --cloud-provider
        several files in --cloud-config need as many names in --cloud-provider
        --cloud-provider names 2 and --cloud-config has 1; each needs its own file, in the same order
        --cloud-provider: "simulatd": unknown infrastructure, did you mean simulated?
        --cloud-provider: "aws": unknown infrastructure, known are simulated, externalgrpc
        --cloud-provider: "": unknown infrastructure, known are simulated, externalgrpc
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
    assert_eq!(choices[0].config, folder.path().join("c.yaml"));
    assert_eq!(choices[1].config, Path::new("/etc/p.yaml"));

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
        let choice = Choice { name: None, infrastructure, config: path.clone() };
        let clock = Clock::starting_at(Timestamp::UNIX_EPOCH);
        let error = choice.open(clock, &GroupOptions::default()).unwrap_err().to_string();
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
        /config.yaml:1:1: unknown field `adress`, expected one of address, key, cert, cacert, grpc_timeout
        /config.yaml:1:10: address: "localhost" is not of the form host:port or [host]:port
        /config.yaml:4:9: cacert: cannot read /no/a: No such file or directory (os error 2)
    "#]]
    .assert_eq(&(all.join("\n") + "\n"));
}
