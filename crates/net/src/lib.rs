//! Plumbing that knows no domain: the clock, TLS, listeners, shutdown, metrics, profiles.

pub mod clock;
pub mod fence;
pub mod listen;
pub mod metrics;
pub mod pki;
pub mod profiling;
pub mod shutdown;
pub mod tls;

pub use clock::Clock;
pub use fence::{Fence, Lapsed};
pub use shutdown::Shutdown;
