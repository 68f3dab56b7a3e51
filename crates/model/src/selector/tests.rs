use super::{LabelOperator, LabelRequirement, LabelSelector, SelectorError};
use crate::{Symbol, Text, labels::Labels};

fn selector(text: &str) -> LabelSelector {
    LabelSelector::parse(text).unwrap()
}

fn message(text: &str) -> String {
    LabelSelector::parse(text).unwrap_err().to_string()
}

#[test]
fn what_means_the_same_is_equal() {
    let canonical = selector("app in (db,web),zone=a");
    assert_eq!(selector("zone==a, app in (web,db,web), zone in (a)"), canonical);
    assert_eq!(canonical.to_string(), "app in (db,web),zone=a");
    let values = ["web", "db", "db"].map(Text::new);
    let built = LabelSelector::new([
        LabelRequirement {
            key: Symbol::new("zone"),
            operator: LabelOperator::In([Text::new("a")].into()),
        },
        LabelRequirement { key: Symbol::new("app"), operator: LabelOperator::In(values.into()) },
    ]);
    assert_eq!(built, canonical);
}

#[test]
fn commas_in_a_list_are_taken_in_pairs() {
    for (text, read) in
        [("a in (b,)", "a in (,b)"), ("a in (b,,c)", "a in (,b,c)"), ("a in (,,,)", "a=")]
    {
        assert_eq!(selector(text).to_string(), read);
    }
    for text in ["a in (,,)", "a in (b,,)", "a in (b,,,"] {
        assert!(matches!(LabelSelector::parse(text), Err(SelectorError::Syntax { .. })), "{text}");
    }
}

#[test]
fn nothing_asked_selects_everything() {
    assert!(LabelSelector::everything().matches(&Labels::default()));
    assert_eq!(selector(" "), LabelSelector::everything());
    assert!(selector("").is_empty());
    assert!(!selector("app").is_empty());
}

#[test]
fn an_exact_pair_is_one_that_every_selected_object_has() {
    let pair = |text| selector(text).exact_pair().map(|(key, value)| format!("{key}={value}"));
    assert_eq!(pair("app in (a,b),tier!=x,zone=c").as_deref(), Some("zone=c"));
    assert_eq!(pair("app in (a,b),tier!=x,zone"), None);
    assert_eq!(pair("app=").as_deref(), Some("app="));
}

#[test]
fn bounds_need_an_integer() {
    let matches =
        |text, value| selector(text).matches(&[(Symbol::new("n"), value)].into_iter().collect());
    assert!(matches("n>4", "5") && !matches("n>4", "4") && !matches("n>4", "five"));
    assert!(matches("n<4", "-5") && !matches("n<4", "4") && !matches("n<4", "4.5"));
}

#[test]
fn errors_of_an_object_come_in_the_order_of_the_library() {
    let error = |key, operator, values: &[&str]| {
        LabelRequirement::new(key, operator, values).unwrap_err().to_string()
    };
    assert!(error("-", "Is", &[]).starts_with(r#"selector: "Is" is not an operator"#));
    assert!(error("-", "In", &[]).starts_with(r#"selector: label key "-": name part must"#));
    assert_eq!(
        error("a", "In", &[]),
        r#"selector: operator In of label key "a" needs at least one value"#
    );
    assert_eq!(
        error("a", "Exists", &["-"]),
        r#"selector: operator Exists of label key "a" takes no values"#
    );
    assert!(error("a", "NotIn", &["x", "-"]).starts_with(r#"selector: label value "-" must"#));
}

#[test]
fn messages_say_what_was_found() {
    assert_eq!(message("app in (a b)"), r#"selector: found "b", expected ',' or ')'"#);
    assert_eq!(message("app in (a"), "selector: found the end, expected ',' or ')'");
    assert_eq!(message("app,"), "selector: found the end, expected a label key");
    assert_eq!(
        message("n>4.5"),
        r#"selector: label key "n" is compared with "4.5", which is not an integer"#
    );
    assert!(matches!(LabelSelector::parse("a\0=b"), Err(SelectorError::Key(_))));
}
