//! The syntax of gcfg files, the git-config dialect that Go programs read, with the line of everything.
//!
//! ```text
//! ; a comment, as is what follows # outside of quotes
//! [section]
//! key = value          ; without blanks around it
//! [section "name"]     ; the name's case counts, that of section and key does not
//! key = "quoted; \"value\"" and more \
//!       on the next line
//! ```
//! Unlike the original it refuses a section or a key that stands twice: there the last one would win without a word.

use crate::document::{Checked, ConfigError};

/// A section of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
    /// Where its header is.
    pub(super) line: u64,
    /// In lower case.
    pub(super) kind: String,
    /// What stands in quotes; empty where nothing does.
    pub(super) name: String,
    /// In the order of the file.
    pub(super) entries: Vec<Entry>,
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) line: u64,
    /// In lower case.
    pub(super) key: String,
    /// Without quotes and escapes; `None` where there is no `=`.
    pub(super) value: Option<String>,
}

/// Reads letters and counts lines.
struct Scanner<'t> {
    rest: std::iter::Peekable<std::str::Chars<'t>>,
    line: u64,
}

/// The sections of a file in their order.
pub(super) fn parse(text: &str) -> Checked<Vec<Section>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut scanner = Scanner { rest: text.chars().peekable(), line: 1 };
    let mut sections: Vec<Section> = Vec::new();
    loop {
        scanner.skip_blanks();
        let Some(letter) = scanner.peek() else { return Ok(sections) };
        match letter {
            '\n' => drop(scanner.next()),
            ';' | '#' => scanner.skip_line(),
            '[' => sections.push(scanner.header()?),
            letter if letter.is_alphabetic() => {
                let entry = scanner.entry()?;
                let Some(section) = sections.last_mut() else {
                    let problem = format!("{} stands before the first [section]", entry.key);
                    return Err(ConfigError::at(Some(entry.line), "", problem));
                };
                section.entries.push(entry);
            }
            other => {
                let problem = format!("{other:?} begins neither a [section] nor a key");
                return Err(scanner.refuse(problem));
            }
        }
    }
}

// === impl Scanner ===

impl Scanner<'_> {
    fn peek(&mut self) -> Option<char> {
        self.rest.peek().copied()
    }

    fn next(&mut self) -> Option<char> {
        let letter = self.rest.next();
        if letter == Some('\n') {
            self.line += 1;
        }
        letter
    }

    fn refuse(&self, problem: impl Into<String>) -> ConfigError {
        ConfigError::at(Some(self.line), "", problem)
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(is_blank) {
            self.next();
        }
    }

    fn skip_line(&mut self) {
        while self.peek().is_some_and(|letter| letter != '\n') {
            self.next();
        }
    }

    /// Letters, digits and dashes, in lower case.
    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(letter) = self.peek()
            && (letter.is_alphanumeric() || letter == '-')
        {
            word.extend(letter.to_lowercase());
            self.next();
        }
        word
    }

    /// `[kind]` or `[kind "name"]`, and nothing else on the line.
    fn header(&mut self) -> Checked<Section> {
        let line = self.line;
        self.next();
        self.skip_blanks();
        if !self.peek().is_some_and(char::is_alphabetic) {
            return Err(self.refuse("a section is written [name] or [name \"which\"]"));
        }
        let kind = self.word();
        self.skip_blanks();
        let mut name = String::new();
        if self.peek() == Some('"') {
            self.next();
            self.quoted(&mut name)?;
            if name.is_empty() {
                return Err(self.refuse(format!("the section [{kind} \"\"] has an empty name")));
            }
            self.skip_blanks();
        }
        if self.next() != Some(']') {
            let problem = format!("the section {kind} is not closed with ] on its line");
            return Err(ConfigError::at(Some(line), "", problem));
        }
        self.skip_blanks();
        match self.peek() {
            None | Some('\n' | ';' | '#') => {}
            Some(_) => return Err(self.refuse("only a comment may follow ] on its line")),
        }
        Ok(Section { line, kind, name, entries: Vec::new() })
    }

    /// `key = value`, or `key` alone.
    fn entry(&mut self) -> Checked<Entry> {
        let line = self.line;
        let key = self.word();
        self.skip_blanks();
        match self.peek() {
            Some('=') => {
                self.next();
                self.skip_blanks();
                let value = Some(self.value()?);
                Ok(Entry { line, key, value })
            }
            None | Some('\n' | ';' | '#') => Ok(Entry { line, key, value: None }),
            Some(other) => {
                Err(self
                    .refuse(format!("{key} is followed by {other:?}; a value needs = before it")))
            }
        }
    }

    /// Up to a comment or the end of the line, which a backslash moves on. Blanks at the end count only inside quotes.
    fn value(&mut self) -> Checked<String> {
        let mut value = String::new();
        let mut end = 0;
        loop {
            match self.peek() {
                None | Some('\n' | ';' | '#') => break,
                Some('"') => {
                    self.next();
                    self.quoted(&mut value)?;
                    end = value.len();
                }
                Some('\\') => {
                    self.next();
                    if self.peek() == Some('\r') {
                        self.next();
                    }
                    if self.peek() != Some('\n') {
                        let problem = "a backslash outside of quotes ends a line that goes on; write \"\\\\\" for the letter";
                        return Err(self.refuse(problem));
                    }
                    self.next();
                }
                Some(letter) => {
                    self.next();
                    if letter != '\r' {
                        value.push(letter);
                    }
                    if !is_blank(letter) {
                        end = value.len();
                    }
                }
            }
        }
        value.truncate(end);
        Ok(value)
    }

    /// What follows an opening quote, up to the closing one.
    fn quoted(&mut self, into: &mut String) -> Checked<()> {
        loop {
            match self.peek() {
                None | Some('\n') => return Err(self.refuse("a quote is not closed on its line")),
                Some('"') => {
                    self.next();
                    return Ok(());
                }
                Some('\\') => {
                    self.next();
                    into.push(match self.peek() {
                        Some(letter @ ('\\' | '"')) => letter,
                        Some('n') => '\n',
                        Some('t') => '\t',
                        _ => {
                            let problem =
                                "after a backslash in quotes comes one of \\, \", n and t";
                            return Err(self.refuse(problem));
                        }
                    });
                    self.next();
                }
                Some(letter) => {
                    self.next();
                    if letter != '\r' {
                        into.push(letter);
                    }
                }
            }
        }
    }
}

fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\r')
}

#[cfg(test)]
mod tests;
