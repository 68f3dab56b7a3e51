//! Flags: the user's words for [`Settings`], as one table.
//!
//! The table holds for the `flags:` of a scenario, for the `options:` of a group and for a command line: a flag has one
//! name, one help line and one meaning wherever it stands. Names are the upstream autoscaler's where it has one.

use plimsoll_model::{BalanceSettings, GroupOptions, Salvo, Settings, SignedDuration, Symbol};
use thiserror::Error;

use self::assign::{Target, assign};
pub use self::ignored::IGNORED;
pub use self::{nearest::did_you_mean, table::TABLE, topic::Topic, value::FlagValue};

mod assign;
pub mod file;
pub mod form;
mod ignored;
mod nearest;
mod shown;
mod table;
mod topic;
mod value;

/// One flag.
#[derive(Debug)]
pub struct Flag {
    /// Its name, without dashes in front.
    pub name: &'static str,
    /// What it does, in a line.
    pub help: &'static str,
    /// What it is about.
    pub topic: Topic,
    /// Where it may stand.
    pub scope: Scope,
    /// What it changes.
    target: Target,
}

/// Where a flag may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Among the flags of the process only.
    Cluster,
    /// Among the flags of the process, and a group may have its own value.
    ClusterOrGroup,
    /// Only with a group.
    Group,
}

/// Flags as they come in. They mean the same in any order, so some of them wait here until all are known.
#[derive(Debug)]
pub struct Flags {
    settings: Settings,
    /// `balance-similar-node-groups`.
    balance: bool,
    /// What makes groups similar, should balancing be on.
    similarity: BalanceSettings,
    /// `salvo-scale-up`.
    salvo: bool,
    /// `salvo-scale-up-budget`.
    salvo_budget: SignedDuration,
    /// `enable-graceful-degradation`.
    degrade: bool,
    /// `pending-pods-batching-timeout`.
    looking_time: SignedDuration,
    /// `allowed-scheduler-names`.
    allowed_schedulers: Vec<Symbol>,
    /// `bypassed-scheduler-names`.
    bypassed_schedulers: Vec<Symbol>,
    /// `max-scale-down-parallelism`.
    parallelism: Option<u32>,
    /// `max-empty-bulk-delete`, which the former replaces.
    bulk_delete: Option<u32>,
}

/// A flag that is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{name}: {problem}")]
pub struct FlagError {
    /// The flag as it was written.
    pub name: String,
    /// What is wrong with it.
    pub problem: String,
}

/// The scheduler that looks after pods that name none.
const DEFAULT_SCHEDULER: &str = "default-scheduler";

/// `pending-pods-batching-timeout` when nobody sets it.
const LOOKING_TIME: SignedDuration = SignedDuration::from_mins(4);

// === impl Flags ===

impl Default for Flags {
    fn default() -> Self {
        Self::over(Settings::default())
    }
}

impl Flags {
    /// Flags that change `settings`, from the defaults or from a file.
    pub fn over(settings: Settings) -> Self {
        let salvo = match settings.scale_up.salvo {
            Salvo::One => None,
            Salvo::Several { budget } => Some(budget),
        };
        Self {
            salvo: salvo.is_some(),
            salvo_budget: salvo.unwrap_or(Salvo::BUDGET),
            degrade: settings.scale_up.looking_time.is_some(),
            looking_time: settings.scale_up.looking_time.unwrap_or(LOOKING_TIME),
            balance: settings.scale_up.balance.is_some(),
            similarity: settings.scale_up.balance.clone().unwrap_or_default(),
            allowed_schedulers: settings.scale_up.schedulers.clone(),
            bypassed_schedulers: Vec::new(),
            parallelism: None,
            bulk_delete: None,
            settings,
        }
    }

    /// Sets one flag. One that takes many values adds to those it has; one that does not concern a decision is ignored.
    pub fn set(&mut self, name: &str, value: &FlagValue) -> Result<(), FlagError> {
        let refuse = |problem| FlagError { name: name.to_owned(), problem };
        match TABLE.iter().find(|flag| flag.name == name) {
            Some(flag) if flag.scope == Scope::Group => {
                Err(refuse("can be set for a group only".to_owned()))
            }
            Some(flag) => assign(self, &flag.target, value).map_err(refuse),
            None if IGNORED.contains(&name) => Ok(()),
            None => {
                let known = TABLE.iter().filter(|flag| flag.scope != Scope::Group);
                let known = known.map(|flag| flag.name).chain(IGNORED.iter().copied());
                Err(refuse(did_you_mean("flag", name, known)))
            }
        }
    }

    /// What the flags say in the end.
    pub fn finish(self) -> Result<Settings, FlagError> {
        let refuse = |name: &str, problem: String| FlagError { name: name.to_owned(), problem };
        let Self { mut settings, balance, similarity, .. } = self;
        if !similarity.only_labels.is_empty() && !similarity.ignore_labels.is_empty() {
            let problem = "cannot be set together with balancing-ignore-label".to_owned();
            return Err(refuse("balancing-label", problem));
        }
        settings.scale_up.balance = balance.then_some(similarity);
        let several = Salvo::Several { budget: self.salvo_budget };
        settings.scale_up.salvo = if self.salvo { several } else { Salvo::One };
        settings.scale_up.looking_time = self.degrade.then_some(self.looking_time);

        let (allowed, bypassed) = (self.allowed_schedulers, self.bypassed_schedulers);
        let missing = bypassed.iter().find(|name| !allowed.contains(name));
        settings.scale_up.schedulers = match missing {
            Some(missing) if !allowed.is_empty() => {
                let problem = format!("allowed-scheduler-names does not contain \"{missing}\"");
                return Err(refuse("bypassed-scheduler-names", problem));
            }
            Some(_) => [Symbol::new(DEFAULT_SCHEDULER)].into_iter().chain(bypassed).collect(),
            None => allowed,
        };

        if let Some(parallelism) = self.parallelism.or(self.bulk_delete) {
            settings.scale_down.parallelism = parallelism;
        }
        Ok(settings)
    }
}

/// The options of a group that says something itself: `own` by name, over those that hold for all.
///
/// Names are those of the flags, or the upstream's keys for groups, which are the same without dashes.
pub fn group_options<'v>(
    common: &GroupOptions,
    own: impl IntoIterator<Item = (&'v str, FlagValue)>,
) -> Result<GroupOptions, FlagError> {
    let mut flags = Flags::default();
    flags.settings.group = common.clone();
    for (name, value) in own {
        let refuse = |problem| FlagError { name: name.to_owned(), problem };
        match TABLE.iter().find(|flag| flag.name == name || is_key_of(name, flag.name)) {
            Some(flag) if flag.scope != Scope::Cluster => {
                assign(&mut flags, &flag.target, &value).map_err(refuse)?;
            }
            Some(_) => return Err(refuse("cannot be set for a group".to_owned())),
            None if IGNORED.contains(&name) => {
                return Err(refuse("cannot be set for a group".to_owned()));
            }
            None => {
                let known = TABLE.iter().filter(|flag| flag.scope != Scope::Cluster);
                return Err(refuse(did_you_mean("option", name, known.map(|flag| flag.name))));
            }
        }
    }
    Ok(flags.settings.group)
}

/// Whether `key` is the flag's name without dashes.
fn is_key_of(key: &str, flag: &str) -> bool {
    key.bytes().eq(flag.bytes().filter(|byte| *byte != b'-'))
}

#[cfg(test)]
mod tests;
