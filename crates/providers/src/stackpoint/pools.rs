//! Pools that somebody else tells instead of the service: a file, or the ConfigMap of the original.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::Value;

use super::{listing::Listing, wire::Pool};

/// The ConfigMap that the original reads pools from, in the namespace of the autoscaler.
pub const CONFIG_MAP: &str = "stackpoint-node-pools";

/// The key in it: the value is a list of pools as the service writes it.
pub const CONFIG_MAP_KEY: &str = "nodepools";

/// Where whoever watches the cluster puts what the ConfigMap says. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Board(Arc<Mutex<Option<String>>>);

// === impl Board ===

impl Board {
    /// The ConfigMap says this now; `None` when there is none.
    pub fn post(&self, text: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }

    fn text(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The pools that a file tells, else those of the board; `None` where neither says anything. The error says who cannot be understood,
/// and why.
pub(super) async fn told(
    file: Option<&Path>,
    board: &Board,
) -> Result<Option<Listing<Pool>>, String> {
    if let Some(file) = file {
        match tokio::fs::read(file).await {
            Ok(bytes) => {
                let pools = read(&bytes).map_err(|why| format!("{}: {why}", file.display()))?;
                return Ok(Some(pools));
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(format!("cannot read {}: {error}", file.display())),
        }
    }
    let pools = board.text().map(|text| read(text.as_bytes())).transpose();
    pools.map_err(|why| format!("the ConfigMap {CONFIG_MAP}: {why}"))
}

fn read(text: &[u8]) -> Result<Listing<Pool>, String> {
    let entries: Vec<Value> = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    let mut pools = Listing::<Pool>::of(entries);
    // How many machines there are is the service's to say.
    for pool in &mut pools.read {
        pool.node_count = 0;
    }
    Ok(pools)
}
