//! `plimsoll demo`, run as a user runs it who does not look at a terminal.

#![expect(clippy::unwrap_used, reason = "a test stops where it is surprised")]

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
};

use tempfile::TempDir;

const ACTS: [&str; 7] =
    ["burst", "GPU job", "zone spread", "stockout", "dead machine", "load falls", "consolidation"];

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    command.current_dir(folder).env("TMPDIR", folder).arg("demo").args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn is_empty(folder: &TempDir) -> bool {
    fs::read_dir(folder.path()).unwrap().next().is_none()
}

/// Sends a signal as kill does.
fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-s", name, &id]).status().unwrap();
    assert!(sent.success());
}

/// Plays with these arguments besides, and looks what there is to say in the end.
fn the_play_is_played(arguments: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [&["--for", "60s"], arguments].concat();
    let output = command(folder.path(), &arguments).output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), error.as_str()), (Some(0), ""), "{told}");
    for act in ACTS {
        assert!(told.lines().any(|line| line.starts_with(&format!("  ✓ {act} "))), "{act}\n{told}");
    }
    for figure in ["Pods ", "Machines ", "Cost "] {
        assert!(told.lines().any(|line| line.starts_with(figure)), "{figure}\n{told}");
    }
    assert!(is_empty(&folder));
}

#[test]
fn the_play_is_played_and_nothing_is_left_behind() {
    the_play_is_played(&[]);
}

#[test]
fn it_is_played_on_slicer() {
    the_play_is_played(&["--provider", "slicer"]);
}

#[test]
fn it_is_played_on_stackpoint() {
    the_play_is_played(&["--provider", "stackpoint"]);
}

#[test]
fn a_signal_ends_it_and_nothing_is_left_behind() {
    for name in ["INT", "TERM"] {
        let folder = tempfile::tempdir().unwrap();
        let mut child = command(folder.path(), &[]).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut told = String::new();
        // The play has begun, so the cluster runs and the kubeconfig is written.
        while !told.contains("act 1 of 7") {
            assert!(out.read_line(&mut told).unwrap() > 0, "{told}");
        }
        let url = told.split_whitespace().find_map(|word| word.strip_prefix("https://"));
        let address = url.unwrap().to_owned();
        assert!(TcpStream::connect(&address).is_ok());
        assert!(!is_empty(&folder));
        signal(&child, name);
        out.read_to_string(&mut told).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{told}");
        assert!(told.contains("not played"), "{told}");
        assert!(TcpStream::connect(&address).is_err());
        assert!(is_empty(&folder));
    }
}

#[test]
fn who_asks_for_too_short_a_play_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let output = command(folder.path(), &["--for", "20s"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("the play takes 45s at least"), "{error}");
}
