//! The simulated infrastructure: the reference for every other provider, and what `plimsoll demo` runs on.
//!
//! A [`Catalogue`] says what is offered, a [`Cloud`] keeps the machines, and [`Simulated`] is the provider over it. Machines boot
//! and go in the time of a [`Clock`](plimsoll_net::Clock), so a test that pauses tokio's time waits for nothing; whatever happens by
//! chance follows from the catalogue's seed.

mod catalogue;
mod chance;
mod cloud;
mod delay;
mod machine;
mod provider;
mod template;
pub mod testbed;

pub use catalogue::{BootFailures, Catalogue, Offer};
pub use cloud::{Cloud, Cost, Delivery, Entry, Happening, Reach};
pub use delay::Delay;
pub use machine::Machine;
pub use provider::Simulated;
pub use template::Template;
