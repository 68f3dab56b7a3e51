//! More machines.

use std::{
    collections::{BTreeMap, BTreeSet},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures::{StreamExt as _, stream};
use plimsoll_provider::{Class, Error, Order};
use tokio::{sync::OwnedMutexGuard, time::Instant};
use tracing::{info, warn};

use super::{
    Core,
    attempts::{Listing, Standing},
    count,
    members::order_of,
    site::At,
    tasks::Caller,
};
use crate::slicer::{
    client::{Creation, Machine, Secret},
    userdata,
    wire::NewMachine,
};

/// After this no further machine is begun for a call: what an order has by then is answered, and the rest is decided anew. It is less
/// than callers wait.
const BEGINNING: Duration = Duration::from_secs(15);

/// What there is of an order.
struct Ordered {
    /// The names of its machines, in the order of their numbers.
    own: Vec<Box<str>>,
    /// How many machines each order of the group has.
    by_order: BTreeMap<Box<str>, u32>,
    /// How many machines the group has in all.
    members: u32,
}

/// What came of asking for machines.
#[derive(Default)]
struct Made {
    done: u32,
    unanswered: u32,
    /// The first thing that went wrong; nothing was begun after it.
    failed: Option<Error>,
}

// === impl Core ===

impl Core {
    /// That an order can be served at all.
    pub(super) fn acceptable(&self, order: &Order) -> Result<(), Error> {
        let (id, group) = (order.id.as_str(), order.group);
        if order.count == 0 {
            return Err(Error::invalid(format!("the order {id} for {group} asks for no machine")));
        }
        self.identified()?;
        self.site(group).map(drop)
    }

    /// Makes what is missing of an order; answers with how many machines it has.
    ///
    /// What was made for it before is known by its tag, also where a request was not answered and its machine appears later. While
    /// that may still happen nothing is made in its place, for this order or another one of the group.
    pub(super) async fn buy(
        &self,
        order: &Order,
        caller: &Caller,
        _alone: OwnedMutexGuard<()>,
    ) -> Result<u32, Error> {
        let (id, group) = (order.id.as_str(), order.group);
        let at = self.site(group)?;
        let before = self.ordered(&at, id).await?;
        if let Some(made) = self.state().memory.served(id) {
            return Ok(made.min(order.count));
        }
        let Standing { taken, in_doubt } = self.standing(&at, order, &before);
        let wanted = order.count.saturating_sub(taken);
        let needed = wanted.saturating_sub(count(before.own.len()));
        if needed == 0 {
            return Ok(self.served(&at, order, order.count));
        }
        let (target, max) = (before.members, at.group.max);
        if target.saturating_add(needed) > max {
            let problem = format!(
                "{group} has {target} machines and may have {max}; {needed} more are too many"
            );
            return Err(Error::invalid(problem));
        }
        let missing = needed.saturating_sub(in_doubt);
        if missing == 0 {
            return Err(unsettled(&at, in_doubt));
        }
        let secrets = self.give_token(&at).await?;
        let made = self.make(&at, order, missing, secrets, caller).await;
        let now = self.home.clock.now();
        let Made { done, unanswered, failed } = made;
        self.state().memory.attempts.record(&at.group.name, id, (done, unanswered), now);
        let listed = self.give_back(&at, order, wanted, &before).await?;
        let has = taken + listed;
        match failed {
            // Asked again, the rest is made.
            Some(error) if error.class() == Class::Retry => return Err(error),
            Some(error) if has == 0 => return Err(error),
            Some(error) => {
                warn!(provider = &*self.name, %group, order = id, made = has, %error, "scale-up served in part");
            }
            None if in_doubt > 0 => return Err(unsettled(&at, in_doubt)),
            None if done == 0 => return Err(busy(&at)),
            // The caller has given up and was not told how many it has: placed again, the rest is made.
            None if has < order.count && !caller.waits() => return Err(unheard(order)),
            None => {
                info!(provider = &*self.name, %group, order = id, made = has, "machines created");
            }
        }
        // One that ended as soon as it was made was made all the same.
        Ok(self.served(&at, order, has.max(1)))
    }

    /// What the order has without being asked for, and what it may have soon.
    fn standing(&self, at: &At, order: &Order, before: &Ordered) -> Standing {
        let own = count(before.own.len());
        // Those that were there when it was decided were not enough.
        let unforeseen = before.members.saturating_sub(order.from.saturating_add(own));
        let listing = Listing { by_order: &before.by_order, unforeseen };
        let now = self.home.clock.now();
        let mut state = self.state();
        state.memory.attempts.review(&at.group.name, order.id.as_str(), listing, now)
    }

    /// Remembers what an order was said to have.
    fn served(&self, at: &At, order: &Order, made: u32) -> u32 {
        let mut state = self.state();
        state.memory.serve(order.id.as_str(), made);
        state.memory.attempts.close(&at.group.name, order.id.as_str());
        made
    }

    /// The machines of an order, and how many the group has.
    async fn ordered(&self, at: &At, order: &str) -> Result<Ordered, Error> {
        let machines = at.site.client.machines(&at.group.name).await?;
        let state = self.state();
        let members = state.memory.members(self.cluster(&at.hosts), &at.group.name, &machines);
        let members: Vec<&Machine> = members.collect();
        let mut by_order: BTreeMap<Box<str>, u32> = BTreeMap::new();
        let mut own = Vec::new();
        for machine in &members {
            let Some(of) = order_of(machine) else { continue };
            *by_order.entry(of.into()).or_default() += 1;
            if of == order {
                own.push(machine.hostname.clone());
            }
        }
        Ok(Ordered { own, by_order, members: count(members.len()) })
    }

    /// Deletes what was made twice by this call and another process, the last ones, and tells how many machines the order has. A
    /// machine that was there before, or that has a node, is not touched here.
    async fn give_back(
        &self,
        at: &At,
        order: &Order,
        wanted: u32,
        before: &Ordered,
    ) -> Result<u32, Error> {
        let listed = self.ordered(at, order.id.as_str()).await?.own;
        let known: BTreeSet<&str> = before.own.iter().map(|name| &**name).collect();
        for surplus in listed.iter().skip(wide(wanted)) {
            let has_node = self.state().memory.has_node(&at.group.name, surplus);
            if known.contains(&**surplus) || has_node {
                continue;
            }
            warn!(provider = &*self.name, group = %order.group, hostname = &**surplus, "machine made twice, deleted");
            at.site.client.delete(&at.group.name, surplus).await?;
        }
        Ok(count(listed.len()).min(wanted))
    }

    /// Sees to it that the host has the cluster's token, as it is now, in its secret. Answers with the secrets that a machine is to be
    /// given: none where the host cannot be given any.
    async fn give_token(&self, at: &At) -> Result<Vec<String>, Error> {
        let (name, token) = (&at.hosts.config.secret, &at.hosts.config.k3s_token);
        let known = self.state().memory.has_token(&at.site.key, token);
        let is_there = known && {
            let secrets = at.site.client.secrets().await?;
            let length = secrecy::ExposeSecret::expose_secret(token).len();
            secrets.iter().any(|secret| {
                secret.name == **name
                    && secret.size.is_none_or(|size| usize::try_from(size) == Ok(length))
            })
        };
        if !is_there {
            let host = at.site.client.place();
            match at.site.client.put_secret(name, token).await? {
                Secret::Stored => {
                    self.state().memory.gave_token(&at.site.key, token);
                    info!(
                        provider = &*self.name,
                        host,
                        secret = &**name,
                        "token stored on the host"
                    );
                }
                Secret::Unsupported => {
                    if self.state().memory.lacks_secrets(&at.site.key) {
                        warn!(
                            provider = &*self.name,
                            host,
                            secret = &**name,
                            "host takes no secrets: its machines join only if their image or userdata-file has the token, or if the secret was put there by hand"
                        );
                    }
                    return Ok(Vec::new());
                }
            }
        }
        Ok(vec![name.to_string()])
    }

    /// Makes the missing machines, as many at once as the configuration allows. A machine is begun only while the caller waits and nothing went
    /// wrong; those that were begun are seen to their end.
    async fn make(
        &self,
        at: &At,
        order: &Order,
        missing: u32,
        secrets: Vec<String>,
        caller: &Caller,
    ) -> Made {
        let new = Arc::new(NewMachine {
            userdata: userdata::script(&at.hosts.config, &self.equipped(&at.group)),
            tags: self.cluster(&at.hosts).tags(order.id.as_str(), order.count),
            secrets,
            persistent: at.group.persistent,
        });
        let (stop, began) = (AtomicBool::new(false), Instant::now());
        let goes_on =
            || !stop.load(Ordering::Relaxed) && caller.waits() && began.elapsed() < BEGINNING;
        let creations = stream::iter(0..missing).map(|_| {
            let (new, goes_on) = (Arc::clone(&new), &goes_on);
            async move {
                // The semaphore is never closed, so there always is a turn.
                let _turn = at.site.turns.acquire().await;
                if !goes_on() {
                    return None;
                }
                Some(at.site.client.create(&at.group.name, &new).await)
            }
        });
        let at_once = wide(at.hosts.config.parallel_creations);
        let mut creations = pin!(creations.buffer_unordered(at_once));
        let mut made = Made::default();
        while let Some(creation) = creations.next().await {
            let error = match creation {
                None => continue,
                Some(Creation::Done) => {
                    made.done += 1;
                    continue;
                }
                Some(Creation::Unanswered(error)) => {
                    made.unanswered += 1;
                    error
                }
                Some(Creation::Refused(error)) => error,
            };
            stop.store(true, Ordering::Relaxed);
            made.failed.get_or_insert(error);
        }
        made
    }
}

/// That machines may yet appear, for which nothing is made in their place.
fn unsettled(at: &At, machines: u32) -> Error {
    let (host, group) = (at.site.client.place(), &at.group.name);
    Error::retry(format!(
        "{host} did not answer {machines} requests for machines of {group}, which may still appear; no others are made in their place"
    ))
    .with_code("Unsettled")
}

/// The caller gave up waiting before the order was complete.
fn unheard(order: &Order) -> Error {
    Error::retry(format!("the caller gave up waiting for the order {}", order.id.as_str()))
}

/// That the host is making other machines.
fn busy(at: &At) -> Error {
    let host = at.site.client.place();
    Error::retry(format!("{host} is making other machines")).with_code("Busy")
}

fn wide(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
