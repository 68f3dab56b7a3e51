//! What a node on its way out needs next, given what is seen of it.

use jiff::Timestamp;

use super::{
    Asker, Care, Job, Machine, PodKind, Retirement, Sighting, Stage, Step,
    drain::{Drain, Progress},
    later,
    obstacle::Obstacle,
};
use crate::settings::RetireSettings;

// === impl Retirement ===

impl Retirement {
    /// What is to be done, given what is seen.
    pub(crate) fn step(&mut self, seen: &Sighting, rules: &RetireSettings, now: Timestamp) -> Step {
        let (pods, lost) = self.without_lost(&seen.pods, now);
        let seen = Sighting { pods, ..seen.clone() };
        self.listed |= matches!(seen.machine, Machine::Here | Machine::Deleting);
        let mut jobs = Vec::new();
        // Stages that are left without a call are left at once.
        loop {
            let before = std::mem::discriminant(&self.stage);
            let step = self.step_once(&seen, &lost, rules, now);
            jobs.extend(step.jobs);
            if before == std::mem::discriminant(&self.stage) {
                return Step { jobs, wake: step.wake };
            }
        }
    }

    fn step_once(
        &mut self,
        seen: &Sighting,
        lost: &[Box<str>],
        rules: &RetireSettings,
        now: Timestamp,
    ) -> Step {
        if self.goes_of_itself(seen) {
            let asked = self.asked_before.unwrap_or(now);
            self.enter(Stage::Vanishing { asked, by: Asker::Others });
        } else {
            match self.obstacle(seen, rules, now) {
                Some(Obstacle::Stays(why)) => self.release(why),
                Some(Obstacle::NotMeant(why)) => self.abandon(why),
                Some(Obstacle::Unknown(until)) => return Step::wait(until),
                None => {}
            }
        }
        if let Some(until) = self.pause.filter(|until| *until > now) {
            return Step::wait(until);
        }
        self.pause = None;
        match &mut self.stage {
            Stage::Marking => self.call(Job::Mark),
            Stage::Settling { until } if *until > now => Step::wait(*until),
            Stage::Settling { .. } => {
                self.enter(Stage::Checking);
                Step::default()
            }
            Stage::Draining(drain) if !drain.is_noted() => self.call(Job::NoteDrain),
            Stage::Draining(drain) => match drain.step(&seen.pods, rules, now) {
                Progress::Waits(step) => step,
                Progress::Stuck(why) => {
                    self.release(why);
                    Step::default()
                }
                Progress::Empty(jobs) => {
                    self.enter(Stage::Delaying { since: now });
                    Step { jobs, wake: None }
                }
            },
            Stage::Delaying { since } => {
                let until = later(*since, rules.delay_timeout);
                if seen.delays.is_empty() || until <= now {
                    self.enter(Stage::Deleting { since: now });
                    return Step::default();
                }
                Step::wait(until)
            }
            Stage::Deleting { since } => {
                let since = *since;
                self.step_deletion(seen, lost, since, rules, now)
            }
            Stage::Vanishing { asked, by } => {
                let (asked, by) = (*asked, *by);
                self.step_vanishing(seen, (asked, by), rules, now)
            }
            Stage::Releasing { why, care } => {
                let why = why.clone();
                let job = match care {
                    Care::Restore => Job::Release { why },
                    Care::Leave => Job::Close { why },
                };
                self.call(job)
            }
            Stage::Checking | Stage::Over(_) => Step::default(),
        }
    }

    /// The machine is to be deleted. Everything is looked at again before every call, the first and those that repeat it.
    fn step_deletion(
        &mut self,
        seen: &Sighting,
        lost: &[Box<str>],
        since: Timestamp,
        rules: &RetireSettings,
        now: Timestamp,
    ) -> Step {
        if self.busy {
            return Step::default();
        }
        if seen.machine == Machine::Deleting {
            self.enter(Stage::Vanishing { asked: now, by: Asker::Us });
            return Step::default();
        }
        if seen.pods.iter().any(|pod| pod.kind == PodKind::Movable) {
            // Whoever has come meanwhile is evicted first.
            self.drain_again(rules, now);
            return Step::default();
        }
        if seen.awaits_order {
            return Step::wait(later(now, rules.retry));
        }
        let own = later(since, rules.batch);
        let until = seen.batch_until.map_or(own, |group| group.min(own));
        if until > now {
            return Step::wait(until);
        }
        self.call(Job::Delete { lost: lost.to_vec() })
    }

    /// The provider was asked. It is over once the machine is not listed any more.
    fn step_vanishing(
        &mut self,
        seen: &Sighting,
        (asked, by): (Timestamp, Asker),
        rules: &RetireSettings,
        now: Timestamp,
    ) -> Step {
        let until = later(asked, rules.delete_patience);
        match seen.machine {
            Machine::Gone { as_of } if as_of > asked => {
                let is_it = self.node_uid.is_some() && self.node_uid == seen.uid;
                let alive = seen.is_here && is_it && seen.is_ready;
                if !is_it || seen.is_control_plane {
                    // What has this name now is not what was to be removed.
                    self.call(Job::Finish { uid: None })
                } else if self.listed || !alive {
                    self.call(Job::Finish { uid: self.node_uid.clone() })
                } else if until <= now {
                    let why = format!("its provider lists no machine {}", self.instance);
                    self.release(format!("{why}, and the node is ready"));
                    Step::default()
                } else {
                    Step::wait(until)
                }
            }
            Machine::Here if until <= now => {
                // Who did not ask has not checked either, and begins at the beginning.
                self.asked_before = None;
                self.enter(match by {
                    Asker::Us => Stage::Deleting { since: now },
                    Asker::Others => Stage::Marking,
                });
                Step::default()
            }
            Machine::Here => Step::wait(until),
            Machine::Unknown => match self.unknown(rules, now) {
                Obstacle::Unknown(until) => Step::wait(until),
                Obstacle::Stays(why) | Obstacle::NotMeant(why) => {
                    self.release(format!("its machine was to be deleted, but {why}"));
                    Step::default()
                }
            },
            Machine::Deleting | Machine::Gone { .. } => Step::default(),
        }
    }

    /// Evicts pods that came when all were gone, unless that has gone on for too long.
    pub(super) fn drain_again(&mut self, rules: &RetireSettings, now: Timestamp) {
        let since = *self.occupied_since.get_or_insert(now);
        if now.duration_since(since) > rules.longest_drain() {
            self.release("pods keep coming back".to_owned());
        } else {
            self.enter(Stage::Draining(Drain::again(now)));
        }
    }

    /// Whether the provider takes the machine away without being asked by us.
    fn goes_of_itself(&self, seen: &Sighting) -> bool {
        if !self.is_on_its_way() {
            return false;
        }
        match seen.machine {
            Machine::Deleting => true,
            // A machine that an earlier run did not ask for may merely be known by another name.
            Machine::Gone { as_of } => self.asked_before.is_some_and(|asked| as_of > asked),
            Machine::Here | Machine::Unknown => false,
        }
    }

    fn call(&mut self, job: Job) -> Step {
        if std::mem::replace(&mut self.busy, true) {
            return Step::default();
        }
        Step { jobs: vec![job], wake: None }
    }
}
