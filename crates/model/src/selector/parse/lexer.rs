//! Cutting the text of a selector into words and symbols.

/// A piece of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    /// A key, a value, `in` or `notin`: which one depends on where it stands. Whatever is neither a symbol nor white
    /// space is part of a word.
    Word(&'a str),
    /// One of `( ) , ! = == != < >`.
    Symbol(&'a str),
}

/// Yields the tokens of a text. Every text has some, so nothing can go wrong here.
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    rest: &'a str,
}

// === impl Lexer ===

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text }
    }
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        self.rest = self.rest.trim_start_matches(is_space);
        let first = self.rest.chars().next()?;
        let (token, rest) = if is_symbol(first) {
            let is_long = self.rest.starts_with("==") || self.rest.starts_with("!=");
            let (symbol, rest) = self.rest.split_at(if is_long { 2 } else { 1 });
            (Token::Symbol(symbol), rest)
        } else {
            let end = self.rest.find(|c| is_space(c) || is_symbol(c)).unwrap_or(self.rest.len());
            let (word, rest) = self.rest.split_at(end);
            (Token::Word(word), rest)
        };
        self.rest = rest;
        Some(token)
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn is_symbol(c: char) -> bool {
    matches!(c, '=' | '!' | '(' | ')' | ',' | '>' | '<')
}
