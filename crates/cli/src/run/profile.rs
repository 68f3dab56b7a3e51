//! The user's `KubeSchedulerConfiguration`, from its file.

use std::{fs, path::Path};

use plimsoll_manifest::profile::{self, Read};

/// The profile of a file, or what is wrong with it in one line.
pub(super) fn read(path: &Path) -> Result<Read, String> {
    let name = path.display();
    let text = fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    profile::read(&text).map_err(|problem| format!("{name}: {problem}"))
}
