//! `plimsoll provider serve`, run as a user runs it.

#![expect(clippy::unwrap_used, reason = "a test stops where it is surprised")]

use std::{
    fs,
    io::{BufRead as _, BufReader},
    net::TcpListener,
    path::Path,
    process::{Child, Command, Stdio},
};

use expect_test::{Expect, expect};
use plimsoll_extgrpc::{CloudConfig, ExternalGrpc};
use plimsoll_model::{GroupOptions, Symbol};
use plimsoll_net::{
    Clock,
    pki::{Authority, Identity},
};
use plimsoll_provider::{Home, Order, OrderId, Provider as _};
use tempfile::TempDir;

const CATALOGUE: &str =
    "groups: [{id: small, max: 3, template: {cpu: 2, memory: 4Gi}, price: 0.5}]";

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    command.current_dir(folder).args(["provider", "serve"]).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A folder with a catalogue that can be used.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("catalogue.yaml"), CATALOGUE).unwrap();
    folder
}

fn check_refused(folder: &Path, arguments: &[&str], expected: &Expect) {
    let output = command(folder, arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    expected.assert_eq(&String::from_utf8(output.stderr).unwrap());
}

#[test]
fn what_cannot_be_served_is_refused_in_one_line() {
    let folder = folder();
    let path = folder.path();
    let simulated = ["--cloud-provider=simulated", "--cloud-config=catalogue.yaml"];
    check_refused(
        path,
        &[],
        &expect![[r"
        error: say which infrastructure with --cloud-provider
    "]],
    );
    check_refused(
        path,
        &["--cloud-provider=simulated"],
        &expect![[r"
        error: simulated needs a file in --cloud-config
    "]],
    );
    check_refused(
        path,
        &["--cloud-provider=simulated", "--cloud-config=none.yaml"],
        &expect![[r"
        error: none.yaml: No such file or directory (os error 2)
    "]],
    );
    fs::write(path.join("bad.yaml"), "groups: [{id: a, min: 4, max: 3, template: {cpu: 1}}]")
        .unwrap();
    check_refused(
        path,
        &["--cloud-provider=simulated", "--cloud-config=bad.yaml"],
        &expect![[r"
        error: bad.yaml:1: groups[0].min: 4 is above max, which is 3
    "]],
    );
    check_refused(
        path,
        &[simulated[0], simulated[1], "--cert=tls.crt"],
        &expect![[r"
        error: --key-cert, --cert and --ca-cert go together; one of them is missing
    "]],
    );
    let all = ["--cert=tls.crt", "--key-cert=tls.key", "--ca-cert=ca.crt"];
    check_refused(
        path,
        &[simulated[0], simulated[1], all[0], all[1], all[2]],
        &expect![[r"
            error: cannot read tls.crt: No such file or directory (os error 2)
        "]],
    );
    check_refused(
        path,
        &["--cloud-provider=simulated,simulated", "--cloud-config=catalogue.yaml,catalogue.yaml"],
        &expect![[r"
            error: --cloud-config needs a list with a name for each: two providers are called simulated; give one of them another name
        "]],
    );
}

#[test]
fn a_port_without_certificates_is_for_this_machine() {
    let folder = folder();
    let simulated = ["--cloud-provider=simulated", "--cloud-config=catalogue.yaml"];
    for address in ["--address=:8086", "--address=0.0.0.0:8086", "--address=[::ffff:10.0.0.7]:1"] {
        let output = command(folder.path(), &[simulated[0], simulated[1], address]).output();
        let output = output.unwrap();
        assert_eq!(output.status.code(), Some(2), "{address}");
        let told = String::from_utf8(output.stderr).unwrap();
        let lines: Vec<&str> = told.lines().collect();
        let [problem, help] = lines.as_slice() else { panic!("{told}") };
        let beginning = "error: --address: without certificates, every caller that reaches ";
        assert!(problem.starts_with(beginning), "{told}");
        assert!(problem.ends_with(" may create and delete machines"), "{told}");
        assert_eq!(
            *help,
            "  help: give --cert, --key-cert and --ca-cert; listen on 127.0.0.1; or say --insecure"
        );
    }
    let server = start(folder.path(), &[simulated[0], simulated[1], "--address=127.0.0.1:0"]);
    assert!(!server.2.contains("WARN"), "{}", server.2);
}

#[test]
fn a_port_that_is_open_to_all_says_so_in_the_log() {
    let folder = folder();
    let arguments = [
        "--cloud-provider=simulated",
        "--cloud-config=catalogue.yaml",
        "--address=0.0.0.0:0",
        "--insecure",
    ];
    let server = start(folder.path(), &arguments);
    let warning = server.2.lines().find(|line| line.contains("WARN")).unwrap();
    assert!(warning.contains("provider is served without certificates"), "{warning}");
    assert!(warning.contains("address=0.0.0.0:0"), "{warning}");
}

#[test]
fn a_provider_that_hangs_does_not_hold_up_the_end() {
    let folder = folder();
    // Takes connections and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let config = format!("address: {}\ngrpc_timeout: 1h\n", silent.local_addr().unwrap());
    fs::write(folder.path().join("peer.yaml"), config).unwrap();
    let arguments = ["--cloud-provider=externalgrpc", "--cloud-config=peer.yaml"];
    let mut server = start(folder.path(), &[arguments[0], arguments[1], "--address=127.0.0.1:0"]);
    let _connection = silent.accept().unwrap();
    let id = server.0.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert!(server.0.wait().unwrap().success());
}

/// A server that is stopped when the test ends, however it ends; its port, and what it said before it served.
struct Running(Child, String, String);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(folder: &Path, arguments: &[&str]) -> Running {
    let mut child = command(folder, arguments).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut before = String::new();
    let line = loop {
        let line = lines.next().expect("it says where it serves").unwrap();
        if line.contains("serving externalgrpc") {
            break line;
        }
        before.push_str(&line);
        before.push('\n');
    };
    let (_, port) = line.split_once("127.0.0.1:").or_else(|| line.split_once("0.0.0.0:")).unwrap();
    let port: String = port.chars().take_while(char::is_ascii_digit).collect();
    // Whoever reads no further would stop the server with its next message.
    std::thread::spawn(move || lines.for_each(drop));
    Running(child, port, before)
}

#[tokio::test]
async fn a_client_with_the_right_certificate_buys_a_machine() {
    let folder = folder();
    let path = folder.path();
    let authority = Authority::new("test", Clock::system().now()).unwrap();
    let write = |name: &str, identity: &Identity| {
        fs::write(path.join(format!("{name}.crt")), &identity.certificate).unwrap();
        fs::write(path.join(format!("{name}.key")), identity.key_pem()).unwrap();
    };
    fs::write(path.join("ca.crt"), authority.certificate()).unwrap();
    write("server", &authority.server(&["localhost", "127.0.0.1"]).unwrap());
    write("client", &authority.client("autoscaler", None).unwrap());
    let server = start(
        path,
        &[
            "--cloud-provider=simulated",
            "--cloud-config=catalogue.yaml",
            "--address=127.0.0.1:0",
            "--cert=server.crt",
            "--key-cert=server.key",
            "--ca-cert=ca.crt",
        ],
    );

    let file = |name: &str| path.join(name).display().to_string();
    let config = format!(
        "address: localhost:{}\ncert: {}\nkey: {}\ncacert: {}\n",
        server.1,
        file("client.crt"),
        file("client.key"),
        file("ca.crt")
    );
    let config = CloudConfig::parse("config", &config).unwrap();
    let client =
        ExternalGrpc::new("peer", config, GroupOptions::default(), Home::alone(Clock::system()));
    assert_eq!(client.refresh().await.unwrap().groups[0].group.target, 0);
    let id = OrderId::new("order-1").unwrap();
    let order = Order { id, group: Symbol::new("small"), count: 2, from: 0 };
    client.increase(&order).await.unwrap();
    assert_eq!(client.refresh().await.unwrap().groups[0].group.target, 2);
}
