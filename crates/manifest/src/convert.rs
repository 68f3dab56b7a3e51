//! From wire types to the words of the model, by the rules of the API server and the scheduler.

pub(crate) mod affinity;
pub(crate) mod amounts;
pub(crate) mod buffer;
pub(crate) mod claim;
pub(crate) mod condition;
pub(crate) mod device;
pub(crate) mod extras;
pub(crate) mod meta;
pub(crate) mod node;
pub(crate) mod pod;
pub(crate) mod ports;
pub(crate) mod provisioning;
pub(crate) mod quota;
pub(crate) mod requests;
pub(crate) mod selector;
pub(crate) mod shape;
pub(crate) mod spread;
pub(crate) mod storage;
pub(crate) mod taints;
pub(crate) mod template;
pub(crate) mod volumes;
pub(crate) mod workload;
