//! What may be a label key or a label value, by the API server's rules.

use thiserror::Error;

use super::Quoted;

/// Why a text is no label key or no label value.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum LabelError {
    /// A key has more than one `/`.
    #[error(
        "label key {} must be a name of alphanumeric characters, '-', '_' or '.', with an optional DNS subdomain \
         prefix and '/' (e.g. 'example.com/MyName')", Quoted(.0)
    )]
    Slashes(Box<str>),
    /// There is a `/` with nothing before it.
    #[error("label key {}: prefix part must be non-empty", Quoted(.0))]
    PrefixEmpty(Box<str>),
    /// The part before the `/` is longer than a domain may be.
    #[error("label key {}: prefix part must be no more than 253 bytes", Quoted(.0))]
    PrefixLength(Box<str>),
    /// The part before the `/` is no domain.
    #[error(
        "label key {}: prefix part must consist of lower case alphanumeric characters, '-' or '.', and must start and \
         end with an alphanumeric character (e.g. 'example.com')", Quoted(.0)
    )]
    Prefix(Box<str>),
    /// The key is empty, or ends with the `/`.
    #[error("label key {}: name part must be non-empty", Quoted(.0))]
    NameEmpty(Box<str>),
    /// The name is too long.
    #[error("label key {}: name part must be no more than 63 bytes", Quoted(.0))]
    NameLength(Box<str>),
    /// The name has a character that names do not have, or not there.
    #[error(
        "label key {}: name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with \
         an alphanumeric character (e.g. 'MyName', or 'my.name', or '123-abc')", Quoted(.0)
    )]
    Name(Box<str>),
    /// The value is too long.
    #[error("label value {} must be no more than 63 bytes", Quoted(.0))]
    ValueLength(Box<str>),
    /// The value has a character that values do not have, or not there.
    #[error(
        "label value {} must be empty or consist of alphanumeric characters, '-', '_' or '.', and must start and end \
         with an alphanumeric character (e.g. 'MyValue', or 'my_value', or '12345')", Quoted(.0)
    )]
    Value(Box<str>),
}

const MAX_NAME: usize = 63;

/// Kubernetes limits a prefix as a whole, not each of its parts.
const MAX_PREFIX: usize = 253;

/// Checks a label key: a name, maybe with a DNS subdomain and a `/` before it.
pub fn check_label_key(key: &str) -> Result<(), LabelError> {
    let name = match key.split_once('/') {
        None => key,
        Some((_, name)) if name.contains('/') => return Err(LabelError::Slashes(key.into())),
        Some(("", _)) => return Err(LabelError::PrefixEmpty(key.into())),
        Some((prefix, _)) if prefix.len() > MAX_PREFIX => {
            return Err(LabelError::PrefixLength(key.into()));
        }
        Some((prefix, _)) if !prefix.split('.').all(is_domain_part) => {
            return Err(LabelError::Prefix(key.into()));
        }
        Some((_, name)) => name,
    };
    if name.is_empty() {
        Err(LabelError::NameEmpty(key.into()))
    } else if name.len() > MAX_NAME {
        Err(LabelError::NameLength(key.into()))
    } else if is_name(name) {
        Ok(())
    } else {
        Err(LabelError::Name(key.into()))
    }
}

/// Checks a label value: like the name of a key, but it may be empty.
pub fn check_label_value(value: &str) -> Result<(), LabelError> {
    if value.len() > MAX_NAME {
        Err(LabelError::ValueLength(value.into()))
    } else if value.is_empty() || is_name(value) {
        Ok(())
    } else {
        Err(LabelError::Value(value.into()))
    }
}

fn is_name(text: &str) -> bool {
    is_framed(text, |byte| byte.is_ascii_alphanumeric(), b"-_.")
}

fn is_domain_part(text: &str) -> bool {
    is_framed(text, |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit(), b"-")
}

/// Whether `text` consists of letters and, between the first and the last one, of `inner` characters.
fn is_framed(text: &str, is_letter: impl Fn(u8) -> bool, inner: &[u8]) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(|first| is_letter(*first))
        && bytes.last().is_some_and(|last| is_letter(*last))
        && bytes.iter().all(|byte| is_letter(*byte) || inner.contains(byte))
}
