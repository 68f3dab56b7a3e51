//! Files for Slicer hosts.

use std::{fs, net::TcpListener, path::Path};

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
    let of_group =
        |rest: &str| format!("{GLOBAL}[nodegroup \"api\"]\nslicer-url = {url}\n{rest}\n");
    let at_url = |url: &str| format!("{GLOBAL}[nodegroup \"api\"]\nslicer-url = {url}\n");
    // The file, and how the line begins that tells about it.
    let cases = [
        (String::new(), "bad.ini: there is no [global] section; it says where agents join"),
        (GLOBAL.to_owned(), "bad.ini: there is no [nodegroup \"name\"] section"),
        (group.clone(), "bad.ini: there is no [global] section"),
        (format!("{GLOBAL}[node-group \"api\"]\n"), "bad.ini:4: [node-group \"api\"] is neither"),
        (format!("{GLOBAL}{group}{group}"), "bad.ini:7: nodegroup \"api\": stands twice"),
        (format!("[global]\nk3s-token = t0ken\n{group}"), "bad.ini:1: global: k3s-url is missing"),
        (
            format!("[global]\nk3s-url = k3s.example\nk3s-token = t0ken\n{group}"),
            "bad.ini:2: global: k3s-url: is not a URL like https://k3s.example:6443",
        ),
        (
            format!("[global]\nk3s-url = https://k3s.example:6443\n{group}"),
            "bad.ini:1: global: k3s-token is missing",
        ),
        (
            in_global("k3s-tokn = x"),
            "bad.ini:4: global: k3s-tokn: unknown key, did you mean k3s-token?",
        ),
        (
            in_global("k3s-token = t0ken"),
            "bad.ini:4: global: k3s-token stands twice, first in line 3",
        ),
        (
            in_global("ca-bundle = nowhere.pem"),
            "bad.ini:4: global: ca-bundle: cannot read nowhere.pem: ",
        ),
        (in_global("ca-bundle = no.pem"), "bad.ini:4: global: ca-bundle: cannot be used: "),
        (
            in_global("default-min-size = 9"),
            "bad.ini:4: global: default-min-size 9 is above default-max-size 8",
        ),
        (
            format!("{GLOBAL}[nodegroup \"api\"]\nmin-size = 1\n"),
            "bad.ini:4: nodegroup \"api\": slicer-url is missing",
        ),
        (at_url("ftp://host"), "bad.ini:5: nodegroup \"api\": slicer-url: begins with ftp: "),
        (at_url("unix://"), "bad.ini:5: nodegroup \"api\": slicer-url: names no socket"),
        (of_group("slicer-token ="), "bad.ini:6: nodegroup \"api\": slicer-token has no value"),
        (
            of_group("slicer-token-file = nowhere"),
            "bad.ini:6: nodegroup \"api\": slicer-token-file: cannot read nowhere: ",
        ),
        (
            of_group("slicer-token-file = empty"),
            "bad.ini:6: nodegroup \"api\": slicer-token-file: is empty",
        ),
        (
            in_group("slicer-token-file = empty"),
            "bad.ini:7: nodegroup \"api\": slicer-token-file: stands beside slicer-token",
        ),
        (
            in_group("min-size = 5\nmax-size = 3"),
            "bad.ini:7: nodegroup \"api\": min-size 5 is above max-size 3",
        ),
        (in_group("min-size = -1"), "bad.ini:7: nodegroup \"api\": min-size: -1 is negative"),
        (in_group("max-size = many"), "bad.ini:7: nodegroup \"api\": max-size: \"many\" is not"),
        (
            in_group("min-sise = 1"),
            "bad.ini:7: nodegroup \"api\": min-sise: unknown key, did you mean min-size?",
        ),
        (in_group("arch = riscv"), "bad.ini:7: nodegroup \"api\": arch: \"riscv\" is neither "),
        (in_group("price = free"), "bad.ini:7: nodegroup \"api\": price: \"free\" is not a price"),
        (in_group("persistent = maybe"), "bad.ini:7: nodegroup \"api\": persistent: \"maybe\" is "),
        (in_group("label = a b=c"), "bad.ini:7: nodegroup \"api\": label: label key \"a b\": "),
        (in_group("taint = a=b"), "bad.ini:7: nodegroup \"api\": taint: \"a=b\" is not written "),
        (
            in_group("taint = a=b:Sometimes"),
            "bad.ini:7: nodegroup \"api\": taint: \"Sometimes\" is not an effect",
        ),
        (
            in_group("k3s-arg = node-name"),
            "bad.ini:7: nodegroup \"api\": k3s-arg: \"node-name\" does not begin with a dash",
        ),
        (
            in_group("userdata-file = nowhere.sh"),
            "bad.ini:7: nodegroup \"api\": userdata-file: cannot read nowhere.sh: ",
        ),
        (
            in_group("userdata-file = secret.sh"),
            "bad.ini:7: nodegroup \"api\": userdata-file: has the cluster's token in it",
        ),
        (
            in_group("userdata-file = unknown.sh"),
            "bad.ini:7: nodegroup \"api\": userdata-file: line 2: {{k3surl}} is not known",
        ),
        (in_group("arch = \"amd64"), "bad.ini:7: a quote is not closed on its line"),
    ];
    for (text, beginning) in cases {
        let line = told(folder.path(), text.as_bytes());
        assert!(line.starts_with(&format!("error: {beginning}")), "{line} for\n{text}");
    }
    let line = told(folder.path(), b"[global]\nk3s-url = \xff");
    assert!(line.starts_with("error: bad.ini: byte 20 of bad.ini is not UTF-8"), "{line}");
    fs::remove_file(folder.path().join("bad.ini")).unwrap();
    let line = refused(folder.path(), &FLAGS, &[]);
    assert!(line.starts_with("error: bad.ini: cannot read bad.ini: "), "{line}");
    let line = refused(folder.path(), &FLAGS[..1], &[]);
    assert!(line.starts_with("error: slicer needs a file in --cloud-config"), "{line}");
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
