//! Files that are refused, each in one line that says what and where.

use std::fs;

use expect_test::expect;
use jiff::Timestamp;
use plimsoll_model::GroupOptions;
use plimsoll_net::Clock;
use plimsoll_provider::Home;
use plimsoll_providers::choice::Choice;

const GLOBAL: &str = "[global]\nk3s-url = https://k3s.example:6443\nk3s-token = t0ken\n";
const GROUP: &str = "[nodegroup \"api\"]\nslicer-url = https://host:8080\nslicer-token = h0st\n";

/// What is said of a file.
fn refused(text: &[u8]) -> String {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bad.ini");
    fs::write(&path, text).unwrap();
    fs::write(directory.path().join("with-token.sh"), "join t0ken").unwrap();
    fs::write(directory.path().join("unknown.sh"), "one\ntwo {{k3surl}}").unwrap();
    fs::write(directory.path().join("empty"), "\n").unwrap();
    fs::write(directory.path().join("no.pem"), "nothing").unwrap();
    let choices = Choice::from_flags("slicer", path.to_str().unwrap()).unwrap();
    let clock = Clock::starting_at(Timestamp::UNIX_EPOCH);
    let told = match choices[0].open(Home::alone(clock), &GroupOptions::default()) {
        Ok(_) => "is taken".to_owned(),
        Err(error) => error.to_string(),
    };
    assert!(!told.contains('\n'), "{told}");
    assert!(!told.contains("t0ken") && !told.contains("h0st"), "{told}");
    told.replace(&format!("{}/", directory.path().display()), "")
}

#[test]
fn every_kind_of_bad_file_is_told_in_a_line() {
    let both = |global: &str, group: &str| format!("{GLOBAL}{global}{GROUP}{group}");
    let in_group = |line: &str| both("", &format!("{line}\n"));
    let in_global = |line: &str| both(&format!("{line}\n"), "");
    let cases = [
        String::new(),
        GLOBAL.to_owned(),
        GROUP.to_owned(),
        "k3s-url = x".to_owned(),
        format!("{GLOBAL}[nodegroup api]\n"),
        format!("{GLOBAL}[nodegroup]\n"),
        format!("{GLOBAL}[node-group \"api\"]\n"),
        format!("{GLOBAL}{GROUP}{GLOBAL}"),
        format!("{GLOBAL}{GROUP}{GROUP}"),
        format!("[global]\nk3s-token = t0ken\n{GROUP}"),
        format!("[global]\nk3s-url = k3s.example\nk3s-token = t0ken\n{GROUP}"),
        format!("[global]\nk3s-url = https://k3s.example:6443\n{GROUP}"),
        in_global("k3s-tokn = x"),
        in_global("k3s-token = t0ken"),
        in_global("k3s-token-file = empty"),
        in_global("ca-bundle = /nowhere/ca.pem"),
        in_global("default-min-size = 9"),
        in_global("cluster-name = my cluster"),
        in_global("adopt-cluster-uid = the old one"),
        in_global("allow-plaintext = maybe"),
        format!("{GLOBAL}[nodegroup \"api\"]\nslicer-url = http://host:8080\n"),
        format!(
            "{GLOBAL}allow-plaintext = no\n[nodegroup \"api\"]\nslicer-url = http://10.0.0.1\n"
        ),
        format!("{GLOBAL}[nodegroup \"api\"]\nmin-size = 1\n"),
        format!("{GLOBAL}[nodegroup \"a b\"]\nslicer-url = https://host\n"),
        format!("{GLOBAL}[nodegroup \"{}\"]\nslicer-url = https://host\n", "x".repeat(60)),
        format!("{GLOBAL}[nodegroup \"api\"]\nslicer-url = host:8080\n"),
        format!("{GLOBAL}[nodegroup \"api\"]\nslicer-url = ftp://host\n"),
        format!("{GLOBAL}[nodegroup \"api\"]\nslicer-url = http://u:p@host\n"),
        format!("{GLOBAL}[nodegroup \"api\"]\nslicer-url = https://host\nslicer-token =\n"),
        in_group("min-size = 9"),
        in_group("min-size = 5\nmax-size = 3"),
        in_group("min-size = -1"),
        in_group("max-size = many"),
        in_group("max-size = 99999999999"),
        in_group("max-size"),
        in_group("min-sise = 1"),
        in_group("Min-Size = 1\nmin-size = 2"),
        in_group("arch = riscv"),
        in_group("price = free"),
        in_group("persistent = maybe"),
        in_group("storage-size = large"),
        in_group("storage-size = 0"),
        in_group("gpu-type = an rtx"),
        in_group("label = slicer/gpu=none"),
        in_global("parallel-creations = 0"),
        in_group("adopt = some"),
        in_group("label = a b=c"),
        in_group("label = slicer/hostgroup=x"),
        in_group("label = a=1\nlabel = a=2"),
        in_group("taint = a=b"),
        in_group("taint = a=b:Sometimes"),
        in_group("k3s-arg = node-name"),
        in_group("k3s-arg = --token=x"),
        in_group("userdata-file = nowhere.sh"),
        in_group("userdata-file = with-token.sh"),
        in_group("userdata-file = unknown.sh"),
        in_group("arch = \"amd64"),
    ];
    let told: String = cases.iter().map(|case| refused(case.as_bytes()) + "\n").collect();
    let told = told + &refused(b"[global]\nk3s-url = \xff") + "\n";
    expect![[r#"
        bad.ini: there is no [global] section; it says where agents join
        bad.ini: there is no [nodegroup "name"] section, so there is nothing to scale
        bad.ini: there is no [global] section; it says where agents join
        bad.ini:1: k3s-url stands before the first [section]
        bad.ini:4: the section nodegroup is not closed with ] on its line
        bad.ini:4: [nodegroup] is neither [global] nor [nodegroup "name"]
        bad.ini:4: [node-group "api"] is neither [global] nor [nodegroup "name"]
        bad.ini:7: global: stands twice, first in line 1
        bad.ini:7: nodegroup "api": stands twice, first in line 4
        bad.ini:1: global: k3s-url is missing
        bad.ini:2: global: k3s-url: is not a URL like https://k3s.example:6443
        bad.ini:1: global: k3s-token is missing
        bad.ini:4: global: k3s-tokn: unknown key, did you mean k3s-token?
        bad.ini:4: global: k3s-token stands twice, first in line 3
        bad.ini:4: global: k3s-token-file: stands beside k3s-token; one is enough
        bad.ini:4: global: ca-bundle: cannot read /nowhere/ca.pem: No such file or directory (os error 2)
        bad.ini:4: global: default-min-size 9 is above default-max-size 8
        bad.ini:4: global: cluster-name: my cluster has other letters than a-z, A-Z, 0-9, -, _ and .
        bad.ini:4: global: adopt-cluster-uid: the old one has other letters than a-z, A-Z, 0-9, -, _ and .
        bad.ini:4: global: allow-plaintext: "maybe" is neither true nor false
        bad.ini:5: nodegroup "api": slicer-url: the cluster's token would be sent there in plaintext; use https, or set allow-plaintext = true in [global]
        bad.ini:6: nodegroup "api": slicer-url: the cluster's token would be sent there in plaintext; use https, or set allow-plaintext = true in [global]
        bad.ini:4: nodegroup "api": slicer-url is missing
        bad.ini:4: nodegroup "a b": the name of a host group has letters, digits, -, _ and . only
        bad.ini:4: nodegroup "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": a name longer than 57 leaves no room for numbers
        bad.ini:5: nodegroup "api": slicer-url: begins with host: where http, https or unix is understood
        bad.ini:5: nodegroup "api": slicer-url: begins with ftp: where http, https or unix is understood
        bad.ini:5: nodegroup "api": slicer-url: has a user or a password in it, which would be shown
        bad.ini:6: nodegroup "api": slicer-token has no value; leave the line out if there is none
        bad.ini:7: nodegroup "api": min-size 9 is above max-size 8
        bad.ini:7: nodegroup "api": min-size 5 is above max-size 3
        bad.ini:7: nodegroup "api": min-size: -1 is negative
        bad.ini:7: nodegroup "api": max-size: "many" is not a whole number
        bad.ini:7: nodegroup "api": max-size: 99999999999 is too large
        bad.ini:7: nodegroup "api": max-size has no value; leave the line out if there is none
        bad.ini:7: nodegroup "api": min-sise: unknown key, did you mean min-size?
        bad.ini:8: nodegroup "api": min-size stands twice, first in line 7
        bad.ini:7: nodegroup "api": arch: "riscv" is neither amd64 (x86_64) nor arm64 (aarch64)
        bad.ini:7: nodegroup "api": price: "free" is not a price per hour
        bad.ini:7: nodegroup "api": persistent: "maybe" is neither true nor false
        bad.ini:7: nodegroup "api": storage-size: "large" is not a size like 25G
        bad.ini:7: nodegroup "api": storage-size: "0" is not a size like 25G
        bad.ini:7: nodegroup "api": gpu-type: label value "an rtx" must be empty or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue', or 'my_value', or '12345')
        bad.ini:7: nodegroup "api": label: slicer/gpu is set by gpu-type
        bad.ini:4: global: parallel-creations: 0 would make no machine
        bad.ini:7: nodegroup "api": adopt: "some" is neither true nor false
        bad.ini:7: nodegroup "api": label: label key "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName', or 'my.name', or '123-abc')
        bad.ini:7: nodegroup "api": label: slicer/hostgroup is set for every node, and says which machine it is
        bad.ini:7: nodegroup "api": label: a stands twice
        bad.ini:7: nodegroup "api": taint: "a=b" is not written key=value:NoSchedule
        bad.ini:7: nodegroup "api": taint: "Sometimes" is not an effect, known are NoSchedule, PreferNoSchedule, NoExecute
        bad.ini:7: nodegroup "api": k3s-arg: "node-name" does not begin with a dash; write --name=value
        bad.ini:7: nodegroup "api": k3s-arg: the token comes from the secret, and must not stand in userdata
        bad.ini:7: nodegroup "api": userdata-file: cannot read nowhere.sh: No such file or directory (os error 2)
        bad.ini:7: nodegroup "api": userdata-file: has the cluster's token in it; read it from {{token-file}}
        bad.ini:7: nodegroup "api": userdata-file: line 2: {{k3surl}} is not known; known are k3s-url, group, cluster, token-file, arguments
        bad.ini:7: a quote is not closed on its line
        bad.ini: byte 20 of bad.ini is not UTF-8
    "#]]
    .assert_eq(&told);
    assert!(!told.contains("is taken"), "{told}");
}

#[test]
fn what_stays_on_this_machine_needs_no_encryption() {
    for url in ["http://127.0.0.1:8080", "http://[::1]:8080", "http://localhost", "./host.sock"] {
        let text = format!("{GLOBAL}[nodegroup \"api\"]\nslicer-url = {url}\n");
        assert_eq!(refused(text.as_bytes()), "is taken", "{url}");
    }
}

#[test]
fn authorities_have_to_be_certificates() {
    let directory = tempfile::tempdir().unwrap();
    let bundle = directory.path().join("no.pem");
    fs::write(&bundle, "nothing").unwrap();
    let told = refused(format!("{GLOBAL}ca-bundle = {}\n{GROUP}", bundle.display()).as_bytes());
    assert!(told.starts_with("bad.ini:4: global: ca-bundle: cannot be used"), "{told}");
}

#[test]
fn a_file_that_is_not_there() {
    let choices = Choice::from_flags("slicer", "/nowhere/cloud-config.ini").unwrap();
    let clock = Clock::starting_at(Timestamp::UNIX_EPOCH);
    let told =
        choices[0].open(Home::alone(clock), &GroupOptions::default()).unwrap_err().to_string();
    assert!(told.starts_with("/nowhere/cloud-config.ini: cannot read"), "{told}");
}

#[test]
fn upstreams_own_file_is_taken_once_plaintext_is_allowed() {
    let example = r#"
[global]
k3s-url=https://192.168.137.2:6443
k3s-token=K10
default-min-size=0
default-max-size=10
allow-plaintext=true

[nodegroup "k3s-agents-1"]
slicer-url=http://192.168.137.1:8080
slicer-token=abc

[nodegroup "k3s-agents-2"]
slicer-url=unix:///var/run/slicer.sock
min-size=1
max-size=5
arch=arm64
"#;
    assert_eq!(refused(example.as_bytes()), "is taken");
}
