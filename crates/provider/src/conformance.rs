//! Whether a provider keeps the promises of the contract.

use std::{fmt, panic::AssertUnwindSafe};

use futures::{FutureExt, future::BoxFuture};

mod bench;
mod deletions;
mod failures;
mod groups;
mod inventory;
mod knob;
mod names;
mod orders;
mod races;
mod refusals;
mod report;
mod restarts;
mod stock;
mod targets;
mod testbed;

use bench::{Bench, Finding, Verdict};
pub use knob::{Knob, NoSuchKnob};
pub use report::{CheckResult, Outcome, Report};
pub use testbed::{Doing, Machine, Role, TestGroup, Testbed};

/// A promise, and a way to find it broken.
pub struct Check {
    /// What holds when the promise is kept.
    pub name: &'static str,
    /// What it is about.
    pub topic: &'static str,
    /// What is promised, and why it matters.
    pub promise: &'static str,
    run: for<'a> fn(&'a Bench) -> BoxFuture<'a, Verdict>,
}

/// The checks of one topic: `name: "promise",` for functions of these names.
macro_rules! topic {
    ($topic:literal; $($name:ident: $promise:literal,)+) => {
        pub(super) const CHECKS: &[$crate::conformance::Check] = &[$($crate::conformance::Check {
            name: stringify!($name),
            topic: $topic,
            promise: $promise,
            run: |bench| Box::pin($name(bench)),
        }),+];
    };
}
use topic;

/// Every check there is, by topic.
pub fn checks() -> impl Iterator<Item = &'static Check> {
    [
        orders::CHECKS,
        refusals::CHECKS,
        stock::CHECKS,
        targets::CHECKS,
        deletions::CHECKS,
        inventory::CHECKS,
        failures::CHECKS,
        restarts::CHECKS,
        races::CHECKS,
        names::CHECKS,
        groups::CHECKS,
    ]
    .into_iter()
    .flatten()
}

/// Runs every check, each on a testbed of its own.
pub async fn run<T: Testbed + 'static>(make: impl AsyncFn() -> T) -> Report {
    run_some(make, |_| true).await
}

/// Runs the checks that are wanted, each on a testbed of its own.
pub async fn run_some<T: Testbed + 'static>(
    make: impl AsyncFn() -> T,
    wanted: impl Fn(&Check) -> bool,
) -> Report {
    let mut report = Report::default();
    for check in checks().filter(|check| wanted(check)) {
        let outcome = outcome(check, &make).await;
        report.results.push(CheckResult { check, outcome });
    }
    report
}

/// Ends the test with the whole report unless every check passed or does not apply.
#[track_caller]
pub fn assert_conforms(report: &Report) {
    assert!(report.conforms(), "the provider breaks promises of the contract\n{report}");
}

/// Runs a check so that neither a panic nor a call that hangs keeps the others from being run.
async fn outcome<T: Testbed + 'static>(check: &Check, make: &impl AsyncFn() -> T) -> Outcome {
    let run = async {
        let bench = Bench::new(Box::new(make().await)).await;
        let patience = bench.testbed.patience();
        let verdict = tokio::time::timeout(patience, (check.run)(&bench)).await;
        let hangs = || Finding::Broken(format!("not done after {patience:?}: a call hangs"));
        let verdict = verdict.unwrap_or_else(|_| Err(hangs()));
        bench.provider.close().await;
        verdict
    };
    match AssertUnwindSafe(run).catch_unwind().await {
        Ok(Ok(())) => Outcome::Passed,
        Ok(Err(Finding::Broken(seen))) => Outcome::Failed(seen),
        Ok(Err(Finding::NotApplicable(missing))) => Outcome::NotApplicable(missing),
        Err(_) => Outcome::Failed("the provider or its testbed panicked".to_owned()),
    }
}

// === impl Check ===

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Check")
            .field("name", &self.name)
            .field("topic", &self.topic)
            .finish_non_exhaustive()
    }
}
