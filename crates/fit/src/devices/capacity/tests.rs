use plimsoll_model::{CapacityPolicy, CapacityRange, DeviceCapacity, Quantity, Symbol};

use super::{consumption, suffices};

fn amount(text: &str) -> Quantity {
    Quantity::parse(text).expect("a quantity")
}

/// What a request for so much gets of a capacity of 40Gi.
fn got(asked: Option<&str>, policy: Option<CapacityPolicy>) -> Option<String> {
    let memory = Symbol::new("memory");
    let has = [(memory, DeviceCapacity { value: amount("40Gi"), policy: policy.map(Box::new) })];
    let asked: Vec<_> = asked.map(|text| (memory, amount(text))).into_iter().collect();
    let taken = consumption(&asked, &has)?;
    suffices(&has, &[], &taken).then(|| taken[0].1.to_string())
}

#[test]
fn without_a_policy_a_request_gets_what_it_says_or_all() {
    assert_eq!(got(None, None).as_deref(), Some("40Gi"));
    assert_eq!(got(Some("5Gi"), None).as_deref(), Some("5Gi"));
    assert_eq!(got(Some("41Gi"), None), None);
    let unknown = [(Symbol::new("cores"), amount("1"))];
    assert_eq!(consumption(&unknown, &[]), None);
}

#[test]
fn requests_are_rounded_up_to_a_valid_value() {
    let policy = || {
        let values = [amount("10Gi"), amount("20Gi")].into();
        Some(CapacityPolicy { default: Some(amount("10Gi")), values, range: None })
    };
    assert_eq!(got(None, policy()).as_deref(), Some("10Gi"));
    assert_eq!(got(Some("1Gi"), policy()).as_deref(), Some("10Gi"));
    assert_eq!(got(Some("11Gi"), policy()).as_deref(), Some("20Gi"));
    assert_eq!(got(Some("21Gi"), policy()), None);
}

#[test]
fn requests_are_rounded_up_to_the_steps_of_a_range() {
    let policy = |step: Option<&str>| {
        let range = CapacityRange {
            min: Some(amount("4Gi")),
            max: Some(amount("20Gi")),
            step: step.map(amount),
        };
        Some(CapacityPolicy { default: None, values: Box::default(), range: Some(range) })
    };
    assert_eq!(got(Some("1Gi"), policy(None)).as_deref(), Some("4Gi"));
    assert_eq!(got(Some("5Gi"), policy(None)).as_deref(), Some("5Gi"));
    assert_eq!(got(Some("5Gi"), policy(Some("8Gi"))).as_deref(), Some("12Gi"));
    assert_eq!(got(Some("12Gi"), policy(Some("8Gi"))).as_deref(), Some("12Gi"));
    assert_eq!(got(Some("13Gi"), policy(Some("8Gi"))).as_deref(), Some("20Gi"));
    assert_eq!(got(Some("21Gi"), policy(None)), None);
    // All of it is more than the range allows.
    assert_eq!(got(None, policy(None)), None);
    // A step of nothing rounds to nothing.
    assert_eq!(got(Some("5Gi"), policy(Some("0"))).as_deref(), Some("5Gi"));
}
