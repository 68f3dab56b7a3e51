//! Groups.

use std::sync::Arc;

use jiff::Timestamp;
use plimsoll_model::{Group, GroupOptions, Node};
use rustc_hash::FxHashSet;
use serde_json::value::RawValue;

use super::{
    fields::{Fields, entries},
    instances, options, scalar, wrong_flag,
};
use crate::{
    convert,
    flags::group_options,
    parse::parse,
    problem::{At as _, Checked, Problem, Quoted},
    wire::{node as wire, value::Text},
};

const FIELDS: [&str; 10] =
    ["id", "min", "max", "target", "price", "template", "instances", "options", "stock", "frozen"];

/// A group, and what it leaves to be derived from the nodes.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) group: Group,
    /// The file says how many machines were asked for.
    pub(super) has_target: bool,
    /// The file lists the machines.
    pub(super) has_instances: bool,
}

/// Reads all groups; `common` are the options of those that have none, templates were made at `created`.
pub(super) fn read(
    list: &RawValue,
    common: &GroupOptions,
    created: Timestamp,
) -> Checked<Vec<Draft>> {
    let mut known = FxHashSet::default();
    let groups = entries(list)?;
    let read = groups.iter().enumerate().map(|(index, entry)| {
        let draft = group(entry, common, created).at_index(index)?;
        let id = draft.group.id;
        if !known.insert(id) {
            let problem = format!("another group has the id {} already", Quoted(id.as_str()));
            return Err(Problem::new(problem)).at("id").at_index(index);
        }
        Ok(draft)
    });
    read.collect()
}

fn group(entry: &RawValue, common: &GroupOptions, created: Timestamp) -> Checked<Draft> {
    let fields = Fields::read(entry.get(), &FIELDS)?;
    let id = fields.needed("id", scalar::symbol)?;
    let min = fields.optional("min", scalar::count)?.unwrap_or(0);
    let max = fields.needed("max", scalar::count)?;
    if min > max {
        return Err(Problem::new(format!("{min} is above max, which is {max}"))).at("min");
    }
    let target = fields.optional("target", scalar::count)?;
    let price = fields.optional("price", scalar::money)?;
    let template = fields.optional("template", |node| template(id.as_str(), node, created))?;
    let instances = fields.optional("instances", instances::read)?;
    let options = fields.optional("options", |own| own_options(own, common))?;
    Ok(Draft {
        has_target: target.is_some(),
        has_instances: instances.is_some(),
        group: Group {
            id,
            min,
            max,
            target: target.unwrap_or_default(),
            price,
            template: template.map(Arc::new),
            instances: instances.unwrap_or_default(),
            options: options.unwrap_or_else(|| common.clone()),
            stock: fields.optional("stock", scalar::count)?,
            frozen: fields.optional("frozen", scalar::text)?,
        },
    })
}

/// A node that is known by its group. Of capacity and allocatable one may be left out; it is like the other.
fn template(group: &str, node: &RawValue, created: Timestamp) -> Checked<Node> {
    let mut fragment: wire::Node<'_> = parse(node.get())?;
    if fragment.metadata.name.is_empty() {
        fragment.metadata.name = Text::from_string(group.to_owned());
    }
    let mut node = convert::node::node(&fragment, created)?;
    if fragment.status.capacity.is_empty() {
        node.capacity = node.allocatable.clone();
    }
    Ok(node)
}

fn own_options(own: &RawValue, common: &GroupOptions) -> Checked<GroupOptions> {
    let own = options::read(own)?;
    let own = own.iter().map(|(name, value)| (name.as_str(), value.clone()));
    group_options(common, own).map_err(wrong_flag)
}
