//! Plans are made aside. The observation goes along, because it is too large to copy, and comes back with the plan.
//!
//! | state   | leaves when                  | to      |
//! |---------|------------------------------|---------|
//! | Here    | a pass is begun              | Lent    |
//! | Lent    | the plan is made             | Here    |
//! | Lent    | the task that plans is lost  | Here, with an empty observation: everything is watched from the beginning |
//!
//! While the observation is lent, what would change it is kept in the [`Backlog`]. Everything else goes on: answers of providers,
//! lost leadership, shutdown.

use std::{sync::Arc, time::Duration};

use plimsoll_model::{Advice, Question};
use tokio::{
    task::{JoinError, JoinSet},
    time::Instant,
};
use tracing::error;

use super::{
    Adviser,
    backlog::Backlog,
    decide::{Decision, Inputs, Observation, decide},
};

/// How often an expander service is asked in one pass.
const ROUNDS: usize = 4;

/// The observation of the cluster, and the plan that is being made on it.
pub(super) struct Planner {
    state: State,
    /// The plan that is being made: one at most.
    tasks: JoinSet<Planned>,
}

/// A plan that was made.
pub(super) struct Planned {
    /// The observation; `None` when it is lost because the task that planned was.
    pub observation: Option<Box<Observation>>,
    /// What was decided; `None` when the planner failed, which is a defect.
    pub decision: Option<Decision>,
}

enum State {
    Here(Box<Observation>),
    Lent(Backlog),
}

/// Where the observation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whereabouts {
    /// With the loop.
    Here,
    /// With a plan that is being made.
    Lent,
}

/// A service of the user's to ask, and how long it may take in one pass.
pub(super) struct Consultation {
    pub adviser: Arc<dyn Adviser>,
    pub patience: Duration,
}

// === impl Planner ===

impl Planner {
    pub(super) fn new(observation: Observation) -> Self {
        Self { state: State::Here(Box::new(observation)), tasks: JoinSet::new() }
    }

    pub(super) const fn whereabouts(&self) -> Whereabouts {
        match self.state {
            State::Here(_) => Whereabouts::Here,
            State::Lent(_) => Whereabouts::Lent,
        }
    }

    /// The observation, unless a plan is being made on it.
    pub(super) fn observation(&mut self) -> Option<&mut Observation> {
        match &mut self.state {
            State::Here(observation) => Some(observation),
            State::Lent(_) => None,
        }
    }

    /// The observation, or where to keep what would change it.
    pub(super) fn observation_or_backlog(&mut self) -> Result<&mut Observation, &mut Backlog> {
        match &mut self.state {
            State::Here(observation) => Ok(observation),
            State::Lent(backlog) => Err(backlog),
        }
    }

    /// Makes a plan aside. Nothing is done while another one is being made.
    pub(super) fn begin(&mut self, inputs: Inputs, consultation: Option<Consultation>) {
        match std::mem::replace(&mut self.state, State::Lent(Backlog::default())) {
            State::Here(observation) => {
                self.tasks.spawn(make_plan(observation, inputs, consultation));
            }
            lent @ State::Lent(_) => self.state = lent,
        }
    }

    /// Waits for the plan that is being made; for ever if there is none. It may be dropped and called again.
    pub(super) async fn planned(&mut self) -> Planned {
        match self.tasks.join_next().await {
            Some(Ok(planned)) => planned,
            Some(Err(problem)) => lost(&problem),
            None => std::future::pending().await,
        }
    }

    /// Takes the observation back and hands out what was kept meanwhile.
    pub(super) fn take_back(&mut self, observation: Box<Observation>) -> Backlog {
        match std::mem::replace(&mut self.state, State::Here(observation)) {
            State::Lent(backlog) => backlog,
            State::Here(_) => Backlog::default(),
        }
    }
}

/// A defect, or the process ends. The planner's own failures are caught where it runs.
fn lost(problem: &JoinError) -> Planned {
    error!(%problem, "planning failed; the cluster is listed and watched again from the beginning");
    Planned { observation: None, decision: None }
}

/// Plans, and plans again when the user's service has made a choice.
async fn make_plan(
    mut observation: Box<Observation>,
    mut inputs: Inputs,
    consultation: Option<Consultation>,
) -> Planned {
    let deadline = consultation.as_ref().map(|asked| Instant::now() + asked.patience);
    for round in 0..=ROUNDS {
        let planned = tokio::task::spawn_blocking(move || {
            let decision = decide(&mut observation, &inputs);
            (observation, decision, inputs)
        });
        let decision;
        (observation, decision, inputs) = match planned.await {
            Ok(planned) => planned,
            Err(problem) => return lost(&problem),
        };
        let Some(decision) = decision else {
            return Planned { observation: Some(observation), decision: None };
        };
        let is_new =
            |question: &&Question| !inputs.advice.iter().any(|known| known.question == **question);
        let questions: Vec<_> = decision.plan.questions.iter().filter(is_new).collect();
        let (Some(Consultation { adviser, .. }), Some(deadline), true) =
            (&consultation, deadline, round < ROUNDS && !questions.is_empty())
        else {
            return Planned { observation: Some(observation), decision: Some(decision) };
        };
        let mut answers = Vec::new();
        for question in questions {
            let advice = adviser.advise(question, &decision.seen);
            let best = tokio::time::timeout_at(deadline, advice).await.unwrap_or(None);
            answers.push(Advice { question: question.clone(), best });
        }
        inputs.advice.extend(answers);
    }
    Planned { observation: Some(observation), decision: None }
}
