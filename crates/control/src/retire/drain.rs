//! Asking the pods of a node to leave, the least important ones first.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use plimsoll_cluster::evict::Eviction;
use plimsoll_model::PodName;

use super::{Job, PodKind, PodSeen, Step, later, obstacle::LOST};
use crate::settings::RetireSettings;

/// How long a pod gets that does not say.
const DEFAULT_GRACE: u32 = 30;

/// How far it is with the pods of a node.
#[derive(Debug)]
pub(super) struct Drain {
    /// It is written down that it has begun.
    noted: bool,
    begun: Timestamp,
    /// Whether there was anything but daemons when it began; `None` before the first look.
    occupied: Option<bool>,
    asked: BTreeMap<PodName, Asked>,
}

/// What a look at the pods comes to.
#[derive(Debug)]
pub(super) enum Progress {
    /// Some are still there.
    Waits(Step),
    /// One does not leave.
    Stuck(String),
    /// All are gone that have to be. What is left to ask goes with the node.
    Empty(Vec<Job>),
}

/// What a pod was asked, and what came of it.
#[derive(Clone, Debug)]
struct Asked {
    first: Timestamp,
    /// How long it gets to end, in seconds.
    grace: u32,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    UnderWay,
    /// It leaves, and has to be gone by then.
    Leaving {
        by: Timestamp,
    },
    /// It may not leave yet; asked again then.
    Blocked {
        again: Timestamp,
        why: String,
    },
}

// === impl Drain ===

impl Drain {
    pub(super) fn new(now: Timestamp) -> Self {
        Self { noted: false, begun: now, occupied: None, asked: BTreeMap::new() }
    }

    /// Once more, after something came when all was gone.
    pub(super) fn again(now: Timestamp) -> Self {
        Self { noted: true, ..Self::new(now) }
    }

    pub(super) fn is_noted(&self) -> bool {
        self.noted
    }

    pub(super) fn noted(&mut self, now: Timestamp) {
        self.noted = true;
        self.begun = now;
    }

    /// What to do next, given the pods that are there now.
    pub(super) fn step(
        &mut self,
        pods: &[PodSeen],
        rules: &RetireSettings,
        now: Timestamp,
    ) -> Progress {
        let movable = |pod: &&PodSeen| pod.kind == PodKind::Movable;
        let occupied = *self.occupied.get_or_insert_with(|| pods.iter().any(|pod| movable(&pod)));
        self.asked.retain(|name, _| pods.iter().any(|pod| pod.name == *name));
        let wave = pods.iter().filter(movable).map(|pod| rules.wave(pod.priority).0).min();
        let mut jobs = Vec::new();
        // Daemons are asked along with their wave, and not waited for.
        for pod in pods {
            let PodKind::Daemon(wish) = pod.kind else { continue };
            let general =
                if occupied { rules.evict_daemons_occupied } else { rules.evict_daemons_empty };
            let due = wave.is_none_or(|wave| rules.wave(pod.priority).0 <= wave);
            if wish.unwrap_or(general) && due && !self.asked.contains_key(&pod.name) {
                self.ask(pod, State::UnderWay, rules, now);
                jobs.push(evict(pod, rules));
            }
        }
        let Some(wave) = wave else { return Progress::Empty(jobs) };
        let end = later(self.begun, rules.longest_drain());
        if end <= now {
            return Progress::Stuck("pods keep coming back".to_owned());
        }
        let mut wake = Some(end);
        let mut wait_until = |moment: Timestamp| {
            wake = wake.map(|wake: Timestamp| wake.min(moment));
        };
        let of_wave = |pod: &&PodSeen| rules.wave(pod.priority).0 == wave;
        for pod in pods.iter().filter(movable).filter(of_wave) {
            match self.asked.get_mut(&pod.name) {
                None if pod.ends_in.is_some() => {
                    // Longer than it takes until it counts as lost, and is not among the pods any more.
                    let given = pod.ends_in.unwrap_or_default().saturating_add(LOST);
                    let by = later(deadline(now, longest(pod, rules), rules), given);
                    self.ask(pod, State::Leaving { by }, rules, now);
                    wait_until(by);
                }
                None => {
                    self.ask(pod, State::UnderWay, rules, now);
                    jobs.push(evict(pod, rules));
                }
                Some(asked) => match &asked.state {
                    State::UnderWay => {}
                    State::Leaving { by } if *by < now => {
                        let name = &pod.name;
                        return Progress::Stuck(format!("{name} was evicted and did not end"));
                    }
                    State::Leaving { by } => wait_until(*by),
                    State::Blocked { why, .. }
                        if now.duration_since(asked.first) >= rules.eviction_time =>
                    {
                        return Progress::Stuck(format!(
                            "{} could not be evicted: {why}",
                            pod.name
                        ));
                    }
                    State::Blocked { again, .. } if *again > now => wait_until(*again),
                    State::Blocked { .. } => {
                        asked.state = State::UnderWay;
                        jobs.push(evict(pod, rules));
                    }
                },
            }
        }
        Progress::Waits(Step { jobs, wake })
    }

    /// Takes what became of an eviction.
    pub(super) fn answered(
        &mut self,
        pod: &PodName,
        outcome: Eviction,
        rules: &RetireSettings,
        now: Timestamp,
    ) {
        let Some(asked) = self.asked.get_mut(pod) else { return };
        asked.state = match outcome {
            // The watch tells when it is gone.
            Eviction::Accepted | Eviction::Gone => {
                State::Leaving { by: deadline(now, asked.grace, rules) }
            }
            Eviction::Blocked { why } | Eviction::Failed { why } => {
                State::Blocked { again: later(now, rules.eviction_retry), why }
            }
        };
    }

    /// In words.
    pub(super) fn waits_for(&self) -> String {
        let blocked = self.asked.iter().find_map(|(pod, asked)| match &asked.state {
            State::Blocked { why, .. } => Some(format!("{pod}: {why}")),
            _ => None,
        });
        let leaving = || self.asked.keys().next().map(|pod| format!("{pod} to end"));
        blocked.or_else(leaving).unwrap_or_default()
    }

    fn ask(&mut self, pod: &PodSeen, state: State, rules: &RetireSettings, now: Timestamp) {
        let asked = Asked { first: now, grace: longest(pod, rules), state };
        self.asked.insert(pod.name.clone(), asked);
    }
}

fn evict(pod: &PodSeen, rules: &RetireSettings) -> Job {
    let (_, most) = rules.wave(pod.priority);
    let grace = (pod.grace.unwrap_or(DEFAULT_GRACE) > most).then_some(most);
    Job::Evict { pod: pod.name.clone(), uid: pod.uid.clone(), grace }
}

fn longest(pod: &PodSeen, rules: &RetireSettings) -> u32 {
    pod.grace.unwrap_or(DEFAULT_GRACE).min(rules.wave(pod.priority).1)
}

fn deadline(now: Timestamp, grace: u32, rules: &RetireSettings) -> Timestamp {
    later(later(now, SignedDuration::from_secs(i64::from(grace))), rules.headroom)
}

// === impl RetireSettings ===

impl RetireSettings {
    /// The wave in which a pod of this priority leaves, and the longest it gets to end.
    pub(crate) fn wave(&self, priority: i32) -> (i32, u32) {
        let lower = self.waves.iter().filter(|(lowest, _)| *lowest <= priority).max();
        let wave = lower.or_else(|| self.waves.iter().min());
        wave.copied().unwrap_or((i32::MIN, self.max_grace))
    }

    /// By then all waves should have left, each asked for as long as it may be and with all the time it gets.
    pub(super) fn longest_drain(&self) -> SignedDuration {
        let waves: Vec<u32> = match self.waves.as_slice() {
            [] => vec![self.max_grace],
            waves => waves.iter().map(|(_, most)| *most).collect(),
        };
        let wave = |grace: u32| {
            let grace = SignedDuration::from_secs(i64::from(grace));
            grace.saturating_add(self.eviction_time).saturating_add(self.headroom)
        };
        waves.into_iter().map(wave).fold(SignedDuration::ZERO, SignedDuration::saturating_add)
    }
}
