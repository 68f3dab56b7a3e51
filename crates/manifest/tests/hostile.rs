//! Whatever the bytes are, the reader gives objects or one line that says what is wrong; it does not panic.

#![expect(clippy::unwrap_used, reason = "a test stops where it is surprised")]

use plimsoll_manifest::{Reader, case};
use plimsoll_model::Timestamp;
use proptest::{prelude::*, sample::select};
use serde_json::Value;

const EVERYTHING: &str = include_str!("data/everything.json");

/// Pieces of text that have a meaning somewhere.
const PIECES: [&str; 30] = [
    "",
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "true",
    "-1",
    "1e999",
    "0.5",
    "\\ud800",
    "\u{0}",
    "é",
    "\n",
    "\n---\n",
    "- ",
    "&a ",
    "*a",
    "%d",
    "99999999999999999999",
    "kind: List\n",
    "\"kind\":\"Pod\",",
    "Gi",
    " ",
    "#",
    "\u{feff}",
];

/// Values that are wrong in most places.
fn values() -> impl Strategy<Value = Value> {
    select(
        [
            "null",
            "true",
            "0",
            "-1",
            "70000",
            "2147483648",
            "-9223372036854775808",
            "1.5",
            "1e308",
            "\"\"",
            "\"x\"",
            "\"-1\"",
            "\"1e400\"",
            "\"9999999999999999999999999999999999999999\"",
            "\"2026-13-01\"",
            "\"a/b/c\"",
            "\"%\"",
            "[]",
            "{}",
            "[null]",
            "[{}]",
            "[[]]",
            "{\"\":null}",
        ]
        .map(|text| serde_json::from_str(text).unwrap())
        .to_vec(),
    )
}

/// Reads `text` in every way there is. An error has to be one line.
fn read(text: &str) -> Result<(), TestCaseError> {
    let mut reader = Reader::new(Timestamp::UNIX_EPOCH);
    let manifests = reader.read_manifests(text).and_then(|()| reader.finish()).err();
    let mut reader = Reader::new(Timestamp::UNIX_EPOCH);
    let yaml = reader.add_yaml_documents(text).and_then(|()| reader.finish()).err();
    let mut reader = Reader::new(Timestamp::UNIX_EPOCH);
    let copies = reader.add_copies(text, 2).and_then(|()| reader.finish()).err();
    let _ = case::is_case(text);
    let case = case::read(text, Timestamp::UNIX_EPOCH).err();
    for error in [manifests, yaml, copies, case].into_iter().flatten() {
        let line = error.to_string();
        prop_assert!(!line.is_empty() && !line.contains('\n'), "{line:?}");
    }
    Ok(())
}

/// Replaces the value that is the `number`-th in reading order, counted round and round.
fn replace(value: &mut Value, number: usize, with: &Value) {
    fn walk<'v>(value: &'v mut Value, left: &mut usize) -> Option<&'v mut Value> {
        if *left == 0 {
            return Some(value);
        }
        *left -= 1;
        match value {
            Value::Array(entries) => entries.iter_mut().find_map(|entry| walk(entry, left)),
            Value::Object(fields) => fields.iter_mut().find_map(|(_, field)| walk(field, left)),
            _ => None,
        }
    }
    fn count(value: &Value) -> usize {
        1 + match value {
            Value::Array(entries) => entries.iter().map(count).sum(),
            Value::Object(fields) => fields.values().map(count).sum(),
            _ => 0,
        }
    }
    let mut left = number % count(value);
    if let Some(place) = walk(value, &mut left) {
        *place = with.clone();
    }
}

#[test]
fn everything_is_read() {
    let mut reader = Reader::new(Timestamp::UNIX_EPOCH);
    reader.read_manifests(EVERYTHING).unwrap();
    let objects = reader.finish().unwrap();
    assert_eq!((objects.count, objects.skipped.len()), (17, 1));
}

#[test]
fn lists_in_lists_do_not_exhaust_the_stack() {
    let depth = 100_000;
    let open = "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[".repeat(depth);
    let error = Reader::new(Timestamp::UNIX_EPOCH)
        .add_json(&format!("{open}{}", "]}".repeat(depth)))
        .unwrap_err();
    assert_eq!(error.to_string(), "items[0]: a List can stand only by itself");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn mangled_text(edits in prop::collection::vec((0.0..1.0_f64, 0..40_usize, select(PIECES.to_vec())), 1..4)) {
        let mut text: Vec<char> = EVERYTHING.chars().collect();
        for (place, removed, piece) in edits {
            #[expect(
                clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss,
                reason = "any place will do"
            )]
            let start = (place * text.len() as f64) as usize;
            let end = (start + removed).min(text.len());
            text.splice(start..end, piece.chars());
        }
        read(&text.into_iter().collect::<String>())?;
    }

    #[test]
    fn mangled_values(edits in prop::collection::vec((any::<usize>(), values()), 1..4)) {
        let mut list: Value = serde_json::from_str(EVERYTHING).unwrap();
        for (number, with) in edits {
            replace(&mut list, number, &with);
        }
        read(&list.to_string())?;
        for object in list["items"].as_array().into_iter().flatten() {
            read(&object.to_string())?;
        }
        let case = serde_json::json!({"id": "c", "nodes": list["items"], "pods": list["items"], "pending": list["items"]});
        read(&case.to_string())?;
    }

    #[test]
    fn any_text(text in ".{0,200}") {
        read(&text)?;
    }
}
