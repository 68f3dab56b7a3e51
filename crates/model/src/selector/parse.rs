//! Reading the text form of a selector, `app in (web,db),!canary`, by the grammar of Kubernetes' `labels.Parse`.
//!
//! The one difference: a NUL byte ends a word there, here it is part of a word, which then is no valid key or value.

use std::iter::Peekable;

use super::SelectorError;
use crate::labels::{check_label_key, check_label_value};
use lexer::{Lexer, Token};

pub use parsed::{ParsedOperator, ParsedRequirement, ParsedSelector};

mod lexer;
mod parsed;

/// Reads a selector, keeping how each requirement was written.
pub fn parse(text: &str) -> Result<ParsedSelector<'_>, SelectorError> {
    let mut parser = Parser { tokens: Lexer::new(text).peekable() };
    let requirements = parser.selector()?;
    Ok(ParsedSelector::new(requirements))
}

/// Recursive descent with one token of lookahead.
struct Parser<'a> {
    tokens: Peekable<Lexer<'a>>,
}

impl<'a> Parser<'a> {
    fn selector(&mut self) -> Result<Vec<ParsedRequirement<'a>>, SelectorError> {
        let mut requirements = Vec::new();
        if self.tokens.peek().is_none() {
            return Ok(requirements);
        }
        loop {
            requirements.push(self.requirement()?);
            match self.tokens.next() {
                None => return Ok(requirements),
                Some(Token::Symbol(",")) => {}
                found => return unexpected(found, "',' or the end"),
            }
        }
    }

    fn requirement(&mut self) -> Result<ParsedRequirement<'a>, SelectorError> {
        let negated = self.tokens.next_if_eq(&Token::Symbol("!")).is_some();
        let key = match self.tokens.next() {
            Some(Token::Word(key)) => key,
            found => return unexpected(found, "a label key"),
        };
        check_label_key(key).map_err(SelectorError::Key)?;
        let operator = if negated {
            ParsedOperator::DoesNotExist
        } else if self.at_end_of_requirement() {
            ParsedOperator::Exists
        } else {
            self.comparison(key)?
        };
        Ok(ParsedRequirement { key, operator })
    }

    /// The operator and what stands behind it.
    fn comparison(&mut self, key: &str) -> Result<ParsedOperator<'a>, SelectorError> {
        match self.tokens.next() {
            Some(Token::Symbol("=")) => Ok(ParsedOperator::Equals(self.value()?)),
            Some(Token::Symbol("==")) => Ok(ParsedOperator::DoubleEquals(self.value()?)),
            Some(Token::Symbol("!=")) => Ok(ParsedOperator::NotEquals(self.value()?)),
            Some(Token::Word("in")) => Ok(ParsedOperator::In(self.list()?)),
            Some(Token::Word("notin")) => Ok(ParsedOperator::NotIn(self.list()?)),
            Some(Token::Symbol(">")) => {
                let (text, bound) = self.number(key)?;
                Ok(ParsedOperator::GreaterThan { text, bound })
            }
            Some(Token::Symbol("<")) => {
                let (text, bound) = self.number(key)?;
                Ok(ParsedOperator::LessThan { text, bound })
            }
            found => unexpected(found, "one of =, ==, !=, in, notin, >, <"),
        }
    }

    /// A single value. Nothing at all is the empty value.
    fn value(&mut self) -> Result<&'a str, SelectorError> {
        let value = self.bare_value()?;
        check_label_value(value).map_err(SelectorError::Value)?;
        Ok(value)
    }

    /// An integer that could be a label's value, which is why it cannot be negative.
    fn number(&mut self, key: &str) -> Result<(&'a str, i64), SelectorError> {
        let text = self.bare_value()?;
        let bound = text
            .parse()
            .map_err(|_| SelectorError::Number { key: key.into(), value: text.into() })?;
        check_label_value(text).map_err(SelectorError::Value)?;
        Ok((text, bound))
    }

    fn bare_value(&mut self) -> Result<&'a str, SelectorError> {
        if self.at_end_of_requirement() {
            return Ok("");
        }
        match self.tokens.next() {
            Some(Token::Word(value)) => Ok(value),
            found => unexpected(found, "a value"),
        }
    }

    /// Values in parentheses, sorted.
    fn list(&mut self) -> Result<Vec<&'a str>, SelectorError> {
        match self.tokens.next() {
            Some(Token::Symbol("(")) => {}
            found => return unexpected(found, "'('"),
        }
        let mut values = self.list_items()?;
        // Kubernetes checks the values when the list is complete, so a missing parenthesis is found first.
        for value in &values {
            check_label_value(value).map_err(SelectorError::Value)?;
        }
        values.sort_unstable();
        values.dedup();
        Ok(values)
    }

    /// What stands between the parentheses, and the closing one. Where a value is missing, the empty one is meant.
    ///
    /// Commas are taken in pairs as Kubernetes does it, which is why `(a,)` and `(a,,b)` are lists, but `(a,,)` is not.
    fn list_items(&mut self) -> Result<Vec<&'a str>, SelectorError> {
        let mut values = Vec::new();
        if self.tokens.next_if_eq(&Token::Symbol(")")).is_some() {
            return Ok(vec![""]);
        }
        loop {
            match self.tokens.next() {
                Some(Token::Word(value)) => {
                    values.push(value);
                    match self.tokens.peek() {
                        Some(Token::Symbol(",")) => {}
                        Some(Token::Symbol(")")) => break,
                        found => return unexpected(found.copied(), "',' or ')'"),
                    }
                }
                Some(Token::Symbol(",")) => {
                    if values.is_empty() {
                        values.push("");
                    }
                    if self.tokens.next_if_eq(&Token::Symbol(",")).is_some() {
                        values.push("");
                    } else if self.tokens.peek() == Some(&Token::Symbol(")")) {
                        values.push("");
                        break;
                    }
                }
                found => return unexpected(found, "a value"),
            }
        }
        self.tokens.next();
        Ok(values)
    }

    fn at_end_of_requirement(&mut self) -> bool {
        matches!(self.tokens.peek(), None | Some(Token::Symbol(",")))
    }
}

fn unexpected<T>(found: Option<Token<'_>>, expected: &'static str) -> Result<T, SelectorError> {
    let found = found.map(|(Token::Word(text) | Token::Symbol(text))| text.into());
    Err(SelectorError::Syntax { found, expected })
}
