//! A pod with all that the scheduler looks at, for an expander.

use std::collections::BTreeMap;

use plimsoll_model::{
    LabelOperator, LabelRequirement, LabelSelector, Labels, NodeTerm, Owner, Pod, PodTerm,
    Toleration,
};

use crate::{
    proto::{core, meta},
    wire::node::write_amounts,
};

/// The pod, with what it asks for in one container.
pub(crate) fn write(pod: &Pod) -> core::Pod {
    let shape = &pod.shape;
    let container = core::Container {
        name: "all".to_owned(),
        resources: Some(core::ResourceRequirements { requests: write_amounts(&shape.requests) }),
        ..core::Container::default()
    };
    core::Pod {
        metadata: Some(meta::ObjectMeta {
            name: pod.name.to_string(),
            namespace: shape.namespace.to_string(),
            labels: pairs(&shape.labels),
            owner_references: pod.owner.iter().map(|owner| reference(owner)).collect(),
            ..meta::ObjectMeta::default()
        }),
        spec: Some(core::PodSpec {
            containers: vec![container],
            node_selector: pairs(&shape.node_affinity.selector),
            affinity: affinity(pod),
            scheduler_name: pod.scheduler.to_string(),
            tolerations: shape.tolerations.iter().map(toleration).collect(),
            priority: pod.priority,
            ..core::PodSpec::default()
        }),
    }
}

fn pairs(labels: &Labels) -> BTreeMap<String, String> {
    labels.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect()
}

fn reference(owner: &Owner) -> meta::OwnerReference {
    let api_version = match owner.kind.as_str() {
        "ReplicaSet" | "StatefulSet" | "DaemonSet" | "Deployment" => "apps/v1",
        "Job" | "CronJob" => "batch/v1",
        "ReplicationController" => "v1",
        _ => "",
    };
    meta::OwnerReference {
        kind: owner.kind.to_string(),
        name: owner.name.to_string(),
        uid: owner.uid.to_string(),
        api_version: api_version.to_owned(),
        controller: true,
    }
}

fn toleration(toleration: &Toleration) -> core::Toleration {
    let operator = if toleration.value.is_some() { "Equal" } else { "Exists" };
    core::Toleration {
        key: toleration.key.map(|key| key.to_string()).unwrap_or_default(),
        operator: operator.to_owned(),
        value: toleration.value.map(|value| value.to_string()).unwrap_or_default(),
        effect: toleration.effect.map(|effect| effect.as_str().to_owned()).unwrap_or_default(),
    }
}

fn affinity(pod: &Pod) -> Option<core::Affinity> {
    let shape = &pod.shape;
    let node_affinity = shape.node_affinity.terms.as_ref().map(|terms| core::NodeAffinity {
        required_during_scheduling_ignored_during_execution: Some(core::NodeSelector {
            node_selector_terms: terms.iter().map(node_term).collect(),
        }),
    });
    let pods = |terms: &[PodTerm]| {
        (!terms.is_empty()).then(|| core::PodAffinity {
            required_during_scheduling_ignored_during_execution: terms
                .iter()
                .map(pod_term)
                .collect(),
        })
    };
    let affinity = core::Affinity {
        node_affinity,
        pod_affinity: pods(&shape.affinity),
        pod_anti_affinity: pods(&shape.anti_affinity),
    };
    (affinity != core::Affinity::default()).then_some(affinity)
}

fn node_term(term: &NodeTerm) -> core::NodeSelectorTerm {
    let field = |name: &plimsoll_model::NameRequirement| core::NodeSelectorRequirement {
        key: "metadata.name".to_owned(),
        operator: if name.negated { "NotIn" } else { "In" }.to_owned(),
        values: vec![name.name.to_string()],
    };
    let label = |requirement: &LabelRequirement| {
        let (operator, values) = operator(&requirement.operator);
        core::NodeSelectorRequirement { key: requirement.key.to_string(), operator, values }
    };
    core::NodeSelectorTerm {
        match_expressions: term.labels.requirements().iter().map(label).collect(),
        match_fields: term.names.iter().map(field).collect(),
    }
}

fn pod_term(term: &PodTerm) -> core::PodAffinityTerm {
    core::PodAffinityTerm {
        label_selector: term.selector.as_ref().map(selector),
        namespaces: term.namespaces.named.iter().map(ToString::to_string).collect(),
        topology_key: term.topology_key.to_string(),
        namespace_selector: term.namespaces.selected.as_ref().map(selector),
    }
}

fn selector(selector: &LabelSelector) -> meta::LabelSelector {
    let label = |requirement: &LabelRequirement| {
        let (operator, values) = operator(&requirement.operator);
        meta::LabelSelectorRequirement { key: requirement.key.to_string(), operator, values }
    };
    meta::LabelSelector {
        match_labels: BTreeMap::new(),
        match_expressions: selector.requirements().iter().map(label).collect(),
    }
}

fn operator(operator: &LabelOperator) -> (String, Vec<String>) {
    let (name, values) = match operator {
        LabelOperator::In(values) => ("In", values.iter().map(ToString::to_string).collect()),
        LabelOperator::NotIn(values) => ("NotIn", values.iter().map(ToString::to_string).collect()),
        LabelOperator::Exists => ("Exists", Vec::new()),
        LabelOperator::DoesNotExist => ("DoesNotExist", Vec::new()),
        LabelOperator::Gt(limit) => ("Gt", vec![limit.to_string()]),
        LabelOperator::Lt(limit) => ("Lt", vec![limit.to_string()]),
    };
    (name.to_owned(), values)
}
