//! What there is to say in the end.

use std::{fmt, time::Duration};

use plimsoll_model::Money;

use super::{
    books::Peak,
    director::{Director, Progress, Verdict},
    facts::seconds,
    observer::Observer,
};

/// What there is to say in the end.
#[derive(Clone, Debug)]
pub(super) struct Summary {
    pub(super) acts: Vec<(&'static str, Verdict)>,
    pub(super) rounds: u32,
    pub(super) took: Duration,
    pub(super) ending: Ending,
    /// How long each pod took from its creation until it ran.
    pub(super) waits: Vec<Duration>,
    pub(super) bought: u32,
    pub(super) returned: u32,
    pub(super) lost: u32,
    pub(super) paid: Money,
    pub(super) peak: Peak,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The time was over.
    TimeOver,
    /// Somebody ended it before its time was over.
    Interrupted,
    /// Somebody ended it, and there is no other way.
    Left,
}

// === impl Summary ===

impl Summary {
    pub(super) fn new(director: &Director, observer: &Observer, ending: Ending) -> Self {
        let names = director.acts().iter().map(|act| act.name);
        let books = observer.books();
        Self {
            acts: names.zip(director.verdicts().iter().cloned()).collect(),
            rounds: director.round(),
            took: observer.elapsed(),
            ending,
            waits: observer.waits().to_vec(),
            bought: books.bought.values().sum(),
            returned: books.returned.values().sum(),
            lost: books.lost,
            paid: books.paid(),
            peak: books.peak.clone(),
        }
    }

    /// The acts that should have come about and did not. Whoever ends a demo that has no end is not told that acts are missing
    /// that were not played yet.
    pub(super) fn missing(&self) -> Vec<&'static str> {
        let excused = |verdict: &Verdict| {
            self.ending == Ending::Left
                && verdict.missed == 0
                && matches!(verdict.state, Progress::ToCome | Progress::Playing)
        };
        let missing = |(_, verdict): &&(&str, Verdict)| !verdict.is_good() && !excused(verdict);
        self.acts.iter().filter(missing).map(|(name, _)| *name).collect()
    }

    /// The time by which so many percent of the pods ran.
    fn percentile(&self, percent: usize) -> Duration {
        let mut waits = self.waits.clone();
        waits.sort_unstable();
        let place = (waits.len() * percent).div_ceil(100).saturating_sub(1);
        waits.get(place).copied().unwrap_or_default()
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rounds =
            if self.rounds > 1 { format!(", in {} rounds", self.rounds) } else { String::new() };
        writeln!(f, "The play, after {:.0} s{rounds}", self.took.as_secs_f64())?;
        for (name, verdict) in &self.acts {
            let (mark, words) = told(verdict, self.ending);
            writeln!(f, "  {mark} {name:<14} {words}")?;
        }
        writeln!(f)?;
        let pods = self.waits.len();
        if pods > 0 {
            let (half, most) = (seconds(self.percentile(50)), seconds(self.percentile(99)));
            writeln!(
                f,
                "Pods      {pods} served; from creation to running {half} (p50), {most} (p99)"
            )?;
        } else {
            writeln!(f, "Pods      none served")?;
        }
        let died = match self.lost {
            0 => String::new(),
            lost => format!(", {lost} died"),
        };
        let Self { bought, returned, .. } = self;
        writeln!(f, "Machines  {bought} bought, {returned} given back{died}")?;
        let (paid, fixed) = (self.paid, self.peak.cost(self.took));
        let (less, peak) = (saved(paid, fixed), &self.peak);
        let (paid, fixed) = (paid.units(), fixed.units());
        writeln!(
            f,
            "Cost      ${paid:.4}{less} ${fixed:.4} for a static cluster of peak size ({peak})"
        )
    }
}

/// What became of an act.
fn told(verdict: &Verdict, ending: Ending) -> (char, String) {
    let Verdict { words, happened, missed, .. } = verdict;
    let took = seconds(verdict.took);
    match verdict.state {
        _ if verdict.is_good() => {
            let times = if *happened > 1 { format!(", {happened} times") } else { String::new() };
            ('✓', format!("{words} (after {took}{times})"))
        }
        _ if *missed > 0 => {
            ('✗', format!("missing in {missed} of {} rounds: {words}", missed + happened))
        }
        Progress::ToCome => ('·', "not played".to_owned()),
        Progress::Playing if ending != Ending::TimeOver => ('…', format!("under way: {words}")),
        Progress::Playing | Progress::Late | Progress::Happened => ('✗', words.clone()),
    }
}

/// By how much less was paid.
fn saved(paid: Money, fixed: Money) -> String {
    let (paid, fixed) = (i128::from(paid.micros()), i128::from(fixed.micros()));
    if fixed <= 0 || paid > fixed {
        return ", and".to_owned();
    }
    format!(", {} % less than", (fixed - paid) * 100 / fixed)
}

// === impl Peak ===

impl fmt::Display for Peak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let groups: Vec<String> =
            self.machines.iter().map(|(group, count)| format!("{count} {group}")).collect();
        f.write_str(if groups.is_empty() { "no machine" } else { "" })?;
        f.write_str(&groups.join(", "))
    }
}

#[cfg(test)]
mod tests;
