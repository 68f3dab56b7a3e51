//! What the nodes of a group look like.

use std::collections::BTreeMap;

use plimsoll_model::{
    Effect, Labels, Quantity, Resources, Symbol, Taint, labels::check_label_key, resource,
    scheduler_units,
};

use crate::{
    document::{Checked, Field, Fields, quoted},
    simulated::template::Template,
};

const FIELDS: [&str; 8] =
    ["labels", "taints", "capacity", "allocatable", "cpu", "memory", "pods", "gpu"];

/// The fields that stand for entries of `capacity`.
const SHORT: [(&str, &str); 4] = [
    ("cpu", resource::CPU),
    ("memory", resource::MEMORY),
    ("pods", resource::PODS),
    ("gpu", "nvidia.com/gpu"),
];

/// As many pods as a kubelet takes unless it is told otherwise.
const DEFAULT_PODS: i64 = 110;

const EFFECTS: [Effect; 3] = [Effect::NoSchedule, Effect::PreferNoSchedule, Effect::NoExecute];

/// Amounts by resource.
type Amounts = BTreeMap<Symbol, Quantity>;

/// Reads the template of a group's nodes.
pub(super) fn template(group: &str, field: &Field<'_>) -> Checked<Template> {
    let fields = field.fields(&FIELDS)?;
    let labels = fields.optional("labels", labels)?.unwrap_or_default();
    let taints = fields.optional("taints", |field| field.each(taint))?.unwrap_or_default();
    let allocatable = fields.optional("allocatable", amounts)?;
    let capacity = capacity(field, &fields, allocatable.as_ref())?;
    let allocatable = allocatable.unwrap_or_else(|| capacity.clone());
    for (name, amount) in &allocatable {
        if capacity.get(name).is_none_or(|has| has < amount) {
            let field = fields.required("allocatable")?;
            return Err(field.refuse(format!("{amount} of {name} is more than the capacity")));
        }
    }
    let units = |amounts| units(field, amounts);
    Ok(Template::new(group, &labels, taints, units(&capacity)?, units(&allocatable)?))
}

fn labels(field: &Field<'_>) -> Checked<Labels> {
    let pairs = field.pairs()?;
    let label = |(key, value): &(&str, Field<'_>)| {
        check_label_key(key).map_err(|error| value.refuse(error.to_string()))?;
        Ok((Symbol::new(key), Symbol::new(&value.label_value()?)))
    };
    pairs.iter().map(label).collect()
}

fn taint(field: &Field<'_>) -> Checked<Taint> {
    let fields = field.fields(&["key", "value", "effect"])?;
    let effect = fields.required("effect")?;
    let word = effect.name()?;
    let known = EFFECTS.into_iter().find(|known| known.as_str() == &*word);
    let value = fields.optional("value", Field::label_value)?.unwrap_or_default();
    Ok(Taint {
        key: Symbol::new(&fields.required("key")?.label_key()?),
        value: Symbol::new(&value),
        effect: known.ok_or_else(|| {
            let known = EFFECTS.map(Effect::as_str).join(", ");
            effect.refuse(format!("{} is not an effect, known are {known}", quoted(&word)))
        })?,
    })
}

/// The capacity as it is given, in full or by its short names, else what is allocatable.
fn capacity(
    field: &Field<'_>,
    fields: &Fields<'_>,
    allocatable: Option<&Amounts>,
) -> Checked<Amounts> {
    let given = fields.optional("capacity", amounts)?;
    let mut short = Amounts::new();
    for (name, resource) in SHORT {
        if let Some(amount) = fields.get(name) {
            if given.is_some() {
                return Err(amount.refuse("stands beside capacity; write it there"));
            }
            short.insert(Symbol::new(resource), amount.quantity()?);
        }
    }
    if let Some(given) = given {
        return Ok(given);
    }
    if let (true, Some(allocatable)) = (short.is_empty(), allocatable) {
        return Ok(allocatable.clone());
    }
    if short.is_empty() {
        return Err(field.refuse("takes cpu and memory, or capacity"));
    }
    let pods = Symbol::new(resource::PODS);
    short.entry(pods).or_insert_with(|| Quantity::from_units(DEFAULT_PODS));
    Ok(short)
}

fn amounts(field: &Field<'_>) -> Checked<Amounts> {
    let pairs = field.pairs()?;
    pairs.iter().map(|(name, amount)| Ok((Symbol::new(name), amount.quantity()?))).collect()
}

fn units(field: &Field<'_>, amounts: &Amounts) -> Checked<Resources> {
    let amounts: Vec<_> = amounts.iter().map(|(name, amount)| (*name, *amount)).collect();
    scheduler_units(&amounts).map_err(|(name, error)| field.refuse(format!("{name}: {error}")))
}
