//! What a request asks for beside its body: the options of lists, writes and deletions.

use std::time::Duration;

use http::{HeaderMap, header::USER_AGENT};
use serde_json::Value;

use crate::{
    ApiError, FieldError, Kind,
    api::{
        DeleteOptions, FieldValidation, ListQuery, Preconditions, Propagation, WatchQuery,
        WriteOptions,
    },
    apply,
    error::FieldErrorKind,
    store::{FieldSelector, Filter, LabelSelector},
};

use super::{body::Patching, path::ResourcePath, query::Query};

/// The longest name of a field manager, in bytes.
const LONGEST_MANAGER: usize = 128;

/// Reads the options of a list.
pub(super) fn list(kind: &Kind, path: &ResourcePath, query: &Query) -> Result<ListQuery, ApiError> {
    let limit = query.integer("limit")?.unwrap_or_default();
    query.integer("timeoutSeconds")?;
    Ok(ListQuery {
        namespace: place(kind, path),
        filter: filter(kind, path, query)?,
        limit: usize::try_from(limit).unwrap_or_default(),
        continue_token: text(query, "continue"),
        resource_version: text(query, "resourceVersion"),
        version_match: text(query, "resourceVersionMatch"),
        send_initial_events: query.flag("sendInitialEvents"),
    })
}

/// Reads the options of a watch.
pub(super) fn watch(
    kind: &Kind,
    path: &ResourcePath,
    query: &Query,
) -> Result<WatchQuery, ApiError> {
    query.integer("limit")?;
    let seconds = query.integer("timeoutSeconds")?.and_then(|seconds| u64::try_from(seconds).ok());
    Ok(WatchQuery {
        namespace: place(kind, path),
        filter: filter(kind, path, query)?,
        resource_version: text(query, "resourceVersion"),
        version_match: text(query, "resourceVersionMatch"),
        allow_bookmarks: query.flag("allowWatchBookmarks") == Some(true),
        send_initial_events: query.flag("sendInitialEvents"),
        timeout: seconds.filter(|seconds| *seconds > 0).map(Duration::from_secs),
    })
}

/// Reads the options of a create or an update. `name` is what the real server calls them.
pub(super) fn write(
    name: &str,
    headers: &HeaderMap,
    query: &Query,
    duplicates: Vec<String>,
) -> Result<WriteOptions, ApiError> {
    let (options, errors) = write_options(headers, query, duplicates);
    complain(name, &errors)?;
    Ok(options)
}

/// Reads the options of a patch; the flag is `force`.
pub(super) fn patch(
    patching: Patching,
    headers: &HeaderMap,
    query: &Query,
) -> Result<(WriteOptions, bool), ApiError> {
    let force = query.flag("force");
    let (options, more) = write_options(headers, query, Vec::new());
    let mut errors = Vec::new();
    if patching == Patching::Apply {
        if query.text("fieldManager").is_none() {
            errors.push(FieldError::required("fieldManager", "is required for apply patch"));
        }
    } else if force.is_some() {
        errors.push(FieldError::forbidden("force", "may not be specified for non-apply patch"));
    }
    errors.extend(more);
    complain("PatchOptions", &errors)?;
    Ok((options, force == Some(true)))
}

/// Reads the options of a deletion: from the body if there is one, else from the query.
pub(super) fn delete(query: &Query, body: Option<&Value>) -> Result<DeleteOptions, ApiError> {
    let (dry_run, grace_period, policy, orphan) = match body {
        Some(body) => {
            if let Some(kind) = body["kind"].as_str().filter(|kind| *kind != "DeleteOptions") {
                let version = body["apiVersion"].as_str().unwrap_or_default();
                return Err(ApiError::bad_request(format!(
                    "no kind \"{kind}\" is registered for version \"{version}\" in scheme \
                     \"pkg/apis/meta/internalversion/scheme/register.go:27\""
                )));
            }
            let wrong =
                |field| ApiError::bad_request(format!("DeleteOptions.{field} has the wrong type"));
            let grace_period = match &body["gracePeriodSeconds"] {
                Value::Null => None,
                value => Some(value.as_i64().ok_or_else(|| wrong("gracePeriodSeconds"))?),
            };
            let policy = match &body["propagationPolicy"] {
                Value::Null => None,
                value => Some(value.as_str().ok_or_else(|| wrong("propagationPolicy"))?.to_owned()),
            };
            let dry_run = match &body["dryRun"] {
                Value::Null => Vec::new(),
                value => serde_json::from_value(value.clone()).map_err(|_| wrong("dryRun"))?,
            };
            (dry_run, grace_period, policy, body["orphanDependents"].as_bool())
        }
        None => (
            query.all("dryRun"),
            query.integer("gracePeriodSeconds")?,
            query.text("propagationPolicy").map(str::to_owned),
            query.flag("orphanDependents"),
        ),
    };
    let mut errors = Vec::new();
    let mut propagation =
        orphan.map(|orphan| if orphan { Propagation::Orphan } else { Propagation::Background });
    if let Some(policy) = policy {
        if orphan.is_some() {
            let detail = "orphanDependents and deletionPropagation cannot be both set";
            errors.push(FieldError::invalid("propagationPolicy", policy.as_str(), detail));
        }
        propagation = Propagation::parse(&policy);
        if propagation.is_none() {
            let known = ["Foreground", "Background", "Orphan", "nil"];
            errors.push(FieldError::not_supported("propagationPolicy", policy, &known));
        }
    }
    errors.extend(check_dry_run(&dry_run));
    complain("DeleteOptions", &errors)?;
    let precondition = |name: &str| {
        let value = body.and_then(|body| body["preconditions"].get(name)).and_then(Value::as_str);
        value.map(str::to_owned)
    };
    Ok(DeleteOptions {
        dry_run: !dry_run.is_empty(),
        grace_period,
        propagation,
        preconditions: Preconditions {
            uid: precondition("uid"),
            resource_version: precondition("resourceVersion"),
        },
    })
}

fn write_options(
    headers: &HeaderMap,
    query: &Query,
    duplicates: Vec<String>,
) -> (WriteOptions, Vec<FieldError>) {
    let mut errors = Vec::new();
    let manager = query.text("fieldManager").unwrap_or_default();
    if manager.len() > LONGEST_MANAGER {
        let detail = format!("may not be more than {LONGEST_MANAGER} bytes");
        errors.push(FieldError::new(FieldErrorKind::TooLong, "fieldManager", Value::Null, detail));
    }
    if let Some((position, unprintable)) = manager.char_indices().find(|(_, c)| c.is_control()) {
        let detail =
            format!("invalid character U+{:04X} (at position {position})", u32::from(unprintable));
        errors.push(FieldError::invalid("fieldManager", manager, detail));
    }
    let dry_run = query.all("dryRun");
    errors.extend(check_dry_run(&dry_run));
    let field_validation = match query.text("fieldValidation") {
        Some("Ignore") => FieldValidation::Ignore,
        Some("Strict") => FieldValidation::Strict,
        None | Some("Warn") => FieldValidation::Warn,
        Some(other) => {
            let known = ["", "Ignore", "Strict", "Warn"];
            errors.push(FieldError::not_supported("fieldValidation", other, &known));
            FieldValidation::Warn
        }
    };
    let agent = headers.get(USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let field_manager = apply::manager_name(Some(manager), agent);
    let dry_run = !dry_run.is_empty();
    (WriteOptions { dry_run, field_manager, field_validation, duplicates }, errors)
}

fn check_dry_run(values: &[String]) -> Option<FieldError> {
    let unknown = values.iter().any(|value| value != "All");
    unknown.then(|| FieldError::not_supported("dryRun", values.to_vec(), &["All"]))
}

fn complain(options: &str, errors: &[FieldError]) -> Result<(), ApiError> {
    if errors.is_empty() {
        return Ok(());
    }
    Err(ApiError::invalid("meta.k8s.io", options, "", errors))
}

fn filter(kind: &Kind, path: &ResourcePath, query: &Query) -> Result<Filter, ApiError> {
    let labels = LabelSelector::parse(query.text("labelSelector").unwrap_or_default())?;
    let mut fields = FieldSelector::parse(kind, query.text("fieldSelector").unwrap_or_default())?;
    // The old form of a watch may name one object.
    if let Some(name) = &path.name {
        match fields.required_name() {
            Some(required) if required != name => {
                let message = "fieldSelector metadata.name doesn't match requested name";
                return Err(ApiError::bad_request(message));
            }
            _ => fields = FieldSelector::name(name),
        }
    }
    Ok(Filter { labels, fields })
}

/// The namespace that a list is about.
fn place(kind: &Kind, path: &ResourcePath) -> String {
    if kind.is_namespaced() { path.place().to_owned() } else { String::new() }
}

fn text(query: &Query, name: &str) -> String {
    query.text(name).unwrap_or_default().to_owned()
}
