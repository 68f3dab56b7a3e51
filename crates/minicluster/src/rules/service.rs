//! Services. Addresses and node ports are made up from the uid: nothing listens there, and they differ.

use std::net::Ipv4Addr;

use serde_json::{Value, json};

use super::{
    PLAIN,
    at::{At, each, fill, fill_zero, keep, object, remove, set},
    drop_status, keep_spec, keep_status, metadata, names,
};
use crate::{FieldError, kind::Rules};

/// Cluster addresses are from 10.96.0.0/12, as kubeadm has it.
const FIRST_ADDRESS: u32 = 0x0a60_0000;
const ADDRESSES: u32 = 1 << 20;

const TYPES: [&str; 4] = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

/// What is done with Services.
pub(crate) const RULES: Rules = Rules {
    defaults,
    prepare_create,
    prepare_update,
    prepare_status: keep_spec,
    validate,
    validate_update,
    fields: &[
        ("spec.clusterIP", |service| super::text_at(service, "/spec/clusterIP")),
        ("spec.type", |service| super::text_at(service, "/spec/type")),
    ],
    create_on_update: true,
    ..PLAIN
};

fn defaults(service: &mut Value) {
    let Some(spec) = object(service, "spec") else { return };
    fill(spec, "sessionAffinity", "None");
    fill(spec, "type", "ClusterIP");
    if spec.get("sessionAffinity").is_some_and(|affinity| affinity == "ClientIP") {
        let client =
            object(spec, "sessionAffinityConfig").and_then(|part| object(part, "clientIP"));
        if let Some(client) = client {
            fill(client, "timeoutSeconds", 10_800);
        }
    } else {
        remove(spec, "sessionAffinityConfig");
    }
    for port in each(spec, "ports") {
        fill(port, "protocol", "TCP");
        let unsaid = port.get("targetPort").is_none_or(|to| to.is_null() || to == 0 || to == "");
        if let Some(number) = port.get("port").cloned().filter(|_| unsaid) {
            set(port, "targetPort", number);
        }
    }
    let kind = At::root(spec).field("type").text().to_owned();
    if kind != "ExternalName" {
        fill(spec, "internalTrafficPolicy", "Cluster");
    }
    if matches!(&*kind, "NodePort" | "LoadBalancer") {
        fill(spec, "externalTrafficPolicy", "Cluster");
    }
    if kind == "LoadBalancer" {
        fill(spec, "allocateLoadBalancerNodePorts", true);
    }
}

fn prepare_create(service: &mut Value) {
    drop_status(service);
    allocate(service);
}

/// Addresses and ports once given stay, although the writer leaves them out.
fn prepare_update(new: &mut Value, old: &Value) {
    keep_status(new, old);
    let kind = |service: &Value| super::text_at(service, "/spec/type");
    if kind(new) != "ExternalName"
        && kind(old) != "ExternalName"
        && let (Some(spec), Some(before)) = (object(new, "spec"), old.get("spec"))
    {
        for name in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
            if At::root(spec).field(name).is_empty() {
                keep(spec, before, name);
            }
        }
        let ports = At::root(before).field("ports");
        for port in each(spec, "ports") {
            let number = port.get("port").cloned().unwrap_or_default();
            let known = ports.items().find(|old| old.field("port").value == &number);
            if let Some(known) = known.filter(|old| old.field("nodePort").is_set()) {
                fill(port, "nodePort", known.field("nodePort").value.clone());
            }
        }
    }
    allocate(new);
}

/// Gives out what the service needs and does not have.
fn allocate(service: &mut Value) {
    let seed = hash(&super::text_at(service, "/metadata/uid"));
    let Some(spec) = object(service, "spec") else { return };
    let kind = At::root(spec).field("type").text().to_owned();
    if kind == "ExternalName" {
        return;
    }
    let address = FIRST_ADDRESS + 1 + seed % (ADDRESSES - 2);
    fill(spec, "clusterIP", Ipv4Addr::from(address).to_string());
    let first = At::root(spec).field("clusterIP").value.clone();
    fill(spec, "clusterIPs", json!([first]));
    fill(spec, "ipFamilies", json!(["IPv4"]));
    fill(spec, "ipFamilyPolicy", "SingleStack");
    if matches!(&*kind, "NodePort" | "LoadBalancer") {
        for (index, port) in (0_u32..).zip(each(spec, "ports")) {
            fill_zero(port, "nodePort", i64::from(30_000 + (seed.wrapping_add(index)) % 2_768));
        }
    }
}

fn validate(service: &Value) -> Vec<FieldError> {
    let spec = At::root(service).field("spec");
    let mut errors = Vec::new();
    let kind = spec.field("type");
    let headless = spec.field("clusterIP").text() == "None";
    let ports = spec.field("ports");
    if ports.is_empty() && !headless && kind.text() != "ExternalName" {
        errors.push(ports.required(""));
    }
    if kind.text() == "ExternalName" {
        let name = spec.field("externalName");
        if name.is_empty() {
            errors.push(name.required(""));
        } else {
            errors.extend(name.objections(names::subdomain(name.text().trim_end_matches('.'))));
        }
    }
    check_ports(&ports, &mut errors);
    errors.extend(metadata::labels(&spec.field("selector")));
    errors.extend(spec.field("sessionAffinity").one_of(&["ClientIP", "None"]));
    errors.extend(kind.one_of(&TYPES));
    errors
}

fn check_ports(ports: &At<'_>, errors: &mut Vec<FieldError>) {
    let mut seen = Vec::new();
    let mut taken = Vec::new();
    for port in ports.items() {
        let name = port.field("name");
        if name.is_empty() {
            if ports.len() > 1 {
                errors.push(name.required(""));
            }
        } else {
            errors.extend(name.objections(names::label(name.text())));
            if seen.contains(&name.text()) {
                errors.push(name.duplicate());
            }
            seen.push(name.text());
        }
        for member in ["port", "targetPort"] {
            let number = port.field(member);
            if let Value::String(text) = number.value {
                errors.extend(number.objections(names::port_name(text)));
            } else {
                let value = number.number().unwrap_or_default();
                if !(1..=65_535).contains(&value) {
                    let detail = "must be between 1 and 65535, inclusive";
                    errors.push(FieldError::invalid(number.path, value, detail));
                }
            }
        }
        errors.extend(port.field("protocol").one_of(&["SCTP", "TCP", "UDP"]));
        let pair = (port.field("port").number(), port.field("protocol").text());
        if taken.contains(&pair) {
            let shown = json!({ "port": pair.0, "protocol": pair.1 });
            errors.push(FieldError::duplicate(port.path, shown));
        }
        taken.push(pair);
    }
}

fn validate_update(new: &Value, old: &Value) -> Vec<FieldError> {
    let (now, before) = (At::root(new).field("spec"), At::root(old).field("spec"));
    let named = |spec: &At<'_>| spec.field("type").text() == "ExternalName";
    if named(&now) || named(&before) {
        return Vec::new();
    }
    let (ips, old) = (now.field("clusterIPs"), before.field("clusterIPs"));
    let first = |ips: &At<'_>| ips.items().next().map(|ip| ip.text().to_owned());
    let mut errors = Vec::new();
    if first(&ips) != first(&old) {
        errors.push(ips.invalid("may not change once set"));
    }
    errors
}

/// FNV-1a: the same uid gives the same address on every machine.
fn hash(text: &str) -> u32 {
    text.bytes()
        .fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
