//! Files and standard input.

use std::{fs, io, io::Read as _};

use anyhow::{Context as _, Error, anyhow};

/// The name of standard input.
const STANDARD_INPUT: &str = "-";

/// The whole text of the file.
pub(crate) fn read(file: &str) -> Result<String, Error> {
    let read = if file == STANDARD_INPUT {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(file)
    };
    let bytes = read.with_context(|| file.to_owned())?;
    String::from_utf8(bytes).map_err(|error| {
        anyhow!("{file}: byte {} is not UTF-8", error.utf8_error().valid_up_to() + 1)
    })
}
