//! `plimsoll fit`, run as a user runs it.

#![expect(clippy::unwrap_used, reason = "a test stops where it is surprised")]

use std::{
    io::{Read as _, Write as _},
    process::{Command, Output, Stdio},
};

use expect_test::{Expect, expect};

mod fit {
    mod refused;
    mod table;
    mod words;
}

/// Runs `plimsoll fit` in the folder of the test data, with `input` on standard input.
fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = command(arguments).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"));
    command.arg("fit").args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The answer, which has to be one.
fn answer(arguments: &[&str], input: &str) -> String {
    let output = run(arguments, input);
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(output.status.code(), Some(0));
    String::from_utf8(output.stdout).unwrap()
}

fn check(arguments: &[&str], input: &str, expected: &Expect) {
    expected.assert_eq(&answer(arguments, input));
}

#[test]
fn manifests_as_text() {
    check(
        &["--file", "cluster.yaml"],
        "",
        &expect![[r"
        cluster.yaml

        default/web: 1 of 3 nodes takes it
          small  fits
          large  NodePorts: host port 80/TCP is in use
          gpu-1  TaintToleration: taint gpu=true:NoSchedule is not tolerated

        ml/train: 1 of 3 nodes takes it
          small  NodeResourcesFit: insufficient cpu: asks 4, free 2
                 NodeResourcesFit: insufficient memory: asks 16Gi, free 4Gi
                 NodeResourcesFit: insufficient nvidia.com/gpu: asks 1, free 0
          large  NodeResourcesFit: insufficient cpu: asks 4, free 3
                 NodeResourcesFit: insufficient memory: asks 16Gi, free 2Gi
                 NodeResourcesFit: insufficient nvidia.com/gpu: asks 1, free 0
          gpu-1  fits

        default/picky: none of 3 nodes takes it
          small  NodeAffinity: wants disk=nvme, the node has ssd
          large  NodeAffinity: wants disk=nvme, the node has no such label
          gpu-1  TaintToleration: taint gpu=true:NoSchedule is not tolerated
                 NodeAffinity: wants disk=nvme, the node has no such label
    "]],
    );
}

#[test]
fn manifests_as_json() {
    check(
        &["--file", "cluster.yaml", "--output", "json"],
        "",
        &expect![[r#"
        {"id":"cluster.yaml","verdicts":{"default/web":{"small":[],"large":["NodePorts"],"gpu-1":["TaintToleration"]},"ml/train":{"small":["NodeResourcesFit"],"large":["NodeResourcesFit"],"gpu-1":[]},"default/picky":{"small":["NodeAffinity"],"large":["NodeAffinity"],"gpu-1":["TaintToleration","NodeAffinity"]}},"messages":{"default/web":{"large":["host port 80/TCP is in use"],"gpu-1":["taint gpu=true:NoSchedule is not tolerated"]},"ml/train":{"small":["insufficient cpu: asks 4, free 2; insufficient memory: asks 16Gi, free 4Gi; insufficient nvidia.com/gpu: asks 1, free 0"],"large":["insufficient cpu: asks 4, free 3; insufficient memory: asks 16Gi, free 2Gi; insufficient nvidia.com/gpu: asks 1, free 0"]},"default/picky":{"small":["wants disk=nvme, the node has ssd"],"large":["wants disk=nvme, the node has no such label"],"gpu-1":["taint gpu=true:NoSchedule is not tolerated","wants disk=nvme, the node has no such label"]}}}
    "#]],
    );
}

#[test]
fn cases_as_text() {
    check(
        &["--file", "cases.jsonl"],
        "",
        &expect![[r"
        pinned

        a/p: 1 of 2 nodes takes it
          n1  NodeName: the pod names node n2
          n2  fits

        full

        default/new: the only node does not take it
          n1  NodeResourcesFit: insufficient pods: asks 1, free 0

        nothing asked
          no pod is waiting for a node
    "]],
    );
}

#[test]
fn cases_as_json() {
    check(
        &["--file", "cases.jsonl", "--output", "json"],
        "",
        &expect![[r#"
        {"id":"pinned","verdicts":{"a/p":{"n1":["NodeName"],"n2":[]}},"messages":{"a/p":{"n1":["the pod names node n2"]}}}
        {"id":"full","verdicts":{"default/new":{"n1":["NodeResourcesFit"]}},"messages":{"default/new":{"n1":["insufficient pods: asks 1, free 0"]}}}
        {"id":"nothing asked","verdicts":{},"messages":{}}
    "#]],
    );
}

#[test]
fn standard_input_is_a_file_too() {
    let case =
        r#"{"id":"x","nodes":[{"metadata":{"name":"n"}}],"pending":[{"metadata":{"name":"p"}}]}"#;
    check(
        &["--file", "-", "--output", "json"],
        case,
        &expect![[r#"
        {"id":"x","verdicts":{"default/p":{"n":["NodeResourcesFit"]}},"messages":{"default/p":{"n":["insufficient pods: asks 1, free 0"]}}}
    "#]],
    );
    let pod = "kind: Pod\nmetadata: {name: p}";
    check(
        &["--file", "-", "--output", "json"],
        pod,
        &expect![[r#"
        {"id":"-","verdicts":{"default/p":{}},"messages":{}}
    "#]],
    );
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let case = r#"{"id":"x","nodes":[],"pending":[]}"#;
    let mut child = command(&["--file", "-"]).spawn().unwrap();
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(format!("{case}\n").repeat(20_000).as_bytes()).unwrap();
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!((said.as_str(), child.wait().unwrap().code()), ("", Some(0)));
}

/// Whatever names and labels in the file say, only text is shown.
#[test]
fn a_name_cannot_command_the_terminal() {
    let objects = r#"{"kind": "List", "apiVersion": "v1", "items": [
        {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "web\u001b[2J\nother: 1 of 1 nodes takes it"},
         "spec": {"nodeSelector": {"zone": "\u009b31m\u202ea"}, "containers": []}},
        {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "small\u001b]0;owned\u0007", "labels": {"zone": "\u001b[2J"}},
         "status": {"allocatable": {"cpu": "1", "memory": "1Gi", "pods": "10"}}}]}"#;
    let is_bare = |letter: char| {
        (letter.is_control() && letter != '\n') || ('\u{202a}'..='\u{202e}').contains(&letter)
    };
    // A label that nothing can have is refused, by the name of the pod that asks for it.
    let output = run(&["--file", "-"], objects);
    assert_eq!(output.status.code(), Some(2));
    let shown = String::from_utf8(output.stderr).unwrap();
    assert!(!shown.contains(is_bare), "{shown:?}");
    assert!(shown.contains(r"\u{9b}31m\u{202e}a"), "{shown}");

    let objects = objects.replace(r"\u009b31m\u202ea", "a");
    let shown = answer(&["--file", "-"], &objects);
    assert!(!shown.contains(is_bare), "{shown:?}");
    assert!(shown.contains(r"small\u{1b}]0;owned\u{7}"), "{shown}");
    assert!(shown.contains(r"web\u{1b}[2J\nother"), "{shown}");
    assert!(!shown.lines().any(|line| line.starts_with("other")), "{shown}");
}
