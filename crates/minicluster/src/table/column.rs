//! Columns as data.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{age, read, words};

/// A column of a built-in kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    name: &'static str,
    kind: &'static str,
    format: &'static str,
    description: &'static str,
    priority: u8,
    cell: Cell,
}

/// Where a cell comes from. Paths are JSON pointers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cell {
    /// A text, empty where there is none.
    Text(&'static str),
    /// A text, and what is shown where there is none.
    TextOr(&'static str, &'static str),
    /// A whole number, zero where there is none.
    Number(&'static str),
    /// True or false; false where nothing is said.
    Flag(&'static str),
    /// How many items a list has, or members a map.
    Count(&'static str),
    /// How long ago a time is.
    Age(&'static str),
    /// Whatever takes more than one look.
    Made(fn(&Value, Timestamp) -> Value),
}

/// The name, which is the first column of nearly every kind.
pub(super) const NAME: Column =
    text("Name", words::OBJECT_META_NAME, Cell::Text("/metadata/name")).formatted("name");

/// The age of the object.
pub(super) const AGE: Column =
    text("Age", words::OBJECT_META_CREATION_TIMESTAMP, Cell::Age("/metadata/creationTimestamp"));

/// What kinds have about which the server knows nothing more.
pub(super) const PLAIN: &[Column] = &[
    NAME,
    Column {
        kind: "date",
        ..text(
            "Created At",
            words::OBJECT_META_CREATION_TIMESTAMP,
            Cell::TextOr("/metadata/creationTimestamp", "0001-01-01T00:00:00Z"),
        )
    },
];

/// A column of texts.
pub(super) const fn text(name: &'static str, description: &'static str, cell: Cell) -> Column {
    Column { name, kind: "string", format: "", description, priority: 0, cell }
}

/// A column of whole numbers.
pub(super) const fn integer(name: &'static str, description: &'static str, cell: Cell) -> Column {
    Column { kind: "integer", ..text(name, description, cell) }
}

/// A column of true and false.
pub(super) const fn boolean(name: &'static str, description: &'static str, cell: Cell) -> Column {
    Column { kind: "boolean", ..text(name, description, cell) }
}

// === impl Column ===

impl Column {
    /// The column, shown in wide tables only.
    pub(super) const fn wide(self) -> Self {
        Self { priority: 1, ..self }
    }

    /// The column, with a format.
    pub(super) const fn formatted(self, format: &'static str) -> Self {
        Self { format, ..self }
    }

    /// What clients are told about it.
    pub(super) fn definition(&self) -> Value {
        json!({
            "name": self.name,
            "type": self.kind,
            "format": self.format,
            "description": self.description,
            "priority": self.priority,
        })
    }

    /// Its cell in the row of an object.
    pub(super) fn show(&self, object: &Value, now: Timestamp) -> Value {
        match self.cell {
            Cell::Text(path) => read::text(object, path).into(),
            Cell::TextOr(path, absent) => read::text_or(object, path, absent).into(),
            Cell::Number(path) => read::number(object, path).into(),
            Cell::Flag(path) => read::flag(object, path).into(),
            Cell::Count(path) => read::count(object, path).into(),
            Cell::Age(path) => age::since(read::text(object, path), now).into(),
            Cell::Made(make) => make(object, now),
        }
    }
}
