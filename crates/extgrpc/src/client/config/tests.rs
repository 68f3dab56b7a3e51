use std::{fs, path::Path, time::Duration};

use plimsoll_net::{Clock, pki::Authority};
use tempfile::TempDir;

use super::{Address, CertificateFiles, CloudConfig, unknown_keys};

fn problem(text: &str) -> String {
    CloudConfig::parse("cloud.yaml", text).unwrap_err().to_string()
}

/// A directory with a key, a certificate and an authority.
fn files() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let authority = Authority::new("authority", Clock::system().now()).unwrap();
    let identity = authority.client("client", None).unwrap();
    let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
    write("ca.crt", authority.certificate());
    write("tls.crt", &identity.certificate);
    write("tls.key", identity.key_pem());
    write("empty", "");
    write("other.key", authority.client("other", None).unwrap().key_pem());
    directory
}

#[test]
fn what_upstream_takes_is_taken() {
    let config = CloudConfig::parse("f", "address: \"provider.example:8086\"").unwrap();
    let expected = Address::Tcp { host: "provider.example".to_owned(), zone: None, port: 8086 };
    assert_eq!(config.address, expected);
    assert_eq!((config.tls, config.timeout), (None, Duration::from_secs(5)));

    let text = "address: '[::1]:99'\ncert: ''\nkey:\ngrpc_timeout: 1m30s\n";
    let config = CloudConfig::parse("f", text).unwrap();
    assert_eq!(config.address.to_string(), "[::1]:99");
    assert_eq!((config.tls, config.timeout), (None, Duration::from_secs(90)));

    let directory = files();
    let at = |name: &str| directory.path().join(name);
    let place = directory.path().display();
    let text = format!(
        "key: {place}/tls.key\ncert: {place}/tls.crt\ncacert: {place}/ca.crt\naddress: ':1'"
    );
    let config = CloudConfig::parse("f", &text).unwrap();
    let expected =
        CertificateFiles { key: at("tls.key"), cert: at("tls.crt"), cacert: at("ca.crt") };
    assert_eq!(config.tls, Some(expected));
    assert_eq!(config.address.to_string(), "localhost:1");
}

#[test]
fn a_mistake_is_told_with_its_place_in_one_line() {
    assert_eq!(problem(""), "cloud.yaml: address is missing");
    assert_eq!(problem("grpc_timeout: 5s"), "cloud.yaml: address is missing");
    assert_eq!(problem("address: ''"), "cloud.yaml: address is missing");
    let syntax = problem("address: [a");
    assert!(syntax.starts_with("cloud.yaml:1:"), "{syntax}");
    assert!(!syntax.contains('\n'), "{syntax}");
    assert_eq!(
        problem("address: a:1\ngrpc_timeout: 5 seconds"),
        "cloud.yaml:2:15: grpc_timeout: \"5 seconds\" is not a duration above zero, such as 5s or 1m30s"
    );
    for timeout in ["0s", "-1s", "5"] {
        let problem = problem(&format!("address: a:1\ngrpc_timeout: {timeout:?}"));
        assert!(problem.contains("is not a duration"), "{problem}");
    }
    assert_eq!(
        problem("key: k\naddress: a:1"),
        "cloud.yaml:1:6: key is given without cert: TLS needs cert, key and cacert, plaintext none of them"
    );
}

#[test]
fn a_key_that_has_no_meaning_is_told_with_its_place_and_the_rest_counts() {
    let text = "# adress: x\naddress: a:1\nadress: b:2\n\"retries\": 3\n";
    assert_eq!(CloudConfig::parse("cloud.yaml", text).unwrap().address.to_string(), "a:1");
    let told = unknown_keys("cloud.yaml", text);
    let [adress, retries] = &told[..] else { panic!("{told:?}") };
    assert!(adress.starts_with("cloud.yaml:3: ") && adress.contains("address"), "{adress}");
    assert!(retries.starts_with("cloud.yaml:4: "), "{retries}");
    assert!(unknown_keys("cloud.yaml", "address: a:1\ngrpc_timeout: 5s").is_empty());
}

#[test]
fn addresses_of_links_and_sockets_are_taken() {
    let address = |host: &str, zone: &str, port| Address::Tcp {
        host: host.to_owned(),
        zone: Some(zone.to_owned()),
        port,
    };
    for (text, expected) in [
        ("host%eth0:1", address("host", "eth0", 1)),
        ("[fe80::1%eth0]:2", address("fe80::1", "eth0", 2)),
        ("unix:/run/a.sock", Address::Unix("/run/a.sock".into())),
    ] {
        let config = CloudConfig::parse("f", &format!("address: {text:?}")).unwrap();
        assert_eq!(config.address, expected);
        assert_eq!(config.address.to_string(), text);
    }
    assert_eq!(Address::parse("unix:///run/a.sock"), Ok(Address::Unix("/run/a.sock".into())));
}

#[test]
fn an_address_is_a_host_and_a_port() {
    for (text, said) in [
        ("nohost", "is not of the form"),
        ("a:b:1", "is not of the form"),
        ("http://a:1", "is not of the form"),
        ("[::1]", "is not of the form"),
        ("a:0", "has no port from 1 to 65535"),
        ("a:http", "has no port"),
        ("a:65536", "has no port"),
        ("unix:a.sock", "is not of the form"),
        ("a%:1", "has a zone that cannot be one"),
        ("%eth0:1", "has a zone that cannot be one"),
        ("a b:1", "has a host that cannot be one"),
        ("a@b:1", "has a host that cannot be one"),
        ("a/b:1", "has a host that cannot be one"),
    ] {
        let problem = problem(&format!("address: {text:?}"));
        assert!(problem.starts_with("cloud.yaml:1:10: address: "), "{problem}");
        assert!(problem.contains(said), "{problem}");
    }
}

#[test]
fn certificates_are_looked_at_before_anybody_is_contacted() {
    let directory = files();
    let place = directory.path().display().to_string();
    let with = |key: &str, cert: &str, cacert: &str| {
        problem(&format!(
            "address: a:1\nkey: {place}/{key}\ncert: {place}/{cert}\ncacert: {place}/{cacert}"
        ))
    };
    let missing = with("tls.key", "tls.crt", "missing");
    assert!(missing.starts_with("cloud.yaml:4:9: cacert: cannot read "), "{missing}");
    let missing = with("tls.key", "missing", "ca.crt");
    assert!(missing.starts_with("cloud.yaml:3:7: cert: cannot read "), "{missing}");
    let empty = with("empty", "tls.crt", "ca.crt");
    assert!(empty.starts_with("cloud.yaml:2:6: key: "), "{empty}");
    let empty = with("tls.key", "empty", "ca.crt");
    assert!(empty.starts_with("cloud.yaml:3:7: cert: "), "{empty}");
    let strange = with("other.key", "tls.crt", "ca.crt");
    assert!(strange.starts_with("cloud.yaml:3:7: cert: "), "{strange}");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let problem = CloudConfig::load(Path::new("/no/such/file")).unwrap_err().to_string();
    assert!(problem.starts_with("cannot read /no/such/file: "), "{problem}");
}
