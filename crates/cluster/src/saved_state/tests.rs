use std::collections::{BTreeMap, BTreeSet};

use expect_test::expect;
use jiff::{SignedDuration, Timestamp};
use plimsoll_model::{
    Activity, Backoff, Contradicted, Memory, Origin, PodName, Replacement, Symbol, Unregistered,
};
use proptest::{collection::btree_map, option, prelude::*};

use super::{pack, read, unpack, write};

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
    let pod = (name(), "[a-z0-9.-]{1,9}")
        .prop_map(|(namespace, name)| PodName { namespace, name: name.into() });
    let machines = btree_map(instance(), unregistered(), 0..4);
    let lost = (option::of(contradiction()), btree_map(instance(), moment(), 0..4));
    let clocks = (moments(), moments(), machines, moments(), moments());
    let last = (activity(), option::of(moment()), btree_map(name(), activity(), 0..4), moments());
    let rest = (btree_map(name(), backoff(), 0..4), option::of(replacement()));
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
        backoff: rest.0,
        replacement: rest.1,
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
        whole.replace("\"lastScaleUp\":null", "\"lastScaleUp\":\"yesterday\""),
    ];
    let told: Vec<String> = cases.iter().map(|text| read(text).unwrap_err().to_string()).collect();
    expect![[r#"
        the ConfigMap plimsoll-memory cannot be read and is started anew: EOF while parsing a value at line 1 column 0
        the ConfigMap plimsoll-memory cannot be read and is started anew: invalid type: null, expected struct Page at line 1 column 4
        the ConfigMap plimsoll-memory cannot be read and is started anew: it is of version 2, not 1
        the ConfigMap plimsoll-memory cannot be read and is started anew: "yesterday": failed to parse four digit integer as year: invalid digit, expected 0-9 but got y"#]].assert_eq(&told.join("\n"));
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
        replacement: Some(Replacement {
            nodes: BTreeSet::from([Symbol::new("gpu-1")]),
            groups: BTreeMap::from([(group, 1)]),
            at,
        }),
        ..Memory::default()
    };
    expect![[r#"{"version":1,"unneededSince":{"gpu-1":"2026-03-01T12:00:00Z"},"unreadySince":{},"unregisteredSince":[],"lastScaleUp":null,"lastScaleDown":null,"lastScaleDownFailure":null,"groupActivity":{},"backoff":{},"sizeMismatchSince":{},"replacement":{"nodes":["gpu-1"],"groups":{"gpu":1},"at":"2026-03-01T12:00:00Z"},"consolidated":null,"recentEvictions":[]}"#]].assert_eq(&write(&memory));
}

/// What version 0.1 saved, word for word: orders were in it.
#[test]
fn what_the_version_before_saved_is_read() {
    let saved = r#"{"version":1,"unneededSince":{"gpu-1":"2026-03-01T12:00:00Z"},"unreadySince":{},"unregisteredSince":[],"lastScaleUp":"2026-03-01T12:00:00Z","lastScaleDown":null,"lastScaleDownFailure":null,"groupActivity":{},"orders":[{"group":"gpu","increase":3,"at":"2026-03-01T12:00:00Z"}],"backoff":{"gpu":{"until":"2026-03-01T12:05:00Z","step":"PT5M","failed":"2026-03-01T12:00:00Z","code":"STOCKOUT"}},"sizeMismatchSince":{},"replacement":null,"consolidated":null,"recentEvictions":[]}"#;
    let memory = read(saved).unwrap();
    let at: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
    assert_eq!(memory.unneeded_since[&Symbol::new("gpu-1")], at);
    assert_eq!(memory.last_scale_up, Some(at));
    assert_eq!(&*memory.backoff[&Symbol::new("gpu")].code, "STOCKOUT");
}

#[test]
fn what_a_newer_version_saved_is_read_without_what_only_it_knows() {
    let memory = Memory { last_scale_up: Some(Timestamp::UNIX_EPOCH), ..Memory::default() };
    let saved = write(&memory).replace("{\"version\":1", "{\"forecast\":[1,2],\"version\":1");
    assert_eq!(read(&saved), Ok(memory));
    assert_eq!(read(r#"{"version":1}"#), Ok(Memory::default()), "it saves less");
}

/// An object may have 1 MiB; the API server counts keys and encoded values.
#[test]
fn the_timers_of_fifteen_thousand_nodes_fit_into_one_object() {
    let at: Timestamp = "2026-03-01T12:00:00.123456789Z".parse().unwrap();
    let name = |number: u64| {
        // Names end in something that does not repeat.
        let noise = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Symbol::new(&format!("ip-10-0-{}-{}.pool-{noise:016x}", number / 256, number % 256))
    };
    let unneeded_since: BTreeMap<_, _> = (0..15_000).map(|number| (name(number), at)).collect();
    let memory = Memory { unneeded_since, ..Memory::default() };
    let mut page = pack(write(&memory));
    let size = serde_json::to_string(&page).unwrap().len();
    assert!(size < 900 * 1024, "{size} bytes");
    assert_eq!(read(&unpack(&mut page).unwrap().unwrap()), Ok(memory));
    let mut small = pack(write(&Memory::default()));
    assert!(small.binary_data.is_none(), "people can read it");
    assert_eq!(read(&unpack(&mut small).unwrap().unwrap()), Ok(Memory::default()));
}
