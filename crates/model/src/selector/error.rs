//! What can be wrong with a selector.

use std::fmt;

use thiserror::Error;

use crate::labels::{LabelError, Quoted};

/// Why a selector is refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SelectorError {
    /// The text of a selector has something in a place where it cannot stand.
    #[error("selector: found {}, expected {expected}", Found(found.as_deref()))]
    Syntax {
        /// What stands there; nothing if the text ends too early.
        found: Option<Box<str>>,
        /// What could stand there.
        expected: &'static str,
    },
    /// A key is not a label key.
    #[error("selector: {0}")]
    Key(LabelError),
    /// A value is not a label value, so no label can have it.
    #[error("selector: {0}")]
    Value(LabelError),
    /// An operator has too few values or too many.
    #[error("selector: operator {operator} of label key {} {rule}", Quoted(key))]
    Values {
        /// The key the operator is applied to.
        key: Box<str>,
        /// The operator.
        operator: &'static str,
        /// How many values it takes.
        rule: &'static str,
    },
    /// `>` and `<` compare with an integer of 64 bits.
    #[error(
        "selector: label key {} is compared with {}, which is not an integer",
        Quoted(key),
        Quoted(value)
    )]
    Number {
        /// The key that is compared.
        key: Box<str>,
        /// What it is compared with.
        value: Box<str>,
    },
    /// There is no such operator.
    #[error("selector: {} is not an operator, known are In, NotIn, Exists and DoesNotExist", Quoted(.0))]
    Operator(Box<str>),
}

/// How a place in the text of a selector is shown.
struct Found<'a>(Option<&'a str>);

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(text) => Quoted(text).fmt(f),
            None => f.write_str("the end"),
        }
    }
}
