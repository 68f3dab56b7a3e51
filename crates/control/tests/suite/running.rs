//! The autoscaler as one, at work for a test: the loop with its election, and what it answers over HTTP.

use std::sync::Arc;

use axum::{Router, body::Body};
use http_body_util::BodyExt as _;
use plimsoll_cluster::lease::{Candidacy, Leadership, Timings};
use plimsoll_control::{
    Autoscaler, Equipment,
    record::RecordSettings,
    settings::{Mode, Settings},
};
use plimsoll_net::{Shutdown, listen::Peer};
use plimsoll_provider::{Binding, Fleet, Home, Provider, Upkeep};
use plimsoll_providers::simulated::Simulated;
use serde_json::Value;
use tokio::{sync::watch, task::JoinHandle};
use tower::ServiceExt as _;

use crate::stage::{Stage, text};

/// An autoscaler at work.
pub(crate) struct Running {
    router: Router,
    shutdown: Shutdown,
    task: JoinHandle<()>,
    /// Kept open: the loop watches the settings, which this test does not change.
    _settings: watch::Sender<Arc<Settings>>,
}

impl Running {
    pub(crate) fn start(stage: &Stage, identity: &str, mode: Mode) -> Self {
        let provider = Simulated::new(stage.cloud.clone(), Home::alone(stage.clock));
        Self::start_with(stage, Arc::new(provider), identity, mode)
    }

    /// The same with another provider.
    pub(crate) fn start_with(
        stage: &Stage,
        provider: Arc<dyn Provider>,
        identity: &str,
        mode: Mode,
    ) -> Self {
        let fleet = Fleet::new(vec![provider], stage.clock, Upkeep::default()).unwrap();
        let settings = Settings { mode, ..stage.settings.clone() };
        let settings = watch::Sender::new(Arc::new(settings));
        let candidacy = Candidacy {
            namespace: "kube-system".to_owned(),
            name: "cluster-autoscaler".to_owned(),
            identity: identity.to_owned(),
            timings: Timings::default(),
        };
        let record = RecordSettings {
            group_metrics: true,
            host: identity.to_owned(),
            ..RecordSettings::default()
        };
        let autoscaler = Autoscaler::new(Equipment {
            client: stage.client(),
            fleet: Arc::new(fleet),
            clock: stage.clock,
            settings: settings.subscribe(),
            election: Some(candidacy),
            leadership: Leadership::contested(stage.clock),
            cluster: Binding::unbound(),
            record,
            adviser: None,
        });
        let (router, shutdown) = (autoscaler.router(), Shutdown::new());
        let task = tokio::spawn(autoscaler.run(shutdown.clone()));
        Self { router, shutdown, task, _settings: settings }
    }

    pub(crate) async fn get(&self, path: &str) -> (u16, String) {
        let peer = Peer { address: ([127, 0, 0, 1], 40_000).into(), certificate: None };
        let request = http::Request::get(path).extension(peer).body(Body::empty()).unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        let code = response.status().as_u16();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (code, String::from_utf8(body.to_vec()).unwrap())
    }

    pub(crate) async fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.get(path).await.1).unwrap()
    }

    pub(crate) async fn stop(self) {
        self.shutdown.trigger();
        self.task.await.unwrap();
    }
}

/// `Pod/web-1 TriggeredScaleUp: …`, without what kube-scheduler and others say.
pub(crate) fn events(stage: &Stage) -> Vec<String> {
    let ours = stage
        .list("events")
        .into_iter()
        .filter(|event| text(event, "/source/component") == "cluster-autoscaler");
    let lines = ours.map(|event| {
        let about =
            text(&event, "/involvedObject/kind") + "/" + &text(&event, "/involvedObject/name");
        format!("{about} {}: {}", text(&event, "/reason"), text(&event, "/message"))
    });
    lines.collect()
}
