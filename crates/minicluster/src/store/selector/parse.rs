//! The syntax of selectors in queries, with the real server's complaints.

use super::{LabelSelector, Requirement, Test};

const OPERATORS: &str = "in, notin, =, ==, !=, gt, lt";
const LONGEST_VALUE: usize = 63;
const LONGEST_PREFIX: usize = 253;

const NAME_RULE: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
     alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
     '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE_RULE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must \
     start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is \
     '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const PREFIX_RULE: &str = "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or \
     '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
     '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'t> {
    /// A key, a value, or one of the words `in` and `notin`.
    Word(&'t str),
    /// One of `= == != ! ( ) , > <`, or something that starts like one and is none.
    Symbol(&'t str),
    End,
}

struct Parser<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
}

pub(super) fn label_selector(text: &str) -> Result<LabelSelector, String> {
    let mut parser = Parser { tokens: tokens(text), at: 0 };
    let mut requirements = Vec::new();
    loop {
        match parser.peek() {
            Token::Word(_) | Token::Symbol("!") => {
                let requirement = parser
                    .requirement()
                    .map_err(|why| format!("unable to parse requirement: {why}"))?;
                requirements.push(requirement);
                match parser.next() {
                    Token::End => return Ok(LabelSelector { requirements }),
                    Token::Symbol(",") => match parser.peek() {
                        Token::Word(_) | Token::Symbol("!") => {}
                        other => {
                            let found = other.text();
                            return Err(format!("found '{found}', expected: identifier after ','"));
                        }
                    },
                    other => {
                        let found = other.text();
                        return Err(format!("found '{found}', expected: ',' or 'end of string'"));
                    }
                }
            }
            Token::End => return Ok(LabelSelector { requirements }),
            Token::Symbol(found) => {
                return Err(format!(
                    "found '{found}', expected: !, identifier, or 'end of string'"
                ));
            }
        }
    }
}

/// The parts of a field selector: path, whether it must be equal, value.
pub(super) fn field_terms(text: &str) -> Result<Vec<(String, bool, String)>, String> {
    let mut terms = Vec::new();
    for part in split_unescaped(text) {
        if part.is_empty() {
            continue;
        }
        let complaint = || format!("invalid selector: '{text}'; can't understand '{part}'");
        let (path, equal, value) = [("!=", false), ("==", true), ("=", true)]
            .into_iter()
            .filter_map(|(operator, equal)| {
                let at = part.find(operator)?;
                Some((at, part.get(..at)?, equal, part.get(at + operator.len()..)?))
            })
            .min_by_key(|(at, ..)| *at)
            .map(|(_, path, equal, value)| (path, equal, value))
            .ok_or_else(complaint)?;
        terms.push((path.to_owned(), equal, unescape(value)?));
    }
    Ok(terms)
}

// === impl Parser ===

impl<'t> Parser<'t> {
    fn peek(&self) -> Token<'t> {
        self.tokens.get(self.at).copied().unwrap_or(Token::End)
    }

    fn next(&mut self) -> Token<'t> {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let mut token = self.next();
        let negated = token == Token::Symbol("!");
        if negated {
            token = self.next();
        }
        let Token::Word(key) = token else {
            return Err(format!("found '{}', expected: identifier", token.text()));
        };
        check_key(key)?;
        let alone = matches!(self.peek(), Token::End | Token::Symbol(","));
        let test = match (negated, alone) {
            (true, _) => Test::Missing,
            (false, true) => Test::Exists,
            (false, false) => self.test(key)?,
        };
        Ok(Requirement { key: key.into(), test })
    }

    fn test(&mut self, key: &str) -> Result<Test, String> {
        let operator = self.next();
        let test = match operator {
            Token::Word("in") => Test::In(self.values()?),
            Token::Word("notin") => Test::NotIn(self.values()?),
            Token::Symbol("=" | "==") => Test::In(vec![self.value()?]),
            Token::Symbol("!=") => Test::NotIn(vec![self.value()?]),
            Token::Symbol(">") => Test::Above(number(&self.value()?)?),
            Token::Symbol("<") => Test::Below(number(&self.value()?)?),
            other => return Err(format!("found '{}', expected: {OPERATORS}", other.text())),
        };
        if let Test::In(values) | Test::NotIn(values) = &test {
            for (at, value) in values.iter().enumerate() {
                check_value(key, at, value)?;
            }
        }
        Ok(test)
    }

    fn value(&mut self) -> Result<Box<str>, String> {
        match self.peek() {
            Token::End | Token::Symbol(",") => Ok("".into()),
            Token::Word(value) => {
                self.at += 1;
                Ok(value.into())
            }
            Token::Symbol(found) => Err(format!("found '{found}', expected: identifier")),
        }
    }

    /// `(a,b)`; what is left out between commas is the empty value.
    fn values(&mut self) -> Result<Vec<Box<str>>, String> {
        match self.next() {
            Token::Symbol("(") => {}
            other => return Err(format!("found '{}' expected: '('", other.text())),
        }
        let mut values: Vec<Box<str>> = Vec::new();
        loop {
            match self.peek() {
                Token::Word(value) => {
                    self.at += 1;
                    values.push(value.into());
                }
                Token::Symbol("," | ")") => values.push("".into()),
                other if values.is_empty() => {
                    return Err(format!(
                        "found '{}', expected: ',', ')' or identifier",
                        other.text()
                    ));
                }
                other => {
                    return Err(format!("found '{}', expected: ',', or identifier", other.text()));
                }
            }
            match self.next() {
                Token::Symbol(",") => {}
                Token::Symbol(")") => break,
                other => return Err(format!("found '{}', expected: ',' or ')'", other.text())),
            }
        }
        values.sort();
        values.dedup();
        Ok(values)
    }
}

// === impl Token ===

impl<'t> Token<'t> {
    fn text(self) -> &'t str {
        match self {
            Token::Word(text) | Token::Symbol(text) => text,
            Token::End => "",
        }
    }
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start_matches(is_blank);
    while !rest.is_empty() {
        let symbols = rest.find(|c| !is_symbol(c)).unwrap_or(rest.len());
        let length = if symbols > 0 {
            // The longest operator that the symbols begin with.
            let two = matches!(rest.get(..2), Some("==" | "!="));
            if two { 2 } else { 1 }
        } else {
            rest.find(|c| is_symbol(c) || is_blank(c)).unwrap_or(rest.len())
        };
        let (token, after) = rest.split_at(length);
        tokens.push(if symbols > 0 { Token::Symbol(token) } else { Token::Word(token) });
        rest = after.trim_start_matches(is_blank);
    }
    tokens
}

fn is_symbol(c: char) -> bool {
    matches!(c, '=' | '!' | '(' | ')' | ',' | '>' | '<')
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn number(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| {
        format!("values[0]: Invalid value: {text:?}: for 'Gt', 'Lt' operators, the value must be an integer")
    })
}

fn check_key(key: &str) -> Result<(), String> {
    let complain = |why: &str| Err(format!("<nil>: Invalid value: {key:?}: {why}"));
    let name = match key.split_once('/') {
        None => key,
        Some((_, name)) if name.contains('/') => {
            return complain(
                "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                 alphanumeric character",
            );
        }
        Some(("", _)) => return complain("prefix part must be non-empty"),
        Some((prefix, _)) if prefix.len() > LONGEST_PREFIX => {
            return complain("prefix part must be no more than 253 bytes");
        }
        Some((prefix, _)) if !is_subdomain(prefix) => return complain(PREFIX_RULE),
        Some((_, name)) => name,
    };
    if name.is_empty() {
        return complain(&format!("name part must be non-empty; {NAME_RULE}"));
    }
    if name.len() > LONGEST_VALUE {
        return complain("name part must be no more than 63 bytes");
    }
    if is_label_word(name) { Ok(()) } else { complain(NAME_RULE) }
}

fn check_value(key: &str, at: usize, value: &str) -> Result<(), String> {
    let complain = |why: &str| Err(format!("values[{at}][{key}]: Invalid value: {value:?}: {why}"));
    if value.len() > LONGEST_VALUE {
        return complain("must be no more than 63 bytes");
    }
    if value.is_empty() || is_label_word(value) { Ok(()) } else { complain(VALUE_RULE) }
}

fn is_label_word(text: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    edge(text.chars().next()) && edge(text.chars().next_back()) && text.chars().all(inner)
}

fn is_subdomain(text: &str) -> bool {
    let edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    text.split('.').all(|part| {
        edge(part.chars().next())
            && edge(part.chars().next_back())
            && part.chars().all(|c| edge(Some(c)) || c == '-')
    })
}

/// Splits at commas that no backslash protects.
fn split_unescaped(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (at, c) in text.char_indices() {
        if c == ',' && !escaped {
            parts.extend(text.get(start..at));
            start = at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    parts.extend(text.get(start..));
    parts
}

/// Takes the backslashes off a value; only `\\`, `\,` and `\=` are escapes, and bare `,` and `=` are not allowed.
fn unescape(value: &str) -> Result<String, String> {
    let mut plain = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(next @ ('\\' | ',' | '=')) => plain.push(next),
                Some(other) => {
                    return Err(format!(
                        "invalid field selector: invalid escape sequence: \\{other}"
                    ));
                }
                None => {
                    return Err("invalid field selector: invalid escape sequence: \\".to_owned());
                }
            },
            ',' | '=' => {
                return Err(format!("invalid field selector: unescaped character in value: {c}"));
            }
            other => plain.push(other),
        }
    }
    Ok(plain)
}
