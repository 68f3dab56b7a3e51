//! What the program says about itself while it runs: to the standard error, so that answers stay clean.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::EnvFilter;

/// Which messages are wanted when nobody says, and how to say.
pub(crate) const VARIABLE: &str = "PLIMSOLL_LOG";
const DEFAULT: &str = "info";

/// Begins to write messages. Later calls do nothing.
pub(crate) fn start() {
    let filter = EnvFilter::builder()
        .with_env_var(VARIABLE)
        .from_env()
        .ok()
        .filter(|_| std::env::var_os(VARIABLE).is_some())
        .unwrap_or_else(|| EnvFilter::new(DEFAULT));
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .with_target(false)
        .try_init();
}
