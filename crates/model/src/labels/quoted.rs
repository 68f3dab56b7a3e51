//! Quoting what somebody wrote in a message about it.

use std::fmt::{self, Write as _};

/// Shows a text in quotes, and only the beginning of a long one: a message is read by people.
pub(crate) struct Quoted<'a>(pub(crate) &'a str);

/// Longer than any valid quantity, label value or name part.
const MAX_CHARS: usize = 80;

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.0.char_indices().nth(MAX_CHARS).and_then(|(end, _)| self.0.get(..end));
        f.write_char('"')?;
        write!(f, "{}", shown.unwrap_or(self.0).escape_debug())?;
        f.write_str(if shown.is_some() { "…\"" } else { "\"" })
    }
}
