//! Cargo, called from a program that cargo itself has started.

use std::path::Path;
use std::process::{Command, Stdio};

/// What `cargo run` tells its child about the child. Build scripts of dependencies watch some of
/// these; passed on, they would make the inner cargo build such dependencies anew each time.
const ABOUT_THIS_PROCESS: [&str; 5] =
    ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_NAME", "CARGO_PRIMARY_PACKAGE"];

/// The cargo that started this process, to be run in `directory` without anything to read.
pub(crate) fn command(directory: &Path) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(directory).stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        let is_about_this_process = name
            .to_str()
            .is_some_and(|name| ABOUT_THIS_PROCESS.iter().any(|start| name.starts_with(start)));
        if is_about_this_process {
            command.env_remove(name);
        }
    }
    command
}
