//! Files and variables for StackPoint.

use std::fs;

use expect_test::expect;

use super::commands::refused;

const VARIABLES: [(&str, &str); 4] = [
    ("CLUSTER_API_TOKEN", "t0ken"),
    ("SPC_API_BASE_URL", "http://127.0.0.1:1"),
    ("ORGANIZATION_ID", "12"),
    ("CLUSTER_ID", "345"),
];

#[test]
fn variables_that_are_missing_or_make_no_sense_are_told_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = String::new();
    for (missing, _) in VARIABLES {
        let others: Vec<_> = VARIABLES.into_iter().filter(|(name, _)| *name != missing).collect();
        lines += &refused(folder.path(), &["--cloud-provider=spc"], &others);
    }
    let wrong = [
        ("CLUSTER_API_TOKEN", "t0ken\nand more"),
        ("SPC_API_BASE_URL", "api.stackpoint.io"),
        ("SPC_API_BASE_URL", "https://me:t0ken@api.stackpoint.io"),
        ("ORGANIZATION_ID", "mine"),
        ("ORGANIZATION_ID", ""),
        ("CLUSTER_ID", "-1"),
    ];
    for (name, value) in wrong {
        let others = VARIABLES.into_iter().filter(|(other, _)| *other != name);
        let variables: Vec<_> = others.chain([(name, value)]).collect();
        lines += &refused(folder.path(), &["--cloud-provider=stackpoint"], &variables);
    }
    assert!(!lines.contains("t0ken"), "{lines}");
    expect![[r#""#]].assert_eq(&lines);
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
    let cases = [
        usual.to_owned(),
        "- base-url".to_owned(),
        "base-url: [".to_owned(),
        "base-url: ftp://api.stackpoint.io".to_owned(),
        "organization-id: mine".to_owned(),
        "cluster-id: 0".to_owned(),
        with("base-ulr: x"),
        with("cluster-id: 346"),
        "token-file: nowhere".to_owned(),
        "token-file: empty".to_owned(),
        "ca-file: nowhere.pem".to_owned(),
        "ca-file: no.pem".to_owned(),
        with("network-agent: flannel"),
        with("min-nodes: some"),
        with("min-nodes: 5\nmax-nodes: 3"),
        with("taint-groups: sometimes"),
        with("avoid-groups: general"),
    ];
    let mut lines = String::new();
    for case in cases {
        write("bad.yaml", &case);
        lines += &refused(folder.path(), &["--cloud-provider=nks", "--cloud-config=bad.yaml"], &[]);
    }
    assert!(!lines.contains("t0ken"), "{lines}");
    expect![[r#""#]].assert_eq(&lines);
}
