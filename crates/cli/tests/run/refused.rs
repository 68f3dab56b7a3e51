//! What makes no sense is refused in one line, before anybody is asked anything.

use std::{fs, path::Path};

use expect_test::expect;

use super::stage::plimsoll;

fn refused(folder: &Path, words: &[&str]) -> String {
    let output = plimsoll(&["run"]).args(words).current_dir(folder).output().unwrap();
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{words:?}: {line}");
    assert_eq!(line.lines().count(), 1, "{words:?}: {line}");
    line
}

#[test]
fn bad_input_is_refused_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("catalogue.yaml", "groups: [{id: small, max: 3, template: {cpu: 2, memory: 4Gi}}]");
    write("broken.yaml", "groups: [{id: small, mx: 3}]");
    write("settings.yaml", "scan-interval: 10s\nmax-nodes-total: many\n");
    write("typo.yaml", "\nscan-intervall: 10s\n");
    write("list.yaml", "- scan-interval\n");
    let simulated = ["--cloud-provider=simulated", "--cloud-config=catalogue.yaml"];
    let with = |more: &[&'static str]| [&simulated[..], more].concat();
    let cases = [
        vec![],
        vec!["--cloud-provider=simulated"],
        vec!["--cloud-provider=simulated", "--cloud-config=none.yaml"],
        vec!["--cloud-provider=simulated", "--cloud-config=broken.yaml"],
        with(&["--kubeconfig=none"]),
        with(&["--scan-intervall=10s"]),
        with(&["--scan-interval=ten"]),
        with(&["--max-nodes-total=-1"]),
        with(&["--leader-elect", "false"]),
        with(&["--config=none.yaml"]),
        with(&["--config=settings.yaml"]),
        with(&["--config=typo.yaml"]),
        with(&["--config=list.yaml"]),
        with(&["--expander=grpc", "--grpc-expander-url=nowhere"]),
        with(&["--expander=grpc", "--grpc-expander-url=h:1", "--grpc-expander-cert=none"]),
    ];
    let lines: Vec<String> = cases.iter().map(|words| refused(folder.path(), words)).collect();
    expect![[r#"
        error: say which infrastructure with --cloud-provider
        error: simulated needs a file in --cloud-config
        error: none.yaml: No such file or directory (os error 2)
        error: broken.yaml:1: groups[0].mx: unknown field, did you mean max?
        error: cannot use the kubeconfig none: failed to read kubeconfig from '"none"': No such file or directory (os error 2)
        error: --scan-intervall: unknown flag, did you mean --scan-interval?
        error: --scan-interval: "ten" is not a duration such as 90s or 1h30m
        error: --max-nodes-total: -1 is negative
        error: "false" is no flag; a switch takes its value with =, as in --leader-elect=false
        error: none.yaml: No such file or directory (os error 2)
        error: settings.yaml:2: max-nodes-total: "many" is not a whole number
        error: typo.yaml:2: scan-intervall: unknown flag, did you mean scan-interval?
        error: list.yaml: is not a list of flags such as scan-interval: 10s
        error: grpc-expander-url: "nowhere" is not of the form host:port, [host]:port or unix:/path
        error: grpc-expander-cert: cannot read none: No such file or directory (os error 2)
    "#]].assert_eq(&lines.concat());
}

#[test]
fn an_infrastructure_that_is_not_there_is_refused_with_those_that_are() {
    let folder = tempfile::tempdir().unwrap();
    let line = refused(folder.path(), &["--cloud-provider=aws", "--cloud-config=x"]);
    let beginning = "error: --cloud-provider: \"aws\": unknown infrastructure, ";
    assert!(line.starts_with(beginning), "{line}");
}

#[test]
fn help_has_every_topic() {
    let output = plimsoll(&["run", "--help"]).output().unwrap();
    assert!(output.status.success());
    let help = String::from_utf8(output.stdout).unwrap();
    for heading in [
        "Infrastructures and their node groups:",
        "Scale-up: what to buy:",
        "Scale-down: what to give back:",
        "The process and its way to the cluster:",
        "Leader election:",
        "Logging:",
        "Accepted without effect:",
    ] {
        assert!(help.contains(heading), "{heading} is not in\n{help}");
    }
}
