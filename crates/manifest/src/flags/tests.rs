//! Flags in, settings out.

use std::collections::BTreeSet;

use expect_test::{Expect, expect};
use plimsoll_model::{
    BalanceSettings, Consolidation, Expander, GroupOptions, Money, Range, Settings, SignedDuration,
    Symbol,
};

use super::{FlagValue, Flags, IGNORED, TABLE, group_options};

/// The settings that flags written as `name=value` make.
fn settings(flags: &[&str]) -> Result<Settings, String> {
    let mut all = Flags::default();
    for flag in flags {
        let (name, value) = flag.split_once('=').unwrap();
        all.set(name, &FlagValue::from(value)).map_err(|error| error.to_string())?;
    }
    all.finish().map_err(|error| error.to_string())
}

fn check_refused(flags: &[&str], expected: &Expect) {
    let lines: Vec<String> = flags.iter().map(|flag| settings(&[flag]).unwrap_err()).collect();
    expected.assert_eq(&lines.join("\n"));
}

fn options(own: &[&str]) -> Result<GroupOptions, String> {
    let own = own.iter().map(|option| option.split_once('=').unwrap());
    let own = own.map(|(name, value)| (name, FlagValue::from(value)));
    group_options(&GroupOptions::default(), own).map_err(|error| error.to_string())
}

#[test]
fn names_stand_once_and_have_a_line_of_help() {
    let names: BTreeSet<&str> =
        TABLE.iter().map(|flag| flag.name).chain(IGNORED.iter().copied()).collect();
    assert_eq!(names.len(), TABLE.len() + IGNORED.len());
    for flag in TABLE {
        assert!(!flag.help.is_empty() && !flag.help.ends_with('.'), "{}", flag.name);
    }
}

#[test]
fn setting_what_holds_anyway_changes_nothing() {
    for flag in TABLE.iter().filter(|flag| flag.scope != super::Scope::Group) {
        let default = flag.default_text();
        if default.is_empty() {
            let is_text = matches!(flag.target, super::Target::Text(_));
            assert!(flag.is_repeated() || is_text, "{}", flag.name);
            continue;
        }
        let set = settings(&[&format!("{}={default}", flag.name)]).unwrap();
        let mut expected = Settings::default();
        if flag.name == "expander" {
            // Said or not said, the cheapest joint purchase is made.
            expected.scale_up.expanders = vec![Expander::LeastCost];
        }
        assert_eq!(set, expected, "{}={default}", flag.name);
    }
}

#[test]
fn values_are_read_by_their_form() {
    let settings = settings(&[
        "scale-down-unneeded-time=1h30m",
        "new-pod-scale-up-delay=0",
        "max-node-provision-time=500ms",
        "scale-down-enabled=false",
        "expendable-pods-priority-cutoff=-100",
        "max-nodes-total=12",
        "cores-total=4:100",
        "gpu-total=nvidia-t4:0:8",
        "scale-down-utilization-threshold=0.65",
        "node-fee=0.02",
        "expander=priority,least-waste",
        "consolidation=cost",
        "seed=18446744073709551615",
    ])
    .unwrap();
    assert_eq!(settings.group.unneeded_time, SignedDuration::from_mins(90));
    assert_eq!(settings.scale_up.new_pod_delay, SignedDuration::ZERO);
    assert_eq!(settings.group.provision_time, SignedDuration::from_millis(500));
    assert!(!settings.scale_down.enabled);
    assert_eq!(settings.scale_up.expendable_cutoff, -100);
    assert_eq!(settings.limits.nodes, 12);
    assert_eq!(settings.limits.cores, Range { min: 4, max: 100 });
    assert_eq!(settings.limits.gpus, [(Symbol::new("nvidia-t4"), Range { min: 0, max: 8 })]);
    assert!((settings.group.utilization_threshold - 0.65).abs() < 1e-9);
    assert_eq!(settings.scale_up.node_fee, Money::from_micros(20_000));
    assert_eq!(settings.scale_up.expanders, [Expander::Priority, Expander::LeastWaste]);
    assert_eq!(settings.scale_down.consolidation, Consolidation::Cost);
    assert_eq!(settings.seed, u64::MAX);
}

#[test]
fn a_value_of_the_wrong_form_is_refused() {
    check_refused(
        &[
            "scale-down-unneeded-time=10",
            "scale-down-unneeded-time=-10m",
            "scale-down-enabled=yes",
            "max-nodes-total=-1",
            "max-nodes-total=5000000000",
            "max-nodes-total=many",
            "expendable-pods-priority-cutoff=1.5",
            "cores-total=100",
            "cores-total=9:8",
            "cores-total=-1:8",
            "gpu-total=0:8",
            "scale-down-utilization-threshold=NaN",
            "scale-down-utilization-threshold=-0.1",
            "node-fee=1e300",
            "expander=cheapest",
            "expander=random,price",
            "expander=price,price",
            "expander=",
            "consolidation=on",
        ],
        &expect![[r#"
            scale-down-unneeded-time: "10" is not a duration such as 90s or 1h30m
            scale-down-unneeded-time: "-10m" is negative
            scale-down-enabled: "yes" is neither true nor false
            max-nodes-total: -1 is negative
            max-nodes-total: 5000000000 is out of range
            max-nodes-total: "many" is not a whole number
            expendable-pods-priority-cutoff: "1.5" is not a whole number
            cores-total: "100" is not of the form min:max
            cores-total: min 9 is above max 8
            cores-total: -1 is negative
            gpu-total: "0:8" is not of the form type:min:max
            scale-down-utilization-threshold: "NaN" is not a number
            scale-down-utilization-threshold: -0.1 is negative
            node-fee: 1e300 is out of range
            expander: "cheapest" is not an expander, known are least-cost, least-waste, most-pods, least-nodes, price, priority, random and grpc
            expander: random has to be the last
            expander: price stands twice
            expander: names no expander
            consolidation: "on" is not a consolidation, known are off, empty, underutilized and cost"#]],
    );
}

#[test]
fn an_unknown_flag_is_named_with_the_nearest_one() {
    check_refused(
        &[
            "scale-down-uneeded-time=1m",
            "zero-or-max-node-scaling=true",
            "colour=blue",
            "scan-intervall=1s",
        ],
        &expect![[r"
            scale-down-uneeded-time: unknown flag, did you mean scale-down-unneeded-time?
            zero-or-max-node-scaling: can be set for a group only
            colour: unknown flag
            scan-intervall: unknown flag, did you mean scan-interval?"]],
    );
}

#[test]
fn flags_of_the_process_change_nothing() {
    assert_eq!(
        settings(&["v=4", "scan-interval=nonsense", "leader-elect=false"]),
        Ok(Settings::default())
    );
}

#[test]
fn balancing_does_not_depend_on_the_order() {
    let balance = |flags: &[&str]| settings(flags).unwrap().scale_up.balance;
    let expected = Some(BalanceSettings {
        ignore_labels: vec![Symbol::new("a"), Symbol::new("b,c")],
        ..BalanceSettings::default()
    });
    let (on, one, two) = (
        "balance-similar-node-groups=true",
        "balancing-ignore-label=a",
        "balancing-ignore-label=b,c",
    );
    assert_eq!(balance(&[on, one, two]), expected);
    assert_eq!(balance(&[one, on, two]), expected);
    assert_eq!(balance(&[one, two]), None);
    let both = settings(&["balancing-label=x", one]).unwrap_err();
    assert_eq!(both, "balancing-label: cannot be set together with balancing-ignore-label");
}

#[test]
fn the_former_name_of_the_parallelism_yields_to_the_new_one() {
    let parallelism = |flags: &[&str]| settings(flags).unwrap().scale_down.parallelism;
    assert_eq!(parallelism(&["max-empty-bulk-delete=3"]), 3);
    assert_eq!(parallelism(&["max-scale-down-parallelism=7", "max-empty-bulk-delete=3"]), 7);
    assert_eq!(parallelism(&[]), 10);
}

#[test]
fn bypassed_schedulers_are_looked_at_beside_the_default_one() {
    let names = |flags: &[&str]| {
        settings(flags).map(|settings| {
            let names = settings.scale_up.schedulers.iter();
            names.map(|name| name.as_str()).collect::<Vec<_>>().join(" ")
        })
    };
    assert_eq!(names(&["bypassed-scheduler-names=x, y"]).unwrap(), "default-scheduler x y");
    let allowed = "allowed-scheduler-names=y,x";
    assert_eq!(names(&["bypassed-scheduler-names=x", allowed]).unwrap(), "y x");
    assert_eq!(
        names(&[allowed, "bypassed-scheduler-names=z"]).unwrap_err(),
        "bypassed-scheduler-names: allowed-scheduler-names does not contain \"z\""
    );
}

#[test]
fn a_list_adds_up_where_a_flag_may_be_repeated() {
    let mut flags = Flags::default();
    let many = FlagValue::Many(vec!["a".to_owned(), "b".to_owned()]);
    flags.set("startup-taint", &many).unwrap();
    flags.set("ignore-taint", &FlagValue::from("c")).unwrap();
    let refused = flags.set("max-nodes-total", &many).unwrap_err();
    assert_eq!(refused.to_string(), "max-nodes-total: takes one value, not 2");
    let startup = flags.finish().unwrap().taints.startup;
    assert_eq!(startup, ["a", "b", "c"].map(Symbol::new));
}

#[test]
fn a_group_has_options_by_either_name() {
    let expected = GroupOptions {
        unneeded_time: SignedDuration::from_mins(2),
        atomic: true,
        ..GroupOptions::default()
    };
    let atomic = "zero-or-max-node-scaling=true";
    assert_eq!(options(&["scale-down-unneeded-time=2m", atomic]), Ok(expected.clone()));
    assert_eq!(options(&["scaledownunneededtime=2m", atomic]), Ok(expected));
    assert_eq!(
        [options(&["expander=random"]), options(&["v=1"]), options(&["scaledownunneedtime=1m"])]
            .map(Result::unwrap_err),
        [
            "expander: cannot be set for a group",
            "v: cannot be set for a group",
            "scaledownunneedtime: unknown option, did you mean scale-down-unneeded-time?"
        ]
    );
}
