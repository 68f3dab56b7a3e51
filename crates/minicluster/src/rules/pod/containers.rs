//! What is wrong with containers.

use std::collections::BTreeSet;

use serde_json::Value;

use super::resources;
use crate::{
    FieldError,
    rules::{at::At, names},
};

/// The last port there is.
const LAST_PORT: i64 = 65_535;

/// What may be asked of a container, one at a time.
const HANDLERS: [&str; 5] = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"];

/// Everything that is wrong with the containers of a pod. `volumes` are the names of its good volumes.
pub(super) fn check_all(spec: &At<'_>, volumes: &BTreeSet<String>, errors: &mut Vec<FieldError>) {
    let containers = spec.field("containers");
    if containers.is_empty() {
        errors.push(containers.required(""));
    }
    let mut names = BTreeSet::new();
    let mut ports = BTreeSet::new();
    for container in containers.items() {
        common(&container, volumes, errors);
        distinct(&container.field("name"), &mut names, errors);
        behaviour(&container, errors);
        host_ports(&container, &mut ports, errors);
    }
    for container in spec.field("initContainers").items() {
        common(&container, volumes, errors);
        distinct(&container.field("name"), &mut names, errors);
        host_ports(&container, &mut BTreeSet::new(), errors);
        if container.field("restartPolicy").text() == "Always" {
            behaviour(&container, errors);
        } else {
            for name in ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] {
                let part = container.field(name);
                if part.is_set() {
                    errors.push(part.forbidden(
                        "may not be set for init containers without restartPolicy=Always",
                    ));
                }
            }
        }
    }
}

fn common(container: &At<'_>, volumes: &BTreeSet<String>, errors: &mut Vec<FieldError>) {
    let name = container.field("name");
    if name.is_empty() {
        errors.push(name.required(""));
    } else {
        errors.extend(name.objections(names::label(name.text())));
    }
    let image = container.field("image");
    if image.is_empty() {
        errors.push(image.required(""));
    }
    errors.extend(
        container.field("terminationMessagePolicy").one_of(&["File", "FallbackToLogsOnError"]),
    );
    ports(&container.field("ports"), errors);
    environment(&container.field("env"), errors);
    mounts(&container.field("volumeMounts"), volumes, errors);
    errors.extend(container.field("imagePullPolicy").one_of(&["Always", "IfNotPresent", "Never"]));
    resources::check(&container.field("resources"), errors);
}

fn ports(ports: &At<'_>, errors: &mut Vec<FieldError>) {
    let mut taken = BTreeSet::new();
    for port in ports.items() {
        let name = port.field("name");
        if !name.is_empty() {
            let wrong = names::port_name(name.text());
            if wrong.is_empty() {
                distinct(&name, &mut taken, errors);
            } else {
                errors.extend(name.objections(wrong));
            }
        }
        let number = port.field("containerPort");
        if number.number().unwrap_or_default() == 0 {
            errors.push(number.required(""));
        } else {
            errors.extend(port_number(&number));
        }
        let host = port.field("hostPort");
        if host.number().is_some_and(|number| number != 0) {
            errors.extend(port_number(&host));
        }
        errors.extend(port.field("protocol").one_of(&["SCTP", "TCP", "UDP"]));
    }
}

/// A port of the host belongs to one container.
fn host_ports(container: &At<'_>, taken: &mut BTreeSet<String>, errors: &mut Vec<FieldError>) {
    for port in container.field("ports").items() {
        let host = port.field("hostPort");
        let Some(number) = host.number().filter(|number| *number != 0) else { continue };
        let (protocol, address) = (port.field("protocol"), port.field("hostIP"));
        let which = format!("{}/{}/{number}", protocol.text(), address.text());
        if !taken.insert(which.clone()) {
            errors.push(FieldError::duplicate(host.path, which));
        }
    }
}

fn environment(variables: &At<'_>, errors: &mut Vec<FieldError>) {
    for variable in variables.items() {
        let name = variable.field("name");
        if name.is_empty() {
            errors.push(name.required(""));
        } else if name.text().contains(|c: char| !matches!(c, ' '..='~') || c == '=') {
            errors.push(name.invalid(
                "a valid environment variable name must consist only of printable ASCII characters other than '='",
            ));
        }
        let source = variable.field("valueFrom");
        if !source.is_set() {
            continue;
        }
        let given = source.entries().filter(|(_, value)| !value.is_null()).count();
        let wrong = match given {
            0 => {
                "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
            }
            _ if !variable.field("value").is_empty() => {
                "may not be specified when `value` is not empty"
            }
            1 => continue,
            _ => "may not have more than one field specified at a time",
        };
        errors.push(FieldError::invalid(source.path, "", wrong));
    }
}

fn mounts(mounts: &At<'_>, volumes: &BTreeSet<String>, errors: &mut Vec<FieldError>) {
    let mut places = BTreeSet::new();
    for mount in mounts.items() {
        let (name, path) = (mount.field("name"), mount.field("mountPath"));
        if name.is_empty() {
            errors.push(name.required(""));
        }
        if !volumes.contains(name.text()) {
            errors.push(name.not_found());
        }
        if path.is_empty() {
            errors.push(path.required(""));
        }
        if !places.insert(path.text()) {
            errors.push(path.invalid("must be unique"));
        }
    }
}

fn behaviour(container: &At<'_>, errors: &mut Vec<FieldError>) {
    let lifecycle = container.field("lifecycle");
    for name in ["postStart", "preStop"] {
        let hook = lifecycle.field(name);
        if hook.is_set() {
            handler(&hook, errors);
        }
    }
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let probe = container.field(name);
        if probe.is_set() {
            check_probe(&probe, name, errors);
        }
    }
}

fn check_probe(probe: &At<'_>, name: &str, errors: &mut Vec<FieldError>) {
    handler(probe, errors);
    for number in [
        "initialDelaySeconds",
        "timeoutSeconds",
        "periodSeconds",
        "successThreshold",
        "failureThreshold",
    ] {
        errors.extend(probe.field(number).not_negative());
    }
    let grace = probe.field("terminationGracePeriodSeconds");
    if grace.number().is_some_and(|seconds| seconds <= 0) {
        errors.push(grace.invalid("must be greater than 0"));
    }
    if name == "readinessProbe" {
        if grace.is_set() {
            errors.push(grace.invalid("must not be set for readinessProbes"));
        }
        return;
    }
    let threshold = probe.field("successThreshold");
    if threshold.number().is_some_and(|number| number != 1) {
        errors.push(threshold.invalid("must be 1"));
    }
}

fn handler(at: &At<'_>, errors: &mut Vec<FieldError>) {
    let given: Vec<At<'_>> =
        HANDLERS.iter().map(|name| at.field(name)).filter(At::is_set).collect();
    let Some((first, rest)) = given.split_first() else {
        errors.push(at.required("must specify a handler type"));
        return;
    };
    for other in rest {
        errors.push(other.forbidden("may not specify more than 1 handler type"));
    }
    let port = first.field("port");
    match (port.value, first.path.ends_with("grpc")) {
        (Value::Number(_), _) => errors.extend(port_number(&port)),
        (Value::String(name), false) => errors.extend(port.objections(names::port_name(name))),
        _ => {}
    }
    if first.path.ends_with("exec") && first.field("command").is_empty() {
        errors.push(first.field("command").required(""));
    }
    if first.path.ends_with("httpGet") {
        errors.extend(first.field("scheme").one_of(&["HTTP", "HTTPS"]));
    }
}

fn port_number(port: &At<'_>) -> Option<FieldError> {
    let good = port.number().is_some_and(|number| (1..=LAST_PORT).contains(&number));
    (!good).then(|| port.invalid(format!("must be between 1 and {LAST_PORT}, inclusive")))
}

fn distinct(name: &At<'_>, seen: &mut BTreeSet<String>, errors: &mut Vec<FieldError>) {
    if !seen.insert(name.text().to_owned()) && !name.is_empty() {
        errors.push(name.duplicate());
    }
}
