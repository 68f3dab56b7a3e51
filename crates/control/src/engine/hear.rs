//! What calls under way tell, and what follows.

use jiff::Timestamp;
use plimsoll_cluster::buffers::MakeError;
use plimsoll_model::{Refusal, Symbol};
use plimsoll_plan::Removal;
use plimsoll_provider::OrderId;
use tracing::{info, warn};

use super::{
    Cause, Engine, News, RELOAD, later,
    reign::{Event, State},
};
use crate::{
    orders::{Done, Outcome},
    retire::{Answer, End},
    templates::BufferName,
};

// === impl Engine ===

impl Engine {
    /// Takes what a call tells.
    pub(super) fn hear(&mut self, event: Event) {
        let now = self.clock.now();
        let Some(reign) = &mut self.reign else { return };
        match event {
            Event::Loaded(Ok(loaded)) => {
                reign.resume(loaded, now);
                self.step_at = Some(now);
                self.call(Cause::Leading);
            }
            Event::Loaded(Err(error)) => {
                warn!(%error, "cannot take over yet");
                reign.state = State::Waiting(later(now, RELOAD));
            }
            Event::Owner(asked, answer) => {
                let answered = answer.is_ok();
                if self.sight.owners.learn(asked, answer) {
                    self.call(Cause::Fleet);
                }
                if answered && self.sight.owners.is_idle() {
                    let inventory = self.fleet.inventory(&self.settings.plan.group);
                    self.ask_owners(&inventory);
                }
            }
            Event::Errand(group, done) => self.hear_errand(group, done, now),
            Event::Placed(id, outcome, noted) => self.hear_outcome(&id, outcome, noted, now),
            Event::Noted(id, true) => reign.ledger.noted(&id),
            Event::Noted(id, false) => reign.ledger.not_noted(&id, &self.settings.orders, now),
            Event::Removed(id, true) => reign.ledger.removed(&id),
            // It is tried again after as long a while as it was kept.
            Event::Removed(id, false) if reign.ledger.has(&id) => {}
            Event::Removed(id, false) => {
                reign.over.insert(id, now);
            }
            Event::Retirement(node, id, answer) => self.hear_retirement(node, &id, answer, now),
            Event::Deletions(answers) => {
                for (node, id, answer) in answers {
                    self.hear_retirement(node, &id, answer, now);
                }
            }
            Event::Cleaned(node, outcome) => {
                reign.marking.remove(&node);
                match outcome {
                    Ok(true) => self.handle.tell(News::Cleaned(node)),
                    Ok(false) => {}
                    Err(error) => warn!(%node, %error, "could not take a mark off"),
                }
            }
            Event::Marked(node) => {
                reign.marking.remove(&node);
            }
            Event::NodeRemoved(removal, outcome) => {
                let Removal { node, group, instance, .. } = removal;
                reign.marking.remove(&node);
                match outcome {
                    Ok(()) => info!(%node, %group, instance, "its machine is gone, and so is it"),
                    Err(error) => warn!(%node, %group, error, "a Node could not be removed"),
                }
            }
            Event::Made(buffer, digest, outcome) => self.hear_made(&buffer, digest, outcome, now),
            Event::Told(object, written) => reign.statuses.ended(object, written),
            Event::Saved(memory, outcome) => {
                reign.saving = false;
                match outcome {
                    Ok(()) => reign.saved = Some(*memory),
                    Err(error) => {
                        warn!(%error, "memory is not written down");
                        reign.save_by(later(now, self.settings.pace.notes));
                    }
                }
            }
        }
    }

    fn hear_made(
        &mut self,
        buffer: &BufferName,
        digest: u64,
        outcome: Result<(), MakeError>,
        now: Timestamp,
    ) {
        let Some(reign) = &mut self.reign else { return };
        let (namespace, name) = (buffer.0, &*buffer.1);
        reign.templates.ended(buffer, outcome.is_err().then_some(digest), now);
        let refusal = match outcome {
            Ok(()) => None,
            Err(MakeError::Refused(why)) => {
                warn!(%namespace, name, why, "the units of a CapacityBuffer are refused");
                Some(Refusal { digest, why: why.into() })
            }
            Err(MakeError::Failed(error)) => {
                warn!(%namespace, name, error, "could not write the PodTemplate of a CapacityBuffer");
                return;
            }
        };
        self.sight.mirror.refuse(namespace, name, refusal);
        self.call(Cause::Outcome);
    }

    fn hear_errand(&mut self, group: Symbol, done: Done, now: Timestamp) {
        let Some(reign) = &mut self.reign else { return };
        reign.ledger.set_busy(group, false);
        reign.over.extend(done.deletions.into_iter().map(|id| (id, now)));
        for (repair, outcome) in done.repairs {
            self.handle.tell(match outcome {
                Ok(()) => News::Repaired(repair),
                Err(error) => {
                    warn!(%group, %error, ?repair, "could not be put right");
                    News::RepairFailed { repair, message: error.to_string() }
                }
            });
        }
        match done.order {
            Some((id, outcome, noted)) => self.hear_outcome(&id, outcome, noted, now),
            None => self.call(Cause::Outcome),
        }
    }

    pub(super) fn hear_outcome(
        &mut self,
        id: &OrderId,
        outcome: Outcome,
        noted: bool,
        now: Timestamp,
    ) {
        let Some(reign) = &mut self.reign else { return };
        if let Outcome::Undefined(why) = &outcome {
            self.handle.tell(News::OrderUnwritten { why: why.clone() });
        }
        let not_placed = matches!(
            outcome,
            Outcome::NotPlaced(_)
                | Outcome::Unwritten(_)
                | Outcome::Undefined(_)
                | Outcome::NotAllowed(_)
        );
        let order = reign.ledger.order(id);
        let news = reign.ledger.answered(id, outcome, noted, &self.settings.orders, now);
        if let (true, Some(order)) = (not_placed, order)
            && reign.ledger.order(id).is_none_or(|order| order.phase.is_over())
        {
            // It was not ordered, so it is not waited for. It is decided anew, and not at once.
            reign.forget(&order);
            self.call_after(Cause::Outcome, self.settings.orders.retry);
        }
        let Some(news) = news else { return };
        let Some(reign) = &mut self.reign else { return };
        reign.remember(&news, &self.settings, now);
        reign.correct(&news);
        reign.save_by(now);
        self.handle.tell(news);
        self.call(Cause::Outcome);
    }

    fn hear_retirement(&mut self, node: Symbol, id: &OrderId, answer: Answer, now: Timestamp) {
        let Some(reign) = &mut self.reign else { return };
        let Some(retirement) = reign.retiring.get_mut(&node).filter(|known| known.id == *id) else {
            return;
        };
        if let Answer::Evicted(pod, outcome) = &answer {
            let (pod, outcome) = (pod.clone(), outcome.clone());
            let uid = self.sight.mirror.pod_uid(&pod).map(Into::into);
            self.handle.tell(News::Evicted { node, pod, uid, outcome });
        }
        retirement.hear(answer, &self.settings.retire, now);
        self.step_at = Some(now);
        let Some(end) = retirement.end().cloned() else { return };
        let (view, group) = (retirement.view(), retirement.group);
        reign.retiring.remove(&node);
        reign.over.insert(id.clone(), now);
        let activity = reign.memory.group_activity.entry(group).or_default();
        let news = match end {
            End::Gone => {
                activity.scale_down = Some(now);
                reign.memory.last_scale_down = Some(now);
                News::Gone(view)
            }
            End::Released(why) => {
                activity.failure = Some(now);
                reign.memory.last_scale_down_failure = Some(now);
                News::Released { retirement: view, why }
            }
        };
        reign.save_by(now);
        self.handle.tell(news);
        self.call(Cause::Outcome);
    }
}
