//! Tells the world what the loop does: status map, events, metrics.

use std::{sync::Arc, time::Duration};

use plimsoll_cluster::{Client, lease::Standing};
use plimsoll_net::{Clock, Shutdown, metrics::Metrics};
use plimsoll_provider::Fleet;
use prometheus_client::registry::Registry;
use tokio::sync::watch;

use crate::{engine::Handle, health::Health};

/// What is told to whom. Names and defaults are the upstream autoscaler's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordSettings {
    /// `write-status-configmap`.
    pub write_status: bool,
    /// `status-config-map-name`.
    pub status_name: String,
    /// `emit-per-nodegroup-metrics`.
    pub group_metrics: bool,
    /// `record-duplicated-events`: also those that say what was said a moment ago.
    pub duplicated_events: bool,
    /// `max-inactivity`.
    pub max_inactivity: Duration,
    /// `max-failing-time`.
    pub max_failing_time: Duration,
    /// `max-startup-time`.
    pub max_startup_time: Duration,
    /// `debugging-snapshot-enabled`.
    pub snapshot: bool,
    /// Who writes events: the name of this process.
    pub host: String,
}

/// Tells the world what the loop does.
#[derive(Debug)]
pub(crate) struct Recorder {
    settings: RecordSettings,
    clock: Clock,
    health: Health,
    metrics: Metrics,
}

// === impl RecordSettings ===

impl Default for RecordSettings {
    fn default() -> Self {
        Self {
            write_status: true,
            status_name: "cluster-autoscaler-status".to_owned(),
            group_metrics: false,
            duplicated_events: false,
            max_inactivity: Duration::from_mins(10),
            max_failing_time: Duration::from_mins(15),
            max_startup_time: Duration::from_mins(20),
            snapshot: false,
            host: String::new(),
        }
    }
}

// === impl Recorder ===

impl Recorder {
    pub(crate) fn new(
        settings: RecordSettings,
        _client: Client,
        _fleet: Arc<Fleet>,
        clock: Clock,
        health: Health,
    ) -> Self {
        Self { settings, clock, health, metrics: Metrics::new(Registry::default()) }
    }

    /// What is counted.
    pub(crate) fn metrics(&self) -> Metrics {
        self.metrics.clone()
    }

    /// Tells until `parked`, when there is nothing more to come.
    pub(crate) async fn run(
        self,
        handle: &Handle,
        mut standing: watch::Receiver<Standing>,
        parked: &Shutdown,
    ) {
        let mut passes = handle.passes();
        self.stand(&standing.borrow_and_update());
        loop {
            tokio::select! {
                Ok(()) = standing.changed() => self.stand(&standing.borrow_and_update()),
                Ok(()) = passes.changed() => self.health.succeeded(self.clock.now()),
                () = parked.wait() => break,
            }
        }
    }

    fn stand(&self, standing: &Standing) {
        match standing {
            Standing::Leading => self.health.lead(self.clock.now()),
            Standing::Standby { .. } => self.health.stand_by(),
        }
    }
}
