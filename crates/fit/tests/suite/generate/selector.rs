//! Label selectors over words that occur.

use plimsoll_model::{LabelOperator, LabelRequirement, LabelSelector, Labels, Symbol, Text, label};
use proptest::{collection, prelude::*, sample};

use super::maybe;

/// Label keys with the values they may have.
pub(super) type Words = &'static [(&'static str, &'static [&'static str])];

/// Labels of pods.
pub(super) const POD_WORDS: Words =
    &[("app", &["web", "db", "cache", "job"]), ("tier", &["x", "y"]), ("track", &["1", "2"])];

/// Labels of nodes, the hostname apart.
pub(super) const NODE_WORDS: Words = &[
    (label::ZONE, &["a", "b", "c"]),
    ("rack", &["r1", "r2", ""]),
    ("disk", &["ssd", "hdd"]),
    ("cores", &["4", "08", "many"]),
];

/// Labels of nodes that selectors may look at.
pub(super) const NODE_WORDS_AND_NAME: Words = &[
    (label::ZONE, &["a", "b", "c"]),
    ("rack", &["r1", "r2", ""]),
    ("disk", &["ssd", "hdd"]),
    ("cores", &["4", "08", "many"]),
    (label::HOSTNAME, &super::NODE_NAMES),
];

/// Labels of namespaces.
pub(super) const NAMESPACE_WORDS: Words = &[("team", &["red", "blue"])];

/// Each of the labels in so many of a hundred cases.
pub(super) fn labels(words: Words, percent: u32) -> impl Strategy<Value = Labels> {
    let pairs: Vec<_> = words
        .iter()
        .map(|(key, values)| {
            maybe(percent, sample::select(*values))
                .prop_map(move |value| value.map(|value| (Symbol::new(key), Symbol::new(value))))
        })
        .collect();
    pairs.prop_map(|pairs| Labels::from_pairs(pairs.into_iter().flatten()))
}

/// No selector, the empty one, or one with up to two requirements.
pub(super) fn optional(words: Words) -> impl Strategy<Value = Option<LabelSelector>> {
    prop_oneof![
        9 => selector(words).prop_map(Some),
        1 => Just(Some(LabelSelector::everything())),
        1 => Just(None),
    ]
}

/// One or two requirements.
pub(super) fn selector(words: Words) -> impl Strategy<Value = LabelSelector> {
    collection::vec(requirement(words), 1..=2).prop_map(LabelSelector::new)
}

fn requirement(words: Words) -> impl Strategy<Value = LabelRequirement> {
    sample::select(words).prop_flat_map(|(key, values)| {
        let most = values.len().min(2);
        let values = sample::subsequence(values, 1..=most)
            .prop_map(|values| values.into_iter().map(Text::new).collect::<Box<[_]>>());
        let operator = prop_oneof![
            6 => values.clone().prop_map(LabelOperator::In),
            2 => values.prop_map(LabelOperator::NotIn),
            1 => Just(LabelOperator::Exists),
            1 => Just(LabelOperator::DoesNotExist),
        ];
        operator.prop_map(move |operator| LabelRequirement { key: Symbol::new(key), operator })
    })
}

/// A comparison with the number of cores.
pub(super) fn comparison() -> impl Strategy<Value = LabelSelector> {
    let operator =
        prop_oneof![(3..9_i64).prop_map(LabelOperator::Gt), (3..9_i64).prop_map(LabelOperator::Lt)];
    operator.prop_map(|operator| {
        LabelSelector::new([LabelRequirement { key: Symbol::new("cores"), operator }])
    })
}
