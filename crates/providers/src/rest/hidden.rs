//! What nobody may read, and how it is kept out of messages.

use std::fmt;

use secrecy::{ExposeSecret as _, SecretString};

/// Longer texts of a service are cut: they are for one line of a log.
const LONGEST: usize = 300;

/// What stands where a secret stood.
const COVER: &str = "(hidden)";

/// Texts that must not be told.
#[derive(Clone, Default)]
pub struct Hidden {
    texts: Vec<SecretString>,
}

// === impl Hidden ===

impl Hidden {
    /// These and one more. What is empty hides nothing.
    #[must_use]
    pub fn with(&self, secret: &str) -> Self {
        let mut texts = self.texts.clone();
        if !secret.trim().is_empty() {
            texts.push(SecretString::from(secret.trim()));
            // What contains another has to go first.
            texts.sort_by_key(|text| std::cmp::Reverse(text.expose_secret().len()));
        }
        Self { texts }
    }

    /// A text of somebody else's as it may be told: on one line, not too long, without secrets.
    pub fn clean(&self, text: &str) -> String {
        let covered = self
            .texts
            .iter()
            .fold(text.to_owned(), |text, secret| text.replace(secret.expose_secret(), COVER));
        let line: Vec<&str> = covered
            .split(|letter: char| letter.is_whitespace() || letter.is_control())
            .filter(|word| !word.is_empty())
            .collect();
        let line = line.join(" ");
        match line.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
            None => line,
        }
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hidden({})", self.texts.len())
    }
}
