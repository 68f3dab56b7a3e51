//! Which groups of the infrastructures are used, and within which bounds: `--nodes` and `--node-group-auto-discovery`.
//!
//! Without either, all groups are used as their infrastructure has them. With one of them, only groups that are named or found.

use std::str::FromStr;

use plimsoll_manifest::flags::form;
use plimsoll_model::{Group, Symbol, Text};

mod chosen;

pub(super) use self::chosen::Chosen;

/// Which groups are used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Groups {
    pub picks: Vec<Pick>,
    pub discoveries: Vec<Discovery>,
}

/// A group that is used, within bounds: `min:max:id`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pick {
    bounds: Bounds,
    id: String,
}

/// Groups that are used when they are like this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Discovery {
    /// `mig:namePrefix=web-,min=0,max=10`: by name, with bounds.
    Prefix(String, Bounds),
    /// `label:key=value,key`: by the labels of their nodes, with the bounds that they have.
    Labels(Vec<(Symbol, Option<Text>)>),
}

/// The fewest and the most machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    min: u32,
    max: u32,
}

// === impl Groups ===

impl Groups {
    /// Whether the infrastructure's own choice holds.
    pub(super) fn is_open(&self) -> bool {
        self.picks.is_empty() && self.discoveries.is_empty()
    }

    /// The group as it is used; `None` when it is not. `provider` is how its provider is called: several providers may have groups
    /// of the same name.
    fn choose(&self, provider: &str, group: &Group) -> Option<Group> {
        let id = group.id.as_str();
        let full = format!("{provider}/{id}");
        let picked = self.picks.iter().find(|pick| pick.id == id || pick.id == full);
        let bounds = match picked {
            Some(pick) => Some(pick.bounds),
            None => self.discoveries.iter().find_map(|discovery| discovery.bounds(group))?,
        };
        Some(match bounds {
            // No flag makes a group larger than its infrastructure lets it be.
            Some(Bounds { min, max }) => {
                let max = max.min(group.max);
                Group { min: min.min(max), max, ..group.clone() }
            }
            None => group.clone(),
        })
    }
}

// === impl Pick ===

impl FromStr for Pick {
    type Err = String;

    /// Ids may have colons in them.
    fn from_str(text: &str) -> Result<Self, String> {
        let form = || format!("\"{}\" is not of the form min:max:id", text.escape_debug());
        let mut parts = text.splitn(3, ':');
        let (Some(min), Some(max), Some(id)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(form());
        };
        if id.is_empty() {
            return Err(form());
        }
        Ok(Self { bounds: Bounds::new(form::count(min)?, form::count(max)?)?, id: id.to_owned() })
    }
}

// === impl Bounds ===

impl Bounds {
    fn new(min: u32, max: u32) -> Result<Self, String> {
        if max == 0 {
            return Err("max has to be at least 1".to_owned());
        }
        if min > max {
            return Err(format!("min {min} is above max {max}"));
        }
        Ok(Self { min, max })
    }
}

// === impl Discovery ===

impl Discovery {
    /// The bounds of the group if it is one of these; inside, `None` for those that it has.
    #[expect(
        clippy::option_option,
        reason = "not one of these, or one of these with its own bounds"
    )]
    fn bounds(&self, group: &Group) -> Option<Option<Bounds>> {
        match self {
            Self::Prefix(prefix, bounds) => {
                group.id.as_str().starts_with(prefix.as_str()).then_some(Some(*bounds))
            }
            Self::Labels(wanted) => {
                let labels = &group.template.as_ref()?.labels;
                let has = |(key, value): &(Symbol, Option<Text>)| match value {
                    Some(value) => labels.get(*key) == Some(value),
                    None => labels.contains_key(*key),
                };
                wanted.iter().all(has).then_some(None)
            }
        }
    }
}

impl FromStr for Discovery {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        match kind {
            "mig" => prefix(rest),
            "label" => labels(rest),
            "asg" | "clusterapi" => Err(format!(
                "{kind}: no infrastructure here can be searched so; known are mig and label"
            )),
            _ => Err(format!(
                "\"{}\" is neither mig:namePrefix=…,min=…,max=… nor label:key=value,…",
                text.escape_debug()
            )),
        }
    }
}

fn prefix(text: &str) -> Result<Discovery, String> {
    let (mut prefix, mut min, mut max) = (None, None, None);
    for part in text.split(',') {
        match part.split_once('=') {
            Some(("namePrefix", name)) if !name.is_empty() => prefix = Some(name.to_owned()),
            Some(("min", count)) => min = Some(form::count(count)?),
            Some(("max", count)) => max = Some(form::count(count)?),
            _ => {
                let part = part.escape_debug();
                return Err(format!("\"{part}\" is none of namePrefix=…, min=… and max=…"));
            }
        }
    }
    match (prefix, min, max) {
        (Some(prefix), Some(min), Some(max)) => {
            Ok(Discovery::Prefix(prefix, Bounds::new(min, max)?))
        }
        _ => Err("mig needs namePrefix=…, min=… and max=…".to_owned()),
    }
}

fn labels(text: &str) -> Result<Discovery, String> {
    let mut wanted = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        wanted.push(match part.split_once('=') {
            Some((key, value)) => (Symbol::new(key), Some(Text::new(value))),
            None => (Symbol::new(part), None),
        });
    }
    if wanted.is_empty() {
        Err("label names no label".to_owned())
    } else {
        Ok(Discovery::Labels(wanted))
    }
}

#[cfg(test)]
#[cfg(feature = "lab")]
mod tests;
