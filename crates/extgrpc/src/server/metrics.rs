//! Counts and times of calls.

use std::time::Duration;

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, histogram::Histogram},
    registry::{Registry, Unit},
};
use tonic::Code;

use crate::server::protocol::cloud_provider_server::SERVICE_NAME;

/// The methods that have labels of their own; whatever else is asked for is `other`, so that callers cannot make labels.
const METHODS: [&str; 15] = [
    "NodeGroups",
    "NodeGroupForNode",
    "PricingNodePrice",
    "PricingPodPrice",
    "GPULabel",
    "GetAvailableGPUTypes",
    "Cleanup",
    "Refresh",
    "NodeGroupTargetSize",
    "NodeGroupIncreaseSize",
    "NodeGroupDeleteNodes",
    "NodeGroupDecreaseTargetSize",
    "NodeGroupNodes",
    "NodeGroupTemplateNodeInfo",
    "NodeGroupGetOptions",
];

/// From a quarter of a millisecond to half a minute.
const BUCKETS: [f64; 12] =
    [0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10.0, 30.0];

/// What is counted. Clones count together.
#[derive(Clone, Debug)]
pub(crate) struct Metrics {
    calls: Family<Call, Counter>,
    times: Family<Method, Histogram>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Call {
    method: &'static str,
    code: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Method {
    method: &'static str,
}

// === impl Metrics ===

impl Default for Metrics {
    fn default() -> Self {
        let times = Family::new_with_constructor((|| Histogram::new(BUCKETS)) as fn() -> _);
        Self { calls: Family::default(), times }
    }
}

impl Metrics {
    pub(crate) fn register(&self, registry: &mut Registry) {
        let registry = registry.sub_registry_with_prefix("plimsoll_extgrpc");
        registry.register(
            "calls",
            "Calls of the externalgrpc protocol that were answered, by method and gRPC code",
            self.calls.clone(),
        );
        registry.register_with_unit(
            "call_duration",
            "How long a call took from its headers to its answer",
            Unit::Seconds,
            self.times.clone(),
        );
    }

    pub(crate) fn record(&self, method: &'static str, code: Code, took: Duration) {
        self.calls.get_or_create(&Call { method, code: code_name(code) }).inc();
        self.times.get_or_create(&Method { method }).observe(took.as_secs_f64());
    }
}

/// The label of the protocol's method that a path names, if it names one.
pub(crate) fn method_of(path: &str) -> Option<&'static str> {
    let method = path.strip_prefix('/')?.strip_prefix(SERVICE_NAME)?.strip_prefix('/')?;
    METHODS.into_iter().find(|known| *known == method)
}

fn code_name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "Cancelled",
        Code::Unknown => "Unknown",
        Code::InvalidArgument => "InvalidArgument",
        Code::DeadlineExceeded => "DeadlineExceeded",
        Code::NotFound => "NotFound",
        Code::AlreadyExists => "AlreadyExists",
        Code::PermissionDenied => "PermissionDenied",
        Code::ResourceExhausted => "ResourceExhausted",
        Code::FailedPrecondition => "FailedPrecondition",
        Code::Aborted => "Aborted",
        Code::OutOfRange => "OutOfRange",
        Code::Unimplemented => "Unimplemented",
        Code::Internal => "Internal",
        Code::Unavailable => "Unavailable",
        Code::DataLoss => "DataLoss",
        Code::Unauthenticated => "Unauthenticated",
    }
}
