//! The machines of groups, listed or derived from nodes.

use std::sync::Arc;

use plimsoll_model::{ErrorClass, Instance, InstanceError, InstanceState, Node, Symbol, label};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::value::RawValue;

use super::{
    fields::{Fields, entries},
    groups::Draft,
    scalar,
};
use crate::problem::{At as _, Checked, Problem, Quoted};

const FIELDS: [&str; 5] = ["id", "node", "state", "created", "error"];
const ERROR_FIELDS: [&str; 3] = ["class", "code", "message"];

const STATES: [(&str, InstanceState); 3] = [
    ("running", InstanceState::Running),
    ("creating", InstanceState::Creating),
    ("deleting", InstanceState::Deleting),
];

const CLASSES: [(&str, ErrorClass); 2] =
    [("OutOfResources", ErrorClass::OutOfResources), ("Other", ErrorClass::Other)];

/// Reads a list of machines.
pub(super) fn read(list: &RawValue) -> Checked<Vec<Instance>> {
    let mut known = FxHashSet::default();
    let list = entries(list)?;
    let read = list.iter().enumerate().map(|(index, entry)| {
        let instance = instance(entry).at_index(index)?;
        if !known.insert(instance.id.clone()) {
            let problem = format!("another instance has the id {} already", Quoted(&instance.id));
            return Err(Problem::new(problem)).at("id").at_index(index);
        }
        Ok(instance)
    });
    read.collect()
}

/// Fills in what the groups leave to be derived: machines from the nodes that carry the group's label, and the target
/// from the machines.
pub(super) fn complete(groups: &mut [Draft], nodes: &[Arc<Node>]) -> Checked<()> {
    link(groups, nodes).at("groups")?;
    let places: FxHashMap<Symbol, usize> =
        groups.iter().enumerate().map(|(place, draft)| (draft.group.id, place)).collect();
    let key = Symbol::new(label::GROUP);
    for node in nodes {
        let place = node.labels.get(key).and_then(|id| places.get(&Symbol::known(id.as_str())?));
        if let Some(draft) = place.and_then(|place| groups.get_mut(*place))
            && !draft.has_instances
        {
            draft.group.instances.push(of_node(node));
        }
    }
    for draft in groups.iter_mut().filter(|draft| !draft.has_target) {
        let staying = |one: &&Instance| one.state != InstanceState::Deleting;
        let target = draft.group.instances.iter().filter(staying).count();
        draft.group.target = u32::try_from(target).unwrap_or(u32::MAX);
    }
    Ok(())
}

fn instance(entry: &RawValue) -> Checked<Instance> {
    let fields = Fields::read(entry.get(), &FIELDS)?;
    Ok(Instance {
        id: fields.needed("id", |id| Ok((&*scalar::name(id)?).into()))?,
        node: fields.optional("node", scalar::symbol)?,
        state: fields
            .optional("state", |state| scalar::word(state, "a state", &STATES))?
            .unwrap_or(InstanceState::Running),
        created: fields.optional("created", scalar::time)?,
        error: fields.optional("error", error)?,
    })
}

fn error(entry: &RawValue) -> Checked<InstanceError> {
    let fields = Fields::read(entry.get(), &ERROR_FIELDS)?;
    let class =
        fields.optional("class", |class| scalar::word(class, "an error class", &CLASSES))?;
    Ok(InstanceError {
        class: class.unwrap_or(ErrorClass::Other),
        code: fields.optional("code", scalar::text)?.unwrap_or_default(),
        message: fields.optional("message", scalar::text)?.unwrap_or_default(),
    })
}

/// Gives listed machines that do not name a node the one that names them, and refuses a node with two machines.
fn link(groups: &mut [Draft], nodes: &[Arc<Node>]) -> Checked<()> {
    let named = nodes.iter().filter(|node| !node.provider_id.is_empty());
    let by_id: FxHashMap<&str, Symbol> =
        named.map(|node| (&*node.provider_id, node.name)).collect();
    let mut taken: FxHashMap<Symbol, Symbol> = FxHashMap::default();
    for (place, draft) in groups.iter_mut().enumerate() {
        let group = draft.group.id;
        for (index, instance) in draft.group.instances.iter_mut().enumerate() {
            if instance.node.is_none() {
                instance.node = by_id.get(&*instance.id).copied();
            }
            let Some(node) = instance.node else { continue };
            if let Some(other) = taken.insert(node, group) {
                let (node, other) = (Quoted(node.as_str()), Quoted(other.as_str()));
                let problem = format!("an instance of group {other} is node {node} already");
                let problem = Err(Problem::new(problem)).at("node").at_index(index);
                return problem.at("instances").at_index(place);
            }
        }
    }
    Ok(())
}

/// The machine that a node must be running on.
fn of_node(node: &Node) -> Instance {
    let id = match &*node.provider_id {
        "" => format!("node://{}", node.name).into(),
        id => id.into(),
    };
    Instance {
        id,
        node: Some(node.name),
        state: InstanceState::Running,
        created: Some(node.created),
        error: None,
    }
}
