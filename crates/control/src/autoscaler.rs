//! Everything that runs while the autoscaler does, as one: the election, the loop, and those who tell others about it.
//!
//! ```text
//! lease ──Standing──▶ engine ──Pass, News──▶ recorder ──▶ status map, events, metrics
//!                        └─────────Pass────▶ router   ──▶ /metrics /health-check /ready /explain /status /snapshotz /debug/pprof
//! ```

use std::sync::Arc;

use axum::Router;
use plimsoll_cluster::{
    Client,
    access::Access,
    lease::{self, Candidacy, Leadership, Standing},
};
use plimsoll_net::{Clock, Shutdown};
use plimsoll_provider::{Binding, Fleet};
use tokio::sync::watch;

use crate::{
    engine::{Adviser, Engine, Handle, Parts},
    fault::Faults,
    health::Health,
    http::{self, Callers, Desk, Queue},
    record::{Chronicle, RecordSettings, Recorder, Tools},
    settings::Settings,
};

/// What an autoscaler is made of.
pub struct Equipment {
    /// The cluster.
    pub client: Client,
    /// The providers. The loop keeps them fresh.
    pub fleet: Arc<Fleet>,
    /// The time.
    pub clock: Clock,
    /// What the user wants; it may change while we run.
    pub settings: watch::Receiver<Arc<Settings>>,
    /// The Lease to stand for; `None` to lead at once and alone.
    pub election: Option<Candidacy>,
    /// What there is while we lead. Whoever stands for a Lease has one that is contested, and gives its fence to all that change
    /// something.
    pub leadership: Leadership,
    /// Which cluster it is, once the API server has said so.
    pub cluster: Binding,
    /// What is told to whom.
    pub record: RecordSettings,
    /// Who is asked which group to grow, if the user has such a service.
    pub adviser: Option<Arc<dyn Adviser>>,
}

/// An autoscaler that has not begun.
pub struct Autoscaler {
    client: Client,
    clock: Clock,
    election: Option<Candidacy>,
    leadership: Leadership,
    standing: watch::Sender<Standing>,
    engine: Engine,
    recorder: Recorder,
    desk: Desk,
}

// === impl Equipment ===

impl std::fmt::Debug for Equipment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Equipment").field("record", &self.record).finish_non_exhaustive()
    }
}

// === impl Autoscaler ===

impl std::fmt::Debug for Autoscaler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Autoscaler").field("election", &self.election).finish_non_exhaustive()
    }
}

impl Autoscaler {
    /// Puts it together. Nothing is asked of anybody yet.
    pub fn new(equipment: Equipment) -> Self {
        let Equipment {
            client,
            fleet,
            clock,
            settings,
            election,
            leadership,
            cluster,
            record,
            adviser,
        } = equipment;
        let first = match &election {
            Some(_) => Standing::Standby { leader: None },
            None => Standing::Leading,
        };
        let standing = watch::Sender::new(first);
        let engine = Engine::new(Parts {
            client: client.clone(),
            fleet: Arc::clone(&fleet),
            clock,
            settings: settings.clone(),
            standing: standing.subscribe(),
            leadership: leadership.clone(),
            cluster,
            adviser,
            faults: Faults::default(),
        });
        let health = Health::new(&record, clock.now());
        let (snapshot, profiling) = (record.snapshot, record.profiling);
        let callers = if record.insecure_debug_endpoints {
            Callers::Everybody
        } else {
            Callers::Authorised(Access::new(client.clone()))
        };
        let recorder = Recorder::new(Tools {
            settings: record,
            client: client.clone(),
            fleet,
            clock,
            health: health.clone(),
            wishes: settings,
        });
        let desk = Desk {
            handle: engine.handle(),
            standing: standing.subscribe(),
            clock,
            health,
            metrics: recorder.metrics(),
            chronicle: recorder.chronicle(),
            snapshot,
            profiling,
            callers,
            queue: Queue::default(),
        };
        Self { client, clock, election, leadership, standing, engine, recorder, desk }
    }

    /// What others may see of the loop.
    pub fn handle(&self) -> Handle {
        self.engine.handle()
    }

    /// The last decisions in words.
    pub fn chronicle(&self) -> Chronicle {
        self.recorder.chronicle()
    }

    /// Where it stands: whether it leads.
    pub fn standing(&self) -> watch::Receiver<Standing> {
        self.standing.subscribe()
    }

    /// What it answers over HTTP. Serve it for as long as the autoscaler runs.
    pub fn router(&self) -> Router {
        http::router(self.desk.clone())
    }

    /// Runs until `shutdown`. Then things end in order: what is under way is parked, the last is told, the status map is deleted,
    /// and the Lease is given back.
    pub async fn run(self, shutdown: Shutdown) {
        let Self { client, clock, election, leadership, standing, engine, recorder, desk: _ } =
            self;
        let (parked, told) = (Shutdown::new(), Shutdown::new());
        let handle = engine.handle();
        let (stands, runs, tells) = (standing.subscribe(), parked.clone(), told.clone());
        let campaign = async {
            if let Some(candidacy) = election {
                lease::stand(client, candidacy, clock, standing, leadership, told.clone()).await;
            } else {
                // Whoever listens would take the end of this for the end of the leadership.
                told.wait().await;
                drop(standing);
            }
        };
        let engine = async {
            Box::pin(engine.run(shutdown)).await;
            parked.trigger();
        };
        let recorder = async {
            recorder.run(&handle, stands, &runs).await;
            tells.trigger();
        };
        tokio::join!(campaign, engine, recorder);
    }
}
