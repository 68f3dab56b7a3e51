use std::collections::{BTreeMap, BTreeSet};

use expect_test::expect;
use jiff::{SignedDuration, Timestamp};
use plimsoll_model::{
    Activity, Backoff, Contradicted, Memory, Order, Origin, PodName, Replacement, Symbol,
    Unregistered,
};
use proptest::{collection::btree_map, option, prelude::*};

use super::{read, write};

fn moment() -> impl Strategy<Value = Timestamp> {
    (-4_000_000_000_i64..4_000_000_000, 0..1_000_000_000_i32).prop_map(|(second, nanosecond)| {
        Timestamp::new(second, nanosecond.copysign_of(second)).unwrap()
    })
}

/// The two parts of a timestamp have one sign.
trait Signed {
    fn copysign_of(self, other: i64) -> Self;
}

impl Signed for i32 {
    fn copysign_of(self, other: i64) -> Self {
        if other < 0 { -self } else { self }
    }
}

fn name() -> impl Strategy<Value = Symbol> {
    // Names of groups are the provider's, and may be anything.
    prop_oneof!["[a-z0-9.-]{1,8}", "\\PC{0,6}"].prop_map(|text| Symbol::new(&text))
}

fn moments() -> impl Strategy<Value = BTreeMap<Symbol, Timestamp>> {
    btree_map(name(), moment(), 0..4)
}

fn activity() -> impl Strategy<Value = Activity> {
    (option::of(moment()), option::of(moment()), option::of(moment()))
        .prop_map(|(scale_up, scale_down, failure)| Activity { scale_up, scale_down, failure })
}

fn backoff() -> impl Strategy<Value = Backoff> {
    let step = (0..100_000_i64, 0..1_000_000_000_i32);
    (moment(), step, moment(), "\\PC{0,9}").prop_map(|(until, step, failed, code)| Backoff {
        until,
        step: SignedDuration::new(step.0, step.1),
        failed,
        code: code.into(),
    })
}

fn unregistered() -> impl Strategy<Value = Unregistered> {
    let origin = prop_oneof![Just(Origin::Ordered), Just(Origin::Lost), Just(Origin::Found)];
    (moment(), option::of(moment()), origin).prop_map(|(since, created, origin)| Unregistered {
        since,
        created,
        origin,
    })
}

fn instance() -> impl Strategy<Value = (Symbol, Box<str>)> {
    (name(), "\\PC{0,9}").prop_map(|(group, id)| (group, id.into_boxed_str()))
}

fn contradiction() -> impl Strategy<Value = Contradicted> {
    (moment(), moment()).prop_map(|(since, seen)| Contradicted { since, seen })
}

fn replacement() -> impl Strategy<Value = Replacement> {
    (proptest::collection::btree_set(name(), 0..4), btree_map(name(), any::<u32>(), 0..4), moment())
        .prop_map(|(nodes, groups, at)| Replacement { nodes, groups, at })
}

fn memory() -> impl Strategy<Value = Memory> {
    let orders = proptest::collection::vec(
        (name(), any::<u32>(), moment()).prop_map(|(group, increase, at)| Order {
            group,
            increase,
            at,
        }),
        0..4,
    );
    let pod = (name(), "[a-z0-9.-]{1,9}")
        .prop_map(|(namespace, name)| PodName { namespace, name: name.into() });
    let machines = btree_map(instance(), unregistered(), 0..4);
    let lost = (option::of(contradiction()), btree_map(instance(), moment(), 0..4));
    let clocks = (moments(), moments(), machines, moments(), moments());
    let last = (activity(), option::of(moment()), btree_map(name(), activity(), 0..4), moments());
    let rest = (orders, btree_map(name(), backoff(), 0..4), option::of(replacement()));
    let evictions = btree_map(pod, moment(), 0..4);
    let all = (clocks, last, rest, evictions, lost);
    all.prop_map(|(clocks, last, rest, recent_evictions, lost)| Memory {
        unneeded_since: clocks.0,
        unready_since: clocks.1,
        unregistered: clocks.2,
        contradiction: lost.0,
        lost_deletions: lost.1,
        size_mismatch_since: clocks.3,
        departed_since: clocks.4,
        last_scale_up: last.0.scale_up,
        last_scale_down: last.0.scale_down,
        last_scale_down_failure: last.0.failure,
        consolidated: last.1,
        group_activity: last.2,
        stayed: last.3,
        orders: rest.0,
        backoff: rest.1,
        replacement: rest.2,
        recent_evictions,
        // The rest is not written: see the page.
        ..Memory::default()
    })
}

proptest! {
    #[test]
    fn any_memory_is_read_as_it_was_written(memory in memory()) {
        prop_assert_eq!(read(&write(&memory)), Ok(memory));
    }

    #[test]
    fn no_text_makes_it_fail_otherwise_than_by_saying_so(text in "\\PC*") {
        let _ = read(&text);
    }
}

#[test]
fn what_cannot_be_understood_is_told() {
    let whole = write(&Memory::default());
    let cases = [
        String::new(),
        "null".to_owned(),
        whole.replace("\"version\":1", "\"version\":2"),
        whole.replace("\"orders\":[]", "\"orders\":[],\"wishes\":[]"),
        whole.replace("\"lastScaleUp\":null", "\"lastScaleUp\":\"yesterday\""),
    ];
    let told: Vec<String> = cases.iter().map(|text| read(text).unwrap_err().to_string()).collect();
    expect![[r#"
        the ConfigMap plimsoll-memory cannot be understood and is started anew: EOF while parsing a value at line 1 column 0
        the ConfigMap plimsoll-memory cannot be understood and is started anew: invalid type: null, expected struct Page at line 1 column 4
        the ConfigMap plimsoll-memory cannot be understood and is started anew: it is of version 2, not 1
        the ConfigMap plimsoll-memory cannot be understood and is started anew: unknown field `wishes`, expected one of `version`, `unneededSince`, `unreadySince`, `departedSince`, `unregisteredSince`, `contradiction`, `lostDeletions`, `lastScaleUp`, `lastScaleDown`, `lastScaleDownFailure`, `groupActivity`, `orders`, `backoff`, `sizeMismatchSince`, `replacement`, `consolidated`, `stayed`, `recentEvictions` at line 1 column 180
        the ConfigMap plimsoll-memory cannot be understood and is started anew: "yesterday": failed to parse four digit integer as year: invalid digit, expected 0-9 but got y"#]].assert_eq(&told.join("\n"));
}

#[test]
fn machines_that_an_earlier_version_wrote_down_are_spared() {
    let entry = r#"{"group":"a","instance":"x","since":"2026-03-01T12:00:00Z"}"#;
    let later = r#"{"group":"a","instance":"y","since":"2026-03-01T12:00:00Z","origin":"adopted"}"#;
    let page = write(&Memory::default())
        .replace(r#""unregisteredSince":[]"#, &format!(r#""unregisteredSince":[{entry},{later}]"#));
    let memory = read(&page).unwrap();
    let origins: Vec<_> = memory.unregistered.values().map(|machine| machine.origin).collect();
    assert_eq!(origins, [Origin::Found, Origin::Found]);
}

#[test]
fn a_page_can_be_read_by_people() {
    let at: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
    let group = Symbol::new("gpu");
    let memory = Memory {
        unneeded_since: BTreeMap::from([(Symbol::new("gpu-1"), at)]),
        orders: vec![Order { group, increase: 3, at }],
        replacement: Some(Replacement {
            nodes: BTreeSet::from([Symbol::new("gpu-1")]),
            groups: BTreeMap::from([(group, 1)]),
            at,
        }),
        ..Memory::default()
    };
    expect![[r#"{"version":1,"unneededSince":{"gpu-1":"2026-03-01T12:00:00Z"},"unreadySince":{},"unregisteredSince":[],"lastScaleUp":null,"lastScaleDown":null,"lastScaleDownFailure":null,"groupActivity":{},"orders":[{"group":"gpu","increase":3,"at":"2026-03-01T12:00:00Z"}],"backoff":{},"sizeMismatchSince":{},"replacement":{"nodes":["gpu-1"],"groups":{"gpu":1},"at":"2026-03-01T12:00:00Z"},"consolidated":null,"recentEvictions":[]}"#]].assert_eq(&write(&memory));
}
