//! Files and variables for StackPoint.

use std::fs;

use super::commands::refused;

const VARIABLES: [(&str, &str); 4] = [
    ("CLUSTER_API_TOKEN", "t0ken"),
    ("SPC_API_BASE_URL", "http://127.0.0.1:1"),
    ("ORGANIZATION_ID", "12"),
    ("CLUSTER_ID", "345"),
];

fn check(line: &str, beginning: &str) {
    assert!(line.starts_with(&format!("error: {beginning}")), "{beginning} is wanted, got {line}");
    assert!(!line.contains("t0ken"), "{line}");
}

#[test]
fn variables_that_are_missing_or_make_no_sense_are_told_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let fields = ["token-file", "base-url", "organization-id", "cluster-id"];
    for ((missing, _), field) in VARIABLES.into_iter().zip(fields) {
        let others: Vec<_> = VARIABLES.into_iter().filter(|(name, _)| *name != missing).collect();
        let line = refused(folder.path(), &["--cloud-provider=spc"], &others);
        check(&line, &format!("{missing} is not set; set it, or {field} in a file that "));
    }
    let wrong = [
        ("CLUSTER_API_TOKEN", "t0ken\nand more", "has characters that no token has"),
        (
            "SPC_API_BASE_URL",
            "api.stackpoint.io",
            "is \"api.stackpoint.io\", which is neither a URL",
        ),
        (
            "SPC_API_BASE_URL",
            "https://me:t0ken@api.stackpoint.io",
            "is a URL of \"api.stackpoint.io\", which has a user or a password in it",
        ),
        ("ORGANIZATION_ID", "mine", "is \"mine\", which is not the number of anything"),
        ("ORGANIZATION_ID", "", "is not set"),
        ("CLUSTER_ID", "-1", "is \"-1\", which is not the number of anything"),
    ];
    for (name, value, problem) in wrong {
        let others = VARIABLES.into_iter().filter(|(other, _)| *other != name);
        let variables: Vec<_> = others.chain([(name, value)]).collect();
        let line = refused(folder.path(), &["--cloud-provider=stackpoint"], &variables);
        check(&line, &format!("{name} {problem}"));
    }
}

#[test]
fn every_kind_of_bad_file_is_told_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("token", "t0ken");
    write("empty", "\n");
    write("no.pem", "nothing");
    let usual = "base-url: http://127.0.0.1:1\norganization-id: 12\ncluster-id: 345\n";
    let with = |line: &str| format!("{usual}token-file: token\n{line}\n");
    // The file, and how the line begins that tells about it.
    let cases = [
        (usual.to_owned(), "CLUSTER_API_TOKEN is not set; set it, or token-file"),
        ("- base-url".to_owned(), "bad.yaml"),
        ("base-url: [".to_owned(), "bad.yaml"),
        (
            "base-url: ftp://api.stackpoint.io".to_owned(),
            "bad.yaml:1: base-url: \"ftp://api.stackpoint.io\" begins with ftp: ",
        ),
        ("organization-id: mine".to_owned(), "bad.yaml:1: organization-id: "),
        ("cluster-id: 0".to_owned(), "bad.yaml:1: cluster-id: "),
        (with("base-ulr: x"), "bad.yaml:5: base-ulr: unknown field, did you mean base-url?"),
        (with("cluster-id: 346"), "bad.yaml"),
        ("token-file: nowhere".to_owned(), "bad.yaml:1: token-file: cannot read nowhere: "),
        ("token-file: empty".to_owned(), "bad.yaml:1: token-file: the token in empty is empty"),
        ("ca-file: nowhere.pem".to_owned(), "bad.yaml:1: ca-file: cannot read nowhere.pem: "),
        ("ca-file: no.pem".to_owned(), "bad.yaml:1: ca-file: no.pem: "),
        (with("network-agent: flannel"), "bad.yaml:5: network-agent: "),
        (with("min-nodes: some"), "bad.yaml:5: min-nodes: "),
        (
            with("min-nodes: 5\nmax-nodes: 3"),
            "bad.yaml:5: min-nodes: 5 is above max-nodes, which is 3",
        ),
        (with("taint-groups: sometimes"), "bad.yaml:5: taint-groups: "),
        (with("avoid-groups: general"), "bad.yaml:5: avoid-groups: "),
    ];
    for (text, beginning) in cases {
        write("bad.yaml", &text);
        let flags = ["--cloud-provider=nks", "--cloud-config=bad.yaml"];
        check(&refused(folder.path(), &flags, &[]), beginning);
    }
}
