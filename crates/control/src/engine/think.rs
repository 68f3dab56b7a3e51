//! Thinking aside, and asking the user's own service about it.

use plimsoll_cluster::mirror::Mirror;
use plimsoll_model::{Advice, Memory, Question};
use tokio::time::Instant;
use tracing::error;

use super::{
    Engine,
    decide::{Decision, Matter, Sight, decide},
};
use crate::observe::Owners;

/// How often an expander service is asked in one pass.
const ROUNDS: usize = 4;

// === impl Engine ===

impl Engine {
    /// Thinks aside, and again when the user's service has something to say.
    pub(super) async fn decide(&mut self, mut matter: Matter) -> Option<Decision> {
        let deadline = Instant::now() + self.settings.pace.advice;
        for round in 0..=ROUNDS {
            let (decision, given_back) = self.think(matter).await?;
            matter = given_back;
            let decision = decision?;
            let Some(adviser) = self.adviser.clone().filter(|_| round < ROUNDS) else {
                return Some(decision);
            };
            let asked =
                |question: &Question| matter.advice.iter().any(|known| known.question == *question);
            let questions: Vec<_> =
                decision.plan.questions.iter().filter(|question| !asked(question)).collect();
            if questions.is_empty() {
                return Some(decision);
            }
            let mut answers = Vec::new();
            for question in questions {
                let advice = adviser.advise(question, &decision.seen);
                let best = tokio::time::timeout_at(deadline, advice).await;
                let best = best.unwrap_or_default();
                answers.push(Advice { question: question.clone(), best });
            }
            matter.advice.extend(answers);
        }
        None
    }

    async fn think(&mut self, matter: Matter) -> Option<(Option<Decision>, Matter)> {
        let blind = Sight {
            mirror: Mirror::new(matter.now, self.kinds.clone()),
            owners: Owners::default(),
        };
        let mut sight = std::mem::replace(&mut self.sight, blind);
        let thought = tokio::task::spawn_blocking(move || {
            let decision = decide(&mut sight, &matter);
            (sight, decision, matter)
        });
        match thought.await {
            Ok((sight, decision, matter)) => {
                self.sight = sight;
                Some((decision, matter))
            }
            Err(problem) => {
                // A defect, or the process ends. The planner's own failures are caught where it runs.
                error!(%problem, "could not think; the cluster is looked at from the beginning");
                self.blind = true;
                None
            }
        }
    }
}

/// What is remembered of a plan that is not acted on: what was found out, and nothing that would have been done.
pub(super) fn unacted(before: &Memory, planned: Memory) -> Memory {
    let before = before.clone();
    Memory {
        last_scale_up: before.last_scale_up,
        last_scale_down: before.last_scale_down,
        last_scale_down_failure: before.last_scale_down_failure,
        group_activity: before.group_activity,
        orders: before.orders,
        replacement: before.replacement,
        consolidated: before.consolidated,
        stayed: before.stayed,
        recent_evictions: before.recent_evictions,
        requests: before.requests,
        ..planned
    }
}
