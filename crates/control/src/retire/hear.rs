//! What answers mean to a node on its way out.

use jiff::Timestamp;
use plimsoll_provider::{Class, Error};

use super::{Answer, Asker, Deletion, End, Retirement, Stage, later};
use crate::settings::RetireSettings;

// === impl Retirement ===

impl Retirement {
    /// Takes the answer to a call.
    pub(crate) fn hear(&mut self, answer: Answer, rules: &RetireSettings, now: Timestamp) {
        if let Answer::Evicted(pod, outcome) = answer {
            if let Stage::Draining(drain) = &mut self.stage {
                drain.answered(&pod, outcome, rules, now);
            }
            return;
        }
        self.busy = false;
        match (&mut self.stage, answer) {
            (Stage::Marking, Answer::Marked(Ok(true))) => {
                self.enter(Stage::Settling { until: later(now, rules.delay_after_taint) });
            }
            (Stage::Marking, Answer::Marked(Ok(false))) => self.release("the node is gone".into()),
            (Stage::Marking, Answer::Marked(Err(why))) => {
                self.release(format!("it could not be marked: {why}"));
            }
            (Stage::Draining(drain), Answer::DrainNoted(Ok(()))) => drain.noted(now),
            (Stage::Deleting { since }, Answer::Deleted(Ok(answer))) => {
                let since = *since;
                self.hear_deletion(answer, since, rules, now);
            }
            (Stage::Vanishing { .. }, Answer::Finished(Ok(()))) => {
                self.enter(Stage::Over(End::Gone));
            }
            (Stage::Releasing { why, .. }, Answer::Released(Ok(()))) => {
                let why = std::mem::take(why);
                self.enter(Stage::Over(End::Released(why)));
            }
            // The API server could not be written to: once more, after a while.
            (
                _,
                Answer::DrainNoted(Err(_))
                | Answer::Deleted(Err(_))
                | Answer::Finished(Err(_))
                | Answer::Released(Err(_)),
            ) => self.pause = Some(later(now, rules.retry)),
            // An answer to what does not matter any more.
            _ => {}
        }
    }

    fn hear_deletion(
        &mut self,
        answer: Deletion,
        since: Timestamp,
        rules: &RetireSettings,
        now: Timestamp,
    ) {
        match answer {
            Deletion::Answered(answer) => self.hear_provider(answer, since, rules, now),
            Deletion::Occupied => {
                self.drain_again(rules, now);
                // The watch may be behind and not show the pod yet.
                self.pause = Some(later(now, rules.retry));
            }
            Deletion::Changed(why) => self.release(why),
        }
    }

    fn hear_provider(
        &mut self,
        answer: Result<(), Error>,
        since: Timestamp,
        rules: &RetireSettings,
        now: Timestamp,
    ) {
        match answer {
            Ok(()) => self.enter(Stage::Vanishing { asked: now, by: Asker::Us }),
            // Gone, which is what was wanted.
            Err(error) if error.class() == Class::NotFound => {
                self.enter(Stage::Vanishing { asked: now, by: Asker::Us });
            }
            Err(error)
                if error.class() == Class::Retry
                    && now.duration_since(since) <= rules.delete_patience =>
            {
                let asked = error.retry_after().and_then(|pause| pause.try_into().ok());
                let pause = asked.map_or(rules.retry, |pause| rules.retry.min(pause));
                self.pause = Some(later(now, pause));
            }
            Err(error) => self.release(format!("its machine could not be deleted: {error}")),
        }
    }
}
