//! Advice from outside: which group to grow, when the user has a service of their own that chooses.
//!
//! A decision cannot wait for an answer. So a plan that needs one asks its question and goes on without; whoever runs it asks
//! the service and plans again with the answer.

use crate::{PodName, Symbol};

/// Which of these would be best?
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// What could be done, sorted by group.
    pub alternatives: Vec<Alternative>,
}

/// What growing one group would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// The group.
    pub group: Symbol,
    /// By how many nodes.
    pub nodes: u32,
    /// The pods that would get a place, sorted.
    pub pods: Vec<PodName>,
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// The question.
    pub question: Question,
    /// Groups that are as good as any, none when there is to be no scale-up; `None` when the service could not tell.
    pub best: Option<Vec<Symbol>>,
}
