//! When what happens: an act begins when the one before it has come about, however slow the machine is, or when it is given up.
//!
//! | state   | leaves when                                                          | for             |
//! |---------|----------------------------------------------------------------------|-----------------|
//! | Opening | the autoscaler has looked at the cluster and found a node of its own | Playing         |
//! | Playing | the act has come about and could be seen, or nobody waits any more   | the next act, at last Closing |
//! | Closing | acts that were late have come about, or nobody waits any more        | Falling         |
//! | Falling | everything is given back, or enough time is over                     | Playing, if there is time for another round; else Resting |
//! | Resting | the time is over                                                     | Over            |
//!
//! Whatever the state, everything is over when the time is and every act has come about, at the latest after twice the time.

use std::{sync::Arc, time::Duration};

use super::{
    facts::Facts,
    play::{Act, Scene},
};

/// The shortest time in which the play can be played.
pub(super) const SHORTEST: Duration = Duration::from_secs(45);

/// Another round is begun only when there is so much time for it.
const ROUND: Duration = Duration::from_secs(75);

/// How long one may watch what an act has brought before the next begins.
const PAUSE: Duration = Duration::from_secs(8);

/// How long an act may take before the next begins without it.
const PATIENCE: Duration = Duration::from_secs(45);

/// How long everything may take to be given back between two rounds.
const STRIKE: Duration = Duration::from_secs(20);

/// What is left of the time when the last act should have come about.
const RESERVE: Duration = Duration::from_secs(2);

/// Leads through the play.
#[derive(Debug)]
pub(super) struct Director {
    acts: &'static [Act],
    limit: Option<Duration>,
    state: State,
    round: u32,
    /// Acts that have begun and not come about, with what was so when they began.
    open: Vec<(usize, Arc<Facts>)>,
    verdicts: Vec<Verdict>,
}

/// What is to be done, or told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cue {
    /// An act begins: its moves are to be made.
    Begin(usize),
    /// It has come about.
    Happened(usize),
    /// Its share of the time is over, and it has not come about.
    Late(usize),
    /// All that runs is to be taken away.
    Strike,
    /// It is over.
    Over,
}

/// What became of an act.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) state: Progress,
    /// In how many rounds it came about.
    pub(super) happened: u32,
    /// In how many it did not.
    pub(super) missed: u32,
    /// How it came about, or what is missing.
    pub(super) words: String,
    /// How long it took.
    pub(super) took: Duration,
}

/// How far an act is, in this round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Progress {
    #[default]
    ToCome,
    Playing,
    Late,
    Happened,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Opening,
    Playing { act: usize, since: Duration },
    Closing { since: Duration },
    Falling { since: Duration },
    Resting,
    Over,
}

// === impl Director ===

impl Director {
    pub(super) fn new(acts: &'static [Act], limit: Option<Duration>) -> Self {
        let verdicts = acts.iter().map(|_| Verdict::default()).collect();
        Self { acts, limit, state: State::Opening, round: 1, open: Vec::new(), verdicts }
    }

    pub(super) fn acts(&self) -> &'static [Act] {
        self.acts
    }

    pub(super) fn limit(&self) -> Option<Duration> {
        self.limit
    }

    pub(super) fn round(&self) -> u32 {
        self.round
    }

    pub(super) fn verdicts(&self) -> &[Verdict] {
        &self.verdicts
    }

    /// The act that is being played.
    pub(super) fn current(&self) -> Option<usize> {
        match self.state {
            State::Playing { act, .. } => Some(act),
            _ => None,
        }
    }

    /// What is to be done now that this is so.
    pub(super) fn step(&mut self, facts: &Arc<Facts>) -> Vec<Cue> {
        let mut cues = self.judge(facts);
        if self.is_over(facts.at) && self.state != State::Over {
            self.state = State::Over;
            cues.push(Cue::Over);
            return cues;
        }
        match self.state {
            State::Opening if facts.awake => self.begin(0, facts, &mut cues),
            State::Playing { act, since } => self.go_on(act, since, facts, &mut cues),
            State::Closing { since } => {
                let late = facts.at.saturating_sub(since) >= PATIENCE && self.limit.is_none();
                if self.open.is_empty() || late {
                    self.strike(facts, &mut cues);
                }
            }
            State::Falling { since } => {
                let over = facts.at.saturating_sub(since);
                if over >= STRIKE || (over >= self.pause(1, since) && facts.is_at_rest()) {
                    self.rest(facts, &mut cues);
                }
            }
            State::Opening | State::Resting | State::Over => {}
        }
        cues
    }

    /// Whether the time is over. Acts that have not come about by then get as much time again.
    fn is_over(&self, at: Duration) -> bool {
        let is_awaited = |verdict: &Verdict| verdict.missed == 0 && !verdict.is_good();
        self.limit.is_some_and(|limit| {
            at >= limit.saturating_mul(2) || at >= limit && !self.verdicts.iter().any(is_awaited)
        })
    }

    /// Looks which acts have come about.
    fn judge(&mut self, facts: &Facts) -> Vec<Cue> {
        let mut cues = Vec::new();
        let (acts, verdicts) = (self.acts, &mut self.verdicts);
        self.open.retain(|(place, before)| {
            let (Some(act), Some(verdict)) = (acts.get(*place), verdicts.get_mut(*place)) else {
                return false;
            };
            match (act.outcome)(&Scene { before, now: facts }) {
                Ok(words) => {
                    verdict.state = Progress::Happened;
                    verdict.happened += 1;
                    verdict.words = words;
                    verdict.took = facts.at.saturating_sub(before.at);
                    cues.push(Cue::Happened(*place));
                    false
                }
                Err(words) => {
                    verdict.words = words;
                    true
                }
            }
        });
        cues
    }

    fn go_on(&mut self, act: usize, since: Duration, facts: &Arc<Facts>, cues: &mut Vec<Cue>) {
        let over = facts.at.saturating_sub(since);
        let is_open = self.open.iter().any(|(open, _)| *open == act);
        let left = self.acts.len().saturating_sub(act);
        if over < if is_open { PATIENCE } else { self.pause(left, since) } {
            return;
        }
        if is_open {
            if let Some(verdict) = self.verdicts.get_mut(act) {
                verdict.state = Progress::Late;
            }
            cues.push(Cue::Late(act));
        }
        if act + 1 < self.acts.len() {
            self.begin(act + 1, facts, cues);
        } else {
            self.state = State::Closing { since: facts.at };
        }
    }

    fn begin(&mut self, act: usize, facts: &Arc<Facts>, cues: &mut Vec<Cue>) {
        self.state = State::Playing { act, since: facts.at };
        self.open.push((act, Arc::clone(facts)));
        if let Some(verdict) = self.verdicts.get_mut(act) {
            verdict.state = Progress::Playing;
        }
        cues.push(Cue::Begin(act));
    }

    fn strike(&mut self, facts: &Facts, cues: &mut Vec<Cue>) {
        for (act, _) in self.open.drain(..) {
            if let Some(verdict) = self.verdicts.get_mut(act) {
                verdict.missed += 1;
            }
        }
        self.state = State::Falling { since: facts.at };
        cues.push(Cue::Strike);
    }

    /// Another round, if there is time for it.
    fn rest(&mut self, facts: &Arc<Facts>, cues: &mut Vec<Cue>) {
        if self.limit.is_some_and(|limit| limit.saturating_sub(facts.at) < ROUND) {
            self.state = State::Resting;
            return;
        }
        self.round += 1;
        for verdict in &mut self.verdicts {
            verdict.state = Progress::ToCome;
        }
        self.begin(0, facts, cues);
    }

    /// How long one may watch something that began at `since`: what is left of the time, in equal parts for all that is still to
    /// come, but for what they may take longer.
    fn pause(&self, left: usize, since: Duration) -> Duration {
        let Some(limit) = self.limit else { return PAUSE };
        let left = u32::try_from(left).unwrap_or(u32::MAX).max(1);
        let time = limit.saturating_sub(RESERVE).saturating_sub(since);
        (time.mul_f64(0.7) / left).min(PAUSE)
    }
}

// === impl Verdict ===

impl Verdict {
    /// Whether it came about whenever it was played, and was played.
    pub(super) fn is_good(&self) -> bool {
        self.happened > 0 && self.missed == 0 && self.state != Progress::Late
    }
}

#[cfg(test)]
mod tests;
