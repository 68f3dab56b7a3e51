//! From what was typed, and the file that it names, to what the process is to do.

use std::{ffi::OsString, fs, path::Path};

use plimsoll_manifest::flags::{FlagError, FlagValue, Flags, file};

use super::{
    flags::Known,
    process::Process,
    words::{self, Typed},
};

/// What was typed, before the file is read.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    typed: Vec<(Known, FlagValue)>,
}

/// What the person at the command line gets.
#[derive(Debug)]
pub(super) enum Wish {
    /// The autoscaler.
    Run(Wanted),
    /// To know what can be typed.
    Help,
}

// === impl Wanted ===

impl Wanted {
    /// Reads the words. What is wrong is said in one line.
    pub(super) fn read(words: &[OsString]) -> Result<Wish, String> {
        let shape = |name: &str| match Known::named(name) {
            Ok(flag) => Ok(flag.shape()),
            Err(problem) => Err(format!("--{name}: {problem}")),
        };
        let given = match words::read(words, shape)? {
            Typed::Flags(given) => given,
            Typed::Help => return Ok(Wish::Help),
        };
        let mut typed: Vec<(Known, FlagValue)> = Vec::new();
        for (name, value) in given {
            let flag = Known::named(&name)?;
            let known = typed.iter_mut().find(|(known, _)| known.name() == flag.name());
            match known {
                Some((_, FlagValue::Many(values))) if flag.is_repeated() => values.push(value),
                Some((_, known)) => *known = FlagValue::One(value),
                None if flag.is_repeated() => typed.push((flag, FlagValue::Many(vec![value]))),
                None => typed.push((flag, FlagValue::One(value))),
            }
        }
        Ok(Wish::Run(Self { typed }))
    }

    /// What all of it comes to. The file is read again on every call; what was typed wins over it.
    pub(super) fn resolve(&self) -> Result<Process, String> {
        let mut process = Process::default();
        let config = self.typed.iter().find(|(flag, _)| flag.name() == "config");
        if let Some((Known::Own(flag), value)) = config {
            flag.set(&mut process, value).map_err(|problem| format!("--config: {problem}"))?;
        }
        let mut flags = Flags::default();
        let filed = match &process.config {
            Some(path) => self.file(path)?,
            None => Vec::new(),
        };
        for (place, flag, value) in &filed {
            set(&mut process, &mut flags, *flag, value)
                .map_err(|problem| format!("{place}{}: {problem}", flag.name()))?;
        }
        for (flag, value) in &self.typed {
            set(&mut process, &mut flags, *flag, value)
                .map_err(|problem| format!("--{}: {problem}", flag.name()))?;
        }
        // Of two flags that do not go together the one is named where it stands.
        let place = |error: FlagError| {
            let is_it = |flag: &Known| flag.name() == error.name;
            match filed.iter().find(|(_, flag, _)| is_it(flag)) {
                Some((place, ..)) => format!("{place}{error}"),
                None => format!("--{error}"),
            }
        };
        let settings = flags.finish().map_err(place)?;
        let is_given = |name: &str| {
            let in_file = filed.iter().any(|(_, flag, _)| flag.name() == name);
            in_file || self.typed.iter().any(|(flag, _)| flag.name() == name)
        };
        process.complete(settings, is_given).map_err(place)
    }

    /// What is said about flags that are taken without effect, a line for each; those who say what holds anyway are spared.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let config = self.typed.iter().find(|(flag, _)| flag.name() == "config");
        let path = config.and_then(|(_, value)| value.one().ok()).map(Path::new);
        let filed = path.map(|path| self.file(path).unwrap_or_default()).unwrap_or_default();
        let filed = filed.iter().map(|(_, flag, value)| (flag, value));
        for (flag, value) in filed.chain(self.typed.iter().map(|(flag, value)| (flag, value))) {
            let Known::Accepted(flag) = flag else { continue };
            if value.all().iter().any(|value| !is_same(value, flag.default)) {
                lines.push(format!("--{} has no effect: {}", flag.name, flag.not_done));
            }
        }
        lines
    }

    /// The flags in the file that were not typed as well, each with its place.
    fn file(&self, path: &Path) -> Result<Vec<(String, Known, FlagValue)>, String> {
        let name = path.display();
        let text = fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
        let entries = file::read(&text).map_err(|error| match error.line {
            Some(line) => format!("{name}:{line}: {}", error.problem),
            None => format!("{name}: {}", error.problem),
        })?;
        let mut filed = Vec::new();
        for entry in entries {
            let place = match entry.line {
                Some(line) => format!("{name}:{line}: "),
                None => format!("{name}: "),
            };
            let flag = entry.name.replace('_', "-");
            let flag = Known::named(&flag).map_err(|problem| {
                format!("{place}{}: {}", entry.name, problem.replace("--", ""))
            })?;
            if flag.name() == "config" {
                return Err(format!("{place}config: a file cannot name another"));
            }
            if !self.typed.iter().any(|(typed, _)| typed.name() == flag.name()) {
                filed.push((place, flag, entry.value));
            }
        }
        Ok(filed)
    }
}

fn set(
    process: &mut Process,
    flags: &mut Flags,
    flag: Known,
    value: &FlagValue,
) -> Result<(), String> {
    match flag {
        Known::Plan(flag) => flags.set(flag.name, value).map_err(|error| error.problem),
        Known::Own(flag) => flag.set(process, value),
        Known::Accepted(_) => Ok(()),
    }
}

/// Whether two values mean the same, as far as that can be told without knowing the flag.
fn is_same(one: &str, other: &str) -> bool {
    let duration = plimsoll_manifest::duration::parse;
    one == other || duration(one).is_some_and(|one| duration(other) == Some(one))
}
