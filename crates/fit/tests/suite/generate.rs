//! Random clusters and random histories.
//!
//! The vocabulary is small on purpose: three zones, four apps, a handful of sizes. So constraints meet the pods and nodes
//! they speak of, amounts nearly fit, and two pods often want the same port, claim or domain.

use std::fmt;

use proptest::{collection, option, prelude::*};

pub(crate) use node::Template;
pub(crate) use odds::Odds;
pub(crate) use pod::Shape;
pub(crate) use scenario::{DEEPEST, Scenario, Step, namespaces};

mod node;
mod odds;
mod pod;
mod scenario;
mod selector;
mod show;
mod storage;
mod terms;
mod volume;

/// Names of nodes that terms, claims and limits speak of. Further nodes only fill the cluster.
const NODE_NAMES: [&str; 4] = ["n0", "n1", "n2", "n3"];

/// A scenario of up to `steps` steps, each of which adds up to `copies` nodes if it adds any.
pub(crate) fn scenario(odds: Odds, steps: usize, copies: usize) -> impl Strategy<Value = Scenario> {
    let storage = storage::storage(odds);
    let templates = collection::vec(node::template(odds), 1..6);
    let shapes = collection::vec(pod::shape(odds), 1..6);
    let steps = collection::vec(scenario::step(copies), 0..steps);
    (storage, templates, shapes, steps).prop_map(|(storage, templates, shapes, steps)| Scenario {
        storage,
        templates,
        shapes,
        steps,
    })
}

/// A value in so many of a hundred cases.
fn maybe<T: Clone + fmt::Debug + 'static>(
    percent: u32,
    value: impl Strategy<Value = T> + 'static,
) -> BoxedStrategy<Option<T>> {
    match percent {
        0 => Just(None).boxed(),
        100.. => value.prop_map(Some).boxed(),
        _ => option::weighted(f64::from(percent) / 100.0, value).boxed(),
    }
}

/// In so many of a hundred cases up to `most` values, else none.
fn some<T: Clone + fmt::Debug + 'static>(
    percent: u32,
    most: usize,
    value: impl Strategy<Value = T> + 'static,
) -> impl Strategy<Value = Box<[T]>> {
    maybe(percent, collection::vec(value, 1..=most))
        .prop_map(|values| values.unwrap_or_default().into_boxed_slice())
}

/// True in so many of a hundred cases.
fn flag(percent: u32) -> impl Strategy<Value = bool> {
    maybe(percent, Just(())).prop_map(|flag| flag.is_some())
}
