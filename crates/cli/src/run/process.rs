//! What the flags say about the process, beside what decisions depend on.

use std::{
    net::{IpAddr, Ipv6Addr, SocketAddr},
    path::PathBuf,
};

use plimsoll_cluster::{
    connect::Connection,
    lease::Timings,
    source::{Kinds, Watched},
};
use plimsoll_control::{
    record::RecordSettings,
    settings::{Mode, Settings},
};
use plimsoll_manifest::{flags::FlagError, profile};
use plimsoll_model::{BufferSettings, Expander, Units};

use super::groups::Groups;
use crate::{log, provider::open};

/// Where answers are given when nobody says.
const PORT: u16 = 8085;

/// client-go's: attempts to renew are spread by so much.
const JITTER: f64 = 1.2;

/// What the flags say.
#[derive(Clone, Debug)]
pub(super) struct Process {
    /// The settings of the loop. Those of the planner are put in last.
    pub settings: Settings,
    pub record: RecordSettings,
    pub connection: Connection,
    pub infrastructure: open::Arguments,
    pub groups: Groups,
    pub expander: ExpanderService,
    pub election: Election,
    pub logs: log::Settings,
    pub address: SocketAddr,
    pub cluster_name: String,
    /// `confirm-cluster`.
    pub confirmed_cluster: String,
    /// `capacity-buffer-pod-dry-run-enabled`.
    pub admits_units: bool,
    /// What `scheduler-config-file` says.
    pub scheduler: profile::Read,
    /// The file that settings are read from, again and again.
    pub config: Option<PathBuf>,
}

/// The service that the expander `grpc` asks.
#[derive(Clone, Debug, Default)]
pub(super) struct ExpanderService {
    pub url: String,
    pub cert: Option<PathBuf>,
}

/// How to find out who acts.
#[derive(Clone, Debug)]
pub(super) struct Election {
    pub wanted: bool,
    pub name: String,
    /// That of the process when it is left out.
    pub namespace: Option<String>,
    pub timings: Timings,
}

// === impl Process ===

impl Default for Process {
    fn default() -> Self {
        Self {
            settings: Settings::default(),
            record: RecordSettings::default(),
            connection: Connection {
                kubeconfig: None,
                master: None,
                // Upstream's 5 and 10 would delay evictions and events of a busy pass, and renewals of the lease behind them.
                rate: 50.0,
                burst: 100,
                user_agent: "cluster-autoscaler".to_owned(),
            },
            infrastructure: open::Arguments::default(),
            groups: Groups::default(),
            expander: ExpanderService::default(),
            election: Election {
                wanted: true,
                name: "cluster-autoscaler".to_owned(),
                namespace: None,
                timings: Timings::default(),
            },
            logs: log::Settings::default(),
            address: SocketAddr::new(IpAddr::V6(Ipv6Addr::UNSPECIFIED), PORT),
            cluster_name: String::new(),
            confirmed_cluster: String::new(),
            admits_units: true,
            scheduler: profile::Read::default(),
            config: None,
        }
    }
}

impl Process {
    /// Puts in what the planner is told, and looks whether all flags go together; `is_given` says of a flag whether it was set.
    pub(super) fn complete(
        mut self,
        plan: plimsoll_model::Settings,
        is_given: impl Fn(&str) -> bool,
    ) -> Result<Self, FlagError> {
        self.settings.retire.evict_daemons_empty = plan.scale_down.evict_daemons_empty;
        self.settings.retire.evict_daemons_occupied = plan.scale_down.evict_daemons_occupied;
        if plan.requests.served {
            let kinds = std::mem::take(&mut self.settings.kinds);
            self.settings.kinds = kinds.and(Watched::Requests).and(Watched::PodTemplates);
        }
        self.settings.plan = plan;
        self.settings.plan.profile = self.scheduler.profile.clone();
        let confirmed = self.confirmed_cluster.as_str();
        self.settings.plan.confirmed_cluster = (!confirmed.is_empty()).then(|| confirmed.into());
        let buffers = &mut self.settings.plan.scale_up.buffers;
        // Who only looks writes nothing down, and has to do with what users wrote.
        if self.admits_units && self.settings.mode == Mode::Act {
            buffers.units = Units::AsAdmitted;
        }
        self.settings.kinds = watched(self.settings.kinds, *buffers);
        let refuse = |name: &str, problem: &str| {
            Err(FlagError { name: name.to_owned(), problem: problem.to_owned() })
        };
        if is_given("drain-priority-config") && is_given("max-graceful-termination-sec") {
            let problem = "cannot be set together with max-graceful-termination-sec";
            return refuse("drain-priority-config", problem);
        }
        if self.asks_service() && self.expander.url.is_empty() {
            return refuse(
                "grpc-expander-url",
                "the expander grpc needs the address of its service",
            );
        }
        let Timings { lease, renew, retry } = self.election.timings;
        if lease <= renew {
            let problem = "has to be longer than leader-elect-renew-deadline";
            return refuse("leader-elect-lease-duration", problem);
        }
        if retry.is_zero() {
            return refuse("leader-elect-retry-period", "has to be more than nothing");
        }
        if renew <= retry.mul_f64(JITTER) {
            let problem = "has to be longer than 1.2 times leader-elect-retry-period";
            return refuse("leader-elect-renew-deadline", problem);
        }
        Ok(self)
    }

    /// Whether the user has a service that chooses.
    pub(super) fn asks_service(&self) -> bool {
        self.settings.plan.scale_up.expanders.contains(&Expander::Service)
    }

    /// What cannot change while the process runs, in parts that have a name.
    pub(super) fn fixed(&self) -> [(&'static str, String); 10] {
        let Self { record, connection, infrastructure, groups, expander, election, logs, .. } =
            self;
        [
            ("the connection to the API server", format!("{connection:?}")),
            ("the infrastructures", format!("{infrastructure:?}")),
            ("the choice of groups", format!("{groups:?}")),
            ("the expander's service", format!("{expander:?} {}", self.asks_service())),
            ("leader election", format!("{election:?}")),
            ("status, metrics and events", format!("{record:?}")),
            ("logging", format!("{logs:?}")),
            ("the address", self.address.to_string()),
            ("the namespace", self.settings.namespace.clone()),
            ("what is watched", format!("{:?}", self.settings.kinds)),
        ]
    }
}

/// These kinds, and those that buffers are made of.
fn watched(kinds: Kinds, buffers: BufferSettings) -> Kinds {
    let mut kinds = kinds;
    if buffers.resolve || buffers.inject {
        kinds = kinds.and(Watched::CapacityBuffers).and(Watched::PodTemplates);
    }
    if buffers.resolve {
        kinds = kinds.and(Watched::Deployments).and(Watched::ResourceQuotas);
    }
    kinds
}
