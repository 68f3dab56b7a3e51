//! Storage objects.

use plimsoll_model::{
    Claim, ClaimRef, StorageCapacity, StorageClass, Symbol, TopologyTerm, Volume,
};

use crate::{
    convert::{affinity, amounts, meta, selector},
    problem::{At as _, Checked, Problem},
    wire::{
        meta::Metadata,
        storage as wire,
        value::{Amount, Pairs, Text},
    },
};

/// Older than `storageClassName`, and stronger.
const CLASS: &str = "volume.beta.kubernetes.io/storage-class";
const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";
const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";
const DEFAULT_MODE: &str = "Filesystem";
const MODES: [&str; 2] = [DEFAULT_MODE, "Block"];
const ACCESS_MODES: [&str; 4] =
    ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"];
const CLAIM_PHASES: [&str; 3] = ["Pending", "Bound", "Lost"];
const VOLUME_PHASES: [&str; 5] = ["Pending", "Available", "Bound", "Released", "Failed"];
const BINDING_MODES: [&str; 2] = ["Immediate", WAITS];
const WAITS: &str = "WaitForFirstConsumer";

/// A PersistentVolumeClaim.
pub(crate) fn claim(claim: &wire::Claim<'_>) -> Checked<Claim> {
    let wire::Claim { metadata, spec, status } = claim;
    let requests = &spec.resources.requests;
    Ok(Claim {
        id: (meta::namespace(metadata), Symbol::new(meta::name(metadata)?)),
        uid: Symbol::new(&metadata.uid),
        controller: meta::controller(metadata).map(|owner| Symbol::new(&owner.uid)),
        class: class(metadata, &spec.class),
        volume: meta::given_symbol(&spec.volume),
        bind_completed: metadata.annotations.get(BIND_COMPLETED).is_some(),
        selected_node: metadata.annotations.get(SELECTED_NODE).map(|name| Symbol::new(name)),
        lost: phase(status, &CLAIM_PHASES)? == "Lost",
        deleting: !metadata.deleted.is_empty(),
        access_modes: access_modes(&spec.access_modes).at("spec")?,
        size: size(requests).at("requests").at("resources").at("spec")?,
        mode: mode(&spec.mode).at("spec")?,
        attributes_class: Symbol::new(&spec.attributes_class),
        selector: selector::optional(spec.selector.as_ref(), "selector").at("spec")?,
    })
}

/// A PersistentVolume.
pub(crate) fn volume(volume: &wire::Volume<'_>) -> Checked<Volume> {
    let wire::Volume { metadata, spec, status } = volume;
    let node_terms = spec.node_affinity.required.as_ref().map(affinity::volume_terms).transpose();
    Ok(Volume {
        name: Symbol::new(meta::name(metadata)?),
        labels: meta::labels(&metadata.labels),
        class: class(metadata, &spec.class),
        size: size(&spec.capacity).at("capacity").at("spec")?,
        access_modes: access_modes(&spec.access_modes).at("spec")?,
        mode: mode(&spec.mode).at("spec")?,
        attributes_class: Symbol::new(&spec.attributes_class),
        available: phase(status, &VOLUME_PHASES)? == "Available",
        deleting: !metadata.deleted.is_empty(),
        claim: spec.claim.as_ref().map(|claim| ClaimRef {
            id: (Symbol::new(&claim.namespace), Symbol::new(&claim.name)),
            uid: Symbol::new(&claim.uid),
        }),
        node_terms: node_terms.at("required").at("nodeAffinity").at("spec")?,
        csi: spec.csi.as_ref().map(|csi| (Symbol::new(&csi.driver), Symbol::new(&csi.handle))),
    })
}

/// A StorageClass.
pub(crate) fn storage_class(class: &wire::StorageClass<'_>) -> Checked<StorageClass> {
    let mode = &class.binding_mode;
    let mode = meta::one_of(mode, &BINDING_MODES, "a binding mode", "volumeBindingMode")?;
    Ok(StorageClass {
        name: Symbol::new(meta::name(&class.metadata)?),
        provisioner: Symbol::new(&class.provisioner),
        waits_for_consumer: mode == WAITS,
        allowed_topologies: class.topologies.iter().map(topology).collect(),
    })
}

/// A CSIStorageCapacity.
pub(crate) fn capacity(capacity: &wire::StorageCapacity<'_>) -> Checked<StorageCapacity> {
    let bytes = |amount: &Option<Amount<'_>>, field| {
        amount.as_ref().map(amounts::bytes).transpose().at(field)
    };
    let maximum = bytes(&capacity.maximum, "maximumVolumeSize")?;
    Ok(StorageCapacity {
        class: Symbol::new(&capacity.class),
        nodes: selector::optional(capacity.nodes.as_ref(), "nodeTopology")?,
        largest: maximum.or(bytes(&capacity.capacity, "capacity")?),
    })
}

/// How many volumes each driver can attach to the node of a CSINode, where it says.
pub(crate) fn limits(node: &wire::CsiNode<'_>) -> Checked<Vec<((Symbol, Symbol), i64)>> {
    let name = Symbol::new(meta::name(&node.metadata)?);
    let drivers = node.spec.drivers.iter();
    let limits = drivers.filter_map(|driver| Some((driver, driver.allocatable.count?)));
    Ok(limits.map(|(driver, count)| ((name, Symbol::new(&driver.name)), count)).collect())
}

fn class(metadata: &Metadata<'_>, class: &Text<'_>) -> Symbol {
    Symbol::new(metadata.annotations.get(CLASS).unwrap_or(class))
}

fn mode(mode: &Text<'_>) -> Checked<Symbol> {
    meta::one_of(mode, &MODES, "a volume mode", "volumeMode")?;
    Ok(Symbol::new(mode.given().unwrap_or(DEFAULT_MODE)))
}

fn phase<'s>(status: &'s wire::StorageStatus<'_>, known: &[&str]) -> Checked<&'s str> {
    meta::one_of(&status.phase, known, "a phase", "phase").at("status")
}

fn size(amounts: &Pairs<'_, Amount<'_>>) -> Checked<i64> {
    const STORAGE: &str = "storage";
    amounts.get(STORAGE).map_or(Ok(0), amounts::bytes).at_key(STORAGE)
}

fn access_modes(list: &[Text<'_>]) -> Checked<Box<[Symbol]>> {
    let mut modes: Vec<Symbol> = Vec::with_capacity(list.len());
    for (index, mode) in list.iter().enumerate() {
        if !ACCESS_MODES.contains(&&**mode) {
            let problem = Problem::unknown(mode, "an access mode", &ACCESS_MODES);
            return Err(problem).at_index(index).at("accessModes");
        }
        modes.push(Symbol::new(mode));
    }
    modes.sort();
    Ok(modes.into_boxed_slice())
}

/// A term without expressions selects nothing: it becomes one that wants a label to have a value out of none.
fn topology(term: &wire::TopologyTerm<'_>) -> TopologyTerm {
    if term.expressions.is_empty() {
        return TopologyTerm(Box::new([(Symbol::new(""), Box::default())]));
    }
    let pair = |one: &wire::TopologyExpression<'_>| {
        let values = one.values.iter().map(|value| plimsoll_model::Text::new(value)).collect();
        (Symbol::new(&one.key), values)
    };
    TopologyTerm(term.expressions.iter().map(pair).collect())
}
