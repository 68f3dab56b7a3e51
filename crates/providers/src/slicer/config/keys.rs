//! The keys of a section, none of which is passed over.

use plimsoll_manifest::flags::did_you_mean;
use secrecy::SecretString;

use super::Files;
use crate::{
    document::{Checked, ConfigError},
    slicer::ini::{Entry, Section},
};

/// The keys of a section.
pub(super) struct Keys<'s> {
    section: &'s Section,
}

/// What a section is called in messages.
pub(super) fn place(section: &Section) -> String {
    match &*section.name {
        "" => section.kind.clone(),
        name => format!("{} \"{}\"", section.kind, name.escape_debug()),
    }
}

// === impl Keys ===

impl<'s> Keys<'s> {
    /// Refuses a key that nobody knows, and one that stands twice unless it is one of `repeatable`.
    pub(super) fn new(section: &'s Section, known: &[&str], repeatable: &[&str]) -> Checked<Self> {
        let place = place(section);
        for (number, entry) in section.entries.iter().enumerate() {
            let refuse = |problem: String| Err(ConfigError::at(Some(entry.line), &place, problem));
            let key = &*entry.key;
            if !known.contains(&key) && !repeatable.contains(&key) {
                let all = known.iter().chain(repeatable).copied();
                return refuse(format!("{key}: {}", did_you_mean("key", key, all)));
            }
            let earlier = section.entries.iter().take(number).find(|earlier| earlier.key == key);
            if let (Some(earlier), false) = (earlier, repeatable.contains(&key)) {
                return refuse(format!("{key} stands twice, first in line {}", earlier.line));
            }
            if entry.value.as_deref().is_none_or(str::is_empty) {
                return refuse(format!("{key} has no value; leave the line out if there is none"));
            }
        }
        Ok(Self { section })
    }

    fn entry(&self, key: &str) -> Option<&'s Entry> {
        self.section.entries.iter().find(|entry| entry.key == key)
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.entry(key).is_some()
    }

    /// All values of a key that may stand several times, with what refuses each of them.
    pub(super) fn each<T>(
        &self,
        key: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Checked<Vec<T>> {
        let entries = self.section.entries.iter().filter(|entry| entry.key == key);
        entries
            .map(|entry| {
                read(entry.value.as_deref().unwrap_or_default()).map_err(|problem| {
                    let problem = format!("{key}: {problem}");
                    ConfigError::at(Some(entry.line), &place(self.section), problem)
                })
            })
            .collect()
    }

    /// A text that has no end of line in it.
    pub(super) fn text(&self, key: &str) -> Checked<Option<&'s str>> {
        match self.entry(key).and_then(|entry| entry.value.as_deref()) {
            Some(text) if text.chars().any(char::is_control) => {
                Err(self.refuse(key, "has a letter in it that cannot be printed"))
            }
            text => Ok(text),
        }
    }

    pub(super) fn required(&self, key: &str) -> Checked<&'s str> {
        self.text(key)?.ok_or_else(|| self.missing(key))
    }

    /// A number of machines.
    pub(super) fn count(&self, key: &str) -> Checked<Option<u32>> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        match text.parse::<i64>() {
            Ok(number) if number < 0 => Err(self.refuse(key, format!("{number} is negative"))),
            Ok(number) => u32::try_from(number)
                .map(Some)
                .map_err(|_| self.refuse(key, format!("{number} is too large"))),
            Err(_) => Err(self.refuse(key, format!("{text:?} is not a whole number"))),
        }
    }

    /// Yes or no, in the words that gcfg takes.
    pub(super) fn switch(&self, key: &str) -> Checked<Option<bool>> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => Ok(Some(true)),
            "false" | "no" | "off" | "0" => Ok(Some(false)),
            _ => Err(self.refuse(key, format!("{text:?} is neither true nor false"))),
        }
    }

    /// A secret, or the file that it is in: `key` or `key-file`.
    pub(super) fn secret(&self, key: &str, files: &mut Files<'_>) -> Checked<Option<SecretString>> {
        let file_key = format!("{key}-file");
        let secret = match (self.text(key)?, self.text(&file_key)?) {
            (Some(_), Some(_)) => {
                return Err(self.refuse(&file_key, format!("stands beside {key}; one is enough")));
            }
            (None, None) => return Ok(None),
            (Some(secret), None) => secret.to_owned(),
            (None, Some(path)) => {
                files.read_beside(path).map_err(|problem| self.refuse(&file_key, problem))?
            }
        };
        let secret = secret.trim();
        let key = if self.has(key) { key } else { &*file_key };
        if secret.is_empty() {
            return Err(self.refuse(key, "is empty"));
        }
        if secret.chars().any(|letter| letter.is_control() || !letter.is_ascii()) {
            return Err(self.refuse(key, "has a letter in it that a token cannot have"));
        }
        Ok(Some(SecretString::from(secret)))
    }

    /// Says that a key is not there.
    pub(super) fn missing(&self, key: &str) -> ConfigError {
        let problem = format!("{key} is missing");
        ConfigError::at(Some(self.section.line), &place(self.section), problem)
    }

    /// Says what is wrong with the value of a key.
    pub(super) fn refuse(&self, key: &str, problem: impl Into<String>) -> ConfigError {
        Self::refuse_in(self.section, key, problem)
    }

    /// Says what is wrong in the line of a key.
    pub(super) fn refuse_at(&self, key: &str, problem: String) -> ConfigError {
        let line = self.entry(key).map_or(self.section.line, |entry| entry.line);
        ConfigError::at(Some(line), &place(self.section), problem)
    }

    /// Says what is wrong with the value of a key of a section.
    pub(super) fn refuse_in(
        section: &Section,
        key: &str,
        problem: impl Into<String>,
    ) -> ConfigError {
        let entry = section.entries.iter().find(|entry| entry.key == key);
        let line = entry.map_or(section.line, |entry| entry.line);
        ConfigError::at(Some(line), &place(section), format!("{key}: {}", problem.into()))
    }
}
