//! Worlds, and what `plimsoll plan` must make of them: every file in `scenarios/`.
//!
//! A file holds two YAML documents. The first is the scenario and goes to the program as it stands; the second says what
//! the plan must look like, in the words that `scenarios/matching.rs` knows. What holds for every plan is in
//! `scenarios/always.rs`.

#![expect(clippy::unwrap_used, reason = "a test stops where it is surprised")]

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::{Map, Value, json};

use scenarios::{
    always::{always, totals},
    matching::{Difference, differences},
};

mod scenarios {
    pub(crate) mod always;
    pub(crate) mod matching;
}

/// A file taken apart.
struct Scenario {
    name: String,
    /// The first document, as it stands.
    text: String,
    given: Value,
    wanted: Map<String, Value>,
}

#[test]
fn every_scenario_yields_what_it_expects() {
    let scenarios = all();
    assert!(!scenarios.is_empty());
    let mut lines = Vec::new();
    for scenario in &scenarios {
        let found = check(scenario);
        lines.extend(found.iter().map(|one| format!("{}: {one}", scenario.name)));
    }
    assert!(lines.is_empty(), "\n{}\n", lines.join("\n"));
}

fn all() -> Vec<Scenario> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "yaml")).collect();
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> Scenario {
    let text = fs::read_to_string(path).unwrap();
    let (first, second) = text.split_once("\n---\n").unwrap();
    let options = serde_saphyr::options! { strict_booleans: true };
    let parse = |text: &str| -> Value {
        serde_saphyr::from_str_with_options(text, options.clone()).unwrap()
    };
    let wanted = parse(second).as_object().unwrap().clone();
    assert!(wanted.contains_key("expect") || wanted.contains_key("exit"), "{}", path.display());
    Scenario {
        name: path.file_stem().unwrap().to_string_lossy().into_owned(),
        text: format!("{first}\n"),
        given: parse(first),
        wanted,
    }
}

fn check(scenario: &Scenario) -> Vec<Difference> {
    let first = run(&scenario.text);
    let code = scenario.wanted.get("exit").map_or(0, |code| code.as_i64().unwrap());
    let said = String::from_utf8(first.stderr).unwrap();
    if first.status.code().map(i64::from) != Some(code) {
        return vec![Difference::new("exit", code, format!("{:?} {said}", first.status.code()))];
    }
    if code != 0 {
        let message = scenario.wanted.get("message").and_then(Value::as_str).unwrap_or_default();
        let is_fine = said.contains(message) && said.trim().lines().count() == 1;
        let wanted = format!("one line with {message}");
        return (!is_fine).then(|| Difference::new("message", wanted, said)).into_iter().collect();
    }
    let Ok(Value::Object(mut output)) = serde_json::from_slice(&first.stdout) else {
        return vec![Difference::new("stdout", "one JSON object", "something else")];
    };
    let mut found = always(&scenario.given, &output);
    output.insert("totals".to_owned(), totals(&output));
    found.extend(differences(&scenario.wanted["expect"], Some(&json!(output)), ""));
    if run(&scenario.text).stdout != first.stdout {
        found.push(Difference::new("stdout", "the same bytes on a second run", "other bytes"));
    }
    found
}

fn run(scenario: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(["plan", "--file", "-", "--output", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(scenario.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}
