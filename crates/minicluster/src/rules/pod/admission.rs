//! Admission of pods: priority, default tolerations, the service account and its token.

use rand::seq::IndexedRandom as _;
use serde_json::{Value, json};

use crate::{
    ApiError,
    rules::{
        admission::Lookup,
        at::{At, each, fill, object, set},
        pod_template, priority,
    },
};

/// Where a pod's processes find the token of their service account.
const TOKEN_PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// How long pods stay on a node that is gone, unless they say otherwise.
const STAY_SECONDS: i64 = 300;

/// The letters of generated names: no vowels, so that no words come out.
const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// Admits a new pod.
pub(crate) fn admit_create(pod: &mut Value, lookup: &dyn Lookup) -> Result<(), ApiError> {
    service_account(pod, lookup)?;
    resolve_priority(pod, lookup)?;
    default_tolerations(pod);
    Ok(())
}

/// Admits a change of a pod. Tolerations that admission adds come back if they were taken off.
pub(crate) fn admit_update(new: &mut Value, old: &Value) {
    let Some(before) = old.get("spec") else { return };
    if let Some(spec) = object(new, "spec") {
        for name in ["priority", "preemptionPolicy"] {
            if let Some(value) = before.get(name) {
                fill(spec, name, value.clone());
            }
        }
    }
    default_tolerations(new);
}

/// The pod runs as an account that exists; its token is mounted unless the pod or the account says no.
fn service_account(pod: &mut Value, lookup: &dyn Lookup) -> Result<(), ApiError> {
    let is_mirror = At::root(pod)
        .at(&["metadata", "annotations"])
        .field("kubernetes.io/config.mirror")
        .is_set();
    if is_mirror {
        return Ok(());
    }
    let Some(spec) = object(pod, "spec") else { return Ok(()) };
    fill(spec, "serviceAccountName", "default");
    pod_template::account_names(spec);
    let root = At::root(pod);
    let name = root.at(&["spec", "serviceAccountName"]).text().to_owned();
    let namespace = root.at(&["metadata", "namespace"]).text();
    // Every namespace has a default account sooner or later; a pod need not wait for the controller that makes it.
    let found = lookup.find("", "serviceaccounts", namespace, &name);
    let Some(account) = found.or_else(|| (name == "default").then_some(Value::Null)) else {
        let why = format!(
            "error looking up service account {namespace}/{name}: serviceaccount \"{name}\" not found"
        );
        return Err(refusal(pod, &why));
    };
    let Some(spec) = object(pod, "spec") else { return Ok(()) };
    if At::root(spec).field("imagePullSecrets").is_empty() {
        let secrets = At::root(&account).field("imagePullSecrets");
        if !secrets.is_empty() {
            set(spec, "imagePullSecrets", secrets.value.clone());
        }
    }
    let asked = |from: &Value| At::root(from).field("automountServiceAccountToken").value.as_bool();
    if asked(spec).or_else(|| asked(&account)).unwrap_or(true) {
        mount_token(spec);
    }
    Ok(())
}

/// The token, the cluster's certificate authority and the namespace as one volume, in every container that mounts nothing there.
fn mount_token(spec: &mut Value) {
    let name = format!("kube-api-access-{}", suffix());
    let mut used = false;
    for kind in ["initContainers", "containers"] {
        for container in each(spec, kind) {
            let mounts = At::root(container).field("volumeMounts");
            if mounts.items().any(|mount| mount.field("mountPath").text() == TOKEN_PATH) {
                continue;
            }
            let mut all = mounts.value.as_array().cloned().unwrap_or_default();
            all.push(json!({ "name": name, "readOnly": true, "mountPath": TOKEN_PATH }));
            set(container, "volumeMounts", all);
            used = true;
        }
    }
    if !used {
        return;
    }
    let volumes = At::root(spec).field("volumes").value;
    let mut volumes = volumes.as_array().cloned().unwrap_or_default();
    volumes.push(json!({
        "name": name,
        "projected": {
            "sources": [
                { "serviceAccountToken": { "expirationSeconds": 3607, "path": "token" } },
                { "configMap": {
                    "name": "kube-root-ca.crt",
                    "items": [{ "key": "ca.crt", "path": "ca.crt" }],
                } },
                { "downwardAPI": { "items": [{
                    "path": "namespace",
                    "fieldRef": { "apiVersion": "v1", "fieldPath": "metadata.namespace" },
                }] } },
            ],
            "defaultMode": 420,
        },
    }));
    set(spec, "volumes", volumes);
}

/// The number and the policy of the pod's priority class; of the cluster's default class if the pod names none.
fn resolve_priority(pod: &mut Value, lookup: &dyn Lookup) -> Result<(), ApiError> {
    let spec = At::root(pod).field("spec");
    let name = spec.field("priorityClassName").text().to_owned();
    let given = spec.field("priority").number();
    let given_policy = spec.field("preemptionPolicy").text().to_owned();
    let (class, number) = if name.is_empty() {
        let classes = lookup.all("scheduling.k8s.io", "priorityclasses");
        let default = classes
            .into_iter()
            .filter(|class| At::root(class).field("globalDefault").is_true())
            .min_by_key(|class| At::root(class).field("value").number().unwrap_or_default());
        let number = default.as_ref().and_then(|class| At::root(class).field("value").number());
        (default, number.unwrap_or_default())
    } else {
        let found = lookup.find("scheduling.k8s.io", "priorityclasses", "", &name);
        let built_in = priority::SYSTEM.iter().find(|(class, _)| *class == name);
        let number = match (&found, built_in) {
            (Some(class), _) => At::root(class).field("value").number().unwrap_or_default(),
            (None, Some((_, number))) => *number,
            (None, None) => {
                let why = format!("no PriorityClass with name {name} was found");
                return Err(refusal(pod, &why));
            }
        };
        (found, number)
    };
    if given.is_some_and(|given| given != number) {
        return Err(refusal(
            pod,
            &format!(
                "the integer value of priority ({}) must not be provided in pod spec; priority admission controller computed \
                 {number} from the given PriorityClass name",
                given.unwrap_or_default()
            ),
        ));
    }
    let class = class.unwrap_or_default();
    let root = At::root(&class);
    let policy = match root.field("preemptionPolicy").text() {
        "" => "PreemptLowerPriority",
        policy => policy,
    };
    if !given_policy.is_empty() && given_policy != policy {
        return Err(refusal(
            pod,
            &format!(
                "the string value of PreemptionPolicy ({given_policy}) must not be provided in pod spec; priority admission \
                 controller computed {policy} from the given PriorityClass name"
            ),
        ));
    }
    let Some(spec) = object(pod, "spec") else { return Ok(()) };
    let default_name = root.at(&["metadata", "name"]).text();
    if name.is_empty() && !default_name.is_empty() {
        set(spec, "priorityClassName", default_name);
    }
    set(spec, "priority", number);
    set(spec, "preemptionPolicy", policy);
    Ok(())
}

/// Pods stay five minutes on a node that is not ready or unreachable, unless they say how long.
fn default_tolerations(pod: &mut Value) {
    let Some(spec) = object(pod, "spec") else { return };
    let mut all: Vec<Value> =
        spec.get("tolerations").and_then(Value::as_array).cloned().unwrap_or_default();
    let before = all.len();
    for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
        let covered = all.iter().any(|toleration| {
            let toleration = At::root(toleration);
            let keys = [key, ""].contains(&toleration.field("key").text());
            let effects = ["NoExecute", ""].contains(&toleration.field("effect").text());
            keys && effects
        });
        if !covered {
            all.push(json!({
                "key": key,
                "operator": "Exists",
                "effect": "NoExecute",
                "tolerationSeconds": STAY_SECONDS,
            }));
        }
    }
    if all.len() > before {
        set(spec, "tolerations", all);
    }
}

fn refusal(pod: &Value, why: &str) -> ApiError {
    let metadata = At::root(pod).field("metadata");
    ApiError::forbidden("", "pods", metadata.field("name").text(), why)
}

/// Five letters that make a name unlike others.
fn suffix() -> String {
    let mut rng = rand::rng();
    (0..5).filter_map(|_| LETTERS.choose(&mut rng)).map(|letter| char::from(*letter)).collect()
}
