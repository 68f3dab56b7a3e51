//! Random persistent volumes.

use plimsoll_model::{ClaimRef, Labels, Symbol, Volume, VolumeTerm, label};
use proptest::{collection, prelude::*, sample};

use super::{access_modes, claim, class::class_name, driver, mostly, size};
use crate::generate::{
    flag, maybe,
    selector::{NODE_WORDS_AND_NAME, POD_WORDS, labels, selector},
};

/// A volume of that name.
pub(super) fn volume(name: &'static str) -> impl Strategy<Value = Volume> {
    let marks = (flag(85), flag(5), maybe(20, claim_ref()));
    let place = (places(), maybe(40, collection::vec(term(), 1..=2)));
    let handle =
        sample::select(&["h-0", "h-1", "vol-0", "vol-1", "shop/data-0"]).prop_map(Symbol::new);
    let kind = (
        class_name(),
        size(),
        access_modes(),
        mostly("Filesystem", "Block"),
        mostly("", "gold"),
        maybe(80, (driver(), handle)),
    );
    (marks, place, kind).prop_map(move |(marks, (labels, node_terms), kind)| {
        let (available, deleting, claim) = marks;
        let (class, size, access_modes, mode, attributes_class, csi) = kind;
        Volume {
            name: Symbol::new(name),
            labels,
            class,
            size,
            access_modes,
            mode,
            attributes_class,
            available,
            deleting,
            claim,
            node_terms: node_terms.map(Vec::into_boxed_slice),
            csi,
        }
    })
}

/// Zones as they are written on volumes, beside labels that claims select by.
fn places() -> impl Strategy<Value = Labels> {
    let place = |percent, key, values: &'static [&'static str]| {
        maybe(percent, sample::select(values))
            .prop_map(move |value| value.map(|value| (Symbol::new(key), Symbol::new(value))))
    };
    (
        labels(POD_WORDS, 30),
        place(40, label::ZONE, &["a", "b", "a__b", "c__", "a__b__c"]),
        place(10, label::BETA_ZONE, &["a", "b__c"]),
        place(5, label::REGION, &["earth", "moon"]),
    )
        .prop_map(|(labels, zone, beta_zone, region)| {
            labels.with(zone.into_iter().chain(beta_zone).chain(region))
        })
}

fn term() -> impl Strategy<Value = VolumeTerm> {
    prop_oneof![
        9 => selector(NODE_WORDS_AND_NAME).prop_map(VolumeTerm::Labels),
        1 => Just(VolumeTerm::Never),
    ]
}

/// A promise to a claim, perhaps to an earlier one of the same name.
fn claim_ref() -> impl Strategy<Value = ClaimRef> {
    let ids: Vec<_> = claim::ids().map(|(id, _)| id).collect();
    (sample::select(ids), sample::select(&["", "same", "other"])).prop_map(|(id, uid)| ClaimRef {
        id,
        uid: match uid {
            "same" => Symbol::new(&format!("uid-of-{}-{}", id.0, id.1)),
            uid => Symbol::new(uid),
        },
    })
}
