//! A value with its place, and the fields of an object, none of which is passed over.

use plimsoll_manifest::flags::did_you_mean;

use super::{
    error::{Checked, ConfigError},
    tree::{Key, Tree, Value},
};

/// A value and how to find it.
#[derive(Clone, Debug)]
pub(crate) struct Field<'t> {
    pub(crate) line: Option<u64>,
    pub(crate) value: &'t Value,
    /// `groups[1].max`; empty for the document.
    pub(crate) path: String,
}

/// The fields of an object, all of which are known by name.
#[derive(Debug)]
pub(crate) struct Fields<'t> {
    line: Option<u64>,
    path: String,
    pairs: &'t [(Key, Tree)],
}

// === impl Field ===

impl<'t> Field<'t> {
    /// Says what is wrong here.
    pub(crate) fn refuse(&self, problem: impl Into<String>) -> ConfigError {
        ConfigError::at(self.line, &self.path, problem)
    }

    /// Says that this is not what it should be.
    pub(crate) fn is_not(&self, what: &str) -> ConfigError {
        self.refuse(format!("{} is not {what}", self.written()))
    }

    /// The fields of an object that has none but the known ones.
    pub(crate) fn fields(&self, known: &[&str]) -> Checked<Fields<'t>> {
        let Value::Map(pairs) = self.value else {
            return Err(self.is_not("an object with fields"));
        };
        let fields = Fields { line: self.line, path: self.path.clone(), pairs };
        match pairs.iter().find(|(key, _)| !known.contains(&&*key.name)) {
            Some((key, _)) => {
                let place = fields.place(&key.name);
                Err(ConfigError::at(
                    key.line,
                    &place,
                    did_you_mean("field", &key.name, known.iter().copied()),
                ))
            }
            None => Ok(fields),
        }
    }

    /// Keys that the user chose, with their values. Their places are in brackets, because a key may contain dots.
    pub(crate) fn pairs(&self) -> Checked<Vec<(&'t str, Self)>> {
        let Value::Map(pairs) = self.value else {
            return Err(self.is_not("an object with keys and values"));
        };
        let pair = |(key, tree): &'t (Key, Tree)| {
            let path = format!("{}[{}]", self.path, key.name);
            (&*key.name, Self { line: key.line, value: &tree.value, path })
        };
        Ok(pairs.iter().map(pair).collect())
    }

    /// The entries of a list.
    pub(crate) fn entries(&self) -> Checked<Vec<Self>> {
        let Value::List(entries) = self.value else {
            return Err(self.is_not("a list"));
        };
        let entry = |(index, tree): (usize, &'t Tree)| {
            let path = format!("{}[{index}]", self.path);
            Self { line: tree.line, value: &tree.value, path }
        };
        Ok(entries.iter().enumerate().map(entry).collect())
    }

    /// What the entries of a list mean.
    pub(crate) fn each<T>(&self, read: impl Fn(&Self) -> Checked<T>) -> Checked<Vec<T>> {
        self.entries()?.iter().map(read).collect()
    }

    /// The value for a message: in one line, and not too long.
    pub(crate) fn written(&self) -> String {
        match self.value {
            Value::Null => "nothing".to_owned(),
            Value::Switch(value) => value.to_string(),
            Value::Integer(value) => value.to_string(),
            // Large numbers in short.
            Value::Decimal(value) => format!("{value:?}"),
            Value::Text(text) => quoted(text),
            Value::List(_) => "a list".to_owned(),
            Value::Map(_) => "an object".to_owned(),
        }
    }
}

// === impl Fields ===

impl<'t> Fields<'t> {
    /// The field, unless it is absent or null.
    pub(crate) fn get(&self, name: &str) -> Option<Field<'t>> {
        let (key, tree) = self.pairs.iter().find(|(key, _)| key.name == name)?;
        if matches!(tree.value, Value::Null) {
            return None;
        }
        Some(Field { line: key.line, value: &tree.value, path: self.place(name) })
    }

    /// A field that has to be there.
    pub(crate) fn required(&self, name: &str) -> Checked<Field<'t>> {
        let missing = || ConfigError::at(self.line, &self.place(name), "is missing");
        self.get(name).ok_or_else(missing)
    }

    /// What a field means, or `None` where it is not there.
    pub(crate) fn optional<T>(
        &self,
        name: &str,
        read: impl FnOnce(&Field<'t>) -> Checked<T>,
    ) -> Checked<Option<T>> {
        self.get(name).as_ref().map(read).transpose()
    }

    fn place(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }
}

/// Text that somebody wrote, in quotes; of a long one only the beginning.
pub(crate) fn quoted(text: &str) -> String {
    const MOST: usize = 80;
    let beginning: String = text.chars().take(MOST).collect();
    let more = if beginning.len() < text.len() { "…" } else { "" };
    format!("\"{}{more}\"", beginning.escape_debug())
}
