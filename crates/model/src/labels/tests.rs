use super::{LabelError, Labels, Quoted, check_label_key, check_label_value};
use crate::{Symbol, Text};

/// The error for a text.
type Refusal = fn(Box<str>) -> LabelError;

fn labels(pairs: &[(&str, &str)]) -> Labels {
    pairs.iter().map(|(key, value)| (Symbol::new(key), *value)).collect()
}

#[test]
fn the_last_value_of_a_key_counts() {
    let labels = labels(&[("zone", "a"), ("app", "web"), ("zone", "b")]);
    assert_eq!(labels.len(), 2);
    assert_eq!(labels.get(Symbol::new("zone")), Some(&Text::new("b")));
    assert_eq!(labels.get(Symbol::new("tier")), None);
    assert!(labels.contains_key(Symbol::new("app")));
}

#[test]
fn order_of_writing_does_not_matter() {
    let one = labels(&[("b", "2"), ("a", "1")]);
    assert_eq!(one, labels(&[("a", "1"), ("b", "2")]));
    assert_eq!(format!("{one:?}"), r#"{"a": "1", "b": "2"}"#);
    assert_ne!(one, labels(&[("a", "1")]));
    assert!(Labels::default().is_empty());
}

#[test]
fn keys_are_checked_part_by_part() {
    let accepted = [
        "app",
        "A",
        "1",
        "a-_.b",
        "example.com/role",
        "a/B",
        &"x".repeat(63),
        &format!("{}/x", "b".repeat(253)),
    ];
    for key in accepted {
        assert_eq!(check_label_key(key), Ok(()), "{key}");
    }
    let refused: [(_, Refusal); 12] = [
        ("", LabelError::NameEmpty),
        ("a/", LabelError::NameEmpty),
        ("/a", LabelError::PrefixEmpty),
        ("a/b/c", LabelError::Slashes),
        ("A.b/c", LabelError::Prefix),
        ("a..b/c", LabelError::Prefix),
        ("a-/c", LabelError::Prefix),
        ("-a", LabelError::Name),
        ("a.", LabelError::Name),
        ("ä", LabelError::Name),
        (&"x".repeat(64), LabelError::NameLength),
        (&format!("{}/x", "b".repeat(254)), LabelError::PrefixLength),
    ];
    for (key, error) in refused {
        assert_eq!(check_label_key(key), Err(error(key.into())));
    }
}

#[test]
fn values_may_be_empty() {
    for value in ["", "x", "1.2_x", &"x".repeat(63)] {
        assert_eq!(check_label_value(value), Ok(()), "{value}");
    }
    for value in ["-", "x.", "a/b", "a b", "é"] {
        assert_eq!(check_label_value(value), Err(LabelError::Value(value.into())));
    }
    let long = "x".repeat(64);
    assert_eq!(check_label_value(&long), Err(LabelError::ValueLength(long.into())));
}

#[test]
fn messages_quote_what_was_written() {
    let message = check_label_key("a/").unwrap_err().to_string();
    assert_eq!(message, r#"label key "a/": name part must be non-empty"#);
    assert_eq!(Quoted("a\n\"ü").to_string(), r#""a\n\"ü""#);
    assert_eq!(Quoted(&"ü".repeat(80)).to_string().chars().count(), 82);
    assert_eq!(Quoted(&"ü".repeat(999)).to_string(), format!("\"{}…\"", "ü".repeat(80)));
}
