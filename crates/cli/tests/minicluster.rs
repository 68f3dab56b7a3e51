//! `plimsoll minicluster`, run as a user runs it.

#![expect(clippy::unwrap_used, reason = "a test stops where it is surprised")]

use std::{
    fs,
    io::{BufRead as _, BufReader},
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Child, Command, Output, Stdio},
};

use expect_test::expect;

fn command(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    command.arg("minicluster").args(arguments).current_dir(directory);
    command
}

/// Starts it and reads what it says, until the last line of that.
fn start(directory: &Path, arguments: &[&str]) -> (Child, Vec<String>) {
    let mut child = command(directory, arguments).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut said = Vec::new();
    for line in lines {
        let last = line.contains("create deployment");
        said.push(line);
        if last {
            break;
        }
    }
    (child, said)
}

fn stop(child: &mut Child) {
    let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

fn refused(directory: &Path, arguments: &[&str]) -> String {
    let Output { status, stderr, stdout } = command(directory, arguments).output().unwrap();
    assert_eq!(status.code(), Some(2));
    assert!(stdout.is_empty());
    String::from_utf8(stderr).unwrap()
}

#[test]
fn it_says_how_to_use_it_and_leaves_nothing_behind() {
    let directory = tempfile::tempdir().unwrap();
    let (mut child, said) = start(directory.path(), &["--nodes", "1"]);
    assert!(said[0].starts_with("A cluster runs at https://127.0.0.1:"), "{said:?}");
    let path = said[2].trim().strip_prefix("export KUBECONFIG=").unwrap();
    assert!(fs::read_to_string(path).unwrap().contains("client-key-data"));
    assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    stop(&mut child);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn what_was_asked_for_stays() {
    let directory = tempfile::tempdir().unwrap();
    let (mut child, _) =
        start(directory.path(), &["--kubeconfig", "config", "--persist", "cluster"]);
    stop(&mut child);
    let mut left: Vec<_> =
        fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["cluster", "config"]);
}

#[test]
fn what_cannot_be_is_said_in_a_line() {
    let directory = tempfile::tempdir().unwrap();
    expect![[r"
        error: missing/config: No such file or directory (os error 2)
    "]]
    .assert_eq(&refused(directory.path(), &["--kubeconfig", "missing/config"]));
    expect![[r"
        error: missing/cluster: No such file or directory (os error 2)
    "]]
    .assert_eq(&refused(directory.path(), &["--persist", "missing/cluster"]));
    fs::write(directory.path().join("mine"), "kind: Config\n").unwrap();
    expect![[r"
        error: mine is there already and belongs to somebody else; name another file for the kubeconfig
    "]]
    .assert_eq(&refused(directory.path(), &["--kubeconfig", "mine"]));
    let told = refused(directory.path(), &["--node-cpu", "plenty"]);
    assert!(told.contains("\"plenty\" is not a quantity, such as 4, 500m or 16Gi"), "{told}");
    let told = refused(directory.path(), &["--boot-time", "5"]);
    assert!(told.contains("\"5\" is not a duration, such as 30s or 1m30s"), "{told}");
}

#[test]
fn what_is_typed_wrong_is_said_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let said = |arguments: &[&str]| refused(folder.path(), arguments);
    expect![[r"
        error: invalid value 'many' for '--nodes <NUMBER>': invalid digit found in string
    "]]
    .assert_eq(&said(&["--nodes", "many"]));
    expect![[r"
        error: unexpected argument '--node' found; a similar argument exists: '--nodes'
    "]]
    .assert_eq(&said(&["--node", "3"]));
}
