//! The messages and services of the protocols, generated from `proto/`: a tree of modules like that of the packages, because
//! generated code names the messages of other packages by their way through it.

#![expect(
    missing_docs,
    unused_qualifications,
    clippy::pedantic,
    clippy::allow_attributes,
    reason = "generated"
)]

pub use clusterautoscaler::cloudprovider::v1::externalgrpc as external;
pub use grpcplugin as expander;
pub use k8s::io::{
    api::core::v1 as core,
    apimachinery::pkg::{api::resource, apis::meta::v1 as meta},
};

/// All definitions as a `FileDescriptorSet`, for the reflection service.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));

include!(concat!(env!("OUT_DIR"), "/protocols.rs"));
