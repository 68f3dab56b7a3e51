//! Several providers as one.
//!
//! The ids of their groups stay apart: where there is more than one provider, a group is called `provider/group`. Whether that
//! is so depends on the configuration alone and never on what happens to be readable, so ids are the same after any outage.
//!
//! A provider that cannot be read keeps its groups as they were last seen, frozen; the others go on.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use plimsoll_model::{GroupOptions, Symbol};
use plimsoll_net::{Clock, Shutdown};
use thiserror::Error as ThisError;
use tokio::time::timeout;

pub use self::names::GroupName;
use self::names::Names;
use crate::{
    Capabilities, Deletion, Error, GroupSpec, GroupState, Inventory, Keeper, Kept, NodeIdentity,
    Order, Provider, Whose,
};

mod names;
mod resolve;

/// How the members of a fleet are kept.
#[derive(Clone, Copy, Debug)]
pub struct Upkeep {
    /// How often each is refreshed.
    pub every: Duration,
    /// Groups are frozen when what is known of them is older than this.
    pub stale_after: SignedDuration,
    /// How long [`Fleet::refresh`] waits for a member; who takes longer is shown as last seen.
    pub patience: Duration,
}

/// Several providers that look like one.
#[derive(Debug)]
pub struct Fleet {
    members: Vec<Member>,
    clock: Clock,
    upkeep: Upkeep,
    name: String,
}

/// Two providers have the same name.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
#[error("two providers are called {0}; give one of them another name")]
pub struct SameName(pub String);

#[derive(Debug)]
struct Member {
    keeper: Arc<Keeper>,
    names: Names,
}

// === impl Upkeep ===

impl Default for Upkeep {
    fn default() -> Self {
        Self {
            every: Duration::from_secs(10),
            stale_after: SignedDuration::from_secs(45),
            patience: Duration::from_secs(5),
        }
    }
}

// === impl Fleet ===

impl Fleet {
    /// Of these providers, each of which is asked as patiently as it comes: wrap it in [`crate::Steady`] first.
    pub fn new(
        providers: Vec<Arc<dyn Provider>>,
        clock: Clock,
        upkeep: Upkeep,
    ) -> Result<Self, SameName> {
        let names: Vec<String> = providers.iter().map(|one| one.name().to_owned()).collect();
        if let Some(twice) =
            names.iter().enumerate().find(|(place, name)| names[..*place].contains(name))
        {
            return Err(SameName(twice.1.clone()));
        }
        let alone = providers.len() == 1;
        let members = providers
            .into_iter()
            .map(|provider| Member {
                names: if alone { Names::Plain } else { Names::Under(provider.name().into()) },
                keeper: Arc::new(Keeper::new(provider, clock)),
            })
            .collect();
        Ok(Self { members, clock, upkeep, name: names.join(",") })
    }

    /// Keeps the members fresh until `shutdown`.
    pub async fn run(&self, shutdown: &Shutdown) {
        let members =
            self.members.iter().map(|member| member.keeper.run(self.upkeep.every, shutdown));
        futures::future::join_all(members).await;
    }

    /// The members' keepers, to see changes as they come.
    pub fn keepers(&self) -> impl Iterator<Item = &Arc<Keeper>> {
        self.members.iter().map(|member| &member.keeper)
    }

    /// What is known now, without asking anybody. Options are `common` where a group has none of its own.
    pub fn inventory(&self, common: &GroupOptions) -> Inventory {
        let mut all = Inventory::default();
        for member in &self.members {
            let kept = member.keeper.latest();
            let frozen = self.frozen(member, &kept);
            let Some(inventory) = &kept.inventory else { continue };
            if all.gpu_label.is_empty() {
                all.gpu_label.clone_from(&inventory.gpu_label);
            }
            all.gpu_types.extend(inventory.gpu_types.iter().cloned());
            all.groups.extend(inventory.groups.iter().map(|state| {
                let mut state: GroupState = state.clone();
                state.group.id = member.names.outer(state.group.id);
                state.group.options = state.overrides.over(common);
                if state.group.frozen.is_none() {
                    state.group.frozen.clone_from(&frozen);
                }
                state
            }));
        }
        all.gpu_types.sort_unstable();
        all.gpu_types.dedup();
        all
    }

    /// When the refresh began that tells about this group: all that its provider was told before is in it.
    pub fn as_of(&self, group: Symbol) -> Option<Timestamp> {
        let (member, _) = self.member_of(group).ok()?;
        member.keeper.latest().as_of
    }

    /// Why a member's groups are left alone.
    fn frozen(&self, member: &Member, kept: &Kept) -> Option<Box<str>> {
        let age = self.clock.now().duration_since(kept.as_of?);
        if age <= self.upkeep.stale_after {
            return None;
        }
        let name = member.keeper.provider().name();
        let seconds = age.as_secs();
        Some(match &kept.failing {
            Some((_, error)) => {
                format!("{name} cannot be read, last seen {seconds} s ago: {error}").into()
            }
            None => format!("{name} was last seen {seconds} s ago").into(),
        })
    }

    /// The member that a group belongs to, with the group's name there.
    fn member_of(&self, group: Symbol) -> Result<(&Member, Symbol), Error> {
        self.members
            .iter()
            .find_map(|member| Some((member, member.names.inner(group)?)))
            .ok_or_else(|| Error::not_found(format!("no provider has a group {group}")))
    }
}

#[async_trait]
impl Provider for Fleet {
    fn name(&self) -> &str {
        &self.name
    }

    /// What at least one member can do; a member that cannot says so itself.
    fn capabilities(&self) -> Capabilities {
        let can = |pick: fn(&Capabilities) -> bool| {
            self.members.iter().any(|member| pick(&member.keeper.provider().capabilities()))
        };
        let all = |pick: fn(&Capabilities) -> bool| {
            self.members.iter().all(|member| pick(&member.keeper.provider().capabilities()))
        };
        Capabilities {
            prices: can(|member| member.prices),
            templates: can(|member| member.templates),
            options: can(|member| member.options),
            groups: can(|member| member.groups),
            stock: can(|member| member.stock),
            order_ids: all(|member| member.order_ids),
            single_deletions: all(|member| member.single_deletions),
            strangers: all(|member| member.strangers),
            keeps_minimum: can(|member| member.keeps_minimum),
            counts_orders: all(|member| member.counts_orders),
        }
    }

    fn introduce(&self, group: Symbol, instance: &str, node: &NodeIdentity) {
        if let Ok((member, group)) = self.member_of(group) {
            member.keeper.provider().introduce(group, instance, node);
        }
    }

    fn remarks(&self, group: Symbol) -> Vec<String> {
        let member = self.member_of(group);
        member.map(|(member, group)| member.keeper.provider().remarks(group)).unwrap_or_default()
    }

    /// Never fails because of one member: who cannot be read is shown as last seen, and frozen once that is too long ago. It fails
    /// when nothing has ever been seen of any.
    async fn refresh(&self) -> Result<Inventory, Error> {
        let waiting = self.members.iter().map(|member| async {
            let ticket = member.keeper.nudge();
            let _ = timeout(self.upkeep.patience, member.keeper.wait(ticket)).await;
            member.keeper.latest()
        });
        let kept = futures::future::join_all(waiting).await;
        if kept.iter().all(|kept| kept.inventory.is_none()) {
            let failure = kept.into_iter().find_map(|kept| kept.failing);
            return Err(failure.map_or_else(
                || Error::retry(format!("{} has not been read yet", self.name)),
                |(_, error)| error,
            ));
        }
        Ok(self.inventory(&GroupOptions::default()))
    }

    async fn increase(&self, order: &Order) -> Result<u32, Error> {
        let (member, group) = self.member_of(order.group)?;
        let outcome = member.keeper.provider().increase(&Order { group, ..order.clone() }).await;
        member.keeper.nudge();
        outcome
    }

    async fn lower_target(&self, group: Symbol, target: u32) -> Result<u32, Error> {
        let (member, group) = self.member_of(group)?;
        let outcome = member.keeper.provider().lower_target(group, target).await;
        member.keeper.nudge();
        outcome
    }

    async fn delete(&self, group: Symbol, instances: &[Box<str>]) -> Result<Vec<Deletion>, Error> {
        let (member, group) = self.member_of(group)?;
        let outcome = member.keeper.provider().delete(group, instances).await;
        member.keeper.nudge();
        outcome
    }

    /// The first member that has the machine; when none has, one that says it is gone. When one could not be asked, neither is known.
    async fn owner(&self, node: &NodeIdentity) -> Result<Whose, Error> {
        let (mut gone, mut failure) = (Whose::Nobodys, None);
        for member in &self.members {
            let whose = member.keeper.provider().owner(node).await;
            match whose.map(|whose| whose.renamed(|group| Some(member.names.outer(group)))) {
                Ok(whose @ Whose::Machine(_)) => return Ok(whose),
                Ok(whose @ Whose::Gone(_)) if gone == Whose::Nobodys => gone = whose,
                Ok(Whose::Gone(_) | Whose::Nobodys) => {}
                Err(error) => failure = Some(error),
            }
        }
        failure.map_or(Ok(gone), Err)
    }

    /// In the first member that makes groups, or the one that the name begins with.
    async fn create_group(&self, spec: &GroupSpec) -> Result<Symbol, Error> {
        let wanted = Symbol::new(&spec.name);
        let by_name = self.members.iter().find_map(|member| match &member.names {
            Names::Under(_) => Some((member, member.names.inner(wanted)?)),
            Names::Plain => None,
        });
        let by_ability = || {
            let able = |member: &&Member| member.keeper.provider().capabilities().groups;
            self.members.iter().find(able).map(|member| (member, wanted))
        };
        let Some((member, name)) = by_name.or_else(by_ability) else {
            return Err(Error::unsupported(format!("{} cannot make groups", self.name)));
        };
        let spec = GroupSpec { name: name.as_str().into(), ..spec.clone() };
        let created = member.keeper.provider().create_group(&spec).await;
        member.keeper.nudge();
        created.map(|group| member.names.outer(group))
    }

    async fn delete_group(&self, group: Symbol) -> Result<(), Error> {
        let (member, group) = self.member_of(group)?;
        let outcome = member.keeper.provider().delete_group(group).await;
        member.keeper.nudge();
        outcome
    }

    async fn close(&self) {
        for member in &self.members {
            member.keeper.provider().close().await;
        }
    }
}

#[cfg(test)]
mod tests;
