//! What names may look like, in the words of the real server. Each function gives what is wrong, and nothing for a good name.

const LABEL_FORM: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const KEY_FORM: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

/// How the names of a kind's objects are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameForm {
    /// RFC 1123 subdomain; most kinds.
    Subdomain,
    /// RFC 1123 label.
    Label,
    /// Anything that can stand in a path.
    PathSegment,
}

/// Whether more will be appended to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// `metadata.name`.
    Whole,
    /// `metadata.generateName`.
    Prefix,
}

// === impl NameForm ===

impl NameForm {
    /// What is wrong with a name of an object.
    pub(crate) fn check(self, name: &str, part: Part) -> Vec<String> {
        let masked = match part {
            // A dash at the end is fine where something follows it.
            Part::Prefix if name.len() > 1 => name.strip_suffix('-').map(|stem| format!("{stem}a")),
            _ => None,
        };
        let name = masked.as_deref().unwrap_or(name);
        match self {
            Self::Subdomain => subdomain(name),
            Self::Label => label(name),
            Self::PathSegment => path_segment(name, part),
        }
    }
}

/// RFC 1123 subdomain.
pub(crate) fn subdomain(name: &str) -> Vec<String> {
    let mut errors = Vec::new();
    errors.extend(longer(name, 253, "characters"));
    if !is_subdomain(name) {
        errors.push(subdomain_form());
    }
    errors
}

/// RFC 1123 label.
pub(crate) fn label(name: &str) -> Vec<String> {
    let mut errors = Vec::new();
    errors.extend(longer(name, 63, "characters"));
    if !is_label(name) {
        errors.push(if is_subdomain(name) {
            "must not contain dots".to_owned()
        } else {
            form(
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end \
                 with an alphanumeric character",
                LABEL_FORM,
                &["my-name", "123-abc"],
            )
        });
    }
    errors
}

/// RFC 1035 label: begins with a letter.
pub(crate) fn label_1035(name: &str) -> Vec<String> {
    let mut errors = Vec::new();
    errors.extend(longer(name, 63, "characters"));
    if !is_label(name) || !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        errors.push(form(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, \
             and end with an alphanumeric character",
            "[a-z]([-a-z0-9]*[a-z0-9])?",
            &["my-name", "abc-123"],
        ));
    }
    errors
}

/// A label's or annotation's key: an optional prefix that is a subdomain, and a name.
pub(crate) fn qualified(key: &str) -> Vec<String> {
    let shape = form(
        "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        KEY_FORM,
        &["MyName", "my.name", "123-abc"],
    );
    let parts: Vec<&str> = key.split('/').collect();
    let (prefix, name) = match parts.as_slice() {
        [name] => (None, *name),
        [prefix, name] => (Some(*prefix), *name),
        _ => {
            return vec![format!(
                "a valid label key {shape} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
    };
    let mut errors = Vec::new();
    match prefix {
        Some("") => errors.push("prefix part must be non-empty".to_owned()),
        Some(prefix) => {
            errors.extend(longer(prefix, 253, "bytes").map(|text| format!("prefix part {text}")));
            if !is_subdomain(prefix) {
                errors.push(format!("prefix part {}", subdomain_form()));
            }
        }
        None => {}
    }
    if name.is_empty() {
        errors.push("name part must be non-empty".to_owned());
    }
    errors.extend(longer(name, 63, "bytes").map(|text| format!("name part {text}")));
    if !is_key(name) {
        errors.push(format!("name part {shape}"));
    }
    errors
}

/// A label's value.
pub(crate) fn label_value(value: &str) -> Vec<String> {
    let mut errors = Vec::new();
    errors.extend(longer(value, 63, "bytes"));
    if !value.is_empty() && !is_key(value) {
        errors.push(form(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and \
             end with an alphanumeric character",
            "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?",
            &["MyValue", "my_value", "12345"],
        ));
    }
    errors
}

/// A key of a ConfigMap or Secret.
pub(crate) fn config_key(key: &str) -> Vec<String> {
    let mut errors = Vec::new();
    errors.extend(longer(key, 253, "characters"));
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if key.is_empty() || !key.chars().all(allowed) {
        errors.push(form(
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
            "[-._a-zA-Z0-9]+",
            &["key.name", "KEY_NAME", "key-name"],
        ));
    }
    match key {
        "." => errors.push("must not be '.'".to_owned()),
        ".." => errors.push("must not be '..'".to_owned()),
        key if key.starts_with("..") => errors.push("must not start with '..'".to_owned()),
        _ => {}
    }
    errors
}

/// The name of a port.
pub(crate) fn port_name(name: &str) -> Vec<String> {
    let mut errors = Vec::new();
    errors.extend(longer(name, 15, "characters"));
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || !name.chars().all(allowed) {
        errors.push(
            "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)".to_owned(),
        );
    }
    if !name.contains(|c: char| c.is_ascii_lowercase()) {
        errors.push("must contain at least one letter (a-z)".to_owned());
    }
    if name.contains("--") {
        errors.push("must not contain consecutive hyphens".to_owned());
    }
    if name.starts_with('-') || name.ends_with('-') {
        errors.push("must not begin or end with a hyphen".to_owned());
    }
    errors
}

/// A share, such as `25%`.
pub(crate) fn percent(text: &str) -> Vec<String> {
    let digits = text.strip_suffix('%').unwrap_or_default();
    if !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()) {
        return Vec::new();
    }
    vec![form(
        "a valid percent string must be a numeric string followed by an ending '%'",
        "[0-9]+%",
        &["1%", "93%"],
    )]
}

fn path_segment(name: &str, part: Part) -> Vec<String> {
    if part == Part::Whole && matches!(name, "." | "..") {
        return vec![format!("may not be '{name}'")];
    }
    let banned = ["/", "%"].into_iter().filter(|text| name.contains(text));
    banned.map(|text| format!("may not contain '{text}'")).collect()
}

fn subdomain_form() -> String {
    form(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end \
         with an alphanumeric character",
        &format!("{LABEL_FORM}(\\.{LABEL_FORM})*"),
        &["example.com"],
    )
}

/// The sentence that the real server builds around a regular expression, doubled spaces included.
fn form(rule: &str, expression: &str, examples: &[&str]) -> String {
    let quoted: Vec<String> = examples.iter().map(|text| format!("'{text}', ")).collect();
    format!("{rule} (e.g. {}regex used for validation is '{expression}')", quoted.join(" or "))
}

fn longer(text: &str, most: usize, unit: &str) -> Option<String> {
    (text.len() > most).then(|| format!("must be no more than {most} {unit}"))
}

fn is_label(name: &str) -> bool {
    let edge = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    name.starts_with(edge) && name.ends_with(edge) && name.chars().all(|c| edge(c) || c == '-')
}

fn is_subdomain(name: &str) -> bool {
    name.split('.').all(is_label)
}

fn is_key(name: &str) -> bool {
    let edge = |c: char| c.is_ascii_alphanumeric();
    let inner = |c: char| edge(c) || matches!(c, '-' | '_' | '.');
    name.starts_with(edge) && name.ends_with(edge) && name.chars().all(inner)
}
