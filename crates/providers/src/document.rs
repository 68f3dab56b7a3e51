//! Configuration files: YAML or JSON in which every value knows its line, so that what is wrong is said in one line with its
//! place.

use std::{fs, path::Path};

mod error;
mod field;
#[cfg(feature = "lab")]
mod measured;
mod scalar;
mod tree;

pub use self::error::ConfigError;
pub(crate) use self::{
    error::Checked,
    field::{Field, Fields, quoted},
    tree::{Tree, Value},
};

/// What the document of a file means, by `read`.
pub(crate) fn load<T>(
    path: &Path,
    read: impl FnOnce(&Tree) -> Checked<T>,
) -> Result<T, ConfigError> {
    let name = path.display().to_string();
    let refuse = |problem: String| ConfigError::of_file(&name, problem);
    let bytes = fs::read(path).map_err(|error| refuse(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        refuse(format!("byte {} is not UTF-8", error.utf8_error().valid_up_to() + 1))
    })?;
    parse(&name, &text, read)
}

/// What a text means, by `read`; `file` is its name in errors.
pub(crate) fn parse<T>(
    file: &str,
    text: &str,
    read: impl FnOnce(&Tree) -> Checked<T>,
) -> Result<T, ConfigError> {
    tree::parse(text).and_then(|tree| read(&tree)).map_err(|error| error.in_file(file))
}
