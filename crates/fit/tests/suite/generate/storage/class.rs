//! Random storage classes, and what their drivers have left.

use plimsoll_model::{
    LabelSelector, StorageCapacity, StorageClass, Symbol, Text, TopologyTerm, label,
};
use proptest::{collection, prelude::*, sample};

use super::{DRIVERS, size};
use crate::generate::{
    maybe,
    selector::{NODE_WORDS_AND_NAME, optional, selector},
    some,
};

/// The class of a claim or a volume: the usual ones, none, or one that does not exist.
pub(super) fn class_name() -> impl Strategy<Value = Symbol> {
    prop_oneof![
        8 => Just("fast"),
        4 => Just("local"),
        1 => Just("eager"),
        1 => Just(""),
        1 => Just("unknown"),
    ]
    .prop_map(Symbol::new)
}

/// The classes. Volumes of the first are made on demand, the second has only those that are there, the third does not
/// wait for a pod.
pub(super) fn classes() -> impl Strategy<Value = Vec<StorageClass>> {
    let values = sample::subsequence(&["a", "b", "c"], 1..=2)
        .prop_map(|zones| zones.into_iter().map(Text::new).collect::<Box<[_]>>());
    let pair = values.prop_map(|zones| (Symbol::new(label::ZONE), zones));
    let term = collection::vec(pair, 1..=2).prop_map(|pairs| TopologyTerm(pairs.into()));
    some(30, 2, term).prop_map(|allowed_topologies| {
        let class = |name, provisioner, waits_for_consumer| StorageClass {
            name: Symbol::new(name),
            provisioner: Symbol::new(provisioner),
            waits_for_consumer,
            allowed_topologies: Box::default(),
        };
        vec![
            StorageClass { allowed_topologies, ..class("fast", DRIVERS[0], true) },
            class("local", "kubernetes.io/no-provisioner", true),
            class("eager", DRIVERS[0], false),
        ]
    })
}

/// What is left for the first class.
pub(super) fn capacity() -> impl Strategy<Value = StorageCapacity> {
    let nodes = prop_oneof![
        2 => selector(NODE_WORDS_AND_NAME).prop_map(Some),
        1 => optional(NODE_WORDS_AND_NAME),
        1 => Just(Some(LabelSelector::everything())),
    ];
    (nodes, maybe(85, size())).prop_map(|(nodes, largest)| StorageCapacity {
        class: Symbol::new("fast"),
        nodes,
        largest,
    })
}
