//! What the nightly command was asked for.

use std::time::Duration;

use anyhow::{Context as _, bail};

/// How long it searches if nobody says.
const USUAL: Limit = Limit::Time(Duration::from_mins(30));

/// What to search, and for how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// When to stop.
    pub limit: Limit,
    /// Packages by parts of their names; empty means all.
    pub words: Vec<String>,
}

/// When to stop searching.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// After this time; the first round is always a whole one.
    Time(Duration),
    /// After so many seeds.
    Seeds(u64),
    /// After one round with this seed: to repeat what another machine has found.
    Seed(u64),
}

// === impl Options ===

impl Options {
    /// Reads the arguments of the command.
    pub fn read(arguments: &[String]) -> anyhow::Result<Self> {
        let mut options = Self { limit: USUAL, words: Vec::new() };
        let mut is_limited = false;
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            if !argument.starts_with('-') {
                options.words.push(argument.clone());
                continue;
            }
            let number = |value: Option<&String>| -> anyhow::Result<u64> {
                let value = value.with_context(|| format!("{argument} needs a number"))?;
                value.parse().with_context(|| format!("{argument} {value:?} is not a number"))
            };
            let limit = match argument.as_str() {
                "--minutes" => {
                    let minutes = number(arguments.next())?;
                    Limit::Time(Duration::from_secs(minutes.saturating_mul(60)))
                }
                "--seeds" => Limit::Seeds(number(arguments.next())?),
                "--seed" => Limit::Seed(number(arguments.next())?),
                other => bail!("{other:?} is not an option of this command"),
            };
            if is_limited {
                bail!("only one of --minutes, --seeds and --seed can be given");
            }
            (options.limit, is_limited) = (limit, true);
        }
        Ok(options)
    }

    /// Whether the command line asks for the package.
    pub fn wants(&self, package: &str) -> bool {
        self.words.is_empty() || self.words.iter().any(|word| package.contains(word.as_str()))
    }
}

// === impl Limit ===

impl Limit {
    /// Whether to stop after so many rounds and so much time.
    pub fn is_reached(self, rounds: u64, spent: Duration) -> bool {
        match self {
            Self::Time(time) => rounds > 0 && spent >= time,
            Self::Seeds(seeds) => rounds >= seeds.max(1),
            Self::Seed(_) => rounds >= 1,
        }
    }

    /// The seed of all rounds, where it is given.
    pub fn seed(self) -> Option<u64> {
        match self {
            Self::Seed(seed) => Some(seed),
            Self::Time(_) | Self::Seeds(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn read(line: &str) -> Result<Options, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Options::read(&words).map_err(|error| format!("{error:#}"))
    }

    #[track_caller]
    fn check(line: &str, limit: Limit, words: &[&str]) {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        assert_eq!(read(line), Ok(Options { limit, words }));
    }

    #[test]
    fn a_limit_and_packages_are_read() {
        check("", Limit::Time(Duration::from_mins(30)), &[]);
        check("--minutes 5", Limit::Time(Duration::from_mins(5)), &[]);
        check("--seeds 3 fit plan", Limit::Seeds(3), &["fit", "plan"]);
        check("fit --seed 18446744073709551615", Limit::Seed(u64::MAX), &["fit"]);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let refused = |line| read(line).unwrap_err();
        assert_eq!(refused("--minutes"), "--minutes needs a number");
        assert_eq!(
            refused("--seeds many"),
            "--seeds \"many\" is not a number: invalid digit found in string"
        );
        assert_eq!(refused("--hours 2"), "\"--hours\" is not an option of this command");
        assert_eq!(
            refused("--seeds 2 --minutes 2"),
            "only one of --minutes, --seeds and --seed can be given"
        );
    }

    #[test]
    fn there_is_at_least_one_round() {
        let long = Duration::from_hours(1);
        for limit in [Limit::Time(Duration::ZERO), Limit::Seeds(0), Limit::Seed(7)] {
            assert!(!limit.is_reached(0, long), "{limit:?}");
            assert!(limit.is_reached(1, long), "{limit:?}");
        }
        assert!(!Limit::Time(long).is_reached(9, Duration::from_secs(1)));
        assert!(!Limit::Seeds(3).is_reached(2, long));
        assert!(Limit::Seeds(3).is_reached(3, long));
    }
}
