//! The cluster under the loop's own tests: a real control plane, in the words of the module of this name that the tests have where
//! they come from.
//!
//! ```text
//!  test ──────────desk──────────▶ API server ◀── controllers, scheduler: in the time of the machine
//!  loop ────server──┐                 ▲
//!  kubelets ─machines─┴──road─────────┘
//!  └ in the time of the test ┘
//! ```
//!
//! The time of a test is tokio's and paused: it runs on when everybody sleeps. Here others are at work whom tokio does not know, so
//! time stands still while an answer is on its way and while the control plane has something to do, see [`pace`]. What the control
//! plane dates, it dates in its own time, which is translated, see [`calendar`].

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
    thread,
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use plimsoll_minicluster::kubelet::{Behaviour, Cluster, Kubeconfig, Kubelets, Remote};
use plimsoll_net::{Clock, Shutdown};
use serde_json::Value;
use tokio::task::JoinSet;

pub(crate) use self::server::Server;
use self::{
    desk::{Desk, Part},
    machines::Machines,
    planes::Tenancy,
    road::Road,
    silence::Heartbeats,
};

mod calendar;
mod desk;
mod machines;
mod pace;
mod planes;
mod road;
mod server;
mod silence;

/// How many stories of kills are told: one takes a while.
#[cfg(debug_assertions)]
pub(crate) const STORIES: u64 = 8;

/// When tests begin. So late that what is earlier was dated by the control plane.
const BEGIN: &str = "2100-03-01T12:00:00Z";

/// How long to wait for a control plane to have done something.
const PAUSE: Duration = Duration::from_millis(50);
const PAUSES: u32 = 6000;

/// How often a list is believed to be as it was.
const LOOKS: u32 = 4;

/// A cluster without nodes. Resources are named as in `deployments.apps`; the namespace does not matter to kinds that have none.
pub(crate) struct Ground {
    clock: Clock,
    road: Arc<Road>,
    server: Server,
    kubelets: Kubelets,
    /// What was listed last, while nothing has happened since.
    listed: Mutex<HashMap<String, Listed>>,
    // What still runs in it when a test is over has lost its way to it, and ends.
    _tasks: Mutex<JoinSet<()>>,
    // Last: the next one comes when nobody is here any more.
    tenancy: Tenancy,
}

/// What was listed, when so much had gone along the road, and how often it has been looked at.
struct Listed {
    counted: u64,
    looks: u32,
    objects: Vec<Value>,
}

// === impl Ground ===

impl Ground {
    /// Its pods take two seconds to end.
    #[expect(clippy::unused_async, reason = "the embedded cluster has to be waited for")]
    pub(crate) async fn start() -> Self {
        // A heartbeat that is earlier than one of an earlier test would not count for a node of the same name.
        static TESTS: AtomicI64 = AtomicI64::new(0);
        let tenancy = Tenancy::begin();
        let earlier = SignedDuration::from_hours(24 * TESTS.fetch_add(1, Ordering::AcqRel));
        let clock = Clock::starting_at(BEGIN.parse::<Timestamp>().unwrap() + earlier);
        let road = Arc::new(Road::new(clock));
        let kubeconfig = tenancy.plane().kubeconfig();
        let server = Server::new(&kubeconfig, Arc::clone(&road));
        let remote = Remote::new(&Kubeconfig::read(&kubeconfig).unwrap()).unwrap();
        let heartbeats = Arc::new(Heartbeats::new(clock));
        let machines: Arc<dyn Cluster> =
            Arc::new(Machines::new(remote, Arc::clone(&road), Arc::clone(&heartbeats)));
        let behaviour =
            Behaviour { termination: Some(Duration::from_secs(2)), ..Behaviour::default() };
        let kubelets = Kubelets::new(Arc::clone(&machines), clock, behaviour);
        let mut tasks = JoinSet::new();
        let running = kubelets.clone();
        tasks.spawn(async move { running.run(&Shutdown::new()).await });
        tasks.spawn(silence::notice(heartbeats, machines));
        tasks.spawn(pace::keep(tenancy.plane().processes()));
        let (listed, tasks) = (Mutex::default(), Mutex::new(tasks));
        Self { clock, road, server, kubelets, listed, _tasks: tasks, tenancy }
    }

    /// The time in the cluster.
    pub(crate) fn clock(&self) -> Clock {
        self.clock
    }

    /// The way to the API server.
    pub(crate) fn service(&self) -> Server {
        self.server.clone()
    }

    pub(crate) fn kubelets(&self) -> &Kubelets {
        &self.kubelets
    }

    pub(crate) fn create(&self, resource: &str, namespace: &str, object: Value) {
        self.desk().create(resource, namespace, object);
        self.road.count();
    }

    /// All that there are, in any namespace; none if nobody knows such a resource.
    ///
    /// Who looks again and again sees the same as long as neither the loop nor a kubelet has written or heard anything, for a while.
    pub(crate) fn list(&self, resource: &str) -> Vec<Value> {
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        let counted = self.road.counted();
        if let Some(known) = listed.get_mut(resource)
            && known.counted == counted
            && known.looks < LOOKS
        {
            known.looks += 1;
            return known.objects.clone();
        }
        let objects = self.desk().list(resource);
        let known = Listed { counted, looks: 0, objects: objects.clone() };
        listed.insert(resource.to_owned(), known);
        objects
    }

    pub(crate) fn modify(
        &self,
        resource: &str,
        namespace: &str,
        name: &str,
        change: impl Fn(&mut Value),
    ) {
        self.desk().modify(resource, namespace, name, Part::Whole, change);
        self.road.count();
    }

    pub(crate) fn modify_status(
        &self,
        resource: &str,
        namespace: &str,
        name: &str,
        change: impl Fn(&mut Value),
    ) {
        self.desk().modify(resource, namespace, name, Part::Status, change);
        self.road.count();
    }

    pub(crate) fn delete(&self, resource: &str, namespace: &str, name: &str) {
        let kind = self.desk().kind(resource).unwrap();
        self.desk().remove(&kind, namespace, name);
        self.road.count();
    }

    /// All that there is, but for what a cluster writes by itself: heartbeats, events.
    pub(crate) fn everything(&self) -> Vec<Value> {
        let mut kinds = self.desk().kinds();
        kinds.retain(|kind| !["events", "leases"].contains(&kind.plural.as_str()));
        kinds.iter().flat_map(|kind| self.desk().objects(kind)).collect()
    }

    fn desk(&self) -> &Desk {
        self.tenancy.desk()
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        self.road.close();
        if thread::panicking() {
            // What the control plane has to say about it, in the order in which it was said.
            let mut events = self.desk().list("events");
            events.sort_by_key(|event| event["metadata"]["creationTimestamp"].to_string());
            for event in events {
                let about = &event["involvedObject"]["name"];
                eprintln!("{about}: {} {}", event["reason"], event["message"]);
            }
        }
    }
}
