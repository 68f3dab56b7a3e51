//! Whether the loop is alive, as `/health-check` tells it: by upstream's flags and upstream's rules.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};

use crate::record::RecordSettings;

/// Whether the loop is alive. Clones know the same.
#[derive(Clone, Debug)]
pub(crate) struct Health {
    inactivity: SignedDuration,
    failing: SignedDuration,
    startup: SignedDuration,
    pulse: Arc<Mutex<Pulse>>,
    /// What keeps anything from being done, whatever passes are made.
    problem: Arc<Mutex<Option<String>>>,
}

/// When it last gave signs of life.
#[derive(Clone, Copy, Debug)]
struct Pulse {
    /// Who does not lead has nothing to do, and is well.
    watched: bool,
    begun: bool,
    active: Timestamp,
    succeeded: Timestamp,
}

/// The loop has not given a sign of life for too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dead {
    /// Since the last sign of any kind.
    pub inactive: SignedDuration,
    /// Since the last pass that could be acted on.
    pub failing: SignedDuration,
}

// === impl Health ===

impl Health {
    pub(crate) fn new(settings: &RecordSettings, now: Timestamp) -> Self {
        let signed = |time: Duration| SignedDuration::try_from(time).unwrap_or(SignedDuration::MAX);
        let (inactivity, failing) =
            (signed(settings.max_inactivity), signed(settings.max_failing_time));
        let pulse = Pulse { watched: false, begun: false, active: now, succeeded: now };
        Self {
            inactivity,
            failing,
            // The first pass never has less time than any other.
            startup: signed(settings.max_startup_time).max(inactivity).max(failing),
            pulse: Arc::new(Mutex::new(pulse)),
            problem: Arc::default(),
        }
    }

    /// We lead from here on, so there are passes to be made.
    pub(crate) fn lead(&self, now: Timestamp) {
        self.change(|pulse| {
            *pulse = Pulse { watched: true, begun: pulse.begun, active: now, succeeded: now };
        });
    }

    /// Somebody else leads.
    pub(crate) fn stand_by(&self) {
        self.change(|pulse| pulse.watched = false);
        self.set_problem(None);
    }

    /// Something keeps anything from being done, or does no longer.
    pub(crate) fn set_problem(&self, problem: Option<String>) {
        *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = problem;
    }

    /// What keeps anything from being done.
    pub(crate) fn problem(&self) -> Option<String> {
        self.problem.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The loop does something, whether or not it succeeds.
    pub(crate) fn active(&self, now: Timestamp) {
        self.change(|pulse| pulse.active = pulse.active.max(now));
    }

    /// A pass was made.
    pub(crate) fn succeeded(&self, now: Timestamp) {
        self.change(|pulse| {
            pulse.succeeded = pulse.succeeded.max(now);
            pulse.active = pulse.active.max(now);
            pulse.begun = true;
        });
    }

    /// Whether it is alive.
    pub(crate) fn check(&self, now: Timestamp) -> Result<(), Dead> {
        let pulse = *self.pulse.lock().unwrap_or_else(PoisonError::into_inner);
        let (inactive, failing) =
            (now.duration_since(pulse.active), now.duration_since(pulse.succeeded));
        let (most_inactive, most_failing) = if pulse.begun {
            (self.inactivity, self.failing)
        } else {
            (self.startup, self.startup)
        };
        if pulse.watched && (inactive > most_inactive || failing > most_failing) {
            return Err(Dead { inactive, failing });
        }
        Ok(())
    }

    fn change(&self, change: impl FnOnce(&mut Pulse)) {
        change(&mut self.pulse.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minutes)
    }

    #[test]
    fn who_leads_has_to_give_signs_of_life() {
        let health = Health::new(&RecordSettings::default(), at(0));
        assert_eq!(health.check(at(1000)), Ok(()), "who stands by has nothing to do");
        health.lead(at(1000));
        assert_eq!(health.check(at(1020)), Ok(()), "the first pass may take max-startup-time");
        assert!(health.check(at(1021)).is_err());
        health.succeeded(at(1021));
        assert_eq!(health.check(at(1031)), Ok(()));
        assert!(health.check(at(1032)).is_err(), "max-inactivity is over");
        health.active(at(1032));
        assert_eq!(health.check(at(1036)), Ok(()));
        assert!(health.check(at(1037)).is_err(), "max-failing-time is over");
        health.stand_by();
        assert_eq!(health.check(at(2000)), Ok(()));
    }
}
