//! `plimsoll emulate slicer`, run as a user runs it, and the provider over it.

#![expect(clippy::unwrap_used, reason = "a test stops where it is surprised")]

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use expect_test::{Expect, expect};
use plimsoll_model::{GroupOptions, Symbol};
use plimsoll_net::Clock;
use plimsoll_provider::{Home, Order, OrderId};
use plimsoll_providers::choice::Choice;
use tempfile::TempDir;

const HOST: &str = "{token: h0st, groups: [{name: api, cpus: 2, ram: 4Gi}]}";
const GLOBAL: &str = "[global]\nk3s-url = https://k3s.example:6443\nk3s-token = t0ken\n";

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    command.current_dir(folder).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Ends the process with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// An emulated host, with its address.
fn emulate(folder: &TempDir) -> (Running, String) {
    fs::write(folder.path().join("host.yaml"), HOST).unwrap();
    let arguments = ["emulate", "slicer", "--listen=127.0.0.1:0", "--config=host.yaml"];
    let mut child = command(folder.path(), &arguments).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.split_whitespace().find(|word| word.starts_with("http://")).unwrap();
    (Running(child), address.to_owned())
}

#[tokio::test]
async fn a_provider_over_an_emulated_host() {
    let folder = tempfile::tempdir().unwrap();
    let (_running, address) = emulate(&folder);
    let file = folder.path().join("cloud-config.ini");
    let group = format!("[nodegroup \"api\"]\nslicer-url = {address}\nslicer-token = h0st\n");
    fs::write(&file, format!("{GLOBAL}{group}")).unwrap();
    let choices = Choice::from_flags("slicer", file.to_str().unwrap()).unwrap();
    let opened = choices[0].open(Home::alone(Clock::system()), &GroupOptions::default()).unwrap();
    let group = Symbol::new("api");
    let order = Order { id: OrderId::new("o-1").unwrap(), group, count: 2, from: 0 };
    opened.provider.increase(&order).await.unwrap();
    let inventory = opened.provider.refresh().await.unwrap();
    assert_eq!(inventory.group(group).unwrap().group.target, 2);
}

fn check_refused(folder: &Path, arguments: &[&str], expected: &Expect) {
    let output = command(folder, arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    expected.assert_eq(&String::from_utf8(output.stderr).unwrap());
}

#[test]
fn what_cannot_be_used_is_told_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(
        path.join("bad.ini"),
        format!("{GLOBAL}[nodegroup \"big\"]\nslicer-url = https://host\nmin-size = 9\n"),
    )
    .unwrap();
    check_refused(
        path,
        &["provider", "serve", "--cloud-provider=slicer", "--cloud-config=bad.ini"],
        &expect![[r#"
            error: bad.ini:6: nodegroup "big": min-size 9 is above max-size 8
        "#]],
    );
    check_refused(
        path,
        &["provider", "serve", "--cloud-provider=slicer", "--cloud-config=none.ini"],
        &expect![[r"
            error: none.ini: cannot read none.ini: No such file or directory (os error 2)
        "]],
    );
    fs::write(path.join("host.yaml"), "groups: [{name: api, cpus: 2}]").unwrap();
    check_refused(
        path,
        &["emulate", "slicer", "--config=host.yaml"],
        &expect![[r"
            error: host.yaml:1: groups[0].ram: is missing
        "]],
    );
}
