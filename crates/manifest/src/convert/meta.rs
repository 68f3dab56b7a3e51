//! Names, labels, times: what objects of every kind have.

use jiff::Timestamp;
use plimsoll_model::{Labels, Symbol};

use crate::{
    problem::{At as _, Checked, Problem, Quoted},
    wire::{
        meta::{Metadata, Name, OwnerReference},
        value::{Pairs, Text},
    },
};

/// Where objects are that do not name a namespace.
const DEFAULT_NAMESPACE: &str = "default";

/// The name, which every object has to have.
pub(crate) fn name<'m>(metadata: &'m Metadata<'_>) -> Checked<&'m str> {
    required(&metadata.name, "name").at("metadata")
}

/// The namespace of an object of a kind that lives in one.
pub(crate) fn namespace(metadata: &Metadata<'_>) -> Symbol {
    Symbol::new(metadata.namespace.given().unwrap_or(DEFAULT_NAMESPACE))
}

/// As a person writes the name of an object, if it has one.
pub(crate) fn full_name(name: &Name<'_>, has_namespace: bool) -> Option<String> {
    let namespace = name.namespace.given().unwrap_or(DEFAULT_NAMESPACE);
    let name = name.name.given()?;
    Some(if has_namespace { format!("{namespace}/{name}") } else { name.to_owned() })
}

/// A field that has to be there.
pub(crate) fn required<'t>(text: &'t Text<'_>, field: &str) -> Checked<&'t str> {
    text.given().ok_or_else(Problem::missing).at(field)
}

/// A word out of a list, or none.
pub(crate) fn one_of<'t>(
    word: &'t Text<'_>,
    known: &[&str],
    what: &str,
    field: &str,
) -> Checked<&'t str> {
    if word.is_empty() || known.contains(&&**word) {
        return Ok(word);
    }
    Err(Problem::unknown(word, what, known)).at(field)
}

/// The symbol of a text; an absent one has none.
pub(crate) fn given_symbol(text: &Text<'_>) -> Option<Symbol> {
    text.given().map(Symbol::new)
}

/// Labels, or the pairs of a `nodeSelector`.
pub(crate) fn labels(pairs: &Pairs<'_, Text<'_>>) -> Labels {
    pairs.iter().map(|(key, value)| (Symbol::new(key), &**value)).collect()
}

/// A moment, if one is given.
pub(crate) fn time(text: &Text<'_>, field: &str) -> Checked<Option<Timestamp>> {
    let Some(text) = text.given() else {
        return Ok(None);
    };
    let unreadable = |_| Problem::new(format!("{} is not a time", Quoted(text)));
    text.parse().map(Some).map_err(unreadable).at(field)
}

/// When the object was made; a file may leave that to its reader.
pub(crate) fn created(metadata: &Metadata<'_>, default: Timestamp) -> Checked<Timestamp> {
    Ok(time(&metadata.created, "creationTimestamp").at("metadata")?.unwrap_or(default))
}

/// The owner that would make the object again.
pub(crate) fn controller<'m, 'a>(metadata: &'m Metadata<'a>) -> Option<&'m OwnerReference<'a>> {
    metadata.owners.iter().find(|owner| owner.controller == Some(true))
}

/// A number that Kubernetes keeps in 32 bits and does not want below `least`.
pub(crate) fn count(number: i64, least: i32, field: &str) -> Checked<i32> {
    let problem = |text: String| Err(Problem::new(text)).at(field);
    match i32::try_from(number) {
        Ok(count) if count >= least => Ok(count),
        Ok(count) => problem(format!("{count} is less than {least}")),
        Err(_) => problem(format!("{number} does not fit into 32 bits")),
    }
}
