//! What users are told on the objects that they made for us: written when it changes, and never twice at a time.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_cluster::statuses::Object;
use plimsoll_model::Condition;
use plimsoll_plan::Plan;
use serde_json::{Value, json};

mod buffers;
mod quotas;
mod requests;

/// How many are written in a pass.
const MOST: usize = 20;

/// What was written, and what is being written.
#[derive(Debug, Default)]
pub(crate) struct Statuses {
    written: BTreeMap<Object, Value>,
    under_way: BTreeSet<Object>,
}

/// What a plan says to objects that users made for us.
pub(crate) fn wanted(plan: &Plan) -> BTreeMap<Object, Value> {
    let told = buffers::wanted(plan).chain(quotas::wanted(plan));
    told.chain(requests::wanted(plan)).collect()
}

/// Objects that users made for us and nobody needs any more, with their uids.
pub(crate) fn outlived(plan: &Plan) -> impl Iterator<Item = (Object, Box<str>)> + '_ {
    requests::outlived(plan)
}

/// Conditions as the API has them. A list cannot be written in part, so those of others stand there as well.
fn conditions(conditions: &[Condition]) -> Vec<Value> {
    let one = |condition: &Condition| {
        let mut entry = json!({
            "type": condition.name,
            "status": condition.status.as_str(),
            "reason": condition.reason,
            "message": condition.message,
            // Times of the API have no fractions.
            "lastTransitionTime": condition.at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        });
        if let Some(generation) = condition.generation {
            entry["observedGeneration"] = generation.into();
        }
        entry
    };
    conditions.iter().map(one).collect()
}

// === impl Statuses ===

impl Statuses {
    /// What is to be written now, so that everything will be as it is wanted. What is not wanted any more is forgotten: its object
    /// is gone, or nobody has to say anything to it.
    pub(crate) fn changes(&mut self, wanted: BTreeMap<Object, Value>) -> Vec<(Object, Value)> {
        self.written.retain(|object, _| wanted.contains_key(object));
        let is_news = |(object, status): &(Object, Value)| {
            !self.under_way.contains(object) && self.written.get(object) != Some(status)
        };
        let news: Vec<(Object, Value)> = wanted.into_iter().filter(is_news).take(MOST).collect();
        self.under_way.extend(news.iter().map(|(object, _)| object.clone()));
        news
    }

    /// Whether an object may be deleted now: not while something else is done with it.
    pub(crate) fn begin_deletion(&mut self, object: &Object) -> bool {
        self.under_way.len() < MOST && self.under_way.insert(object.clone())
    }

    /// A write has ended; `None` when it failed, so that a later pass tries again.
    pub(crate) fn ended(&mut self, object: Object, written: Option<Value>) {
        self.under_way.remove(&object);
        match written {
            Some(status) => self.written.insert(object, status),
            None => self.written.remove(&object),
        };
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use plimsoll_cluster::{source::Watched, statuses::Object};
    use serde_json::{Value, json};

    use super::Statuses;

    fn object(name: &str) -> Object {
        Object { kind: Watched::Nodes, namespace: "".into(), name: name.into() }
    }

    fn wanted(pairs: &[(&str, u32)]) -> BTreeMap<Object, Value> {
        pairs.iter().map(|(name, value)| (object(name), json!({ "n": value }))).collect()
    }

    fn names(changes: &[(Object, Value)]) -> Vec<&str> {
        changes.iter().map(|(object, _)| &*object.name).collect()
    }

    #[test]
    fn only_news_are_written_and_one_at_a_time() {
        let mut statuses = Statuses::default();
        assert_eq!(names(&statuses.changes(wanted(&[("a", 1), ("b", 1)]))), ["a", "b"]);
        assert_eq!(names(&statuses.changes(wanted(&[("a", 2), ("b", 1)]))), [""; 0]);
        statuses.ended(object("a"), Some(json!({ "n": 1 })));
        statuses.ended(object("b"), Some(json!({ "n": 1 })));
        assert_eq!(names(&statuses.changes(wanted(&[("a", 2), ("b", 1)]))), ["a"]);
    }

    #[test]
    fn what_failed_is_tried_again() {
        let mut statuses = Statuses::default();
        statuses.changes(wanted(&[("a", 1)]));
        statuses.ended(object("a"), None);
        assert_eq!(names(&statuses.changes(wanted(&[("a", 1)]))), ["a"]);
    }

    #[test]
    fn one_that_comes_back_is_told_again() {
        let mut statuses = Statuses::default();
        statuses.changes(wanted(&[("a", 1)]));
        statuses.ended(object("a"), Some(json!({ "n": 1 })));
        assert_eq!(names(&statuses.changes(wanted(&[]))), [""; 0]);
        assert_eq!(names(&statuses.changes(wanted(&[("a", 1)]))), ["a"]);
    }
}
