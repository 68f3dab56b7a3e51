//! Services.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::Value;

use super::{
    column::{
        AGE,
        Cell::{Made, Text, TextOr},
        Column, NAME, text,
    },
    read::{self, NONE},
    words,
};

pub(super) const SERVICE: &[Column] = &[
    NAME,
    text("Type", words::SERVICE_SPEC_TYPE, Text("/spec/type")),
    text("Cluster-IP", words::SERVICE_SPEC_CLUSTER_IP, TextOr("/spec/clusterIPs/0", NONE)),
    text("External-IP", words::SERVICE_SPEC_EXTERNAL_IPS, Made(external_ip)),
    text("Port(s)", words::SERVICE_SPEC_PORTS, Made(ports)),
    AGE,
    text(
        "Selector",
        words::SERVICE_SPEC_SELECTOR,
        Made(|service, _| read::labels(service, "/spec/selector").into()),
    )
    .wide(),
];

fn external_ip(service: &Value, _now: Timestamp) -> Value {
    let given = read::joined(read::list(service, "/spec/externalIPs"), "");
    match read::text(service, "/spec/type") {
        "ClusterIP" | "NodePort" => read::or(&given, NONE).into(),
        "LoadBalancer" => {
            let balanced: BTreeSet<&str> = read::list(service, "/status/loadBalancer/ingress")
                .iter()
                .map(|ingress| read::text_or(ingress, "/ip", read::text(ingress, "/hostname")))
                .filter(|address| !address.is_empty())
                .collect();
            let given = Some(&*given).filter(|given| !given.is_empty());
            let all: Vec<&str> = balanced.into_iter().chain(given).collect();
            read::or(&all.join(","), "<pending>").into()
        }
        "ExternalName" => read::text(service, "/spec/externalName").into(),
        _ => "<unknown>".into(),
    }
}

fn ports(service: &Value, _now: Timestamp) -> Value {
    let ports: Vec<String> = read::list(service, "/spec/ports")
        .iter()
        .map(|port| {
            let (number, protocol) = (read::number(port, "/port"), read::text(port, "/protocol"));
            match read::number(port, "/nodePort") {
                node_port @ 1.. => format!("{number}:{node_port}/{protocol}"),
                _ => format!("{number}/{protocol}"),
            }
        })
        .collect();
    read::or(&ports.join(","), NONE).into()
}
