//! The protocol's service, generated once more with replies that are [prepared](super::prepared::Prepared).

#![expect(
    unreachable_pub,
    unused_qualifications,
    clippy::pedantic,
    clippy::allow_attributes,
    reason = "generated"
)]

include!(concat!(env!("OUT_DIR"), "/server/clusterautoscaler.cloudprovider.v1.externalgrpc.rs"));
