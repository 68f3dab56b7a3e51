use std::path::Path;

use expect_test::expect;
use plimsoll_net::pki::Authority;

use crate::{
    kubelet::{Kubeconfig, Remote},
    server::{Credentials, kubeconfig},
};

fn refusal(yaml: &str) -> String {
    Kubeconfig::parse(yaml, Path::new(".")).unwrap_err().to_string()
}

#[test]
fn what_the_server_writes_is_read() {
    let authority = Authority::new("test", "2026-01-01T00:00:00Z".parse().unwrap()).unwrap();
    let client = authority.client("admin", None).unwrap();
    let url = "https://127.0.0.1:6443";
    let text = kubeconfig(url, Some(authority.certificate()), Credentials::Certificate(&client));
    let read = Kubeconfig::parse(&text, Path::new(".")).unwrap();
    assert_eq!(read.server, url);
    assert_eq!(read.authority, authority.certificate());
    assert_eq!(read.identity.as_ref().unwrap().certificate, client.certificate);
    assert!(read.token.is_none());
    Remote::new(&read).unwrap();
    let text = kubeconfig("http://127.0.0.1:8001", None, Credentials::Token("secret-word"));
    let read = Kubeconfig::parse(&text, Path::new(".")).unwrap();
    assert!(read.identity.is_none() && read.token.is_some());
    assert!(!format!("{read:?}").contains("secret-word"));
    Remote::new(&read).unwrap();
}

#[test]
fn files_are_looked_for_beside_it() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("ca.crt"), "authority").unwrap();
    std::fs::write(directory.path().join("token"), "word\n").unwrap();
    let yaml = "
current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}]
clusters: [{name: k, cluster: {server: 'https://h', certificate-authority: ca.crt}}]
users: [{name: u, user: {tokenFile: token}}]
";
    let path = directory.path().join("config");
    std::fs::write(&path, yaml).unwrap();
    let read = Kubeconfig::read(&path).unwrap();
    assert_eq!(read.authority, "authority");
    assert!(read.token.is_some());
}

#[test]
fn what_is_wrong_is_said_in_one_line() {
    expect![[r#"the kubeconfig's context "" is not there"#]].assert_eq(&refusal("{}"));
    let with = |cluster: &str| {
        format!(
            "{{current-context: c, contexts: [{{name: c, context: {{cluster: k}}}}], clusters: [{{name: k, cluster: {cluster}}}]}}"
        )
    };
    expect!["the kubeconfig's server is not an address that begins with https:// or http://"]
        .assert_eq(&refusal(&with("{}")));
    expect!["the kubeconfig's certificate-authority-data is missing"]
        .assert_eq(&refusal(&with("{server: 'https://h'}")));
    expect!["the kubeconfig's certificate-authority-data is not base64"]
        .assert_eq(&refusal(&with("{server: 'https://h', certificate-authority-data: '!'}")));
    expect![
        "the kubeconfig's insecure-skip-tls-verify is not supported: name the authority instead"
    ]
    .assert_eq(&refusal(&with("{server: 'https://h', insecure-skip-tls-verify: true}")));
    assert!(refusal("[").starts_with("the kubeconfig is not YAML: "));
    assert!(!refusal("[").contains('\n'));
}
