//! `plimsoll plan`, run as a user runs it.

#![expect(clippy::unwrap_used, reason = "a test stops where it is surprised")]

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Output, Stdio},
};

use expect_test::{Expect, expect};

mod plan {
    mod refused;
    mod told;
    mod why;
}

/// A world with something of everything: a purchase, a pod without hope, an idle node.
const SMALL: &str = r#"{"now":"2026-01-01T12:00:00Z",
"groups":[
 {"id":"small","min":0,"max":3,"price":0.1,"template":{"status":{"capacity":{"cpu":"2","memory":"8Gi","pods":"110"}}}},
 {"id":"tainted","min":0,"max":3,"price":0.3,"template":{"spec":{"taints":[{"key":"gpu","value":"yes","effect":"NoSchedule"}]},
  "status":{"capacity":{"cpu":"8","memory":"32Gi","pods":"110"}}}}],
"objects":[
 {"kind":"Node","metadata":{"name":"small-0","labels":{"plimsoll.dev/node-group":"small"}},
  "status":{"capacity":{"cpu":"2","memory":"8Gi","pods":"110"}}},
 {"kind":"Node","metadata":{"name":"own-0"},"status":{"capacity":{"cpu":"1","memory":"8Gi","pods":"110"}}},
 {"kind":"Pod","metadata":{"name":"busy","namespace":"a"},"spec":{"nodeName":"small-0","containers":[{"name":"c","resources":{"requests":{"cpu":"1500m"}}}]}},
 {"count":3,"object":{"kind":"Pod","metadata":{"name":"web","namespace":"a"},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1200m"}}}]}}},
 {"kind":"Pod","metadata":{"name":"web","namespace":"a-b"},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"4"}}}]}},
 {"kind":"Pod","metadata":{"name":"gated","namespace":"a"},"spec":{"schedulingGates":[{"name":"g"}],"containers":[{"name":"c"}]}}]}"#;

/// Runs `plimsoll plan` on standard input.
fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(["plan", "--file", "-"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// What it prints, when it works.
fn answer(arguments: &[&str], input: &str) -> String {
    let output = run(arguments, input);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The first document of a file of the scenario suite.
fn scenario(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let text = fs::read_to_string(folder.join(format!("{name}.yaml"))).unwrap();
    let (first, _) = text.split_once("\n---\n").unwrap();
    first.to_owned()
}

fn check(arguments: &[&str], input: &str, expected: &Expect) {
    expected.assert_eq(&answer(arguments, input));
}

/// JSON with a line for each entry, so that it can be read.
fn broken_into_lines(json: &str) -> String {
    json.replace("},{", "},\n {").replace("],\"", "],\n\"")
}

#[test]
fn json_has_every_key_of_the_contract() {
    let json = answer(&["--output", "json"], SMALL);
    expect![[r#"
        {"scaleUp":[{"group":"small","from":1,"to":3,"pods":["a/web-0","a/web-1"]}],
        "scaleDown":[],
        "repairs":[],
        "unneeded":[],
        "blocked":[{"node":"own-0","reason":"NoNodeGroup","pod":null,"podReason":null},
         {"node":"small-0","reason":"NotUnderutilized","pod":null,"podReason":null}],
        "pods":[{"pod":"a-b/web","outcome":"NoGroupFits","group":null,"node":null,"rejections":[{"group":"small","reason":"NodeResourcesFit","message":"insufficient cpu: asks 4, a new node has 2"},
         {"group":"tainted","reason":"TaintToleration","message":"taint gpu=yes:NoSchedule is not tolerated"}]},
         {"pod":"a/gated","outcome":"Ignored","group":null,"node":null,"rejections":[]},
         {"pod":"a/web-0","outcome":"TriggeredScaleUp","group":"small","node":null,"rejections":[]},
         {"pod":"a/web-1","outcome":"TriggeredScaleUp","group":"small","node":null,"rejections":[]},
         {"pod":"a/web-2","outcome":"AwaitsNextPass","group":null,"node":null,"rejections":[{"group":"small","reason":"MaxSizeReached","message":"at its maximum of 3"},
         {"group":"tainted","reason":"TaintToleration","message":"taint gpu=yes:NoSchedule is not tolerated"}]}],
        "groups":[{"id":"small","health":"Healthy","backoffUntil":null,"target":1,"ready":1,"upcoming":0},
         {"id":"tainted","health":"Healthy","backoffUntil":null,"target":0,"ready":0,"upcoming":0}],
        "cluster":{"healthy":true},"cost":{"before":0.1,"after":0.3}}
    "#]].assert_eq(&broken_into_lines(&json));
}

#[test]
fn placements_are_added_on_request() {
    let json = answer(&["--output", "json", "--placements"], SMALL);
    let (_, placements) = json.split_once("\"placements\":").unwrap();
    expect![[r#"
        [{"pod":"a/web-0","node":"small#1"},
         {"pod":"a/web-1","node":"small#2"}]}
    "#]]
    .assert_eq(&broken_into_lines(placements));
}

#[test]
fn the_same_world_gives_the_same_bytes() {
    let arguments = ["--output", "json", "--placements"];
    assert_eq!(answer(&arguments, SMALL), answer(&arguments, SMALL));
}

#[test]
fn timings_go_to_standard_error() {
    let output = run(&["--output", "json", "--timings"], SMALL);
    let said = String::from_utf8(output.stderr).unwrap();
    let line = said.lines().last().unwrap();
    assert!(
        line.starts_with("parse ") && line.contains("s, plan ") && line.ends_with('s'),
        "{said}"
    );
}

/// Whatever names in the file say, only text is shown.
#[test]
fn a_name_cannot_command_the_terminal() {
    let world = SMALL.replace("\"name\":\"own-0\"", "\"name\":\"own\\u001b[2J\"");
    let world = world.replace("\"id\":\"tainted\"", "\"id\":\"taint\\u202eed\\nThe nodes\"");
    let world = world.replace("\"name\":\"gated\"", "\"name\":\"gated\\u009b2J\"");
    assert_ne!(world, SMALL);
    for arguments in
        [&[][..], &["--placements"], &["--why", "gated\u{9b}2J"], &["--why", "no\u{1b}ne"]]
    {
        let output = run(arguments, &world);
        let shown = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        let is_bare = |letter: char| {
            (letter.is_control() && letter != '\n') || ('\u{202a}'..='\u{202e}').contains(&letter)
        };
        assert!(shown.contains("\\u{"), "{arguments:?}: {shown:?}");
        assert!(!shown.contains(is_bare), "{arguments:?}: {shown:?}");
    }
}
