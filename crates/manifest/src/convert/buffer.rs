//! CapacityBuffers, and the quotas of namespaces.

use jiff::Timestamp;
use plimsoll_model::{
    Buffer, BufferSource, BufferStatus, NamespaceQuota, QuotaScope, Resources, Symbol, resource,
};

use crate::{
    convert::{amounts::amount, condition::conditions, meta},
    problem::{At as _, Checked, Problem},
    wire::{
        buffer as wire,
        value::{Amount, Pairs, Text},
    },
};

/// Quotas name what pods ask for with this in front, or without.
const REQUESTS: &str = "requests.";

/// A CapacityBuffer.
pub(crate) fn buffer(buffer: &wire::Buffer<'_>, default_created: Timestamp) -> Checked<Buffer> {
    let wire::Buffer { metadata, spec, status } = buffer;
    let count = |number: Option<i64>, field: &str| {
        number.map(|number| meta::count(number, 0, field)).transpose().at("spec")
    };
    let limits = spec.limits.as_ref().map(|limits| units(limits, "limits"));
    let created = meta::created(metadata, default_created)?;
    Ok(Buffer {
        namespace: meta::namespace(metadata),
        name: meta::name(metadata)?.into(),
        uid: (&*metadata.uid).into(),
        created,
        generation: metadata.generation.unwrap_or_default(),
        strategy: (&*spec.strategy).into(),
        source: source(spec),
        replicas: count(spec.replicas, "replicas")?,
        percentage: count(spec.percentage, "percentage")?,
        limits: limits.transpose().at("spec")?,
        status: self::status(status, created).at("status")?,
        refusal: None,
    })
}

fn source(spec: &wire::BufferSpec<'_>) -> Option<BufferSource> {
    match (&spec.template, &spec.scalable) {
        (Some(template), None) => Some(BufferSource::Template((&*template.name).into())),
        (None, Some(scalable)) => Some(BufferSource::Scalable {
            group: Symbol::new(scalable.group.given().unwrap_or("core")),
            kind: Symbol::new(&scalable.kind),
            name: (&*scalable.name).into(),
        }),
        (None, None) | (Some(_), Some(_)) => None,
    }
}

fn status(status: &wire::BufferStatus<'_>, default: Timestamp) -> Checked<BufferStatus> {
    let replicas = status.replicas.map(|replicas| meta::count(replicas, 0, "replicas"));
    Ok(BufferStatus {
        template: status.template.name.given().map(Into::into),
        replicas: replicas.transpose()?,
        template_generation: status.generation,
        strategy: (&*status.strategy).into(),
        conditions: conditions(&status.conditions, default)?,
    })
}

/// A ResourceQuota. What it says of anything but what pods ask for is left out.
pub(crate) fn quota(quota: &wire::Quota<'_>) -> Checked<NamespaceQuota> {
    let wire::Quota { metadata, spec, status } = quota;
    let plain = spec.scopes.iter().map(|scope| Ok(self::scope(scope)));
    let selected = spec.selector.expressions.iter().map(selected_scope);
    let scopes: Checked<Vec<QuotaScope>> = plain.chain(selected).collect();
    Ok(NamespaceQuota {
        namespace: meta::namespace(metadata),
        name: meta::name(metadata)?.into(),
        scopes: scopes.at("matchExpressions").at("scopeSelector").at("spec")?,
        hard: units(&status.hard, "hard").at("status")?,
        used: used(&status.used).at("status")?,
    })
}

/// `cpu` and `requests.cpu` are the same amount, written twice.
fn used(pairs: &Pairs<'_, Amount<'_>>) -> Checked<Resources> {
    let mut used = Resources::default();
    for (name, amount) in units(pairs, "used")? {
        used.add(name, (amount - used.get(name)).max(0));
    }
    Ok(used)
}

/// Amounts of what pods ask for, in the scheduler's units, in the order of the text. Here a zero is an amount.
fn units(pairs: &Pairs<'_, Amount<'_>>, field: &str) -> Checked<Vec<(Symbol, i64)>> {
    let mut units = Vec::new();
    for (name, token) in pairs.iter() {
        let bare = name.strip_prefix(REQUESTS).unwrap_or(name);
        if !is_requested(bare) {
            continue;
        }
        let quantity = amount(token).at_key(name).at(field)?;
        let count = if bare == resource::CPU { quantity.milli() } else { quantity.value() };
        let count =
            count.map_err(|error| Problem::new(error.to_string())).at_key(name).at(field)?;
        units.push((Symbol::new(bare), count));
    }
    Ok(units)
}

/// Whether pods ask for it. Quotas also count objects, and limits.
fn is_requested(name: &str) -> bool {
    matches!(name, resource::CPU | resource::MEMORY | resource::EPHEMERAL_STORAGE)
        || name.starts_with("hugepages-")
        || (name.contains('/') && !name.starts_with("count/"))
}

fn scope(scope: &str) -> QuotaScope {
    match scope {
        "NotTerminating" => QuotaScope::All,
        "BestEffort" => QuotaScope::BestEffort,
        "NotBestEffort" => QuotaScope::NotBestEffort,
        "PriorityClass" => QuotaScope::AnyClass,
        "CrossNamespacePodAffinity" => QuotaScope::CrossNamespaceAffinity,
        // A unit stands for a pod that goes on for ever.
        _ => QuotaScope::Nobody,
    }
}

fn selected_scope(expression: &wire::ScopeExpression<'_>) -> Checked<QuotaScope> {
    const OPERATORS: [&str; 4] = ["In", "NotIn", "Exists", "DoesNotExist"];
    let name = &*expression.scope;
    if name != "PriorityClass" {
        return Ok(scope(name));
    }
    let values = || expression.values.iter().map(|value: &Text<'_>| Symbol::new(value)).collect();
    match &*expression.operator {
        "In" => Ok(QuotaScope::Classes(values())),
        "NotIn" => Ok(QuotaScope::OtherClasses(values())),
        "Exists" => Ok(QuotaScope::AnyClass),
        "DoesNotExist" => Ok(QuotaScope::NoClass),
        other => Err(Problem::unknown(other, "an operator", &OPERATORS)).at("operator"),
    }
}

#[cfg(test)]
mod tests;
