//! Files for Slicer hosts.

use std::{fs, net::TcpListener, path::Path};

use expect_test::expect;
use tempfile::TempDir;

use super::commands::{command, refused, started, stderr, stdout};

const FLAGS: [&str; 2] = ["--cloud-provider=slicer", "--cloud-config=bad.ini"];
const GLOBAL: &str = "[global]\nk3s-url = https://k3s.example:6443\nk3s-token = t0ken\n";
const HOST: &str =
    "{token: h0st, groups: [{name: api, cpus: 2, ram: 4Gi}, {name: gpu, cpus: 2, ram: 4Gi}]}";

/// A folder with files that groups may name.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("empty", "\n");
    write("no.pem", "nothing");
    write("secret.sh", "join t0ken");
    write("unknown.sh", "one\ntwo {{k3surl}}");
    folder
}

fn told(folder: &Path, text: &[u8]) -> String {
    fs::write(folder.join("bad.ini"), text).unwrap();
    let line = refused(folder, &FLAGS, &[]);
    assert!(!line.contains("t0ken") && !line.contains("h0st"), "{line}");
    line
}

#[test]
fn every_kind_of_bad_file_is_told_in_a_line() {
    let folder = folder();
    // Whoever were contacted would be seen here.
    let host = TcpListener::bind("127.0.0.1:0").unwrap();
    host.set_nonblocking(true).unwrap();
    let url = format!("http://{}", host.local_addr().unwrap());
    let group = format!("[nodegroup \"api\"]\nslicer-url = {url}\nslicer-token = h0st\n");
    let in_group = |line: &str| format!("{GLOBAL}{group}{line}\n");
    let in_global = |line: &str| format!("{GLOBAL}{line}\n{group}");
    let cases = [
        String::new(),
        GLOBAL.to_owned(),
        group.clone(),
        format!("{GLOBAL}[node-group \"api\"]\n"),
        format!("{GLOBAL}{group}{group}"),
        format!("[global]\nk3s-token = t0ken\n{group}"),
        format!("[global]\nk3s-url = k3s.example\nk3s-token = t0ken\n{group}"),
        format!("[global]\nk3s-url = https://k3s.example:6443\n{group}"),
        in_global("k3s-tokn = x"),
        in_global("k3s-token = t0ken"),
        in_global("ca-bundle = nowhere.pem"),
        in_global("ca-bundle = no.pem"),
        in_global("default-min-size = 9"),
        format!("{GLOBAL}[nodegroup \"api\"]\nmin-size = 1\n"),
        format!("{GLOBAL}[nodegroup \"api\"]\nslicer-url = ftp://host\n"),
        format!("{GLOBAL}[nodegroup \"api\"]\nslicer-url = unix://\n"),
        format!("{GLOBAL}[nodegroup \"api\"]\nslicer-url = {url}\nslicer-token =\n"),
        format!("{GLOBAL}[nodegroup \"api\"]\nslicer-url = {url}\nslicer-token-file = nowhere\n"),
        format!("{GLOBAL}[nodegroup \"api\"]\nslicer-url = {url}\nslicer-token-file = empty\n"),
        in_group("slicer-token-file = empty"),
        in_group("min-size = 5\nmax-size = 3"),
        in_group("min-size = -1"),
        in_group("max-size = many"),
        in_group("min-sise = 1"),
        in_group("arch = riscv"),
        in_group("price = free"),
        in_group("persistent = maybe"),
        in_group("label = a b=c"),
        in_group("taint = a=b"),
        in_group("taint = a=b:Sometimes"),
        in_group("k3s-arg = node-name"),
        in_group("userdata-file = nowhere.sh"),
        in_group("userdata-file = secret.sh"),
        in_group("userdata-file = unknown.sh"),
        in_group("arch = \"amd64"),
    ];
    let mut lines: Vec<String> =
        cases.iter().map(|case| told(folder.path(), case.as_bytes())).collect();
    lines.push(told(folder.path(), b"[global]\nk3s-url = \xff"));
    fs::remove_file(folder.path().join("bad.ini")).unwrap();
    lines.push(refused(folder.path(), &FLAGS, &[]));
    lines.push(refused(folder.path(), &FLAGS[..1], &[]));
    expect![[r#""#]].assert_eq(&lines.concat());
    assert!(host.accept().is_err(), "nobody is contacted for a file that cannot be used");
}

/// An emulated host with two groups, and its address.
fn emulated(folder: &Path) -> (super::commands::Running, String) {
    fs::write(folder.join("host.yaml"), HOST).unwrap();
    let arguments = ["emulate", "slicer", "--listen=127.0.0.1:0", "--config=host.yaml"];
    let (running, line) = started(command(folder, &arguments), stdout, "http://");
    let address = line.split_whitespace().find(|word| word.starts_with("http://")).unwrap();
    (running, address.to_owned())
}

#[test]
fn a_host_group_that_its_host_does_not_have_is_told_with_those_that_it_has() {
    let folder = folder();
    let (_host, url) = emulated(folder.path());
    let group = |name: &str, url: &str| {
        format!("[nodegroup \"{name}\"]\nslicer-url = {url}\nslicer-token = h0st\n")
    };
    // One host is away, which is no fault of the file's; of two names that are wrong, the first is told.
    let away = group("away", "http://127.0.0.1:1");
    let wrong = [group("api", &url), group("ap", &url), group("gpus", &url)].concat();
    let line = told(folder.path(), format!("{GLOBAL}{away}{wrong}").as_bytes());
    let expected = "error: bad.ini:10: nodegroup \"ap\": there is no such host group at URL, which has api, gpu\n";
    assert_eq!(line.replace(&url, "URL"), expected);
}

#[test]
fn a_host_that_is_away_keeps_nobody_from_starting() {
    let folder = folder();
    let group = "[nodegroup \"api\"]\nslicer-url = http://127.0.0.1:1\nslicer-token = h0st\n";
    fs::write(folder.path().join("bad.ini"), format!("{GLOBAL}{group}")).unwrap();
    let serve = ["provider", "serve", "--address=127.0.0.1:0", FLAGS[0], FLAGS[1]];
    started(command(folder.path(), &serve), stderr, "serving externalgrpc");
    // With the flags of the project's guide, the next thing that is wrong is told: what the file says is not.
    let guide = [
        "--scale-down-delay-after-add=30s",
        "--scale-down-unneeded-time=30s",
        "--expendable-pods-priority-cutoff=-10",
        "--kubeconfig",
        "nowhere",
        "--v=4",
    ];
    let run = [&["run"], &FLAGS[..], &guide].concat();
    let output = command(folder.path(), &run).output().unwrap();
    let line = String::from_utf8(output.stderr).unwrap();
    let told = line.lines().last().unwrap();
    assert!(told.starts_with("error: cannot use the kubeconfig nowhere"), "{line}");
}
