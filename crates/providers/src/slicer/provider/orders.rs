//! More machines.

use std::{
    future::ready,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use futures::{StreamExt as _, stream};
use plimsoll_provider::{Class, Error, Order};
use tracing::{info, warn};

use super::{
    Core, count,
    members::{Cluster, is_of_order},
    site::At,
};
use crate::slicer::{client::Machine, userdata, wire::NewMachine};

/// So many machines are asked for at once: a host starts them from one disk.
const AT_ONCE: usize = 4;

// === impl Core ===

impl Core {
    /// Makes what is missing of an order; answers with how many machines it has.
    ///
    /// What was made for it before is known by its tag. A request of somebody who crashed may still arrive while this looks, so what
    /// is too much in the end is given back.
    pub(super) async fn buy(&self, order: &Order) -> Result<u32, Error> {
        let (id, group) = (order.id.as_str(), order.group);
        if order.count == 0 {
            return Err(Error::invalid(format!("the order {id} for {group} asks for no machine")));
        }
        self.identified()?;
        self.site(group)?;
        let _alone = self.lock(group).await;
        let at = self.site(group)?;
        let before = self.ordered(&at, id).await?;
        if let Some(made) = self.state().memory.served(id) {
            return Ok(made.min(order.count));
        }
        if before.of_order.len() >= wide(order.count) {
            self.state().memory.serve(id, order.count);
            return Ok(order.count);
        }
        let missing = order.count - count(before.of_order.len());
        let (target, max) = (before.members, at.group.max);
        if target.saturating_add(missing) > max {
            let problem = format!(
                "{group} has {target} machines and may have {max}; {missing} more are too many"
            );
            return Err(Error::invalid(problem));
        }
        self.give_token(&at).await?;
        let outcome = make(&at, self.cluster(&at.hosts), id, missing).await;
        let made = self.give_back(&at, order).await?;
        match outcome {
            // Asked again, the rest is made.
            Err(error) if error.class() == Class::Retry => return Err(error),
            Err(error) if made == 0 => return Err(error),
            Err(error) => {
                warn!(provider = &*self.name, %group, order = id, made, %error, "an order was served in part");
            }
            Ok(()) => info!(provider = &*self.name, %group, order = id, made, "machines were made"),
        }
        // One that ended as soon as it was made was made all the same.
        let made = count(made).max(1);
        self.state().memory.serve(id, made);
        Ok(made)
    }

    /// The machines of an order, and how many the group has.
    async fn ordered(&self, at: &At, order: &str) -> Result<Ordered, Error> {
        let machines = at.site.client.machines(&at.group.name).await?;
        let state = self.state();
        let members = state.memory.members(self.cluster(&at.hosts), &at.group.name, &machines);
        let members: Vec<&Machine> = members.collect();
        let of_order = members.iter().filter(|machine| is_of_order(machine, order));
        let of_order = of_order.map(|machine| machine.hostname.clone()).collect();
        Ok(Ordered { of_order, members: count(members.len()) })
    }

    /// Deletes what is too much of an order, the last ones, and tells how many it has.
    async fn give_back(&self, at: &At, order: &Order) -> Result<usize, Error> {
        let ordered = self.ordered(at, order.id.as_str()).await?.of_order;
        let wanted = wide(order.count);
        for surplus in ordered.iter().skip(wanted) {
            warn!(provider = &*self.name, group = %order.group, hostname = &**surplus, "made twice, given back");
            at.site.client.delete(&at.group.name, surplus).await?;
        }
        Ok(ordered.len().min(wanted))
    }

    /// Sees to it that the host has the cluster's token, as it is now, in its secret.
    async fn give_token(&self, at: &At) -> Result<(), Error> {
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
            at.site.client.put_secret(name, token).await?;
            self.state().memory.gave_token(&at.site.key, token);
            info!(
                provider = &*self.name,
                host = at.site.client.place(),
                secret = &**name,
                "gave the host the token"
            );
        }
        Ok(())
    }
}

/// What there is of an order.
struct Ordered {
    /// The names of its machines, in the order in which they were made.
    of_order: Vec<Box<str>>,
    /// How many machines the group has in all.
    members: u32,
}

/// Makes so many machines. After an error no more are begun; those that were begun are seen to their end.
async fn make(at: &At, cluster: Cluster<'_>, order: &str, missing: u32) -> Result<(), Error> {
    let new = Arc::new(NewMachine {
        userdata: userdata::script(&at.hosts.config, &at.group),
        tags: cluster.tags(order),
        secrets: vec![at.hosts.config.secret.to_string()],
        persistent: at.group.persistent,
    });
    let stop = AtomicBool::new(false);
    let going = stream::iter(0..missing).take_while(|_| ready(!stop.load(Ordering::Relaxed)));
    let made = going.map(|_| {
        let new = Arc::clone(&new);
        async move { at.site.client.create(&at.group.name, &new).await }
    });
    let mut made = pin!(made.buffer_unordered(AT_ONCE));
    let mut failed: Option<Error> = None;
    while let Some(outcome) = made.next().await {
        if let Err(error) = outcome {
            stop.store(true, Ordering::Relaxed);
            failed.get_or_insert(error);
        }
    }
    failed.map_or(Ok(()), Err)
}

fn wide(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
