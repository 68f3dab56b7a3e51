//! Commands of the lab: trying things out and testing, with a cluster and services that need nothing outside the process.
//!
//! A build without the feature `lab` knows their names, and says that it does not have them.

#[cfg(not(feature = "lab"))]
mod absent;
#[cfg(feature = "lab")]
mod present;

#[cfg(not(feature = "lab"))]
pub(crate) use self::absent::{Command, run};
#[cfg(feature = "lab")]
pub(crate) use self::present::{Command, run};
