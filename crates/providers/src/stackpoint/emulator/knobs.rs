//! What can be done to the service from outside, behind the back of whoever uses it.

use std::time::Duration;

use jiff::SignedDuration;
use plimsoll_model::Symbol;
use serde_json::Value;

use super::{
    Emulator, Failure, Generation, Machine, Paths, Reach, ReplyStyle,
    faults::Patch,
    replies,
    state::{Pool, State},
};
use crate::faults::Failing;

/// What becomes of a machine that does not come up as it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It stays a draft for ever, and the service never says that it failed.
    Stuck,
    /// It fails while it is built.
    Fails,
    /// The same, and only `is_failed` tells.
    FailsInPlace,
    /// It runs, and its node never joins.
    NeverJoins,
    /// The service puts it into no group.
    Homeless,
}

/// Machines that an autoscaler has to leave alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Foreign {
    /// A worker of no pool that is autoscaled.
    #[default]
    Worker,
    /// A master.
    Master,
    /// A worker of an autoscaled pool that hosts etcd.
    EtcdHost,
}

// === impl Emulator ===

impl Emulator {
    /// Cuts the service off, or brings it back.
    pub fn set_reach(&self, reach: Reach) {
        self.change(|state, _| state.faults.reach = reach);
    }

    /// Makes every request take this much longer, before it takes effect.
    pub fn set_latency(&self, latency: Duration) {
        self.change(|state, _| state.faults.latency = latency);
    }

    pub(super) fn latency(&self) -> Duration {
        self.state().faults.latency
    }

    /// After `after` requests, makes so many of them fail without effect.
    pub fn fail_requests(&self, after: u32, requests: u32, failure: Failure) {
        let failing = Failing::new(after, requests, failure);
        self.change(|state, _| state.faults.failing = failing);
    }

    /// Loses the answers to so many requests that change something.
    pub fn lose_replies(&self, requests: u32) {
        self.change(|state, _| state.faults.lost_replies = requests);
    }

    /// After so many whole lists, cuts one in the middle.
    pub fn cut_list(&self, after: u32) {
        self.change(|state, _| state.faults.cut_after = Some(after));
    }

    /// Answers every list with this instead; `None` for what is so.
    pub fn garble(&self, body: Option<String>) {
        self.change(|state, _| state.faults.garbled = body);
    }

    /// Sets the service's clock ahead of ours.
    pub fn set_clock_skew(&self, ahead: SignedDuration) {
        self.change(|state, _| state.faults.skew = ahead);
    }

    /// Changes what is in the answer to an order.
    pub fn set_reply_style(&self, style: ReplyStyle) {
        self.change(|state, _| state.faults.style = style);
    }

    /// Changes which calls the service knows.
    pub fn set_generation(&self, generation: Generation) {
        self.change(|state, _| state.faults.generation = generation);
    }

    /// Changes where the service answers.
    pub fn set_paths(&self, paths: Paths) {
        self.change(|state, _| state.faults.paths = paths);
    }

    /// Writes a field of a pool or a machine otherwise, or leaves it out.
    pub fn patch(&self, instance_id: &str, field: &str, value: Option<Value>) {
        let (instance_id, field) = (instance_id.to_owned(), field.to_owned());
        self.change(|state, _| state.faults.patches.push(Patch { instance_id, field, value }));
    }

    /// Writes every field as it should be.
    pub fn unpatch(&self) {
        self.change(|state, _| state.faults.patches.clear());
    }

    /// Installs the service's own autoscaler with this limit, or removes it.
    pub fn set_max_nodes(&self, limit: Option<u32>) {
        self.change(|state, _| state.faults.max_nodes = limit);
    }

    /// Changes what callers have to show.
    pub fn set_token(&self, token: &str) {
        self.change(|state, _| state.books.offer.token = token.into());
    }

    /// Sets how many more machines of a group can be had. Says whether there is such a group.
    pub fn set_stock(&self, group: Symbol, machines: u32) -> bool {
        self.with_pool(group, |pool| pool.stock = Some(machines))
    }

    /// Sets how many more machines the account may have.
    pub fn set_quota_left(&self, machines: u32) {
        self.change(|state, _| {
            let used = u32::try_from(state.books.machines.len()).unwrap_or(u32::MAX);
            state.books.quota = Some(used.saturating_add(machines));
        });
    }

    /// Gives so many of the machines that are begun next in a group trouble. Says whether there is such a group.
    pub fn trouble(&self, group: Symbol, machines: u32, trouble: Trouble) -> bool {
        self.with_pool(group, |pool| pool.trouble = Some((trouble, machines)))
    }

    /// Changes the bounds of a group. Says whether there is such a group.
    pub fn set_bounds(&self, group: Symbol, min: u32, max: u32) -> bool {
        self.with_pool(group, |pool| (pool.offer.min, pool.offer.max) = (min, max))
    }

    /// Forbids the deletion of a machine. Says whether there is such a machine.
    pub fn keep(&self, instance_id: &str) -> bool {
        self.change(|state, _| {
            let mut machines = state.books.machines.values_mut();
            let found = machines.find(|machine| machine.instance_id == instance_id);
            found.map(|machine| machine.is_kept = true).is_some()
        })
    }

    /// Makes a machine vanish. Says whether there was such a machine.
    pub fn vanish(&self, instance_id: &str) -> bool {
        self.change(|state, _| {
            let mut machines = state.books.machines.values();
            let found = machines.find(|machine| machine.instance_id == instance_id);
            let pk = found.map(|machine| machine.pk);
            pk.map(|pk| state.books.remove(pk)).is_some()
        })
    }

    /// Adds a running machine that an autoscaler has to leave alone.
    pub fn add_foreign(&self, kind: Foreign) {
        self.change(|state, now| {
            let books = &mut state.books;
            let has = |pool: &&Pool| pool.offer.autoscaled == (kind == Foreign::EtcdHost);
            let pool = books.pools.values().find(has).map(|pool| pool.pk);
            match (kind, pool) {
                (Foreign::Worker | Foreign::EtcdHost, Some(pool)) => {
                    let pk = books.begin(pool, now);
                    if let Some(machine) = books.machines.get_mut(&pk)
                        && kind == Foreign::EtcdHost
                    {
                        (machine.etcd_state, machine.group) = ("existing", None);
                    }
                    books.arrive(pk, now);
                }
                (Foreign::Master, _) | (_, None) => {
                    books.add_master(now);
                }
            }
        });
    }

    /// Every machine, whatever happens to requests.
    pub fn machines(&self) -> Vec<Machine> {
        self.state().books.machines.values().cloned().collect()
    }

    /// The Kubernetes nodes that the machines become.
    pub fn node_manifests(&self) -> Vec<Value> {
        let state = self.state();
        let machines = state.books.machines.values();
        let pool = |machine: &Machine| state.books.pools.get(&machine.pool?);
        machines.map(|machine| replies::manifest(machine, pool(machine))).collect()
    }

    /// The groups that an autoscaler makes of the pools.
    pub fn groups(&self) -> Vec<Symbol> {
        self.state().books.pools.values().filter_map(Pool::group).collect()
    }

    /// How many machines a group has that are not being deleted.
    pub fn target(&self, group: Symbol) -> u32 {
        let state = self.state();
        let staying = state
            .books
            .machines
            .values()
            .filter(|machine| machine.group == Some(group) && machine.state != State::Deleting);
        u32::try_from(staying.count()).unwrap_or(u32::MAX)
    }

    /// Lets everything that is under way arrive at once. What is stuck stays so.
    pub fn settle(&self) {
        self.change(|state, _| state.books.settle());
    }

    fn with_pool(&self, group: Symbol, change: impl FnOnce(&mut Pool)) -> bool {
        self.change(|state, _| state.books.pool_of(group).map(change).is_some())
    }
}
