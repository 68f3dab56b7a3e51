//! A leader whose process is stopped by a signal for longer than its Lease lasts, and then goes on.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    process::{Child, ChildStdout},
};

use serde_json::Value;

use super::stage::{Autoscaler, Stage, plimsoll};

const HOST: &str = "{token: h0st, groups: [{name: api, cpus: 4, ram: 8Gi, boot: 1s}]}";

const PROVIDER: [&str; 2] = ["--cloud-provider=slicer", "--cloud-config=slicer.ini"];

/// A Lease that is soon over.
const BRIEF: [&str; 3] = [
    "--leader-elect-lease-duration=3s",
    "--leader-elect-renew-deadline=2s",
    "--leader-elect-retry-period=500ms",
];

/// A Lease that is not over while the test lasts.
const LONG: [&str; 3] = [
    "--leader-elect-lease-duration=3600s",
    "--leader-elect-renew-deadline=3000s",
    "--leader-elect-retry-period=500ms",
];

/// An emulated host in a process of its own: all replicas see the same machines.
struct Host {
    process: Child,
    /// Kept open, because the host ends when it cannot say what it has to say.
    _stdout: BufReader<ChildStdout>,
    url: String,
}

impl Host {
    fn start(stage: &Stage) -> Self {
        fs::write(stage.folder().join("host.yaml"), HOST).unwrap();
        let words = ["emulate", "slicer", "--listen=127.0.0.1:0", "--config=host.yaml"];
        let mut command = plimsoll(&words);
        command.arg("--kubeconfig=kubeconfig").current_dir(stage.folder());
        let mut process = command.spawn().unwrap();
        let mut stdout = BufReader::new(process.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let url = line.split_whitespace().find(|word| word.starts_with("http://")).unwrap();
        let configuration = format!(
            "[global]\nk3s-url = https://127.0.0.1:6443\nk3s-token = t0ken\n\
             [nodegroup \"api\"]\nslicer-url = {url}\nslicer-token = h0st\n"
        );
        fs::write(stage.folder().join("slicer.ini"), configuration).unwrap();
        Self { url: url.to_owned(), process, _stdout: stdout }
    }

    /// How many machines there are.
    async fn machines(&self) -> usize {
        let client = reqwest::Client::new();
        let answer = client.get(format!("{}/nodes", self.url)).bearer_auth("h0st").send().await;
        let machines = answer.unwrap().json::<Value>().await.unwrap();
        machines.as_array().map_or(0, Vec::len)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn has_said(autoscaler: &Autoscaler, words: &str) -> bool {
    autoscaler.log().contains(words)
}

#[tokio::test]
async fn a_process_that_was_stopped_for_longer_than_its_lease_changes_nothing() {
    let stage = Stage::set("groups: []");
    let host = Host::start(&stage);
    let one = stage.run_with(PROVIDER, &BRIEF);
    stage.until("the first leads", async || has_said(&one, "became leader")).await;
    let first = stage.lease_holder().await;
    let two = stage.run_with(PROVIDER, &LONG);
    one.signal("STOP");
    stage.until("the second leads", async || has_said(&two, "became leader")).await;
    assert_ne!(stage.lease_holder().await, first);
    // The new leader is stopped as well: what is done now, the old one does.
    two.signal("STOP");
    stage.deploy("web", 2, "3").await;
    one.signal("CONT");
    stage.until("the first notices", async || has_said(&one, "lost leadership")).await;
    // It has watched the pods by then, and its Lease is not free.
    stage.until_told(&one, &["status"], "stands by; ").await;
    assert_eq!((stage.orders().await, host.machines().await), (0, 0), "{}", one.log());
    two.signal("CONT");
    stage.until("the pods run", async || stage.running("web").await == 2).await;
    assert_eq!(host.machines().await, 2, "{}\n{}", one.log(), two.log());
}
