use serde_json::json;

use super::*;

/// The value of an expression about `self`, as JSON, or why it has none.
fn value_of(text: &str, this: &Value) -> String {
    let scope = Scope::default().with("self", this.clone());
    match parse(text) {
        Err(why) => format!("syntax: {why}"),
        Ok(expr) => match evaluate(&expr, &scope) {
            Ok(value) => value.to_string(),
            Err(Failure::Error(why)) => why,
            Err(Failure::Unsupported) => "unsupported".to_owned(),
        },
    }
}

#[test]
fn expressions_have_values() {
    let this = json!({"min": 1, "max": 3, "ratio": 0.5, "mode": "odd", "names": ["n-1", "n-2"], "map": {"a": 1, "b": 2},
        "my-field": true, "ports": [{"name": "x", "port": 80}, {"name": "y", "port": 81}], "nothing": null});
    let cases = [
        ("self.min <= self.max", "true"),
        ("self.max % 2 == 1 && self.mode != 'odd'", "false"),
        ("!has(self.absent) || self.absent > 1", "true"),
        ("self.absent > 1 || self.min == 1", "true"),
        ("self.min == 2 && self.absent > 1", "false"),
        ("self.absent > 1 && self.min == 1", "no such key: absent"),
        ("1 + 2 * 3 - 4 / 2", "5"),
        ("-(1 + 2)", "-3"),
        ("7 / 0", "division by zero"),
        ("9223372036854775807 + 1", "integer overflow"),
        ("self.ratio * 2.0 == 1.0 && 1 == 1.0 && 1 < 1.5", "true"),
        ("'mode ' + self.mode + \" needs\"", "\"mode odd needs\""),
        ("self.mode in ['odd', 'even'] && 'a' in self.map && !('c' in self.map)", "true"),
        ("size(self.names) == 2 && self.names.size() == 2 && self.mode.size() == 3", "true"),
        ("self.names.all(n, n.startsWith('n-') && n.endsWith(n.substring(2)))", "true"),
        ("self.names.exists(n, n == 'n-2') && self.names.exists_one(n, n == 'n-2')", "true"),
        ("self.ports.filter(p, p.port > 80).map(p, p.name)", "[\"y\"]"),
        ("self.map.all(k, self.map[k] > 0)", "true"),
        ("self.names[0].matches('^n-[0-9]+$') && self.mode.contains('d')", "true"),
        ("self.names[7]", "index out of bounds: 7"),
        ("self.my__dash__field", "true"),
        ("self.nothing == null", "true"),
        ("self.min > 0 ? 'yes' : 'no'", "\"yes\""),
        ("self.names.join(',').split(',') == self.names", "true"),
        ("self.mode.upperAscii() + string(self.max) + string(int('4'))", "\"ODD34\""),
        ("[3, 1, 2].max() + [3, 1, 2].min() + [3, 1, 2].sum()", "10"),
        ("{'a': 1}.a == 1 // a comment", "true"),
        (r"'it\'s' == r'it' + '\x27' + 's'", "true"),
        ("0x10 == 16 && 10u == 10 && 1e3 == 1000.0", "true"),
        ("self.mode < 1", "no such overload"),
        ("duration('1h') < duration('2h')", "unsupported"),
        ("self.min >", "syntax: unexpected end of the expression"),
        ("self.min = 1", "syntax: unexpected '='"),
        ("(self.min", "syntax: expected \")\", found the end"),
        ("'open", "syntax: a text has no closing quote"),
    ];
    for (text, expected) in cases {
        assert_eq!(value_of(text, &this), expected, "{text}");
    }
}

fn schema() -> Schema {
    Schema::read(&json!({"type": "object", "properties": {"spec": {
        "type": "object",
        "x-kubernetes-validations": [
            {"rule": "self.min <= self.max", "message": "min must not exceed max"},
            {"rule": "!has(self.mode) || self.mode != 'odd' || self.max % 2 == 1", "fieldPath": ".max",
                "messageExpression": "'mode ' + self.mode + ' needs an odd max'", "reason": "FieldValueForbidden"},
        ],
        "properties": {
            "min": {"type": "integer"}, "max": {"type": "integer"},
            "mode": {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "mode is immutable"}]},
            "names": {"type": "array", "items": {"type": "string", "x-kubernetes-validations": [{"rule": "self.startsWith('n-')"}]}},
            "parts": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"],
                "items": {"type": "object", "properties": {"id": {"type": "string"}, "size": {"type": "integer",
                    "x-kubernetes-validations": [{"rule": "self >= oldSelf", "message": "may only grow"}]}}}},
        },
    }}}))
}

fn complaints(new: &Value, old: Option<&Value>) -> String {
    let (new, old) = (json!({ "spec": new }), old.map(|old| json!({ "spec": old })));
    let found = check(&schema(), "", &new, old.as_ref());
    found.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

#[test]
fn rules_refuse_in_the_words_of_the_real_server() {
    let cases = [
        (json!({"min": 1, "max": 3, "mode": "odd", "names": ["n-1"]}), None, ""),
        (json!({"min": 5, "max": 3}), None, "spec: Invalid value: min must not exceed max"),
        (
            json!({"min": 9, "max": 4, "mode": "odd"}),
            None,
            "spec: Invalid value: min must not exceed max; spec.max: Forbidden: mode odd needs an odd max",
        ),
        (
            json!({"min": 1, "max": 3, "names": ["n-1", "x"]}),
            None,
            "spec.names[1]: Invalid value: \"x\": failed rule: self.startsWith('n-')",
        ),
        (
            json!({"max": 1}),
            None,
            "spec: Invalid value: \"object\": no such key: min evaluating rule: min must not exceed max",
        ),
        (
            json!({"min": 1, "max": 3, "mode": "even"}),
            Some(json!({"mode": "odd"})),
            "spec.mode: Invalid value: \"even\": mode is immutable",
        ),
        (json!({"min": 1, "max": 3}), Some(json!({"mode": "odd"})), ""),
        (
            json!({"min": 1, "max": 3, "parts": [{"id": "new", "size": 0}, {"id": "b", "size": 1}]}),
            Some(json!({"parts": [{"id": "a", "size": 9}, {"id": "b", "size": 2}]})),
            "spec.parts[1].size: Invalid value: 1: may only grow",
        ),
    ];
    for (new, old, expected) in cases {
        assert_eq!(complaints(&new, old.as_ref()), expected, "{new}");
    }
}

#[test]
fn rules_may_only_speak_of_fields_that_are_there() {
    let schema = schema();
    let missing = |text: &str| undefined_field(&parse(text).unwrap(), &schema);
    assert_eq!(missing("self.nope > 1"), Some("nope".to_owned()));
    assert_eq!(missing("has(self.spec.nope)"), Some("nope".to_owned()));
    assert_eq!(missing("self.spec.parts[0].size > 1 && self.metadata.name != ''"), None);
    assert_eq!(missing("self.spec.names.all(n, n.anything == 1)"), None);
}

#[test]
fn long_expressions_are_refused_rather_than_followed() {
    for text in [
        "(".repeat(10_000),
        "!".repeat(10_000),
        "a.b".repeat(10_000),
        "[".repeat(10_000),
        "1 + ".repeat(10_000),
    ] {
        assert!(parse(&text).is_err());
    }
}

proptest::proptest! {
    #[test]
    fn parsing_ends_whatever_is_written(text in "[-a-z0-9 .,'\"\\\\()\\[\\]{}?:!<>=&|+*/%]{0,60}") {
        if let Ok(expr) = parse(&text) {
            let _ = evaluate(&expr, &Scope::default().with("a", json!([1, "x"])));
        }
    }
}
