//! What a machine does with its userdata, as far as joining a cluster goes: the words of the k3s command in it are read as the
//! shell would read them.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use plimsoll_model::Quantity;
use serde_json::{Value, json};

use super::{settings::Offer, state::Machine};
use crate::slicer::{template, userdata::SECRETS};

/// What the kernel keeps of the memory, beside a 64th.
const KERNEL: i64 = 110 * 1024 * 1024;

/// An agent that would join.
pub(super) struct Agent {
    /// What it would join with.
    pub(super) token: String,
    labels: BTreeMap<String, String>,
    taints: Vec<Value>,
    provider_id: Option<String>,
    pods: u32,
    /// Memory that is set aside, in bytes.
    reserved: i64,
    has_node_id: bool,
}

/// What the agent of a machine would be; `None` for userdata that starts none, or that has no token to join with.
pub(super) fn read(machine: &Machine) -> Option<Agent> {
    let script = machine.userdata.replace("\\\n", " ");
    let line = script.lines().find(|line| line.contains("get.k3s.io"))?;
    let secret = machine.secrets.iter().find(|(name, _)| {
        let path = format!("{SECRETS}/{name}");
        script.split(|letter: char| !is_path(letter)).any(|word| word == path)
    });
    let token = String::from_utf8(secret?.1.clone()).ok()?.trim().to_owned();
    let mut agent = Agent {
        token,
        labels: BTreeMap::new(),
        taints: Vec::new(),
        provider_id: None,
        pods: 110,
        reserved: 0,
        has_node_id: false,
    };
    let mut words = words(line, &machine.hostname).into_iter();
    while let Some(word) = words.next() {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (word, None),
        };
        match name.as_str() {
            "--with-node-id" => agent.has_node_id = true,
            "--node-label" => agent.label(&value.or_else(|| words.next())?),
            "--node-taint" => agent.taint(&value.or_else(|| words.next())?),
            "--kubelet-arg" => agent.kubelet(&value.or_else(|| words.next())?),
            _ => {}
        }
    }
    Some(agent)
}

fn is_path(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "/-_.".contains(letter)
}

/// The words of a command, with the only variable that userdata has filled in.
fn words(line: &str, hostname: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in line.chars() {
        match (quote, letter) {
            (None, ' ' | '\t') => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (Some(open), letter) if open == letter => quote = None,
            (Some('\''), '$') => word.get_or_insert_default().push('\u{0}'),
            (_, letter) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    let fill = |word: String| {
        let word = word.replace("${HOSTNAME}", hostname).replace("$HOSTNAME", hostname);
        word.replace('\u{0}', "$")
    };
    words.into_iter().map(fill).collect()
}

// === impl Agent ===

impl Agent {
    fn label(&mut self, text: &str) {
        let (key, value) = text.split_once('=').unwrap_or((text, ""));
        self.labels.insert(key.to_owned(), value.to_owned());
    }

    fn taint(&mut self, text: &str) {
        let Some((rest, effect)) = text.rsplit_once(':') else { return };
        let (key, value) = rest.split_once('=').unwrap_or((rest, ""));
        self.taints.push(json!({"key": key, "value": value, "effect": effect}));
    }

    fn kubelet(&mut self, text: &str) {
        match text.split_once('=') {
            Some(("provider-id", id)) => self.provider_id = Some(id.to_owned()),
            Some(("max-pods", pods)) => self.pods = pods.parse().unwrap_or(self.pods),
            Some(("kube-reserved" | "system-reserved", list)) => {
                let memory = list.split(',').find_map(|part| part.strip_prefix("memory="));
                let memory = memory.and_then(|text| Quantity::parse(text).ok()?.value().ok());
                self.reserved += memory.unwrap_or_default();
            }
            _ => {}
        }
    }

    /// What the kubelet tells, where the machine has so much memory and disk.
    fn resources(&self, offer: &Offer, memory: i64, disk: i64) -> Value {
        let mut resources = serde_json::Map::new();
        let mut amount = |name: &str, text: String| resources.insert(name.to_owned(), json!(text));
        amount("cpu", offer.cpus.to_string());
        amount("memory", Quantity::bytes(memory.max(0)).to_string());
        amount("ephemeral-storage", Quantity::bytes(disk).to_string());
        amount("pods", self.pods.to_string());
        if offer.gpus > 0 {
            amount("nvidia.com/gpu", offer.gpus.to_string());
        }
        Value::Object(resources)
    }

    /// The node's name, and the node as Kubernetes writes it.
    pub(super) fn node(
        &self,
        machine: &Machine,
        address: &str,
        offer: &Offer,
        joined: u32,
    ) -> (String, Value) {
        let hostname = &*machine.hostname;
        let name = if self.has_node_id {
            let mut hasher = DefaultHasher::new();
            (hostname, joined).hash(&mut hasher);
            format!("{hostname}-{:08x}", hasher.finish() & 0xffff_ffff)
        } else {
            hostname.to_owned()
        };
        let mut labels = self.labels.clone();
        let arch = template::architecture(&offer.arch).unwrap_or(&offer.arch);
        for (key, value) in [
            ("kubernetes.io/arch", arch),
            ("beta.kubernetes.io/arch", arch),
            ("kubernetes.io/os", "linux"),
            ("beta.kubernetes.io/os", "linux"),
            ("kubernetes.io/hostname", &name),
            ("node.kubernetes.io/instance-type", "k3s"),
            ("beta.kubernetes.io/instance-type", "k3s"),
        ] {
            labels.insert(key.to_owned(), value.to_owned());
        }
        let id = self.provider_id.clone().unwrap_or_else(|| format!("k3s://{name}"));
        let memory = offer.ram - offer.ram / 64 - KERNEL;
        let capacity = self.resources(offer, memory, offer.disk / 50 * 49);
        let allocatable = self.resources(offer, memory - self.reserved, offer.disk / 20 * 18);
        let mut spec = serde_json::Map::new();
        spec.insert("providerID".to_owned(), json!(id));
        if !self.taints.is_empty() {
            spec.insert("taints".to_owned(), json!(self.taints));
        }
        let node = json!({
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": labels},
            "spec": spec,
            "status": {
                "capacity": capacity,
                "allocatable": allocatable,
                "addresses": [
                    {"type": "InternalIP", "address": address},
                    {"type": "Hostname", "address": name},
                ],
            },
        });
        (name, node)
    }
}
