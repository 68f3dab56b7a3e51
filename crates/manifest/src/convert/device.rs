//! What drivers publish: slices of devices, and classes.

use plimsoll_model::{
    Attribute, CapacityPolicy, CapacityRange, CounterSet, Device, DeviceCapacity, DeviceClass,
    DeviceReach, Quantity, ResourceSlice, Symbol,
};

use crate::{
    convert::{
        affinity, amounts,
        meta::{self, required},
        taints,
    },
    problem::{At as _, Checked, Problem, each},
    wire::{
        affinity::NodeSelector,
        device as wire,
        value::{Amount, Pairs, Text},
    },
};

/// Where a slice or a device can be used, as it is written.
struct Places<'s, 'a> {
    node: &'s Text<'a>,
    nodes: Option<&'s NodeSelector<'a>>,
    all: bool,
    per_device: bool,
}

/// A ResourceSlice.
pub(crate) fn slice(slice: &wire::ResourceSlice<'_>) -> Checked<ResourceSlice> {
    let wire::ResourceSlice { metadata, spec } = slice;
    let name = Symbol::new(meta::name(metadata)?);
    let reach = reach(&Places {
        node: &spec.node,
        nodes: spec.nodes.as_ref(),
        all: spec.all_nodes == Some(true),
        per_device: spec.per_device == Some(true),
    });
    let devices: Vec<Device> = each(&spec.devices, "devices", device).at("spec")?;
    let counters =
        each(&spec.counters, "sharedCounters", |set| counter_set(set, &set.name, "name"));
    Ok(ResourceSlice {
        name,
        driver: Symbol::new(required(&spec.driver, "driver").at("spec")?),
        pool: Symbol::new(required(&spec.pool.name, "name").at("pool").at("spec")?),
        generation: spec.pool.generation.unwrap_or(0),
        slices: spec.pool.slices.unwrap_or(0),
        reach: reach.at("spec")?,
        devices: devices.into(),
        counters: counters.at("spec")?,
    })
}

/// A DeviceClass.
pub(crate) fn class(class: &wire::DeviceClass<'_>) -> Checked<DeviceClass> {
    Ok(DeviceClass {
        name: Symbol::new(meta::name(&class.metadata)?),
        selectors: selectors(&class.spec.selectors).at("spec")?,
    })
}

/// Expressions that select devices.
pub(crate) fn selectors(list: &[wire::Selector<'_>]) -> Checked<Box<[Symbol]>> {
    each(list, "selectors", |selector| {
        let cel = selector.cel.as_ref().ok_or_else(Problem::missing).at("cel")?;
        Ok(Symbol::new(required(&cel.expression, "expression").at("cel")?))
    })
}

/// Amounts by name.
pub(crate) fn named_amounts(
    pairs: &Pairs<'_, Amount<'_>>,
    field: &str,
) -> Checked<Box<[(Symbol, Quantity)]>> {
    let amount = |(name, token): &(Text<'_>, Amount<'_>)| {
        Ok((Symbol::new(name), amounts::amount(token).at_key(name)?))
    };
    pairs.iter().map(amount).collect::<Checked<_>>().at(field)
}

fn device(device: &wire::Device<'_>) -> Checked<Device> {
    let name = Symbol::new(required(&device.name, "name")?);
    match &device.basic {
        Some(basic) => described(name, basic).at("basic"),
        None => described(name, device),
    }
}

fn described(name: Symbol, device: &wire::Device<'_>) -> Checked<Device> {
    let attributes = device.attributes.iter();
    let attributes = attributes.map(|(name, value)| (Symbol::new(name), attribute(value)));
    let capacities = device.capacity.iter().map(|(name, has)| {
        Ok((Symbol::new(name), device_capacity(has).at_key(name).at("capacity")?))
    });
    let taints: Vec<_> = each(&device.taints, "taints", |taint| {
        // An effect of None is a note to people.
        (&*taint.effect != "None").then(|| taints::taint(taint)).transpose()
    })?;
    let reach = reach(&Places {
        node: &device.node,
        nodes: device.nodes.as_ref(),
        all: device.all_nodes == Some(true),
        per_device: false,
    })?;
    Ok(Device {
        name,
        attributes: sorted(attributes.collect()),
        capacity: sorted(capacities.collect::<Checked<_>>()?),
        taints: taints.into_iter().flatten().collect(),
        reach,
        shareable: device.shareable == Some(true),
        consumes: each(&device.consumes, "consumesCounters", |set| {
            counter_set(set, &set.set, "counterSet")
        })?,
        binds_to_node: device.binds_to_node == Some(true),
        awaits_binding: !device.binding_conditions.is_empty(),
    })
}

/// Maps have no order; in one, devices that are alike are equal.
fn sorted<T>(mut entries: Vec<(Symbol, T)>) -> Box<[(Symbol, T)]> {
    entries.sort_by_key(|(name, _)| *name);
    entries.into_boxed_slice()
}

fn reach(places: &Places<'_, '_>) -> Checked<DeviceReach> {
    if let Some(node) = places.node.given() {
        return Ok(DeviceReach::Node(Symbol::new(node)));
    }
    if places.all {
        return Ok(DeviceReach::Everywhere);
    }
    if let Some(nodes) = places.nodes {
        return affinity::node_selector(nodes).map(DeviceReach::Nodes).at("nodeSelector");
    }
    Ok(if places.per_device { DeviceReach::PerDevice } else { DeviceReach::Unknown })
}

fn attribute(attribute: &wire::Attribute<'_>) -> Attribute {
    match attribute {
        wire::Attribute { int: Some(value), .. } => Attribute::Int(*value),
        wire::Attribute { bool: Some(value), .. } => Attribute::Bool(*value),
        wire::Attribute { string: Some(value), .. } => Attribute::Text((&**value).into()),
        wire::Attribute { version: Some(value), .. } => Attribute::Version((&**value).into()),
        _ => Attribute::Unsupported,
    }
}

fn device_capacity(capacity: &wire::Capacity<'_>) -> Checked<DeviceCapacity> {
    let policy = capacity.policy.as_ref().map(policy).transpose().at("requestPolicy")?;
    Ok(DeviceCapacity {
        value: optional(capacity.value.as_ref(), "value")?.unwrap_or_default(),
        policy: policy.map(Box::new),
    })
}

fn policy(policy: &wire::CapacityPolicy<'_>) -> Checked<CapacityPolicy> {
    let range = |range: &wire::CapacityRange<'_>| {
        Ok(CapacityRange {
            min: optional(range.min.as_ref(), "min")?,
            max: optional(range.max.as_ref(), "max")?,
            step: optional(range.step.as_ref(), "step")?,
        })
    };
    Ok(CapacityPolicy {
        default: optional(policy.default.as_ref(), "default")?,
        values: each(&policy.values, "validValues", amounts::amount)?,
        range: policy.range.as_ref().map(range).transpose().at("validRange")?,
    })
}

fn optional(amount: Option<&Amount<'_>>, field: &str) -> Checked<Option<Quantity>> {
    amount.map(amounts::amount).transpose().at(field)
}

fn counter_set(set: &wire::CounterSet<'_>, name: &Text<'_>, field: &str) -> Checked<CounterSet> {
    let counters = set.counters.iter().map(|(name, counter)| {
        let amount = optional(counter.value.as_ref(), "value").at_key(name).at("counters")?;
        Ok((Symbol::new(name), amount.unwrap_or_default()))
    });
    Ok(CounterSet {
        name: Symbol::new(required(name, field)?),
        counters: counters.collect::<Checked<_>>()?,
    })
}

#[cfg(test)]
mod tests;
