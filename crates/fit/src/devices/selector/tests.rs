//! Expressions as people write them, and what they say of a device.

use plimsoll_model::{Attribute, DeviceCapacity, Quantity, Symbol};

use super::{Look, Selector, SelectorError};

fn device() -> Look {
    let attribute = |name: &str, value| (Symbol::new(name), value);
    let memory = Quantity::parse("40Gi").expect("a quantity");
    Look {
        driver: Symbol::new("gpu.example.com"),
        shareable: false,
        attributes: [
            attribute("model", Attribute::Text("A100".into())),
            attribute("index", Attribute::Int(3)),
            attribute("healthy", Attribute::Bool(true)),
            attribute("version", Attribute::Version("12.4.1".into())),
            attribute("other.example.com/rack", Attribute::Text("r7".into())),
        ]
        .into(),
        capacity: [(Symbol::new("memory"), DeviceCapacity { value: memory, policy: None })].into(),
    }
}

#[track_caller]
fn check(expression: &str, expected: bool) {
    assert_eq!(Selector::compile(expression).selects(&device()), Ok(expected), "{expression}");
}

#[test]
fn attributes_are_found_by_domain_and_name() {
    check(r#"device.driver == "gpu.example.com""#, true);
    check(r#"device.attributes["gpu.example.com"].model == "A100""#, true);
    check(r#"device.attributes["gpu.example.com"].model.startsWith("H")"#, false);
    check(r#"device.attributes["gpu.example.com"].index in [1, 2, 3]"#, true);
    check(r#"device.attributes["gpu.example.com"].index < 3"#, false);
    check(r#"device.attributes["gpu.example.com"].healthy"#, true);
    check(r#"device.attributes["other.example.com"].rack.matches("^r[0-9]$")"#, true);
    check(r#"device.attributes["gpu.example.com"]["model"].lowerAscii() == "a100""#, true);
    check("!device.allowMultipleAllocations", true);
}

#[test]
fn a_domain_that_is_not_there_is_empty() {
    check(r#"has(device.attributes["nic.example.com"].speed)"#, false);
    check(r#""nic.example.com" in device.attributes"#, false);
    check(r#""gpu.example.com" in device.attributes"#, true);
    check(r#"device.attributes["nic.example.com"].?speed.orValue(7) == 7"#, true);
    check(r#"size(device.capacity["nic.example.com"]) == 0"#, true);
}

#[test]
fn quantities_are_compared() {
    let memory = r#"device.capacity["gpu.example.com"].memory"#;
    check(&format!(r#"{memory}.compareTo(quantity("40Gi")) == 0"#), true);
    check(&format!(r#"{memory}.compareTo(quantity("41Gi")) < 0"#), true);
    check(&format!(r#"{memory}.isGreaterThan(quantity("10Gi"))"#), true);
    check(&format!(r#"{memory}.isLessThan(quantity("10Gi"))"#), false);
    check(&format!(r#"{memory} == quantity("40960Mi")"#), true);
    check(&format!("{memory}.asInteger() == 42949672960"), true);
    check(&format!(r#"{memory}.add(quantity("1Gi")).sub(1073741824) == {memory}"#), true);
    check(&format!("{memory}.sub({memory}).sign() == 0"), true);
    check(r#"isQuantity("1.3Gi") && !isQuantity("1,3Gi")"#, true);
    check(r#"quantity("1500m").isInteger()"#, false);
    check(r#"quantity("1500m").asApproximateFloat() == 1.5"#, true);
}

#[test]
fn versions_are_compared() {
    let version = r#"device.attributes["gpu.example.com"].version"#;
    check(&format!(r#"{version}.compareTo(semver("12.4.0")) > 0"#), true);
    check(&format!(r#"{version}.isGreaterThan(semver("v12.5", true))"#), false);
    check(&format!(r#"{version} == semver("12.4.1")"#), true);
    check(&format!("{version}.major() == 12 && {version}.minor() == 4"), true);
    check(r#"isSemver("1.0.0") && !isSemver("v1.0") && isSemver("v01.0", true)"#, true);
    check(r#"semver("1.0.0-alpha").isLessThan(semver("1.0.0"))"#, true);
}

#[test]
fn a_value_can_be_named() {
    check(
        r#"cel.bind(gpu, device.attributes["gpu.example.com"], gpu.healthy && gpu.index == 3)"#,
        true,
    );
    check(r"cel.bind(a, 2, cel.bind(b, a + 1, a * b == 6))", true);
}

#[test]
fn the_other_side_of_a_decided_question_does_no_harm() {
    check(r#"device.driver != "gpu.example.com" && device.attributes["x"].y == 1"#, false);
    check(r#"device.attributes["x"].y == 1 || device.driver == "gpu.example.com""#, true);
}

/// The parser and the evaluation call themselves for each link and each bracket.
#[test]
fn long_chains_and_deep_nests_are_answered_or_refused() {
    let with = |before: &str, link: &str, after: &str| {
        [10_usize, 24, 25, 100, 400, 4000].map(|count| {
            let expression = [before, &link.repeat(count), after].concat();
            Selector::compile(&expression).selects(&device()).is_ok()
        })
    };
    let nest = |open: &str, close: &str| {
        [10_usize, 24, 25, 100, 400, 4000].map(|count| {
            let expression = [&open.repeat(count), "true", &close.repeat(count)].concat();
            Selector::compile(&expression).selects(&device()).is_ok()
        })
    };
    assert_eq!(nest("(", ")"), [true, true, true, false, false, false]);
    nest("[", "] == [[]]");
    nest("{1: ", "} == {}");
    nest("true ? true : ", "");
    assert_eq!(nest("!(", ")"), [true, true, true, false, false, false]);
    assert_eq!(with("true", " && true", ""), [true, true, true, true, false, false]);
    assert_eq!(with("0", " + 1", " > 0"), [true, true, true, false, false, false]);
    with("", "!", "true");
    with("", "-", "1 == 1");
    with("device", ".driver", " == 1");
    with("[1]", ".map(x, x)", " == [1]");
    with("", "cel.bind(a, 1, ", "true");
}

#[test]
fn what_cannot_be_answered_is_an_error() {
    let selects = |expression: &str| Selector::compile(expression).selects(&device());
    for wrong in ["device.driver ==", "", "'unended", &"(".repeat(4000), &"1".repeat(11_000)] {
        assert!(matches!(selects(wrong), Err(SelectorError::Compile(_))), "{wrong:.20}");
    }
    for wrong in [
        r#"device.attributes["gpu.example.com"].colour == "red""#,
        "device.driver",
        "unknown(device)",
        "nobody == 1",
        r#"quantity("12XYZ").sign() == 1"#,
        "cel.bind(1, 2, true)",
        r#"device.bind("a", 2, true)"#,
    ] {
        assert!(matches!(selects(wrong), Err(SelectorError::Runtime(_))), "{wrong}");
    }
    let odd =
        Look { attributes: [(Symbol::new("list"), Attribute::Unsupported)].into(), ..device() };
    let answer = Selector::compile("true").selects(&odd);
    assert_eq!(
        answer,
        Err(SelectorError::Runtime("attribute list: unsupported attribute value".into()))
    );
}
