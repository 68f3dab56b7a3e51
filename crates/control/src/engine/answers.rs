//! How calls under way ended, and what follows.

use std::time::Duration;

use jiff::Timestamp;
use plimsoll_cluster::{buffers::MakeError, orders::OrdersError};
use plimsoll_model::{Refusal, Symbol};
use plimsoll_plan::Removal;
use plimsoll_provider::OrderId;
use tracing::{info, warn};

use super::{
    Cause, Context, Engine, News,
    decide::Observation,
    later,
    leader::{Event, Leader},
    memory_edit::MemoryEdit,
    takeover::Takeover,
};
use crate::{
    orders::{Done, Outcome},
    retire::{Answer, End},
    templates::BufferName,
};

/// How long to wait before what an earlier leader left is read again.
const RELOAD: Duration = Duration::from_secs(2);

// === impl Engine ===

impl Engine {
    /// Takes how a call ended. What changes the observation waits while that is lent.
    pub(super) fn handle_event(&mut self, event: Event) {
        let Self { context, planner, leader, .. } = self;
        let Some(leader) = leader else { return };
        if !event.changes_observation() {
            return leader.handle_event(event, context);
        }
        match planner.observation_or_backlog() {
            Ok(observation) => leader.update_observation(event, context, observation),
            Err(backlog) => backlog.push_event(event),
        }
    }
}

// === impl Event ===

impl Event {
    const fn changes_observation(&self) -> bool {
        matches!(self, Self::OwnerAnswered(..) | Self::TemplateWritten(..))
    }
}

// === impl Leader ===

impl Leader {
    /// Takes an answer that says more of the cluster.
    fn update_observation(
        &mut self,
        event: Event,
        context: &Context,
        observation: &mut Observation,
    ) {
        match event {
            Event::OwnerAnswered(asked, answer) => {
                let is_answered = answer.is_ok();
                if observation.owners.learn(asked, answer) {
                    self.schedule_pass(Cause::Fleet, context);
                }
                if is_answered && observation.owners.is_idle() {
                    let inventory = context.fleet.inventory(&context.settings.plan.group);
                    self.ask_owners(context, observation, &inventory);
                }
            }
            Event::TemplateWritten(buffer, digest, outcome) => {
                self.handle_template(&buffer, (digest, outcome), context, observation);
            }
            other => self.handle_event(other, context),
        }
    }

    fn handle_event(&mut self, event: Event, context: &Context) {
        let now = context.clock.now();
        match event {
            Event::Loaded(Ok(loaded)) => {
                self.resume(loaded, now);
                self.step_at = Some(now);
                self.schedule_pass(Cause::Leading, context);
            }
            Event::Loaded(Err(error)) => {
                warn!(%error, "cannot take over yet; trying again");
                self.takeover = Takeover::Waiting(later(now, RELOAD));
            }
            Event::ErrandDone(group, done) => self.handle_errand(group, done, context, now),
            Event::OrderPlaced(id, outcome, noted) => {
                self.handle_outcome(&id, outcome, noted, context, now);
            }
            Event::PhaseWritten(id) => self.ledger.noted(&id),
            Event::PhaseUnwritten(id) => {
                self.ledger.not_noted(&id, &context.settings.orders, now);
            }
            Event::OrderDeleted(id) => self.ledger.removed(&id),
            // It is tried again after as long a while as it was kept.
            Event::OrderKept(id) if self.ledger.has(&id) => {}
            Event::OrderKept(id) => {
                self.ended.insert(id, now);
            }
            Event::RemovalAnswered { node, id, answer, pod_uid } => {
                if let Answer::Evicted(pod, outcome) = &answer
                    && self.is_being_removed(node, &id)
                {
                    let (pod, outcome) = (pod.clone(), outcome.clone());
                    context.handle.tell(News::Evicted { node, pod, uid: pod_uid, outcome });
                }
                self.handle_removal(node, &id, answer, context, now);
            }
            Event::DeletionsAnswered(answers) => {
                for (node, id, answer) in answers {
                    self.handle_removal(node, &id, answer, context, now);
                }
            }
            Event::NodeUntainted(node, outcome) => {
                self.updating.remove(&node);
                match outcome {
                    Ok(true) => context.handle.tell(News::Cleaned(node)),
                    Ok(false) => {}
                    Err(error) => warn!(%node, %error, "cannot untaint the node"),
                }
            }
            Event::NodeUpdated(node) => {
                self.updating.remove(&node);
            }
            Event::NodeDeleted(removal, outcome) => {
                let Removal { node, group, instance, .. } = removal;
                self.updating.remove(&node);
                match outcome {
                    Ok(()) => {
                        info!(%node, %group, instance, "Node deleted because its machine is gone");
                    }
                    Err(error) => {
                        warn!(%node, %group, error, "cannot delete the Node of a machine that is gone");
                    }
                }
            }
            Event::StatusWritten(object, written) => self.statuses.ended(object, written),
            Event::MemorySaved(memory, outcome) => {
                self.saving = false;
                match outcome {
                    Ok(()) => self.saved = Some(*memory),
                    Err(error) => {
                        warn!(%error, "cannot save state; trying again");
                        self.save_by(later(now, context.settings.pace.notes));
                    }
                }
            }
            // These are taken where the observation is at hand.
            Event::OwnerAnswered(..) | Event::TemplateWritten(..) => {}
        }
    }

    fn handle_template(
        &mut self,
        buffer: &BufferName,
        (digest, outcome): (u64, Result<(), MakeError>),
        context: &Context,
        observation: &mut Observation,
    ) {
        let (namespace, name) = (buffer.0, &*buffer.1);
        let failed = outcome.is_err().then_some(digest);
        self.templates.ended(buffer, failed, context.clock.now());
        let refusal = match outcome {
            Ok(()) => None,
            Err(MakeError::Refused(why)) => {
                warn!(%namespace, name, why, "the API server refused the pods of a CapacityBuffer");
                Some(Refusal { digest, why: why.into() })
            }
            Err(MakeError::Failed(error)) => {
                warn!(%namespace, name, error, "cannot write the PodTemplate of a CapacityBuffer");
                return;
            }
        };
        observation.mirror.refuse(namespace, name, refusal);
        self.schedule_pass(Cause::Outcome, context);
    }

    fn handle_errand(&mut self, group: Symbol, done: Done, context: &Context, now: Timestamp) {
        self.ledger.set_busy(group, false);
        if done.repairs.iter().any(|(_, outcome)| outcome.is_err()) {
            tell_if_undefined(context);
        }
        self.ended.extend(done.deletions.into_iter().map(|id| (id, now)));
        for (repair, outcome) in done.repairs {
            context.handle.tell(match outcome {
                Ok(()) => News::Repaired(repair),
                Err(error) => {
                    warn!(%group, %error, ?repair, "repair failed");
                    News::RepairFailed { repair, message: error.to_string() }
                }
            });
        }
        match done.order {
            Some((id, outcome, noted)) => self.handle_outcome(&id, outcome, noted, context, now),
            None => self.schedule_pass(Cause::Outcome, context),
        }
    }

    /// Takes what became of a scale-up. `noted` says whether its new phase is written.
    pub(super) fn handle_outcome(
        &mut self,
        id: &OrderId,
        outcome: Outcome,
        noted: bool,
        context: &Context,
        now: Timestamp,
    ) {
        let settings = &context.settings;
        if matches!(outcome, Outcome::Undefined(_)) {
            tell_if_undefined(context);
        }
        let not_placed = matches!(
            outcome,
            Outcome::NotPlaced(_)
                | Outcome::Unwritten(_)
                | Outcome::Undefined(_)
                | Outcome::NotAllowed(_)
        );
        let news = self.ledger.answered(id, outcome, noted, &settings.orders, now);
        self.was_answered = true;
        if not_placed && self.ledger.order(id).is_none_or(|order| order.phase.is_over()) {
            // It is decided anew, and not at once.
            self.schedule_pass_after(Cause::Outcome, settings.orders.retry, context);
        }
        let Some(news) = news else { return };
        if let News::OrderFailed { order, code, .. } = &news {
            let (group, code) = (order.intent.group, code.clone());
            self.edit_memory(MemoryEdit::ScaleUpFailed { group, code }, settings, now);
        }
        self.save_by(now);
        context.handle.tell(news);
        self.schedule_pass(Cause::Outcome, context);
    }

    fn is_being_removed(&self, node: Symbol, id: &OrderId) -> bool {
        self.retiring.get(&node).is_some_and(|known| known.id == *id)
    }

    fn handle_removal(
        &mut self,
        node: Symbol,
        id: &OrderId,
        answer: Answer,
        context: &Context,
        now: Timestamp,
    ) {
        let Some(retirement) = self.retiring.get_mut(&node).filter(|known| known.id == *id) else {
            return;
        };
        if let Answer::Marked(Err(_)) | Answer::DrainNoted(Err(_)) | Answer::Deleted(Err(_)) =
            answer
        {
            tell_if_undefined(context);
        }
        retirement.hear(answer, &context.settings.retire, now);
        self.step_at = Some(now);
        let Some(end) = retirement.end().cloned() else { return };
        let (view, group) = (retirement.view(), retirement.group);
        self.retiring.remove(&node);
        self.ended.insert(id.clone(), now);
        let (edit, news) = match end {
            End::Gone => (MemoryEdit::NodeRemoved(group), News::Gone(view)),
            End::Released(why) => {
                (MemoryEdit::RemovalFailed(group), News::Released { retirement: view, why })
            }
        };
        self.edit_memory(edit, &context.settings, now);
        self.save_by(now);
        context.handle.tell(news);
        self.schedule_pass(Cause::Outcome, context);
    }
}

/// Tells that orders cannot be written because the API server does not know their kind: nothing may be done meanwhile.
fn tell_if_undefined(context: &Context) {
    if context.order_executor.orders.is_undefined() {
        let why = OrdersError::Undefined.to_string();
        context.handle.tell(News::OrderUnwritten { why });
    }
}
