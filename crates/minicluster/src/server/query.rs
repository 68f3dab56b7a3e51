//! Query strings, read as leniently as the real server reads them.

use crate::ApiError;

/// The parameters of a request.
#[derive(Debug, Default)]
pub(super) struct Query {
    pairs: Vec<(String, String)>,
}

// === impl Query ===

impl Query {
    /// Pairs that are not proper percent encoding are left out without a word.
    pub(super) fn parse(raw: Option<&str>) -> Self {
        let pairs = raw
            .unwrap_or_default()
            .split('&')
            .filter(|pair| !pair.is_empty() && !pair.contains(';'))
            .filter_map(|pair| {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                Some((decoded(&name.replace('+', " "))?, decoded(&value.replace('+', " "))?))
            })
            .collect();
        Self { pairs }
    }

    /// The first value of a parameter; an empty one counts as none.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.first(name).filter(|value| !value.is_empty())
    }

    /// All values of a parameter.
    pub(super) fn all(&self, name: &str) -> Vec<String> {
        let named = self.pairs.iter().filter(|(key, _)| key == name);
        named.map(|(_, value)| value.clone()).collect()
    }

    /// Yes or no. Any value but `0` and `false` is a yes.
    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        self.first(name).map(|value| value != "0" && !value.eq_ignore_ascii_case("false"))
    }

    /// A whole number.
    pub(super) fn integer(&self, name: &str) -> Result<Option<i64>, ApiError> {
        let Some(value) = self.first(name) else { return Ok(None) };
        let bad = || {
            ApiError::bad_request(format!("strconv.ParseInt: parsing {value:?}: invalid syntax"))
        };
        value.parse().map(Some).map_err(|_| bad())
    }

    fn first(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// The text behind percent encoding; `None` where it is broken.
pub(super) fn decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let (high, low) = (hex(rest.next()?)?, hex(rest.next()?)?);
                high * 16 + low
            }
            byte => byte,
        });
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn hex(digit: u8) -> Option<u8> {
    u8::try_from(char::from(digit).to_digit(16)?).ok()
}

#[cfg(test)]
mod tests {
    use super::Query;

    #[test]
    fn broken_escapes_are_left_out_and_anything_is_true() {
        let query =
            Query::parse(Some("labelSelector=%zz&a=b%20c+d&watch=maybe&off=False&limit=x&e="));
        assert_eq!(query.text("labelSelector"), None);
        assert_eq!(query.text("a"), Some("b c d"));
        assert_eq!(
            (query.flag("watch"), query.flag("off"), query.flag("none")),
            (Some(true), Some(false), None)
        );
        assert_eq!(
            query.integer("limit").unwrap_err().message,
            "strconv.ParseInt: parsing \"x\": invalid syntax"
        );
        assert_eq!(query.text("e"), None);
    }
}
