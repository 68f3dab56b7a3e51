//! What the Kubernetes libraries answer, line by line: quantities and label selectors.
//!
//! The data say what v1.36 does. Where its answer is wrapped round or cut off, the line has it in a `go…` field, which
//! is for information only.

use plimsoll_model::{
    LabelRequirement, LabelSelector, Labels, Quantity, Symbol,
    quantity::QuantityError,
    selector::{self, SelectorError},
};
use serde_json::Value;

/// Runs `check` on each line, and says which lines fail.
fn check_lines(data: &str, expected_lines: usize, check: fn(&Value) -> Result<(), String>) {
    let mut checked = 0;
    let mut failures = Vec::new();
    for line in data.lines() {
        let outcome = serde_json::from_str(line).map_err(|error| error.to_string());
        if let Err(reason) = outcome.and_then(|line| check(&line)) {
            failures.push(format!("{line}\n    {reason}"));
        }
        checked += 1;
    }
    assert!(failures.is_empty(), "{} lines fail:\n{}", failures.len(), failures.join("\n"));
    assert_eq!(checked, expected_lines, "the data file has another number of lines");
}

fn equal<T: PartialEq + std::fmt::Debug>(
    what: &str,
    found: &T,
    expected: &T,
) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{what} is {found:?}, expected {expected:?}"))
    }
}

#[test]
fn quantities() {
    check_lines(include_str!("data/quantities.jsonl"), 436, |line| {
        if let Some(text) = line["in"].as_str() {
            check_json_string(line, text)?;
            check_read(line, Quantity::parse(text))
        } else if let Some(token) = line["token"].as_str() {
            check_read(line, Quantity::parse_json(token))
        } else if let Some(left) = line["a"].as_str() {
            let right = line["b"].as_str().ok_or("no b")?;
            let order = parse(left)?.cmp(&parse(right)?);
            equal("cmp", &Some(order as i64), &line["cmp"].as_i64())?;
            let order = parse(right)?.cmp(&parse(left)?);
            equal("reversed cmp", &Some(-(order as i64)), &line["cmp"].as_i64())
        } else if let Some(operands) = line["add"].as_array() {
            let sum =
                operands.iter().filter_map(Value::as_str).try_fold(Quantity::ZERO, |sum, text| {
                    sum.checked_add(&parse(text)?).map_err(|error| error.to_string())
                });
            check_amount(line, sum?)
        } else {
            Err("a line of no known kind".to_owned())
        }
    });
}

fn parse(text: &str) -> Result<Quantity, String> {
    Quantity::parse(text).map_err(|error| error.to_string())
}

/// A text that is refused may be accepted inside a JSON string, and one that is accepted always is.
fn check_json_string(line: &Value, text: &str) -> Result<(), String> {
    let accepted = line["ok"] == true || line["jsonOk"] == true;
    equal("trimmed", &Quantity::parse_trimmed(text).is_ok(), &accepted)?;
    equal("in JSON", &Quantity::parse_json(&Value::from(text).to_string()).is_ok(), &accepted)
}

fn check_read(line: &Value, read: Result<Quantity, QuantityError>) -> Result<(), String> {
    let class = read.as_ref().err().map(|error| match error {
        QuantityError::Format(_) => "format",
        QuantityError::Suffix(_) => "suffix",
        QuantityError::Overflow(_) => "overflow",
    });
    equal("ok", &Some(read.is_ok()), &line["ok"].as_bool())?;
    match (read, line["error"].as_str()) {
        (Ok(quantity), _) => check_amount(line, quantity),
        (Err(_), Some(expected)) => equal("error", &class, &Some(expected)),
        (Err(_), None) => Ok(()),
    }
}

fn check_amount(line: &Value, quantity: Quantity) -> Result<(), String> {
    if let Some(canonical) = line["canonical"].as_str() {
        equal("canonical", &quantity.to_string().as_str(), &canonical)?;
    }
    if let Some(value) = line.get("value") {
        equal("value", &quantity.value().ok(), &value.as_i64())?;
    }
    if let Some(milli) = line.get("milli") {
        equal("milli", &quantity.milli().ok(), &milli.as_i64())?;
    }
    Ok(())
}

#[test]
fn selectors() {
    check_lines(include_str!("data/selectors.jsonl"), 320, |line| {
        let read = match line["string"].as_str() {
            Some(text) => {
                if let Some(expected) = line["parsed"].as_str() {
                    let parsed = selector::parse::parse(text).map_err(|error| error.to_string())?;
                    equal("parsed", &parsed.to_string().as_str(), &expected)?;
                }
                LabelSelector::parse(text).map(Some)
            }
            None => selector_of_object(line.get("selector").ok_or("a line of no known kind")?),
        };
        match read {
            Err(error) => equal("error", &Some(class(&error)), &line["error"].as_str())
                .map_err(|reason| format!("{reason} ({error})")),
            Ok(selector) => {
                equal("error", &None, &line["error"].as_str())?;
                let labels = labels(&line["labels"])?;
                let matches = selector.is_some_and(|selector| selector.matches(&labels));
                equal("match", &Some(matches), &line["match"].as_bool())
            }
        }
    });
}

fn class(error: &SelectorError) -> &'static str {
    match error {
        SelectorError::Syntax { .. } => "syntax",
        SelectorError::Key(_) => "key",
        SelectorError::Value(_) => "value",
        SelectorError::Values { .. } => "values",
        SelectorError::Number { .. } => "number",
        SelectorError::Operator(_) => "operator",
    }
}

/// A selector that is `null` selects nothing.
fn selector_of_object(object: &Value) -> Result<Option<LabelSelector>, SelectorError> {
    if object.is_null() {
        return Ok(None);
    }
    let mut requirements = Vec::new();
    for (key, value) in object["matchLabels"].as_object().into_iter().flatten() {
        let value = value.as_str().unwrap_or_default();
        requirements.push(LabelRequirement::new(key, "In", &[value])?);
    }
    for expression in object["matchExpressions"].as_array().into_iter().flatten() {
        let text = |field: &str| expression[field].as_str().unwrap_or_default();
        let values = expression["values"].as_array().into_iter().flatten();
        let values: Vec<_> = values.filter_map(Value::as_str).collect();
        requirements.push(LabelRequirement::new(text("key"), text("operator"), &values)?);
    }
    Ok(Some(LabelSelector::new(requirements)))
}

fn labels(object: &Value) -> Result<Labels, String> {
    let object = object.as_object().ok_or("no labels")?;
    let pairs = object
        .iter()
        .map(|(key, value)| (Symbol::new(key), Symbol::new(value.as_str().unwrap_or_default())));
    Ok(pairs.collect())
}
