//! Whether the hosts have the groups that the file names: asked once, when a process starts, because whoever has mistyped a name
//! wants to know it then.

use std::time::Duration;

use futures::future::join_all;
use tokio::time::timeout;
use tracing::debug;

use super::Core;
use crate::{ConfigError, slicer::wire::HostGroup};

/// How long a host has to say which groups it has.
const PATIENCE: Duration = Duration::from_secs(5);

// === impl Core ===

impl Core {
    /// The first group of the file that its host does not have. A host that cannot be asked is passed over: its groups are left alone
    /// until it can be.
    pub(super) async fn verify(&self) -> Result<(), ConfigError> {
        let hosts = self.hosts();
        for remark in &hosts.config.remarks {
            debug!(provider = &*self.name, file = hosts.config.file, "{remark}");
        }
        let asked = hosts.sites.iter().map(|site| timeout(PATIENCE, site.client.host_groups()));
        let mut missing = Vec::new();
        for (site, offered) in hosts.sites.iter().zip(join_all(asked).await) {
            let Ok(Ok(offered)) = offered else { continue };
            let groups = site.groups.iter().filter_map(|place| hosts.config.groups.get(*place));
            let has = |name: &str| offered.iter().any(|offer| *offer.name == *name);
            for group in groups.filter(|group| !has(&group.name)) {
                missing.push(ConfigError {
                    file: hosts.config.file.clone(),
                    line: Some(group.line),
                    place: format!("nodegroup \"{}\"", group.name),
                    problem: lack(&site.client.place(), &offered),
                });
            }
        }
        missing.into_iter().min_by_key(|error| error.line).map_or(Ok(()), Err)
    }
}

/// That a host has no group of a name, with those that it has.
pub(super) fn lack(host: &str, offered: &[HostGroup]) -> String {
    let names: Vec<&str> = offered.iter().map(|offer| &*offer.name).collect();
    let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    format!("there is no such host group at {host}, which has {names}")
}
