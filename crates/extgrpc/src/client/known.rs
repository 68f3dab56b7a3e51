//! What a server told of a group and is not asked for at every refresh: what a node looks like, what it costs, its settings.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use plimsoll_model::{GroupOptions, Money, Node};

use crate::proto::external::ExternalGrpcNode;

/// What is older is asked for again. Together with the time between two refreshes this is less than a minute.
const LONGEST: SignedDuration = SignedDuration::from_secs(45);

/// The part of a group that servers need not have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extras {
    pub(crate) template: Known<Template>,
    pub(crate) price: Known<Money>,
    pub(crate) options: Known<GroupOptions>,
}

/// What a new node looks like.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    pub(crate) node: Arc<Node>,
    /// The same, for asking for its price.
    pub(crate) identity: ExternalGrpcNode,
}

/// One thing that a server was asked for.
#[derive(Clone, Debug)]
pub(crate) struct Known<T> {
    /// What it told last.
    value: Option<T>,
    /// When it was asked, over which connection, and how that went.
    last: Option<Asked>,
}

/// What a server answered.
#[derive(Clone, Debug)]
pub(crate) enum Reply<T> {
    /// This, or that there is none.
    Told(Option<T>),
    /// It does not have the method.
    Missing,
    /// Nothing that could be used. What it told before still counts.
    Failed(String),
}

/// A moment and a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct When {
    pub(crate) now: Timestamp,
    /// Another one may lead to another server, or to another version of it.
    pub(crate) connection: u64,
}

#[derive(Clone, Debug)]
struct Asked {
    when: When,
    outcome: Outcome,
}

#[derive(Clone, Debug)]
enum Outcome {
    Told,
    Missing,
    Failed(String),
}

// === impl Known ===

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self { value: None, last: None }
    }
}

impl<T: Clone> Known<T> {
    /// What the server told last.
    pub(crate) fn value(&self) -> Option<T> {
        self.value.clone()
    }

    /// Whether it is time to ask.
    pub(crate) fn is_due(&self, when: When) -> bool {
        self.last.as_ref().is_none_or(|asked| {
            matches!(asked.outcome, Outcome::Failed(_))
                || asked.when.connection != when.connection
                || when.now.duration_since(asked.when.now) >= LONGEST
        })
    }

    /// Takes an answer. Says what is wrong when that was not known before.
    pub(crate) fn apply(&mut self, reply: Reply<T>, when: When) -> Option<&str> {
        let before = self.problem().map(ToOwned::to_owned);
        let outcome = match reply {
            Reply::Told(value) => {
                self.value = value;
                Outcome::Told
            }
            Reply::Missing => {
                self.value = None;
                Outcome::Missing
            }
            Reply::Failed(problem) => Outcome::Failed(problem),
        };
        self.last = Some(Asked { when, outcome });
        self.problem().filter(|problem| before.as_deref() != Some(*problem))
    }

    /// Why the server could not be asked the last time.
    pub(crate) fn problem(&self) -> Option<&str> {
        match &self.last.as_ref()?.outcome {
            Outcome::Failed(problem) => Some(problem),
            Outcome::Told | Outcome::Missing => None,
        }
    }

    /// Whether the server said that it does not have the method.
    pub(crate) fn is_missing(&self) -> bool {
        self.last.as_ref().is_some_and(|asked| matches!(asked.outcome, Outcome::Missing))
    }
}

// === impl Extras ===

impl Extras {
    /// Which of template, price and options could not be read and why, and that the last known value is used.
    pub(crate) fn problems(&self) -> Vec<String> {
        fn told<T: Clone>(what: &str, known: &Known<T>, otherwise: &str) -> Option<String> {
            let instead =
                if known.value.is_some() { "the last known one is used" } else { otherwise };
            Some(format!("its {what} could not be read ({}); {instead}", known.problem()?))
        }
        let problems = [
            told("template", &self.template, "there is none"),
            told("price", &self.price, "there is none"),
            told("options", &self.options, "the defaults are used"),
        ];
        problems.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::{Known, LONGEST, Reply, When};

    fn at(seconds: i64) -> When {
        let now = Timestamp::UNIX_EPOCH + SignedDuration::from_secs(seconds);
        When { now, connection: 1 }
    }

    #[test]
    fn it_is_asked_for_again_within_a_minute_and_over_another_connection() {
        for reply in [Reply::Told(Some(1)), Reply::Told(None), Reply::Missing] {
            let mut known = Known::default();
            assert!(known.is_due(at(0)));
            known.apply(reply, at(0));
            assert!(!known.is_due(at(LONGEST.as_secs() - 1)));
            assert!(known.is_due(at(LONGEST.as_secs())));
            assert!(known.is_due(When { connection: 2, ..at(1) }));
        }
    }

    #[test]
    fn what_was_told_outlives_a_failure_and_is_asked_for_at_once() {
        let mut known = Known::default();
        known.apply(Reply::Told(Some(1)), at(0));
        assert_eq!(known.apply(Reply::Failed("no".to_owned()), at(1)), Some("no"));
        assert_eq!(known.apply(Reply::Failed("no".to_owned()), at(2)), None, "said before");
        assert_eq!((known.value(), known.problem()), (Some(1), Some("no")));
        assert!(known.is_due(at(2)));
        known.apply(Reply::Missing, at(3));
        assert_eq!((known.value(), known.problem(), known.is_missing()), (None, None, true));
    }
}
