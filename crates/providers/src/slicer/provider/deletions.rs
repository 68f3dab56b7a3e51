//! Fewer machines.

use std::collections::BTreeMap;

use futures::{StreamExt as _, stream};
use plimsoll_model::Symbol;
use plimsoll_provider::{Class, Deletion, Error};
use tokio::sync::OwnedMutexGuard;

use super::{Core, site::At};
use crate::slicer::{
    client::{Machine, Removed},
    userdata::{SCHEME, provider_id},
};

/// So many machines are deleted at once.
const AT_ONCE: usize = 4;

// === impl Core ===

impl Core {
    /// Deletes machines by their ids; none when one of them is not the group's. Nobody else changes the group meanwhile.
    pub(super) async fn remove(
        &self,
        group: Symbol,
        instances: &[Box<str>],
        _alone: OwnedMutexGuard<()>,
    ) -> Result<Vec<Deletion>, Error> {
        let at = self.site(group)?;
        let machines = at.site.client.machines(&at.group.name).await?;
        // Each once, all of them looked at before the first is deleted.
        let mut named = BTreeMap::new();
        for id in instances {
            named.insert(id.clone(), self.find(&at, id, &machines)?);
        }
        let mut deletions = Vec::new();
        for (id, hostname) in named {
            deletions.push(self.outcome(&at, id, hostname));
        }
        let outcomes: BTreeMap<Box<str>, Result<(), Error>> =
            stream::iter(deletions).buffer_unordered(AT_ONCE).collect().await;
        // When the host is away nothing is known of any, and the call is repeated as a whole.
        if let Some(Err(first)) = outcomes.values().next()
            && outcomes.values().all(|outcome| is_away(outcome.as_ref()))
        {
            return Err(first.clone());
        }
        let outcome = |id: &str| outcomes.get(id).cloned().unwrap_or_else(|| Err(absent(id)));
        let answer = |id: &str| Deletion { instance: id.into(), outcome: outcome(id) };
        Ok(instances.iter().map(|id| answer(id)).collect())
    }

    async fn outcome(
        &self,
        at: &At,
        id: Box<str>,
        hostname: Option<Box<str>>,
    ) -> (Box<str>, Result<(), Error>) {
        let outcome = match hostname {
            Some(hostname) => self.remove_one(at, &hostname).await,
            None => Err(absent(&id)),
        };
        (id, outcome)
    }

    /// The name of a machine of the group by its id; `None` when there is none. Refused when it is not the group's.
    fn find(&self, at: &At, id: &str, machines: &[Machine]) -> Result<Option<Box<str>>, Error> {
        let group = &*at.group.name;
        let found = machines.iter().find(|machine| *provider_id(group, &machine.hostname) == *id);
        let Some(machine) = found else {
            let elsewhere = id.strip_prefix(SCHEME).and_then(|rest| rest.split_once('/'));
            return match elsewhere {
                Some((other, _)) if other != group => {
                    Err(Error::invalid(format!("{id} belongs to {other}, not to {group}")))
                }
                _ => Ok(None),
            };
        };
        if self.state().memory.is_member(self.cluster(&at.hosts), group, machine) {
            return Ok(Some(machine.hostname.clone()));
        }
        Err(Error::invalid(format!(
            "{id} is not this cluster's: it is tagged for another, or its host keeps it"
        )))
    }

    async fn remove_one(&self, at: &At, hostname: &str) -> Result<(), Error> {
        match at.site.client.delete(&at.group.name, hostname).await? {
            Removed::Done => Ok(()),
            Removed::Absent => Err(absent(hostname)),
            Removed::Protected(error) => {
                // From now on it is not the group's, so that nobody drains it again in vain.
                self.state().memory.keep(&at.group.name, hostname);
                Err(error)
            }
        }
    }
}

fn absent(id: &str) -> Error {
    Error::not_found(format!("there is no machine {id}"))
}

fn is_away(outcome: Result<&(), &Error>) -> bool {
    outcome.is_err_and(|error| error.class() == Class::Retry)
}
