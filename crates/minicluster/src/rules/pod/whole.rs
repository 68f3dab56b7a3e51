//! What a pod asks for as a whole, `spec.resources`, next to what its containers ask for.

use std::collections::BTreeMap;

use plimsoll_model::Quantity;
use serde_json::{Map, Value, json};

use super::resources;
use crate::{
    FieldError,
    rules::at::{At, fill, set},
};

/// Amounts by resource.
type Amounts = BTreeMap<String, Quantity>;

/// A pod with limits of its own asks for what its containers ask for together, and for its limit of whatever they leave open.
pub(super) fn defaults(spec: &mut Value) {
    let Some(limits) = spec.pointer("/resources/limits").and_then(Value::as_object).cloned() else {
        return;
    };
    if limits.is_empty() {
        return;
    }
    let together = together(&At::root(spec));
    let Some(resources) = spec.get_mut("resources") else { return };
    fill(resources, "requests", Map::new());
    let Some(requests) = resources.get_mut("requests") else { return };
    for (name, amount) in together.iter().filter(|(name, _)| matches!(&***name, "cpu" | "memory")) {
        if requests.get(name).is_none() {
            set(requests, name, json!(amount.to_string()));
        }
    }
    for (name, limit) in limits.iter().filter(|(name, _)| is_shared(name)) {
        if requests.get(name).is_none() {
            set(requests, name, limit.clone());
        }
    }
}

/// What is wrong with what the whole pod asks for.
pub(super) fn check(spec: &At<'_>, errors: &mut Vec<FieldError>) {
    let whole = spec.field("resources");
    if !whole.is_set() {
        return;
    }
    if whole.field("claims").is_set() {
        let claims = whole.field("claims");
        errors.push(claims.forbidden("claims may not be set for Resources at pod-level"));
    }
    resources::check_amounts(&whole, &shared_name, errors);
    let requests = whole.field("requests");
    for (name, asked) in together(spec) {
        let own = requests.key(&name);
        if let Some(amount) = resources::parse(own.value).filter(|amount| asked > *amount) {
            let detail =
                format!("must be greater than or equal to aggregate container requests of {asked}");
            errors.push(FieldError::invalid(own.path, amount.to_string(), detail));
        }
    }
    for (index, container) in spec.field("containers").items().enumerate() {
        let limits = container.at(&["resources", "limits"]);
        for (name, limit) in limits.entries() {
            let most = resources::parse(whole.field("limits").key(name).value);
            let (Some(limit), Some(most)) = (resources::parse(limit), most) else { continue };
            if limit > most {
                let path = format!("{}.containers[{index}][{name}].limits", whole.path);
                let detail = format!("must be less than or equal to pod limits of {most}");
                errors.push(FieldError::invalid(path, limit.to_string(), detail));
            }
        }
    }
}

/// What the containers ask for together: those that run side by side, or the one that prepares for them and needs more.
fn together(spec: &At<'_>) -> Amounts {
    let (mut beside, mut first) = (Amounts::new(), Amounts::new());
    for container in spec.field("initContainers").items() {
        let mut need = requests(&container);
        if container.field("restartPolicy").text() == "Always" {
            add(&mut beside, &need);
            need.clone_from(&beside);
        } else {
            add(&mut need, &beside);
        }
        raise(&mut first, need);
    }
    let mut running = beside;
    for container in spec.field("containers").items() {
        add(&mut running, &requests(&container));
    }
    raise(&mut running, first);
    running
}

fn requests(container: &At<'_>) -> Amounts {
    let requests = container.at(&["resources", "requests"]);
    let read = |(name, amount): (&String, &Value)| Some((name.clone(), resources::parse(amount)?));
    requests.entries().filter_map(read).collect()
}

/// Adds amounts. One that is too large to be added stays as it was; the check of its own says so.
fn add(sum: &mut Amounts, more: &Amounts) {
    for (name, amount) in more {
        let entry = sum.entry(name.clone()).or_insert(Quantity::ZERO);
        if let Ok(total) = amount.checked_add(entry) {
            *entry = total;
        }
    }
}

fn raise(most: &mut Amounts, others: Amounts) {
    for (name, amount) in others {
        let entry = most.entry(name).or_insert(Quantity::ZERO);
        if amount > *entry {
            *entry = amount;
        }
    }
}

/// Whether a whole pod can ask for this.
fn is_shared(name: &str) -> bool {
    matches!(name, "cpu" | "memory") || name.starts_with("hugepages-")
}

fn shared_name(name: &str, path: &str, errors: &mut Vec<FieldError>) {
    if !is_shared(name) {
        errors.push(FieldError::not_supported(path, name, &["cpu", "hugepages-", "memory"]));
    }
}
