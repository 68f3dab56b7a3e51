//! What is put around a provider keeps the promises that the provider keeps.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use plimsoll_model::Symbol;
use plimsoll_provider::{
    Limits, Provider, Steady,
    conformance::{self, Check, Knob, Machine, NoSuchKnob, TestGroup, Testbed, assert_conforms},
};

use crate::honest::{Ability, bed::Bed};

/// The same infrastructure, with patience in front of it.
struct Patient(Bed);

#[async_trait]
impl Testbed for Patient {
    async fn connect(&self) -> Arc<dyn Provider> {
        // The breaker is out of the way: that it refuses calls after an outage is its purpose.
        let limits = Limits { trip_after: u32::MAX, ..Limits::default() };
        Arc::new(Steady::new(self.0.connect().await, limits))
    }

    fn groups(&self) -> Vec<TestGroup> {
        self.0.groups()
    }

    async fn machines(&self) -> Vec<Machine> {
        self.0.machines().await
    }

    async fn target(&self, group: Symbol) -> u32 {
        self.0.target(group).await
    }

    async fn turn(&self, knob: Knob) -> Result<(), NoSuchKnob> {
        self.0.turn(knob).await
    }

    async fn settle(&self) {
        self.0.settle().await;
    }

    async fn deletions_begun(&self, machine: &str) -> Option<u32> {
        self.0.deletions_begun(machine).await
    }

    fn secrets(&self) -> Vec<String> {
        self.0.secrets()
    }

    /// Calls keep to a rate, and pauses add up.
    fn patience(&self) -> Duration {
        Duration::from_hours(1)
    }
}

/// Expects a refresh to fail; one that is patient asks again and gets the whole list.
const NEEDS_IMPATIENCE: &str = "truncated_reply_makes_no_short_list";

#[tokio::test(start_paused = true)]
async fn patience_breaks_no_promise() {
    let wanted = |check: &Check| check.name != NEEDS_IMPATIENCE;
    for ability in [Ability::Full, Ability::Bare, Ability::Guarded] {
        let report = conformance::run_some(async || Patient(Bed::honest(ability)), wanted).await;
        assert_conforms(&report);
    }
}
