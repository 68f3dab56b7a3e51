//! Fake kubelets: machines that register as nodes, send heartbeats, and pretend to run the pods that are bound to them.
//!
//! They work with this crate's API and with any other API server, see [`Cluster`]. One task drives them all, so that thousands cost
//! little. They look after **their own nodes only**: every other node and its pods are left alone.
//!
//! Annotations say how one pod or one node behaves, where it is to differ from [`Behaviour`]. Durations are written as Go writes
//! them, such as `1m30s`.
//!
//! | annotation                     | on   | meaning                                                                    |
//! |--------------------------------|------|----------------------------------------------------------------------------|
//! | `plimsoll.dev/pull-time`       | pod  | from the binding until the containers run                                  |
//! | `plimsoll.dev/run-for`         | pod  | the containers end by themselves after this time; else they run for ever   |
//! | `plimsoll.dev/exit-code`       | pod  | with which code they end; 0 if not said                                    |
//! | `plimsoll.dev/terminates-in`   | pod  | how long they take to end when the pod is deleted, if the grace period lasts that long |
//! | `plimsoll.dev/boot-time`       | node | from the start of the machine until the node registers                     |
//! | `plimsoll.dev/unready-after`   | node | the node reports that it is not ready, this time after it registered       |
//! | `plimsoll.dev/vanish-after`    | node | the machine is silent from then on: no heartbeats, no news of its pods     |
//!
//! Containers that end are started again as `restartPolicy` says, at once and without a rest. A pod whose containers have ended for
//! good is `Succeeded` or `Failed`; so Jobs complete.

use std::{fmt, sync::Arc, time::Duration};

use plimsoll_net::{Clock, Shutdown};
use serde_json::Value;
use tokio::sync::{Mutex, mpsc};

pub use self::{
    cluster::{At, Cluster, ClusterError, Collection, Event, Listing, Part},
    local::Local,
    remote::{Kubeconfig, KubeconfigError, Remote},
};
use self::{driver::Driver, fleet::Command};

mod cluster;
mod driver;
mod fleet;
mod follow;
mod knobs;
mod local;
mod node;
mod pod;
mod remote;

/// How machines and pods behave where nothing else is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behaviour {
    /// From the start of a machine until its node registers.
    pub boot: Duration,
    /// From the binding of a pod until its containers run.
    pub pull: Duration,
    /// How long containers take to end when their pod is deleted; the whole grace period if nothing is said.
    pub termination: Option<Duration>,
    /// When a node begins to say that it is not ready, counted from its registration.
    pub unready_after: Option<Duration>,
    /// When a machine falls silent, counted from its registration.
    pub vanish_after: Option<Duration>,
    /// How often the lease of a node is renewed.
    pub heartbeat: Duration,
}

/// Fake kubelets of any number. Clones are the same kubelets.
#[derive(Clone)]
pub struct Kubelets {
    shared: Arc<Shared>,
}

struct Shared {
    cluster: Arc<dyn Cluster>,
    clock: Clock,
    behaviour: Behaviour,
    commands: mpsc::UnboundedSender<Command>,
    inbox: Mutex<mpsc::UnboundedReceiver<Command>>,
}

// === impl Behaviour ===

impl Default for Behaviour {
    fn default() -> Self {
        Self {
            boot: Duration::ZERO,
            pull: Duration::ZERO,
            termination: None,
            unready_after: None,
            vanish_after: None,
            heartbeat: Duration::from_secs(10),
        }
    }
}

// === impl Kubelets ===

impl Kubelets {
    /// Kubelets for a cluster, none yet.
    pub fn new(cluster: Arc<dyn Cluster>, clock: Clock, behaviour: Behaviour) -> Self {
        let (commands, inbox) = mpsc::unbounded_channel();
        let shared = Shared { cluster, clock, behaviour, commands, inbox: Mutex::new(inbox) };
        Self { shared: Arc::new(shared) }
    }

    /// Starts a machine. When it has booted it registers as this Node, of which only the name has to be given; if there is a node of
    /// that name already, it takes that over. Returns at once.
    pub fn add(&self, node: Value) {
        self.command(Command::Add(node));
    }

    /// Takes a machine away for good, with its Node: as the infrastructure does that deleted it.
    pub fn remove(&self, name: &str) {
        self.command(Command::Remove(name.to_owned()));
    }

    /// Lets a machine fall silent: its node stays, and somebody else has to notice.
    pub fn vanish(&self, name: &str) {
        self.command(Command::Vanish(name.to_owned()));
    }

    /// Runs them until `shutdown`. Nodes and pods stay as they are then.
    pub async fn run(&self, shutdown: &Shutdown) {
        let Shared { cluster, clock, behaviour, inbox, .. } = &*self.shared;
        let mut inbox = inbox.lock().await;
        Driver::new(Arc::clone(cluster), *clock, behaviour.clone()).run(&mut inbox, shutdown).await;
    }

    fn command(&self, command: Command) {
        // The receiver lives as long as the sender.
        let _ = self.shared.commands.send(command);
    }
}

impl fmt::Debug for Kubelets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kubelets")
            .field("behaviour", &self.shared.behaviour)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
