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
        vec!["--cloud-provider=aws", "--cloud-config=x"],
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
    expect![[r#""#]].assert_eq(&lines.concat());
}

#[test]
fn help_has_every_topic() {
    let output = plimsoll(&["run", "--help"]).output().unwrap();
    assert!(output.status.success());
    let help = String::from_utf8(output.stdout).unwrap();
    for heading in [
        "Infrastructures and their groups:",
        "What to buy:",
        "What to give back:",
        "The process:",
        "Leader election:",
        "Logging:",
        "Accepted without effect:",
    ] {
        assert!(help.contains(heading), "{heading} is not in\n{help}");
    }
}
