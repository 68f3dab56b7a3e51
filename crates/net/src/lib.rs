//! Plumbing that knows no domain: the clock, TLS, listeners, shutdown, outages, metrics, profiles.

pub mod clock;
pub mod fence;
pub mod listen;
pub mod metrics;
pub mod outage;
pub mod pki;
pub mod profiling;
pub mod shutdown;
pub mod tls;

pub use clock::Clock;
pub use fence::{Fence, Lapsed};
pub use outage::Outage;
pub use shutdown::Shutdown;
