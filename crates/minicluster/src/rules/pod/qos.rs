//! The quality of service of a pod, from what its containers ask for.

use plimsoll_model::Quantity;
use serde_json::Value;

/// `Guaranteed` if every container has limits of CPU and memory and asks for just as much; `BestEffort` if none says anything
/// about them; `Burstable` otherwise.
pub(super) fn class(pod: &Value) -> &'static str {
    let spec = pod.get("spec").unwrap_or(&Value::Null);
    if let Some(resources) = spec.get("resources").filter(|resources| says_anything(resources)) {
        return if is_guaranteed(resources) { "Guaranteed" } else { "Burstable" };
    }
    let containers = || {
        ["initContainers", "containers"]
            .iter()
            .filter_map(|name| spec.get(name).and_then(Value::as_array))
            .flatten()
            .map(|container| container.get("resources").unwrap_or(&Value::Null))
    };
    if !containers().any(says_anything) {
        "BestEffort"
    } else if containers().all(is_guaranteed) {
        "Guaranteed"
    } else {
        "Burstable"
    }
}

fn says_anything(resources: &Value) -> bool {
    ["requests", "limits"]
        .iter()
        .any(|side| ["cpu", "memory"].iter().any(|name| amount(resources, side, name).is_some()))
}

fn is_guaranteed(resources: &Value) -> bool {
    ["cpu", "memory"].iter().all(|name| {
        let limit = amount(resources, "limits", name);
        limit.is_some()
            && amount(resources, "requests", name).is_none_or(|asked| Some(asked) == limit)
    })
}

/// What is said of a resource; zero says nothing.
fn amount(resources: &Value, side: &str, name: &str) -> Option<Quantity> {
    super::resources::parse(resources.get(side)?.get(name)?).filter(|quantity| !quantity.is_zero())
}
