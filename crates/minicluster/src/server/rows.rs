//! Objects as rows of a Table.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::{ApiError, table::Printer};

use super::{accept::MetaVersion, query::Query, shape};

/// What a row carries beside its cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Include {
    /// The object's metadata.
    #[default]
    Metadata,
    /// The object.
    Object,
    /// Nothing.
    None,
}

/// How rows are made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows<'k> {
    /// In which columns.
    pub(super) printer: Printer<'k>,
    /// For whom.
    pub(super) version: MetaVersion,
    /// With what.
    pub(super) include: Include,
    /// For ages.
    pub(super) now: Timestamp,
}

// === impl Include ===

impl Include {
    /// What the query asks for.
    pub(super) fn parse(query: &Query) -> Result<Self, ApiError> {
        match query.text("includeObject") {
            None | Some("Metadata") => Ok(Self::Metadata),
            Some("Object") => Ok(Self::Object),
            Some("None") => Ok(Self::None),
            Some(other) => Err(ApiError::bad_request(format!(
                "Unable to convert to Table as requested: includeObject: Invalid value: {other:?}: must be 'Metadata', 'Object', \
                 'None', or empty"
            ))),
        }
    }
}

// === impl Rows ===

impl Rows<'_> {
    /// One row.
    pub(super) fn row(&self, object: &Value) -> Value {
        let shown = match self.include {
            Include::Metadata => shape::metadata(object, self.version),
            Include::Object => object.clone(),
            Include::None => Value::Null,
        };
        let mut row = json!({ "cells": self.printer.cells(object, self.now), "object": shown });
        if let Some(conditions) = self.printer.conditions(object) {
            row["conditions"] = conditions;
        }
        row
    }

    /// A table without rows; `columns` may be null, where a stream has had them already.
    pub(super) fn table(&self, metadata: &Value, columns: &Value) -> Value {
        json!({
            "kind": "Table",
            "apiVersion": self.version.api_version(),
            "metadata": metadata,
            "columnDefinitions": columns,
        })
    }

    /// The columns.
    pub(super) fn columns(&self) -> Value {
        self.printer.columns()
    }

    /// A table of one object.
    pub(super) fn single(&self, object: &Value, columns: &Value) -> Value {
        let version = &object["metadata"]["resourceVersion"];
        let mut table = self.table(&json!({ "resourceVersion": version }), columns);
        table["rows"] = json!([self.row(object)]);
        table
    }
}
