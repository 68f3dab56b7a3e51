//! Whether a provider keeps the promises of the contract.
//!
//! Every check is a promise of [`Provider`](crate::Provider) with a way to find it broken. To run them on a provider of your own:
//!
//! 1. Have an emulator of its service, in memory or behind a local socket, and implement [`Testbed`] for it: what there really is
//!    ([`machines`](Testbed::machines), [`target`](Testbed::target)), what can be made to go wrong ([`turn`](Testbed::turn)), and new
//!    providers over it ([`connect`](Testbed::connect)).
//! 2. Call [`run`] in a test with a closure that makes a fresh testbed, for every check gets its own, and give the report to
//!    [`assert_conforms`].
//! 3. Pin [`Report::not_applicable`] as well. A check that needs a [`Knob`], a [`Role`] or a capability that is not there does not
//!    apply, and says what it lacks; it never passes silently.
//!
//! Where the emulator goes by tokio's time and uses no sockets, run it with paused time (`#[tokio::test(start_paused = true)]`):
//! nothing is waited for, and a call that hangs is found at once.
//!
//! What is promised depends in part on [`Capabilities`](crate::Capabilities). Without `order_ids` a repeated order is known by
//! [`Order::from`](crate::Order::from); without `single_deletions` one answer holds for all machines that were named, and what is told
//! to be gone must be gone all the same. With `strangers` a deletion that names a machine of no group is refused, without it that
//! machine is not found; with `keeps_minimum` a deletion below the minimum is refused, without it it is done.
//!
//! # Example
//!
//! A shed with one machine, which can be looked at and nothing else. It is a provider, but it does not conform.
//!
//! ```
//! use std::sync::Arc;
//!
//! use async_trait::async_trait;
//! use plimsoll_model::Symbol;
//! use plimsoll_provider::{
//!     Capabilities, Class, Deletion, Error, GroupState, Inventory, NodeIdentity, Order, Provider, Whose,
//!     conformance::{self, Doing, Knob, Machine, NoSuchKnob, Outcome, Role, TestGroup, Testbed},
//! };
//! # use plimsoll_model::{Group, GroupOptions, Instance, InstanceState};
//! # fn shed() -> GroupState {
//! #     let machine = Instance {
//! #         id: "shed-1".into(), node: None, state: InstanceState::Running, created: None, error: None,
//! #     };
//! #     let group = Group {
//! #         id: "shed".into(), min: 1, max: 1, target: 1, price: None, template: None, instances: vec![machine],
//! #         options: GroupOptions::default(), stock: None, frozen: None,
//! #     };
//! #     GroupState { group, overrides: Default::default(), boot_time: None, about: "".into() }
//! # }
//!
//! #[derive(Debug)]
//! struct Shed;
//!
//! #[async_trait]
//! impl Provider for Shed {
//!     fn name(&self) -> &str {
//!         "shed"
//!     }
//!
//!     fn capabilities(&self) -> Capabilities {
//!         Capabilities::default()
//!     }
//!
//!     async fn refresh(&self) -> Result<Inventory, Error> {
//!         Ok(Inventory { groups: vec![shed()], ..Inventory::default() })
//!     }
//!
//!     async fn increase(&self, order: &Order) -> Result<u32, Error> {
//!         Err(Error::new(Class::OutOfCapacity, format!("there is one machine in {} and no other", order.group)))
//!     }
//!
//!     async fn lower_target(&self, _group: Symbol, _target: u32) -> Result<u32, Error> {
//!         Ok(1)
//!     }
//!
//!     async fn delete(&self, group: Symbol, _instances: &[Box<str>]) -> Result<Vec<Deletion>, Error> {
//!         Err(Error::invalid(format!("the machine of {group} stays")))
//!     }
//!
//!     async fn owner(&self, node: &NodeIdentity) -> Result<Whose, Error> {
//!         Ok(self.refresh().await?.owner_by_provider_id(node).into())
//!     }
//! }
//!
//! struct ShedBed;
//!
//! #[async_trait]
//! impl Testbed for ShedBed {
//!     async fn connect(&self) -> Arc<dyn Provider> {
//!         Arc::new(Shed)
//!     }
//!
//!     fn groups(&self) -> Vec<TestGroup> {
//!         vec![TestGroup { id: Symbol::new("shed"), role: Role::Plain }]
//!     }
//!
//!     async fn machines(&self) -> Vec<Machine> {
//!         vec![Machine { group: Some(Symbol::new("shed")), id: "shed-1".into(), doing: Doing::Running }]
//!     }
//!
//!     async fn target(&self, _group: Symbol) -> u32 {
//!         1
//!     }
//!
//!     async fn turn(&self, knob: Knob) -> Result<(), NoSuchKnob> {
//!         Err(knob.missing())
//!     }
//!
//!     async fn settle(&self) {}
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
//! let report = conformance::run(async || ShedBed).await;
//! let of = |name| report.outcome(name).unwrap();
//! assert_eq!(of("refreshes_at_once_agree"), &Outcome::Failed(
//!     "the order conformance-0 for 3 machines in shed failed (OutOfCapacity): there is one machine in shed and no other".into(),
//! ));
//! assert_eq!(of("owner_of_a_strange_node"), &Outcome::Passed);
//! assert_eq!(of("stockout_buys_nothing"), &Outcome::NotApplicable("the emulator has no knob Stock".into()));
//! assert!(!report.conforms());
//! # });
//! ```
//!
//! A whole one, with every knob, is in this crate's tests: `tests/suite/honest.rs` and the files beside it.

use std::{fmt, panic::AssertUnwindSafe};

use futures::{FutureExt, future::BoxFuture};

mod bench;
mod deletions;
mod failures;
mod groups;
mod guards;
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
        guards::CHECKS,
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
        let checked = async {
            let verdict = (check.run)(&bench).await;
            bench.provider.close().await;
            verdict
        };
        let hangs = || Finding::Broken(format!("not done after {patience:?}: a call hangs"));
        tokio::time::timeout(patience, checked).await.unwrap_or_else(|_| Err(hangs()))
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
