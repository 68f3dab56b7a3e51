//! What a node on its way out needs next, given what is seen of it.

use jiff::Timestamp;

use super::{
    Job, Machine, PodKind, Retirement, Sighting, Stage, Step,
    drain::{Drain, Progress},
    later,
};
use crate::settings::RetireSettings;

// === impl Retirement ===

impl Retirement {
    /// What is to be done, given what is seen.
    pub(crate) fn step(&mut self, seen: &Sighting, rules: &RetireSettings, now: Timestamp) -> Step {
        let mut jobs = Vec::new();
        // Stages that are left without a call are left at once.
        loop {
            let before = std::mem::discriminant(&self.stage);
            let step = self.step_once(seen, rules, now);
            jobs.extend(step.jobs);
            if before == std::mem::discriminant(&self.stage) {
                return Step { jobs, wake: step.wake };
            }
        }
    }

    fn step_once(&mut self, seen: &Sighting, rules: &RetireSettings, now: Timestamp) -> Step {
        if self.goes_of_itself(seen) {
            self.enter(Stage::Vanishing { asked: self.asked_before.unwrap_or(now) });
        } else if let Some(why) = self.obstacle(seen) {
            self.release(why);
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
                    // Whoever has come meanwhile has to leave first.
                    self.enter(if seen.pods.iter().any(|pod| pod.kind == PodKind::Movable) {
                        Stage::Draining(Drain::again(now))
                    } else {
                        Stage::Deleting { since: now }
                    });
                    return Step::default();
                }
                Step::wait(until)
            }
            Stage::Deleting { .. } if seen.machine == Machine::Deleting => {
                self.enter(Stage::Vanishing { asked: now });
                Step::default()
            }
            Stage::Deleting { .. } if seen.awaits_order => Step::wait(later(now, rules.retry)),
            Stage::Deleting { .. } => self.call(Job::Delete),
            Stage::Vanishing { asked } => {
                let until = later(*asked, rules.delete_patience);
                match seen.machine {
                    Machine::Gone { as_of } if as_of > *asked => {
                        self.call(Job::Finish { uid: seen.uid.clone() })
                    }
                    Machine::Here if until <= now => {
                        self.enter(Stage::Deleting { since: now });
                        Step::default()
                    }
                    Machine::Here => Step::wait(until),
                    _ => Step::default(),
                }
            }
            Stage::Releasing { why } => {
                let why = why.clone();
                self.call(Job::Release { why })
            }
            Stage::Checking | Stage::Over(_) => Step::default(),
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

    /// Why the node must not go on leaving.
    fn obstacle(&self, seen: &Sighting) -> Option<String> {
        if !self.is_on_its_way() {
            return None;
        }
        if !seen.is_here {
            return Some("the node is gone".to_owned());
        }
        if seen.keep {
            return Some("it is marked as not to be removed".to_owned());
        }
        let pinned = seen.pods.iter().find(|pod| pod.kind == PodKind::Pinned);
        pinned.map(|pod| format!("{} must not be evicted", pod.name))
    }

    /// Whether the machine is still to be asked for.
    fn is_on_its_way(&self) -> bool {
        match &self.stage {
            Stage::Marking
            | Stage::Settling { .. }
            | Stage::Checking
            | Stage::Draining(_)
            | Stage::Delaying { .. } => true,
            Stage::Deleting { .. }
            | Stage::Vanishing { .. }
            | Stage::Releasing { .. }
            | Stage::Over(_) => false,
        }
    }

    fn call(&mut self, job: Job) -> Step {
        if std::mem::replace(&mut self.busy, true) {
            return Step::default();
        }
        Step { jobs: vec![job], wake: None }
    }
}
