//! Every flag of `plimsoll run`, as one list: those that decisions depend on, which have a table of their own, those of the process,
//! and upstream's that are taken without effect.

use std::{path::PathBuf, time::Duration};

use jiff::SignedDuration;
use plimsoll_manifest::flags::{self, FlagValue, Scope, TABLE, Topic, did_you_mean, form};

use super::{process::Process, words::Shape};

mod accepted;
mod own;

use self::{accepted::ACCEPTED, own::OWN};

/// A flag of the process.
#[derive(Debug)]
pub(super) struct Flag {
    pub name: &'static str,
    /// What it does, in a line.
    pub help: &'static str,
    pub topic: Topic,
    /// What it is when nobody sets it; empty where that is nothing.
    pub default: &'static str,
    pub sets: Sets,
}

/// What a flag of the process changes, by the form of its value.
#[derive(Debug)]
pub(super) enum Sets {
    Text(fn(&mut Process) -> &mut String),
    /// Empty is nothing.
    Given(fn(&mut Process) -> &mut Option<String>),
    /// Empty is none.
    File(fn(&mut Process) -> &mut Option<PathBuf>),
    Switch(fn(&mut Process) -> &mut bool),
    /// A switch that is kept as something else.
    Turn(fn(&mut Process, bool)),
    Duration(fn(&mut Process) -> &mut Duration),
    Span(fn(&mut Process) -> &mut SignedDuration),
    Count(fn(&mut Process) -> &mut u32),
    Size(fn(&mut Process) -> &mut usize),
    Fraction(fn(&mut Process) -> &mut f64),
    /// A form of its own.
    Special(fn(&mut Process, &str) -> Result<(), String>),
    /// A form of its own, any number of times.
    Each(fn(&mut Process, &str) -> Result<(), String>),
}

/// An upstream flag that is taken without effect.
#[derive(Debug)]
pub(super) struct Accepted {
    pub name: &'static str,
    /// Upstream's default: who says what holds anyway need not be warned.
    pub default: &'static str,
    pub shape: Shape,
    /// What is not done, or why there is nothing to do.
    pub not_done: &'static str,
}

/// Any flag.
#[derive(Clone, Copy, Debug)]
pub(super) enum Known {
    /// One that decisions depend on.
    Plan(&'static flags::Flag),
    Own(&'static Flag),
    Accepted(&'static Accepted),
}

// === impl Known ===

impl Known {
    /// All there are.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let plan = TABLE.iter().filter(|flag| flag.scope != Scope::Group).map(Self::Plan);
        plan.chain(OWN.iter().map(Self::Own)).chain(ACCEPTED.iter().map(Self::Accepted))
    }

    /// The flag of this name, or what is wrong with it.
    pub(super) fn named(name: &str) -> Result<Self, String> {
        Self::all().find(|flag| flag.name() == name).ok_or_else(|| {
            let known = Self::all().map(Self::name);
            did_you_mean("flag", name, known).replace("did you mean ", "did you mean --")
        })
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Plan(flag) => flag.name,
            Self::Own(flag) => flag.name,
            Self::Accepted(flag) => flag.name,
        }
    }

    pub(super) fn help(self) -> &'static str {
        match self {
            Self::Plan(flag) => flag.help,
            Self::Own(flag) => flag.help,
            Self::Accepted(flag) => flag.not_done,
        }
    }

    pub(super) fn topic(self) -> Topic {
        match self {
            Self::Plan(flag) => flag.topic,
            Self::Own(flag) => flag.topic,
            Self::Accepted(_) => Topic::Accepted,
        }
    }

    pub(super) fn default_text(self) -> String {
        match self {
            Self::Plan(flag) => flag.default_text(),
            Self::Own(flag) => flag.default.to_owned(),
            Self::Accepted(flag) => flag.default.to_owned(),
        }
    }

    pub(super) fn shape(self) -> Shape {
        let is_switch = match self {
            Self::Plan(flag) => flag.is_switch(),
            Self::Own(flag) => matches!(flag.sets, Sets::Switch(_) | Sets::Turn(_)),
            Self::Accepted(flag) => return flag.shape,
        };
        if is_switch { Shape::Switch } else { Shape::Value }
    }

    /// What a value is, in a word for a page of help.
    pub(super) fn value_name(self) -> &'static str {
        match self {
            Self::Plan(flag) => flag.value_name(),
            Self::Own(flag) => flag.value_name(),
            Self::Accepted(_) => "VALUE",
        }
    }

    /// Whether values add up; of any other flag the last one counts.
    pub(super) fn is_repeated(self) -> bool {
        match self {
            Self::Plan(flag) => flag.is_repeated(),
            Self::Own(flag) => matches!(flag.sets, Sets::Each(_)),
            Self::Accepted(_) => true,
        }
    }
}

// === impl Flag ===

impl Flag {
    fn value_name(&self) -> &'static str {
        match (self.name, &self.sets) {
            ("nodes", _) => "MIN:MAX:ID",
            ("node-group-auto-discovery", _) => "HOW:WHICH",
            ("address" | "grpc-expander-url", _) => "HOST:PORT",
            ("cloud-provider", _) => "NAME,…",
            ("cloud-config", _) => "FILE,…",
            ("kubernetes", _) => "URL",
            ("drain-priority-config", _) => "PRIORITY:SECONDS,…",
            ("scan-interval", _) | (_, Sets::Duration(_) | Sets::Span(_)) => "DURATION",
            (_, Sets::Count(_) | Sets::Size(_) | Sets::Fraction(_)) => "NUMBER",
            ("scheduler-config-file", _) | (_, Sets::File(_)) => "FILE",
            (_, Sets::Switch(_) | Sets::Turn(_)) => "BOOL",
            (_, Sets::Text(_) | Sets::Given(_) | Sets::Special(_) | Sets::Each(_)) => "NAME",
        }
    }

    /// Changes what the flag changes.
    pub(super) fn set(&self, process: &mut Process, value: &FlagValue) -> Result<(), String> {
        match self.sets {
            Sets::Text(place) => value.one()?.clone_into(place(process)),
            Sets::Given(place) => {
                *place(process) = Some(value.one()?.to_owned()).filter(|text| !text.is_empty());
            }
            Sets::File(place) => {
                *place(process) = Some(PathBuf::from(value.one()?)).filter(|path| path != "");
            }
            Sets::Switch(place) => *place(process) = form::switch(value.one()?)?,
            Sets::Turn(turn) => turn(process, form::switch(value.one()?)?),
            Sets::Duration(place) => *place(process) = duration(value.one()?)?,
            Sets::Span(place) => *place(process) = form::duration(value.one()?)?,
            Sets::Count(place) => *place(process) = form::count(value.one()?)?,
            Sets::Size(place) => {
                let count = form::count(value.one()?)?;
                *place(process) = usize::try_from(count).unwrap_or(usize::MAX);
            }
            Sets::Fraction(place) => *place(process) = form::fraction(value.one()?)?,
            Sets::Special(read) => read(process, value.one()?)?,
            Sets::Each(read) => {
                for value in value.all() {
                    read(process, value)?;
                }
            }
        }
        Ok(())
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    let signed = form::duration(text)?;
    Duration::try_from(signed).map_err(|_| format!("{text} is out of range"))
}
