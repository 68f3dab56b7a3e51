//! The wishes of one group take turns, those of different groups do not wait for each other.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use plimsoll_model::Symbol;
use tokio::sync::{Mutex as Turn, OwnedMutexGuard};

/// One turn a group.
#[derive(Debug, Default)]
pub(crate) struct Turns(Mutex<HashMap<Symbol, Arc<Turn<()>>>>);

/// The leave to change a group, until it is dropped.
pub(crate) type Leave = OwnedMutexGuard<()>;

// === impl Turns ===

impl Turns {
    /// Waits until nobody else has the turn. Who gives up waiting has changed nothing.
    pub(crate) async fn take(&self, group: Symbol) -> Leave {
        let turn = {
            let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(turns.entry(group).or_default())
        };
        turn.lock_owned().await
    }
}
