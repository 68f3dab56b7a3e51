use serde_json::json;

use super::*;

fn labels(value: &Value) -> Labels {
    Labels::of(&json!({ "metadata": { "labels": value } }))
}

#[test]
fn label_selectors_select() {
    let web = labels(&json!({"app": "web", "tier": "front", "n": "5", "blank": ""}));
    let cases = [
        ("", true),
        ("app=web", true),
        ("app==web", true),
        ("app!=web", false),
        ("app in (db, web)", true),
        ("app notin (db,web)", false),
        ("other notin (db)", true),
        ("tier", true),
        ("!tier", false),
        ("!other", true),
        ("blank=", true),
        ("blank in ()", true),
        ("app in (,web)", true),
        ("n>4", true),
        ("n<5", false),
        (" app = web , tier in ( front , back ) ", true),
        ("in in (in)", false),
        ("app=web,tier!=front", false),
    ];
    for (text, expected) in cases {
        assert_eq!(LabelSelector::parse(text).unwrap().matches(&web), expected, "{text}");
    }
}

#[test]
fn bad_label_selectors_are_refused_in_the_servers_words() {
    let cases = [
        ("a b=c", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        ("app=a b", "found 'b', expected: ',' or 'end of string'"),
        ("app in (web", "unable to parse requirement: found '', expected: ',' or ')'"),
        ("app=web,", "found '', expected: identifier after ','"),
        ("!!", "unable to parse requirement: found '!', expected: identifier"),
        (
            "n>x",
            "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(LabelSelector::parse(text).unwrap_err().message, message, "{text}");
    }
}

#[test]
fn selectors_of_objects_select() {
    let web = labels(&json!({"app": "web", "tier": "front"}));
    let cases = [
        (json!(null), None),
        (json!({}), Some(true)),
        (json!({"matchLabels": {"app": "web"}}), Some(true)),
        (json!({"matchLabels": {"app": "web", "x": "y"}}), Some(false)),
        (json!({"matchExpressions": [{"key": "x", "operator": "DoesNotExist"}]}), Some(true)),
        (
            json!({"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["front"]}]}),
            Some(false),
        ),
    ];
    for (selector, expected) in cases {
        let found = LabelSelector::from_value(&selector).map(|parsed| parsed.matches(&web));
        assert_eq!(found, expected, "{selector}");
    }
}
