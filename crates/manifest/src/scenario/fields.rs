//! The fields of an object, none of which is passed over.

use serde_json::value::RawValue;

use crate::{
    flags::did_you_mean,
    parse::parse,
    problem::{At as _, Checked, Problem},
    wire::value::{List, Pairs},
};

/// An object whose fields have not been looked at. All of them are known by name.
#[derive(Debug)]
pub(super) struct Fields<'a>(Pairs<'a, &'a RawValue>);

/// The entries of a list.
pub(super) fn entries(list: &RawValue) -> Checked<List<&RawValue>> {
    parse(list.get())
}

/// The entries of an object whose keys the user chooses, each of which stands once.
pub(super) fn pairs(object: &RawValue) -> Checked<Pairs<'_, &RawValue>> {
    once_each(parse(object.get())?)
}

// === impl Fields ===

impl<'a> Fields<'a> {
    pub(super) fn read(json: &'a str, known: &[&'static str]) -> Checked<Self> {
        let pairs = once_each(parse::<Pairs<'a, &'a RawValue>>(json)?)?;
        for (name, _) in pairs.iter() {
            if !known.contains(&&**name) {
                let known = known.iter().copied();
                return Err(Problem::new(did_you_mean("field", name, known))).at(name);
            }
        }
        Ok(Self(pairs))
    }

    /// The field, unless it is absent or null.
    pub(super) fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.0.get(name).copied().filter(|value| value.get() != "null")
    }

    /// A field that has to be there.
    pub(super) fn required(&self, name: &str) -> Checked<&'a RawValue> {
        self.get(name).ok_or_else(Problem::missing)
    }

    /// What a field means, or `None` where it is not there. A problem is blamed on the field.
    pub(super) fn optional<T>(
        &self,
        name: &str,
        read: impl FnOnce(&'a RawValue) -> Checked<T>,
    ) -> Checked<Option<T>> {
        self.get(name).map(read).transpose().at(name)
    }

    /// What a field means that has to be there. A problem is blamed on the field.
    pub(super) fn needed<T>(
        &self,
        name: &str,
        read: impl FnOnce(&'a RawValue) -> Checked<T>,
    ) -> Checked<T> {
        self.required(name).and_then(read).at(name)
    }
}

fn once_each<'a>(pairs: Pairs<'a, &'a RawValue>) -> Checked<Pairs<'a, &'a RawValue>> {
    let mut names: Vec<&str> = pairs.iter().map(|(name, _)| &**name).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(twice) => Err(Problem::new("stands twice")).at(twice[0]),
        None => Ok(pairs),
    }
}
