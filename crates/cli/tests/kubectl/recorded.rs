//! Commands that were recorded with a real cluster: each ends here as it ended there.
//!
//! `traces/` holds what kubectl printed against a real API server, controllers and scheduler with a small fake kubelet, in a
//! namespace `kc-${run}` with two nodes `kn-${run}-a` and `-b`, a Deployment `web` of two pods and a pod `solo`. The commands of
//! [`PLAY`] are run in that setting, in an order in which each finds what it found then. Exit codes must be equal, and what is printed too
//! once names, times and widths are taken out; where it is not, `differences.txt` says so and why. That list may only shrink: a
//! difference that is not in it fails, and so does one in it that is no more. `UPDATE_EXPECT=1` writes it anew.

use std::{collections::BTreeMap, thread};

use serde::Deserialize;

use super::{
    cluster::{Cluster, Done},
    normal::normal,
};

mod compare;
mod differences;
mod play;
mod setting;

use self::{
    differences::Differences,
    play::{PLAY, Scene},
    setting::Setting,
};

/// One recorded command.
#[derive(Deserialize)]
struct Recorded {
    /// The version that ran it.
    kubectl: String,
    command: String,
    exit: Exit,
    stdout: String,
    stderr: String,
}

/// How it ended.
#[derive(Deserialize, PartialEq, Eq)]
#[serde(untagged)]
enum Exit {
    Code(i32),
    /// It was stopped: a watch.
    Interrupted(String),
}

#[derive(Deserialize)]
struct Trace {
    commands: Vec<Recorded>,
}

#[test]
fn recorded_commands_end_as_they_did_with_a_real_cluster() {
    let version = recorded_version();
    let mut found = Differences::default();
    thread::scope(|threads| {
        let acts = PLAY.map(|act| threads.spawn(move || perform(act, version)));
        for act in acts {
            found.append(act.join().unwrap());
        }
    });
    differences::judge(&found);
}

/// Runs the commands of an act in a cluster of their own and tells what is different.
fn perform(act: &[Scene], version: &str) -> Differences {
    let setting = Setting::new();
    let mut found = Differences::default();
    for scene in act {
        setting.prepare(scene);
        for (index, recorded) in commands(scene, version) {
            let line = setting.localise(&recorded.command);
            let line = line.strip_prefix("kubectl ").unwrap();
            let done = match recorded.exit {
                Exit::Code(_) => setting.run(line),
                Exit::Interrupted(_) => setting.watch(line, recorded.stdout.lines().count()),
            };
            let done = setting.anonymise(done);
            let key = format!("{} {index}: {}", scene.topic, recorded.command);
            found.add(key, compare::compare(&recorded, &done));
        }
    }
    found
}

/// The commands of a scene, with their places in the trace.
fn commands(scene: &Scene, version: &str) -> Vec<(usize, Recorded)> {
    let path = format!("{}/tests/kubectl/traces/{}.json", env!("CARGO_MANIFEST_DIR"), scene.topic);
    let text = std::fs::read_to_string(path).unwrap();
    let trace: Trace = serde_json::from_str(&text).unwrap();
    let of_version = trace.commands.into_iter().filter(|recorded| recorded.kubectl == version);
    let numbered = of_version.enumerate();
    numbered.filter(|(index, _)| scene.commands.contains(index)).collect()
}

/// The recorded kubectl that is most like the one on this machine: from 1.34 on it words some things in another way.
fn recorded_version() -> &'static str {
    let output = std::process::Command::new("kubectl")
        .args(["version", "--client", "-o", "json"])
        .output()
        .unwrap();
    let version: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let minor = version["clientVersion"]["minor"].as_str().unwrap();
    let minor: u32 = minor.trim_end_matches(|c: char| !c.is_ascii_digit()).parse().unwrap();
    if minor < 34 { "v1.32.5" } else { "v1.36.4" }
}
