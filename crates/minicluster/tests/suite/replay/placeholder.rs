//! Placeholders in recorded answers, such as `<uid:1>`: what they match, and what they stood for so far.

use std::collections::BTreeMap;

use regex_lite::{Regex, escape};

/// The classes, with what they stand for.
const CLASSES: [(&str, &str); 12] = [
    ("uid", "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
    ("rv", "[1-9][0-9]*"),
    ("n", "[0-9]+"),
    ("time", r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"),
    ("microtime", r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"),
    ("gen", "[a-z0-9]{5}"),
    ("hash", "[A-Za-z0-9]{1,128}"),
    ("age", r"(?:<invalid>|\d+(?:ms|s|m|h|d|y)(?:\d+(?:s|m|h|d))?)"),
    ("token", "[A-Za-z0-9._=-]+"),
    ("continue", r"\S+"),
    ("ip", "[0-9.]+"),
    ("any", "(?s:.*)"),
];

/// What each numbered placeholder stood for so far: one value per placeholder and one placeholder per value. Resource
/// versions keep their order besides.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bindings {
    by_name: BTreeMap<(String, u32), String>,
}

/// A recorded text as a pattern.
struct Template {
    pattern: Regex,
    /// The placeholders in order, with their numbers.
    names: Vec<(String, Option<u32>)>,
}

// === impl Bindings ===

impl Bindings {
    /// Whether `got` is what was recorded; if not, why.
    pub(crate) fn check(&mut self, recorded: &str, got: &str) -> Result<(), String> {
        if recorded == got || recorded == "<any>" {
            return Ok(());
        }
        let differ = || format!("expected {recorded:?}, got {got:?}");
        let template = Template::parse(recorded).ok_or_else(differ)?;
        let found = template.pattern.captures(got).ok_or_else(differ)?;
        for (index, (class, number)) in template.names.iter().enumerate() {
            let value = found.get(index + 1).map_or("", |group| group.as_str());
            if let Some(number) = number {
                self.bind(class, *number, value)?;
            }
        }
        Ok(())
    }

    fn bind(&mut self, class: &str, number: u32, value: &str) -> Result<(), String> {
        let name = (class.to_owned(), number);
        if let Some(old) = self.by_name.get(&name) {
            if old == value {
                return Ok(());
            }
            return Err(format!("<{class}:{number}> was {old} before, now {value}"));
        }
        for ((other_class, other), bound) in &self.by_name {
            if other_class != class {
                continue;
            }
            if bound == value {
                return Err(format!(
                    "<{class}:{number}> has the value {value} of <{class}:{other}>"
                ));
            }
            if class == "rv" && (*other < number) != (version(bound) < version(value)) {
                return Err(format!(
                    "<rv:{number}>={value} is out of order with <rv:{other}>={bound}"
                ));
            }
        }
        self.by_name.insert(name, value.to_owned());
        Ok(())
    }
}

// === impl Template ===

impl Template {
    /// `None` for a text without placeholders.
    fn parse(text: &str) -> Option<Self> {
        let classes: Vec<&str> = CLASSES.iter().map(|(class, _)| *class).collect();
        let placeholder = Regex::new(&format!("<({})(?::([0-9]+))?>", classes.join("|"))).unwrap();
        let (mut pattern, mut names, mut last) = ("^".to_owned(), Vec::new(), 0);
        for found in placeholder.captures_iter(text) {
            let (whole, class) = (found.get(0).unwrap(), found.get(1).unwrap().as_str());
            let (_, matching) = CLASSES.iter().find(|(name, _)| *name == class).unwrap();
            pattern += &escape(&text[last..whole.start()]);
            pattern.extend(["(", matching, ")"]);
            names.push((
                class.to_owned(),
                found.get(2).map(|number| number.as_str().parse().unwrap()),
            ));
            last = whole.end();
        }
        pattern += &escape(&text[last..]);
        pattern.push('$');
        (!names.is_empty()).then(|| Self { pattern: Regex::new(&pattern).unwrap(), names })
    }
}

fn version(text: &str) -> u64 {
    text.parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::Bindings;

    #[test]
    fn a_placeholder_stands_for_one_value_and_versions_keep_their_order() {
        let mut bindings = Bindings::default();
        assert_eq!(bindings.check("pods \"<gen:1>\" at <rv:2>", "pods \"ab1de\" at 20"), Ok(()));
        assert_eq!(bindings.check("<gen:1>", "ab1de"), Ok(()));
        assert!(bindings.check("<gen:1>", "other").is_err());
        assert!(bindings.check("<gen:2>", "ab1de").is_err());
        assert!(bindings.check("<rv:3>", "7").is_err());
        assert!(bindings.check("<rv:1>", "30").is_err());
        assert_eq!(bindings.check("<rv:3>", "21"), Ok(()));
        assert!(bindings.check("<time>", "yesterday").is_err());
        assert_eq!(bindings.check("<any>", ""), Ok(()));
    }
}
