//! Where the machines of the demo come from.

use std::{fmt, path::Path, sync::Arc};

use anyhow::Result;
use async_trait::async_trait;
use clap::ValueEnum;
use plimsoll_net::{Clock, Shutdown};
use plimsoll_provider::Provider;
use plimsoll_providers::Joins;

use self::{paper::Paper, slicer::Hosts, stackpoint::Service};

mod paper;
mod site;
mod slicer;
mod stackpoint;

/// Which infrastructure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Choice {
    /// Machines that exist on paper only.
    Simulated,
    /// Emulated Slicer hosts, asked over HTTP.
    Slicer,
    /// An emulated StackPoint, asked over HTTP.
    #[value(name = "stackpoint", alias = "spc", alias = "nks")]
    StackPoint,
}

/// How an emulated service is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Over sockets of this machine.
    Sockets,
    /// Without sockets, so that time can be paused.
    #[cfg_attr(not(test), expect(dead_code, reason = "the demo itself is played in real time"))]
    Direct,
}

/// Where machines come from, and what the play does to them. There are groups `small`, `large` and `gpu`; an infrastructure may have
/// something before these names, with a dash between.
#[async_trait]
pub(super) trait Infrastructure: fmt::Debug + Send + Sync {
    /// What it is, in a sentence.
    fn about(&self) -> String;

    /// How the autoscaler uses it.
    fn provider(&self) -> Arc<dyn Provider>;

    /// Lets machines come and go, and tells whom they join, until `shutdown`.
    async fn run(&self, joins: Arc<dyn Joins>, shutdown: Shutdown);

    /// Has no more machines of a group, until it is restocked.
    fn sell_out(&self, group: &str) -> Result<()>;

    /// Has as many machines of a group as anybody wants.
    fn restock(&self, group: &str) -> Result<()>;

    /// Lets a machine die.
    fn kill(&self, instance: &str) -> Result<()>;
}

/// Opens what was chosen. Whatever happens by chance follows from the seed; files that the provider reads are written to `folder`.
pub(super) async fn open(
    choice: Choice,
    seed: u64,
    clock: Clock,
    way: Way,
    folder: &Path,
) -> Result<Box<dyn Infrastructure>> {
    Ok(match choice {
        Choice::Simulated => Box::new(Paper::open(seed, clock)?),
        Choice::Slicer => Box::new(Hosts::open(clock, way, folder).await?),
        Choice::StackPoint => Box::new(Service::open(clock, way, folder).await?),
    })
}
