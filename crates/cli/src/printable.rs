//! Text for people, made harmless: names and messages come from files, clusters and services, and may be written to mislead whoever
//! reads them, or to command the terminal that shows them.

use std::{borrow::Cow, fmt, io};

/// Writes lines for people with `write!` and `writeln!`. What is written at once is one line, whatever it is made of; nothing can be
/// written that is not made printable.
#[derive(Debug)]
pub(crate) struct Lines<W>(W);

/// The text with everything escaped that does not show as itself: control characters, line breaks, and what changes the direction
/// in which the text around it is shown.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if is_hidden(letter) {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    Cow::Owned(shown)
}

fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            // Separators of lines and paragraphs.
            '\u{2028}' | '\u{2029}'
            // Marks, embeddings, overrides and isolates of bidirectional text.
            | '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

// === impl Lines ===

impl<W: io::Write> Lines<W> {
    /// Writes to `out`.
    pub(crate) const fn new(out: W) -> Self {
        Self(out)
    }

    /// What `write!` and `writeln!` call.
    pub(crate) fn write_fmt(&mut self, arguments: fmt::Arguments<'_>) -> io::Result<()> {
        let text = fmt::format(arguments);
        let (line, end) = match text.strip_suffix('\n') {
            Some(line) => (line, "\n"),
            None => (&*text, ""),
        };
        self.0.write_all(printable(line).as_bytes())?;
        self.0.write_all(end.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_commands_a_terminal_or_misleads_a_reader_is_escaped() {
        for (text, shown) in [
            ("web-1", "web-1"),
            ("größe → 名前", "größe → 名前"),
            ("\u{1b}[2Jweb", "\\u{1b}[2Jweb"),
            ("\u{9b}2Jweb\u{7f}", "\\u{9b}2Jweb\\u{7f}"),
            ("a\nb\r\tc\0", "a\\nb\\r\\tc\\u{0}"),
            ("\u{202e}bew\u{202c}", "\\u{202e}bew\\u{202c}"),
            ("\u{2066}x\u{2069}\u{200f}\u{2028}", "\\u{2066}x\\u{2069}\\u{200f}\\u{2028}"),
        ] {
            assert_eq!(printable(text), shown);
        }
    }

    #[test]
    fn a_name_cannot_begin_a_line_of_its_own() {
        let mut out = Vec::new();
        let mut lines = Lines::new(&mut out);
        let name = "web\nother";
        writeln!(lines, "{name}: fits").unwrap();
        writeln!(lines).unwrap();
        write!(lines, "no end").unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "web\\nother: fits\n\nno end");
    }
}
