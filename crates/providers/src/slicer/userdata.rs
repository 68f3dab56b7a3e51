//! What a new machine runs: it becomes an agent of the cluster, with labels that say which machine it is.
//!
//! The cluster's token never stands in it: userdata can be read by whoever may list machines. It is read from the secret that the
//! host puts into the machine.

use super::config::{Config, GroupConfig};

/// Labels that every node of a host has.
pub(super) const OWN_LABELS: [&str; 3] = [HOST_GROUP, HOSTNAME, NODE_TYPE];

/// What GPUs a node has. It says that there will be some before their device plugin does.
pub(super) const GPU: &str = "slicer/gpu";

/// The host group, which is the group.
pub(super) const HOST_GROUP: &str = "slicer/hostgroup";

/// The machine's name on its host.
pub(super) const HOSTNAME: &str = "slicer/hostname";

/// What k3sup says of a node.
pub(super) const NODE_TYPE: &str = "k3sup.dev/node-type";

/// What [`NODE_TYPE`] says of all nodes that are made here.
pub(super) const AGENT: &str = "agent";

/// What provider ids begin with.
pub(super) const SCHEME: &str = "slicer://";

/// Where the host puts secrets into a machine.
pub(super) const SECRETS: &str = "/run/slicer/secrets";

/// What may stand in a template of the user's, in double braces.
const PLACES: [&str; 5] = ["k3s-url", "group", "cluster", "token-file", "arguments"];

/// How the machine's name is written where the shell fills it in.
const SHELL_HOSTNAME: &str = "$HOSTNAME";

/// What a new machine of a group runs.
pub fn script(config: &Config, group: &GroupConfig) -> String {
    if let Some(template) = &group.userdata {
        return fill(template, |place| value(place, config, group)).unwrap_or_default();
    }
    let url = quote(&config.k3s_url);
    let token_file = token_file(config);
    let arguments = arguments(group).join(" \\\n  ");
    format!(
        "#!/bin/bash\n\
         set -euo pipefail\n\
         HOSTNAME=\"$(hostname)\"\n\
         export HOSTNAME\n\
         K3S_TOKEN=\"$(cat {token_file})\"\n\
         export K3S_TOKEN\n\
         export K3S_URL={url}\n\
         curl -sfL https://get.k3s.io | sh -s - agent \\\n  {arguments}\n"
    )
}

/// Whether a template of the user's can be filled in; the error says why not.
pub(super) fn check(template: &str, config: &Config) -> Result<(), String> {
    use secrecy::ExposeSecret as _;

    if template.contains(config.k3s_token.expose_secret()) {
        return Err("has the cluster's token in it; read it from {{token-file}}".to_owned());
    }
    fill(template, |place| PLACES.contains(&place).then(String::new)).map(drop)
}

/// The id of a machine, which its node says in `spec.providerID`.
pub(super) fn provider_id(group: &str, hostname: &str) -> Box<str> {
    format!("{SCHEME}{group}/{hostname}").into()
}

fn token_file(config: &Config) -> String {
    format!("{SECRETS}/{}", config.secret)
}

/// The arguments of the agent, each as the shell reads it.
fn arguments(group: &GroupConfig) -> Vec<String> {
    let name = &*group.name;
    let mut arguments = vec!["--with-node-id".to_owned()];
    let mut label = |key: &str, value: &str| {
        arguments.push(format!("--node-label={}", quote(&format!("{key}={value}"))));
    };
    label(HOST_GROUP, name);
    label(NODE_TYPE, AGENT);
    if let Some(kind) = &group.gpu_type {
        label(GPU, kind);
    }
    for (key, value) in &group.labels {
        label(key, value);
    }
    arguments.push(format!("--node-label=\"{HOSTNAME}={SHELL_HOSTNAME}\""));
    for taint in &group.taints {
        arguments.push(format!("--node-taint={}", quote(&taint_argument(taint))));
    }
    // Without it k3s makes up an id from the node's name, which nobody could compare with the host's list.
    let id = provider_id(name, SHELL_HOSTNAME);
    arguments.push(format!("--kubelet-arg=\"provider-id={id}\""));
    arguments.extend(group.k3s_arguments.iter().map(|argument| quote(argument)));
    arguments
}

/// A taint as k3s reads it, which wants the `=` also where there is no value.
fn taint_argument(taint: &plimsoll_model::Taint) -> String {
    format!("{}={}:{}", taint.key, taint.value, taint.effect.as_str())
}

fn value(place: &str, config: &Config, group: &GroupConfig) -> Option<String> {
    Some(match place {
        "k3s-url" => config.k3s_url.clone(),
        "group" => group.name.to_string(),
        "cluster" => config.cluster.to_string(),
        "token-file" => token_file(config),
        "arguments" => arguments(group).join(" "),
        _ => return None,
    })
}

/// Fills in what stands in double braces.
fn fill(template: &str, value: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        let line = template.len().saturating_sub(after.len());
        let line = template.get(..line).unwrap_or_default().matches('\n').count() + 1;
        let Some((place, after)) = after.split_once("}}") else {
            return Err(format!("line {line}: {{{{ is not closed"));
        };
        let place = place.trim();
        let Some(value) = value(place) else {
            let known = PLACES.join(", ");
            return Err(format!("line {line}: {{{{{place}}}}} is not known; known are {known}"));
        };
        filled.push_str(&value);
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

/// A text as the shell reads it back.
fn quote(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:=,@%+".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}
