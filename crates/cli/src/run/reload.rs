//! Settings that change while the process runs: the file of `--config` is looked at again and again.

use std::{fs, sync::Arc, time::Duration};

use plimsoll_control::settings::Settings;
use tokio::sync::watch;
use tracing::{info, warn};

use super::{process::Process, wanted::Wanted};

/// How often. A file that Kubernetes mounts changes by a link to another folder, which no watch of the file itself would show.
const EVERY: Duration = Duration::from_secs(2);

/// Follows the file for ever. What makes no sense is told and changes nothing.
pub(super) async fn follow(wanted: Wanted, first: Process, settings: watch::Sender<Arc<Settings>>) {
    let Some(path) = first.config.clone() else { return };
    // Whatever was read before, it may have changed since.
    let mut known = None;
    let mut told: Vec<&'static str> = Vec::new();
    loop {
        tokio::time::sleep(EVERY).await;
        let text = Some(fs::read(&path).ok());
        if text == known {
            continue;
        }
        known = text;
        match wanted.resolve() {
            Ok(process) => {
                let parts = changed(&first, &process);
                for part in parts.iter().filter(|part| !told.contains(part)) {
                    warn!(file = %path.display(), "{part} changes with the next start only");
                }
                told = parts;
                if apply(&first, process, &settings) {
                    info!(file = %path.display(), "the settings have changed");
                }
            }
            Err(problem) => warn!(%problem, "the settings stay as they were"),
        }
    }
}

/// The parts that were to change and cannot.
fn changed(first: &Process, process: &Process) -> Vec<&'static str> {
    let pairs = first.fixed().into_iter().zip(process.fixed());
    pairs.filter(|(before, after)| before != after).map(|(before, _)| before.0).collect()
}

/// Puts the new settings into force, and says whether they are new. The list of the priority expander comes from elsewhere and
/// stays.
fn apply(first: &Process, process: Process, settings: &watch::Sender<Arc<Settings>>) -> bool {
    settings.send_if_modified(|current| {
        let mut next = process.settings;
        next.namespace.clone_from(&first.settings.namespace);
        next.plan.scale_up.priorities.clone_from(&current.plan.scale_up.priorities);
        let is_new = next != **current;
        *current = Arc::new(next);
        is_new
    })
}

#[cfg(test)]
mod tests;
