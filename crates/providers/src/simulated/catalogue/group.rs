//! Groups.

use std::{collections::BTreeMap, sync::Arc};

use jiff::SignedDuration;
use plimsoll_model::Symbol;

use super::{BootFailures, Offer, machine, options};
use crate::{
    document::{Checked, Field, Value, quoted},
    simulated::delay::Delay,
};

const FIELDS: [&str; 13] = [
    "id",
    "min",
    "max",
    "initial",
    "price",
    "stock",
    "template",
    "delivery",
    "boot",
    "deletion",
    "bootFailures",
    "vanishRate",
    "options",
];

/// More machines than anybody wants in one group, and fewer than would fill the memory.
pub(in crate::simulated) const MOST_MACHINES: u32 = 100_000;

/// How long a machine takes to boot when the file does not say.
const DEFAULT_BOOT: SignedDuration = SignedDuration::from_secs(40);

/// How long a machine takes to go when the file does not say.
const DEFAULT_DELETION: SignedDuration = SignedDuration::from_secs(10);

/// Reads all groups.
pub(super) fn read_all(list: &Field<'_>) -> Checked<Vec<Offer>> {
    let mut known = BTreeMap::new();
    let mut offers = Vec::new();
    for (index, entry) in list.entries()?.iter().enumerate() {
        let offer = read(entry)?;
        if let Some(first) = known.insert(offer.id, index) {
            let id = quoted(offer.id.as_str());
            let field = entry.fields(&FIELDS)?.required("id")?;
            return Err(field.refuse(format!("groups[{first}] has the id {id} already")));
        }
        offers.push(offer);
    }
    Ok(offers)
}

fn read(entry: &Field<'_>) -> Checked<Offer> {
    let fields = entry.fields(&FIELDS)?;
    let id = fields.required("id")?.name()?;
    let min = fields.optional("min", Field::count)?.unwrap_or_default();
    let max = at_most_machines(&fields.required("max")?)?;
    if let Some(field) = fields.get("min")
        && min > max
    {
        return Err(field.refuse(format!("{min} is above max, which is {max}")));
    }
    let initial = fields.optional("initial", |field| {
        let initial = field.count()?;
        let above = || field.refuse(format!("{initial} is above max, which is {max}"));
        if initial <= max { Ok(initial) } else { Err(above()) }
    })?;
    let length = |name, default| {
        let read = fields.optional(name, delay)?;
        Checked::Ok(read.unwrap_or(Delay::Fixed(default)))
    };
    Ok(Offer {
        id: Symbol::new(&id),
        min,
        max,
        initial: initial.unwrap_or(min),
        price: fields.optional("price", Field::money)?,
        stock: fields.optional("stock", Field::count)?,
        template: Arc::new(machine::template(&id, &fields.required("template")?)?),
        delivery: length("delivery", SignedDuration::ZERO)?,
        boot: length("boot", DEFAULT_BOOT)?,
        deletion: length("deletion", DEFAULT_DELETION)?,
        boot_failures: fields.optional("bootFailures", boot_failures)?,
        vanish_rate: fields.optional("vanishRate", Field::number)?.unwrap_or_default(),
        options: fields.optional("options", options::read)?.unwrap_or_default(),
    })
}

fn at_most_machines(field: &Field<'_>) -> Checked<u32> {
    let count = field.count()?;
    let above = || field.refuse(format!("{count} is more than {MOST_MACHINES}"));
    if count <= MOST_MACHINES { Ok(count) } else { Err(above()) }
}

/// `40s`, `{uniform: [20s, 60s]}` or `{normal: {mean: 40s, deviation: 5s}}`.
fn delay(field: &Field<'_>) -> Checked<Delay> {
    if !matches!(field.value, Value::Map(_)) {
        return field.duration().map(Delay::Fixed);
    }
    let forms = field.fields(&["uniform", "normal"])?;
    match (forms.get("uniform"), forms.get("normal")) {
        (Some(range), None) => match range.entries()?.as_slice() {
            [from, to] => {
                let (shortest, longest) = (from.duration()?, to.duration()?);
                if shortest > longest {
                    return Err(range.refuse("the first is the shortest, the second the longest"));
                }
                Ok(Delay::Uniform { shortest, longest })
            }
            _ => Err(range.refuse("takes the shortest and the longest, such as [20s, 60s]")),
        },
        (None, Some(bell)) => {
            let bell = bell.fields(&["mean", "deviation"])?;
            let mean = bell.required("mean")?.duration()?;
            Ok(Delay::Normal { mean, deviation: bell.required("deviation")?.duration()? })
        }
        _ => Err(field.refuse("takes either uniform or normal")),
    }
}

fn boot_failures(field: &Field<'_>) -> Checked<BootFailures> {
    let fields = field.fields(&["rate", "class", "code"])?;
    let class = fields.required("class")?.class()?;
    let code = fields.optional("code", Field::name)?;
    Ok(BootFailures {
        rate: fields.required("rate")?.probability()?,
        class,
        code: code.unwrap_or_else(|| class.name().into()),
    })
}
