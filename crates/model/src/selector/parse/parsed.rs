//! A selector as it was written.
//!
//! [`LabelSelector`] says what is meant, so `app=web`, `app==web` and `app in (web)` are the same there. Whoever wrote
//! one of them is shown that one.

use std::fmt;

use crate::{
    Symbol, Text,
    selector::{LabelOperator, LabelRequirement, LabelSelector, write_list, write_separated},
};

/// The requirements of a text, valid and sorted by key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParsedSelector<'a> {
    requirements: Vec<ParsedRequirement<'a>>,
}

/// One requirement of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParsedRequirement<'a> {
    /// The key of the label.
    pub key: &'a str,
    /// What is asked of its value.
    pub operator: ParsedOperator<'a>,
}

/// The operators that can be written. The values of a list are sorted, each there once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParsedOperator<'a> {
    /// `key`
    Exists,
    /// `!key`
    DoesNotExist,
    /// `key=value`
    Equals(&'a str),
    /// `key==value`
    DoubleEquals(&'a str),
    /// `key!=value`
    NotEquals(&'a str),
    /// `key in (value,value)`
    In(Vec<&'a str>),
    /// `key notin (value,value)`
    NotIn(Vec<&'a str>),
    /// `key>4`
    GreaterThan {
        /// The bound as it was written, maybe with zeros in front.
        text: &'a str,
        /// The bound.
        bound: i64,
    },
    /// `key<4`
    LessThan {
        /// The bound as it was written, maybe with zeros in front.
        text: &'a str,
        /// The bound.
        bound: i64,
    },
}

// === impl ParsedSelector ===

impl<'a> ParsedSelector<'a> {
    /// Requirements with the same key stay in the order they were written in.
    pub(super) fn new(mut requirements: Vec<ParsedRequirement<'a>>) -> Self {
        requirements.sort_by_key(|requirement| requirement.key);
        Self { requirements }
    }

    /// The requirements, sorted by key.
    pub fn requirements(&self) -> &[ParsedRequirement<'a>] {
        &self.requirements
    }
}

impl From<ParsedSelector<'_>> for LabelSelector {
    fn from(parsed: ParsedSelector<'_>) -> Self {
        Self::new(parsed.requirements.into_iter().map(LabelRequirement::from))
    }
}

impl fmt::Display for ParsedSelector<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_separated(f, &self.requirements)
    }
}

// === impl ParsedRequirement ===

impl From<ParsedRequirement<'_>> for LabelRequirement {
    fn from(parsed: ParsedRequirement<'_>) -> Self {
        let texts = |values: &[&str]| values.iter().map(|value| Text::new(value)).collect();
        let operator = match parsed.operator {
            ParsedOperator::Exists => LabelOperator::Exists,
            ParsedOperator::DoesNotExist => LabelOperator::DoesNotExist,
            ParsedOperator::Equals(value) | ParsedOperator::DoubleEquals(value) => {
                LabelOperator::In(texts(&[value]))
            }
            ParsedOperator::NotEquals(value) => LabelOperator::NotIn(texts(&[value])),
            ParsedOperator::In(values) => LabelOperator::In(texts(&values)),
            ParsedOperator::NotIn(values) => LabelOperator::NotIn(texts(&values)),
            ParsedOperator::GreaterThan { bound, .. } => LabelOperator::Gt(bound),
            ParsedOperator::LessThan { bound, .. } => LabelOperator::Lt(bound),
        };
        Self { key: Symbol::new(parsed.key), operator }
    }
}

impl fmt::Display for ParsedRequirement<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = self.key;
        match &self.operator {
            ParsedOperator::Exists => write!(f, "{key}"),
            ParsedOperator::DoesNotExist => write!(f, "!{key}"),
            ParsedOperator::Equals(value) => write!(f, "{key}={value}"),
            ParsedOperator::DoubleEquals(value) => write!(f, "{key}=={value}"),
            ParsedOperator::NotEquals(value) => write!(f, "{key}!={value}"),
            ParsedOperator::In(values) => write_list(f, key, "in", values),
            ParsedOperator::NotIn(values) => write_list(f, key, "notin", values),
            ParsedOperator::GreaterThan { text, .. } => write!(f, "{key}>{text}"),
            ParsedOperator::LessThan { text, .. } => write!(f, "{key}<{text}"),
        }
    }
}
