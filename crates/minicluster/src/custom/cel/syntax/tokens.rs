//! Text to tokens.

use std::fmt;

use serde_json::{Number, Value};

/// Symbols, longer ones first.
const SYMBOLS: [&str; 23] = [
    "||", "&&", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "!", "?", ":", ".", ",",
    "(", ")", "[", "]", "{",
];

/// A piece of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Literal(Value),
    Name(Box<str>),
    Symbol(&'static str),
}

/// The pieces that are left.
pub(super) struct Tokens {
    /// In reverse, so that taking one is cheap.
    left: Vec<Token>,
}

// === impl Tokens ===

impl Tokens {
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut left = Vec::new();
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let (token, after) = if let Some(comment) = rest.strip_prefix("//") {
                rest = comment.split_once('\n').map_or("", |(_, after)| after).trim_start();
                continue;
            } else if first.is_ascii_digit() {
                number(rest)?
            } else if let Some(found) = string(rest)? {
                found
            } else if first.is_ascii_alphabetic() || first == '_' {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
                (Token::Name(name.into()), after)
            } else {
                let symbol =
                    SYMBOLS.into_iter().chain(["}"]).find(|symbol| rest.starts_with(symbol));
                let symbol = symbol.ok_or_else(|| format!("unexpected {first:?}"))?;
                (Token::Symbol(symbol), rest.split_at(symbol.len()).1)
            };
            left.push(token);
            rest = after.trim_start();
        }
        left.reverse();
        Ok(Self { left })
    }

    pub(super) fn next(&mut self) -> Option<Token> {
        self.left.pop()
    }

    /// Takes a symbol, or the word `in`, if it comes next.
    pub(super) fn take(&mut self, symbol: &str) -> bool {
        let found = match self.left.last() {
            Some(Token::Symbol(found)) => *found == symbol,
            Some(Token::Name(name)) => symbol == "in" && **name == *"in",
            _ => false,
        };
        if found {
            self.left.pop();
        }
        found
    }

    pub(super) fn expect(&mut self, symbol: &str) -> Result<(), String> {
        if self.take(symbol) {
            return Ok(());
        }
        Err(match self.left.last() {
            Some(token) => format!("expected {symbol:?}, found {token}"),
            None => format!("expected {symbol:?}, found the end"),
        })
    }

    pub(super) fn name(&mut self) -> Result<Box<str>, String> {
        match self.left.pop() {
            Some(Token::Name(name)) => Ok(name),
            Some(token) => Err(format!("expected a name, found {token}")),
            None => Err("expected a name, found the end".to_owned()),
        }
    }
}

// === impl Token ===

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(value) => write!(f, "{value}"),
            Self::Name(name) => write!(f, "{name:?}"),
            Self::Symbol(symbol) => write!(f, "{symbol:?}"),
        }
    }
}

/// An integer (with or without `u`), a hexadecimal integer, or a float.
fn number(text: &str) -> Result<(Token, &str), String> {
    let wrong = |part: &str| format!("{part:?} is no number");
    if let Some(hex) = text.strip_prefix("0x") {
        let end = hex.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(hex.len());
        let (digits, after) = hex.split_at(end);
        let value = i64::from_str_radix(digits, 16).map_err(|_| wrong(text))?;
        return Ok((Token::Literal(value.into()), after.strip_prefix('u').unwrap_or(after)));
    }
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut end = digits(text);
    let mut float = false;
    let tail = |end: usize| text.get(end..).unwrap_or_default();
    if let Some(fraction) = tail(end).strip_prefix('.')
        && digits(fraction) > 0
    {
        float = true;
        end += 1 + digits(fraction);
    }
    if let Some(exponent) = tail(end).strip_prefix(['e', 'E']) {
        let sign = usize::from(exponent.starts_with(['+', '-']));
        let length = digits(exponent.get(sign..).unwrap_or_default());
        if length > 0 {
            float = true;
            end += 1 + sign + length;
        }
    }
    let (literal, after) = text.split_at(end);
    let value = if float {
        literal.parse().ok().and_then(Number::from_f64).map(Value::Number)
    } else {
        literal.parse::<i64>().ok().map(Value::from)
    };
    let value = value.ok_or_else(|| wrong(literal))?;
    Ok((Token::Literal(value), after.strip_prefix('u').unwrap_or(after)))
}

/// A text in quotes: single or double, one or three of them, raw after `r`. Bytes (after `b`) are taken for text.
fn string(text: &str) -> Result<Option<(Token, &str)>, String> {
    let prefix = ["br", "rb", "r", "R", "b", "B", ""]
        .into_iter()
        .find(|prefix| text.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(['\'', '"'])));
    let Some(prefix) = prefix else { return Ok(None) };
    let raw = prefix.contains(['r', 'R']);
    let quoted = text.split_at(prefix.len()).1;
    let quote = ["'''", "\"\"\"", "'", "\""].into_iter().find(|quote| quoted.starts_with(quote));
    let Some(quote) = quote else { return Ok(None) };
    let mut rest = quoted.split_at(quote.len()).1;
    let mut found = String::new();
    loop {
        if let Some(after) = rest.strip_prefix(quote) {
            return Ok(Some((Token::Literal(Value::String(found)), after)));
        }
        let mut characters = rest.chars();
        match characters.next() {
            None => return Err("a text has no closing quote".to_owned()),
            Some('\\') if !raw => {
                let (character, after) = escaped(characters.as_str())?;
                found.push(character);
                rest = after;
            }
            Some(character) => {
                found.push(character);
                rest = characters.as_str();
            }
        }
    }
}

/// The character that an escape stands for, and what follows it.
fn escaped(text: &str) -> Result<(char, &str), String> {
    let wrong = || "a text has an unknown escape".to_owned();
    let mut characters = text.chars();
    let kind = characters.next().ok_or_else(wrong)?;
    let simple = match kind {
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        '\\' | '\'' | '"' | '`' | '?' => kind,
        _ => {
            let (digits, radix) = match kind {
                'x' | 'X' => (text.get(1..3), 16),
                'u' => (text.get(1..5), 16),
                'U' => (text.get(1..9), 16),
                '0'..='3' => (text.get(..3), 8),
                _ => return Err(wrong()),
            };
            let digits = digits.ok_or_else(wrong)?;
            let code = u32::from_str_radix(digits, radix).map_err(|_| wrong())?;
            let end = if radix == 8 { 3 } else { 1 + digits.len() };
            return Ok((char::from_u32(code).ok_or_else(wrong)?, text.split_at(end).1));
        }
    };
    Ok((simple, characters.as_str()))
}
