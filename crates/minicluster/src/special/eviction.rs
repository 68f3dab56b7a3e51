//! `pods/eviction`: a pod goes, if its budget allows it.
//!
//! Invariant: a budget is checked and charged in one step, before the pod is deleted. However many evictions arrive at once, no
//! more pass than the budget allows.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{check_type, success};
use crate::{
    Api, ApiError, Kind, Object,
    api::{DeleteOptions, ListQuery, Preconditions, Propagation, Target, WriteOptions},
    controllers::budget::set_condition,
    read::{condition, items, make, number, put_condition, text, time},
    store::LabelSelector,
};

/// How often an eviction starts over because the pod changed meanwhile.
const ATTEMPTS: usize = 16;
/// How many evictions a budget remembers that its controller has not confirmed yet.
const MOST_DISRUPTED: usize = 2000;
/// When to come back to a budget that is still being processed, in seconds.
const COME_BACK: u32 = 10;
const BLOCKED: &str = "Cannot evict pod as it would violate the pod's disruption budget.";

/// What the budgets say of an eviction.
enum Verdict {
    /// The pod may go.
    Go,
    /// The pod may go while it is as unhealthy as it is now, says the budget of this name.
    GoUnchanged(String),
}

/// Evicts the pod `at` as an `Eviction` says.
pub fn evict(
    api: &Api,
    pods: &Kind,
    at: &Target<'_>,
    eviction: &Value,
    options: &WriteOptions,
) -> Result<Value, ApiError> {
    check_type(eviction, "Eviction", &["policy/v1", "policy/v1beta1"])?;
    if text(eviction, "/metadata/name") != at.name {
        return Err(ApiError::bad_request("name in URL does not match name in Eviction object"));
    }
    let wanted = deletion(eviction, options);
    let mut outcome = Ok(());
    for _ in 0..ATTEMPTS {
        let pod = api.get(pods, at.namespace, at.name)?;
        outcome = attempt(api, pods, at, &pod, &wanted);
        match &outcome {
            // Somebody changed the pod while it was looked at, and the caller does not care.
            Err(error) if error.code == 409 && wanted.preconditions.resource_version.is_none() => {
                let wrong_pod =
                    wanted.preconditions.uid.as_ref().is_some_and(|uid| **uid != *pod.uid);
                if wrong_pod {
                    break;
                }
            }
            _ => break,
        }
    }
    outcome.map(|()| success())
}

fn attempt(
    api: &Api,
    pods: &Kind,
    at: &Target<'_>,
    pod: &Object,
    wanted: &DeleteOptions,
) -> Result<(), ApiError> {
    let seen = pod.value();
    let mut options = wanted.clone();
    let unchanged = Some(pod.revision.to_string());
    if !needs_budget(&seen) {
        let pending = text(&seen, "/metadata/deletionTimestamp").is_empty() && !is_over(&seen);
        if pending && options.preconditions.resource_version.is_none() {
            options.preconditions.resource_version = unchanged;
        }
        return mark_and_delete(api, pods, at, options);
    }
    match ask_budgets(api, pod, &seen, wanted.dry_run)? {
        Verdict::Go => mark_and_delete(api, pods, at, options),
        Verdict::GoUnchanged(budget) => {
            let own = options.preconditions.resource_version.is_some();
            options.preconditions.resource_version = unchanged;
            mark_and_delete(api, pods, at, options).map_err(|error| {
                if error.code == 409 && !own { still_processed(&budget) } else { error }
            })
        }
    }
}

/// The options of the deletion that the eviction carries.
fn deletion(eviction: &Value, write: &WriteOptions) -> DeleteOptions {
    let said = |pointer: &str| {
        let said = text(eviction, pointer);
        (!said.is_empty()).then(|| said.to_owned())
    };
    DeleteOptions {
        dry_run: write.dry_run || items(eviction, "/deleteOptions/dryRun").next().is_some(),
        grace_period: eviction.pointer("/deleteOptions/gracePeriodSeconds").and_then(Value::as_i64),
        propagation: Propagation::parse(text(eviction, "/deleteOptions/propagationPolicy")),
        preconditions: Preconditions {
            uid: said("/deleteOptions/preconditions/uid"),
            resource_version: said("/deleteOptions/preconditions/resourceVersion"),
        },
    }
}

/// A pod that has ended, is ending or never started is no loss.
fn needs_budget(pod: &Value) -> bool {
    let going = !text(pod, "/metadata/deletionTimestamp").is_empty();
    !going && !is_over(pod) && text(pod, "/status/phase") != "Pending"
}

fn is_over(pod: &Value) -> bool {
    matches!(text(pod, "/status/phase"), "Succeeded" | "Failed")
}

/// Finds the pod's budget and charges it.
fn ask_budgets(api: &Api, pod: &Object, seen: &Value, dry_run: bool) -> Result<Verdict, ApiError> {
    let Some(budgets) = api.kind("policy", "v1", "poddisruptionbudgets") else {
        return Ok(Verdict::Go);
    };
    let listing = api.list(&budgets, &ListQuery::in_namespace(&pod.key.namespace))?;
    let mut matching = listing.items.iter().map(|budget| budget.value()).filter(|budget| {
        let selector = budget.pointer("/spec/selector").and_then(LabelSelector::from_value);
        selector.is_some_and(|selector| selector.matches(&pod.labels))
    });
    let Some(mut budget) = matching.next() else { return Ok(Verdict::Go) };
    if matching.next().is_some() {
        let why = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
        return Err(ApiError::new(500, "", why));
    }
    let name = text(&budget, "/metadata/name").to_owned();
    let ready = condition(seen, "Ready").is_some_and(|ready| text(ready, "/status") == "True");
    let desired = number(&budget, "/status/desiredHealthy");
    let satisfied = desired > 0 && number(&budget, "/status/currentHealthy") >= desired;
    let lenient = text(&budget, "/spec/unhealthyPodEvictionPolicy") == "AlwaysAllow";
    if !ready && (lenient || satisfied) {
        return Ok(Verdict::GoUnchanged(name));
    }
    let now = api.clock().now();
    if dry_run {
        return charge(&mut budget, &pod.key.name, now).map(|()| Verdict::Go);
    }
    let mut verdict = Ok(());
    let at = Target::status(&pod.key.namespace, &name);
    let charged = api.modify(&budgets, &at, |budget| verdict = charge(budget, &pod.key.name, now));
    match charged {
        // Nobody guards the pod any more.
        Err(error) if error.code == 404 => Ok(Verdict::Go),
        Err(error) => Err(error),
        Ok(_) => verdict.map(|()| Verdict::Go),
    }
}

/// Takes one disruption off a budget, or refuses and leaves it alone.
pub(crate) fn charge(budget: &mut Value, pod: &str, now: Timestamp) -> Result<(), ApiError> {
    let name = text(budget, "/metadata/name");
    let generation = number(budget, "/metadata/generation");
    if number(budget, "/status/observedGeneration") < generation {
        return Err(still_processed(name));
    }
    let allowed = number(budget, "/status/disruptionsAllowed");
    let forbidden = |why| Err(ApiError::forbidden("policy", "poddisruptionbudget", name, why));
    if allowed < 0 {
        return forbidden("pdb disruptions allowed is negative");
    }
    let noted = budget.pointer("/status/disruptedPods").and_then(Value::as_object);
    if noted.is_some_and(|pods| pods.len() > MOST_DISRUPTED) {
        return forbidden(
            "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
        );
    }
    if allowed == 0 {
        return Err(too_many(&why_blocked(budget), None));
    }
    let status = make(budget, &["status"]);
    status.insert("disruptionsAllowed".to_owned(), json!(allowed - 1));
    if allowed == 1 {
        set_condition(status, now);
    }
    make(budget, &["status", "disruptedPods"]).insert(pod.to_owned(), json!(time(now)));
    Ok(())
}

fn why_blocked(budget: &Value) -> String {
    let name = text(budget, "/metadata/name");
    let (desired, current) =
        (number(budget, "/status/desiredHealthy"), number(budget, "/status/currentHealthy"));
    let closed = condition(budget, "DisruptionAllowed")
        .filter(|condition| text(condition, "/status") == "False")
        .map(|condition| (text(condition, "/reason"), text(condition, "/message")))
        .filter(|(_, message)| !message.is_empty());
    match closed {
        Some(("SyncFailed", message)) => format!(
            "The disruption budget {name} does not allow evicting pods currently because it failed sync: {message}"
        ),
        _ if current <= desired => format!(
            "The disruption budget {name} needs {desired} healthy pods and has {current} currently"
        ),
        Some((reason, message)) => format!(
            "The disruption budget {name} does not allow evicting pods currently ({reason}): {message}"
        ),
        None => format!("The disruption budget {name} does not allow evicting pods currently"),
    }
}

fn still_processed(budget: &str) -> ApiError {
    let cause = format!("The disruption budget {budget} is still being processed by the server.");
    too_many(&cause, Some(COME_BACK))
}

/// 429.
fn too_many(cause: &str, retry_after: Option<u32>) -> ApiError {
    let mut error = ApiError::new(429, "TooManyRequests", BLOCKED);
    let mut details = json!({ "causes": [{ "reason": "DisruptionBudget", "message": cause }] });
    if let Some(seconds) = retry_after {
        details["retryAfterSeconds"] = json!(seconds);
    }
    error.details = Some(details);
    error.retry_after = retry_after;
    error
}

/// Says on the pod why it goes, and deletes it.
fn mark_and_delete(
    api: &Api,
    pods: &Kind,
    at: &Target<'_>,
    mut options: DeleteOptions,
) -> Result<(), ApiError> {
    if !options.dry_run {
        let now = api.clock().now();
        let mut allowed = true;
        let wanted = options.preconditions.clone();
        let marked = api.modify(pods, &Target::status(at.namespace, at.name), |pod| {
            let is = |said: &Option<String>, pointer: &str| {
                said.as_ref().is_none_or(|said| said == text(pod, pointer))
            };
            allowed = is(&wanted.uid, "/metadata/uid")
                && is(&wanted.resource_version, "/metadata/resourceVersion");
            if allowed {
                mark(pod, now);
            }
        })?;
        if allowed && options.preconditions.resource_version.is_some() {
            // The mark itself was a change.
            options.preconditions.resource_version = Some(marked.revision.to_string());
        }
    }
    api.delete(pods, &Target::new(at.namespace, at.name), &options).map(|_| ())
}

fn mark(pod: &mut Value, now: Timestamp) {
    let conditions = make(pod, &["status"]).entry("conditions").or_insert_with(|| json!([]));
    if let Value::Array(conditions) = conditions {
        let target = json!({
            "type": "DisruptionTarget",
            "status": "True",
            "lastProbeTime": null,
            "lastTransitionTime": time(now),
            "reason": "EvictionByEvictionAPI",
            "message": "Eviction API: evicting",
        });
        put_condition(conditions, target);
    }
}
