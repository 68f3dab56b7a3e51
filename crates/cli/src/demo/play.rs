//! The play: what happens, act by act, and how one sees that it has come about.
//!
//! An act is data: its name, a sentence, what is done when it begins, and a pure function of what was observed that says whether it
//! has come about. The sizes are chosen so that each act needs machines of its own: a small machine takes 3.6 to 4 cores of pods and
//! a large one 7.2 to 8, and what earlier acts leave free is too little for the pods of later ones.

use std::collections::BTreeMap;

use plimsoll_model::Money;

use super::facts::{Facts, machines};

/// The groups of machines, whatever the infrastructure has before these names.
pub(super) const SMALL: &str = "small";
pub(super) const LARGE: &str = "large";
pub(super) const GPU: &str = "gpu";

/// An act.
#[derive(Debug)]
pub(super) struct Act {
    pub(super) name: &'static str,
    /// What happens and what is to come of it.
    pub(super) sentence: &'static str,
    /// What is done when it begins.
    pub(super) moves: &'static [Move],
    /// Whether it has come about.
    pub(super) outcome: fn(&Scene<'_>) -> Outcome,
}

/// Something that is done to the cluster or to the infrastructure.
#[derive(Clone, Copy, Debug)]
pub(super) enum Move {
    /// Pods are wanted.
    Start(Workload),
    /// Nothing of it is wanted any more.
    Stop { service: &'static str },
    /// Machines of a group can no longer be had.
    SellOut { group: &'static str },
    /// They can be had again.
    Restock { group: &'static str },
    /// A machine dies that runs a pod of the service.
    Kill { service: &'static str },
    /// `consolidation: cost` is switched on: what runs well is moved, too, where that saves money.
    Consolidate,
}

/// Pods that somebody wants.
#[derive(Clone, Copy, Debug)]
pub(super) struct Workload {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) pods: u32,
    /// What each asks for.
    pub(super) cpu: &'static str,
    pub(super) gpus: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A Deployment.
    Service,
    /// A Deployment whose pods are spread evenly over the zones.
    Spread,
    /// A Job whose pods run for so long.
    Job { runs_for: &'static str },
}

/// What an act is judged by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene<'f> {
    /// When it began, before its moves.
    pub(super) before: &'f Facts,
    pub(super) now: &'f Facts,
}

/// How an act came about; the error is what is missing.
pub(super) type Outcome = Result<String, String>;

const WEB: &str = "web";
const TRAINING: &str = "training";
const API: &str = "api";
const CHECKOUT: &str = "checkout";

/// How many of the machines have to go when the load falls.
const FEWEST_RETURNED: u32 = 5;

/// The play.
pub(super) const ACTS: &[Act] = &[
    Act {
        name: "burst",
        sentence: "Sixteen pods of web are wanted at once; machines are bought for all of them together.",
        moves: &[Move::Start(Workload {
            name: WEB,
            kind: Kind::Service,
            pods: 16,
            cpu: "900m",
            gpus: 0,
        })],
        outcome: burst,
    },
    Act {
        name: "GPU job",
        sentence: "A training job asks for two GPUs; GPU machines come for it, and go when it is done.",
        moves: &[Move::Start(Workload {
            name: TRAINING,
            kind: Kind::Job { runs_for: "2s" },
            pods: 2,
            cpu: "2",
            gpus: 1,
        })],
        outcome: gpu_job,
    },
    Act {
        name: "zone spread",
        sentence: "The four pods of api have to be spread over the zones; each zone gets its machine.",
        moves: &[Move::Start(Workload {
            name: API,
            kind: Kind::Spread,
            pods: 4,
            cpu: "2900m",
            gpus: 0,
        })],
        outcome: zone_spread,
    },
    Act {
        name: "stockout",
        sentence: "A large machine would be cheapest for checkout, but they are sold out; small ones serve.",
        moves: &[
            Move::SellOut { group: LARGE },
            Move::Start(Workload {
                name: CHECKOUT,
                kind: Kind::Service,
                pods: 4,
                cpu: "2300m",
                gpus: 0,
            }),
        ],
        outcome: stockout,
    },
    Act {
        name: "dead machine",
        sentence: "A machine dies without a word; its pods are made anew, and get another machine.",
        moves: &[Move::Kill { service: CHECKOUT }],
        outcome: dead_machine,
    },
    Act {
        name: "load falls",
        sentence: "Nobody wants web and api any more; what is no longer needed is given back.",
        moves: &[Move::Stop { service: WEB }, Move::Stop { service: API }],
        outcome: load_falls,
    },
    Act {
        name: "consolidation",
        sentence: "Large machines can be had again; one is cheaper than the small ones that it replaces.",
        moves: &[Move::Restock { group: LARGE }, Move::Consolidate],
        outcome: consolidation,
    },
];

// === impl Scene ===

impl Scene<'_> {
    /// Machines bought in this act.
    fn bought(&self, group: &str) -> u32 {
        of(&self.now.bought, group).saturating_sub(of(&self.before.bought, group))
    }

    fn bought_any(&self) -> u32 {
        [SMALL, LARGE, GPU].into_iter().map(|group| self.bought(group)).sum()
    }

    /// Machines given back in this act.
    fn returned(&self, group: &str) -> u32 {
        of(&self.now.returned, group).saturating_sub(of(&self.before.returned, group))
    }

    /// The number of pods of a service, all of which run.
    fn full(&self, name: &str) -> Result<u32, String> {
        let Some(service) = self.now.services.get(name) else {
            return Err(format!("there is no {name}"));
        };
        let (running, wanted) = (service.running, service.wanted);
        if service.is_full() {
            Ok(wanted)
        } else {
            Err(format!("{running} of {wanted} pods of {name} run"))
        }
    }

    fn served(&self) -> Result<(), String> {
        match self.now.pending.len() {
            _ if self.now.is_served() => Ok(()),
            0 => Err("not all pods are there that are wanted".to_owned()),
            1 => Err("1 pod waits".to_owned()),
            waiting => Err(format!("{waiting} pods wait")),
        }
    }
}

/// The machines of a group of the play.
fn of(machines: &BTreeMap<String, u32>, group: &str) -> u32 {
    let is_it = |id: &str| {
        id.strip_suffix(group).is_some_and(|before| before.is_empty() || before.ends_with('-'))
    };
    machines.iter().filter(|(id, _)| is_it(id)).map(|(_, count)| count).sum()
}

fn burst(scene: &Scene<'_>) -> Outcome {
    let pods = scene.full(WEB)?;
    let bought = scene.bought_any();
    if bought == 0 {
        return Err("no machine was bought for it".to_owned());
    }
    Ok(format!("{pods} pods run, {} bought", machines(bought)))
}

fn gpu_job(scene: &Scene<'_>) -> Outcome {
    let job = scene.now.services.get(TRAINING).cloned().unwrap_or_default();
    match scene.bought(GPU) {
        0 => Err("no GPU machine was bought".to_owned()),
        _ if job.done < job.wanted || job.wanted == 0 => {
            Err(format!("{} of {} pods of {TRAINING} are done", job.done, job.wanted))
        }
        bought => Ok(format!("both pods are done, on {} with a GPU", machines(bought))),
    }
}

fn zone_spread(scene: &Scene<'_>) -> Outcome {
    scene.full(API)?;
    let zones = scene.now.services.get(API).map(|service| &service.zones);
    let zones = zones.into_iter().flatten();
    let counts: Vec<(&str, u32)> = zones.map(|(zone, pods)| (zone.as_str(), *pods)).collect();
    let (least, most) =
        (counts.iter().map(|one| one.1).min(), counts.iter().map(|one| one.1).max());
    let words: Vec<String> =
        counts.iter().map(|(zone, pods)| format!("{pods} in {zone}")).collect();
    let words = words.join(", ");
    if counts.len() < 2 || least.unwrap_or_default() + 1 < most.unwrap_or_default() {
        return Err(format!("the pods are not spread: {words}"));
    }
    Ok(format!("all pods run, {words}"))
}

fn stockout(scene: &Scene<'_>) -> Outcome {
    let pods = scene.full(CHECKOUT)?;
    let (small, large) = (scene.bought(SMALL), scene.bought(LARGE));
    if large > 0 || small == 0 {
        return Err(format!(
            "{small} small and {large} large machines were bought instead of small ones"
        ));
    }
    Ok(format!("{pods} pods run, on {} of the group small instead", machines(small)))
}

fn dead_machine(scene: &Scene<'_>) -> Outcome {
    let mut victims = scene.now.killed.iter().skip(scene.before.killed.len());
    let Some(victim) = victims.next() else { return Err("no machine died".to_owned()) };
    if scene.now.nodes.iter().any(|node| node.name == *victim) {
        return Err(format!("the node {victim} is still there"));
    }
    scene.served()?;
    Ok(match scene.bought_any() {
        0 => format!("{victim} is gone, and its pods run again"),
        _ => format!("{victim} is gone, and its pods run on another machine"),
    })
}

fn load_falls(scene: &Scene<'_>) -> Outcome {
    if [WEB, API].into_iter().any(|name| scene.now.services.contains_key(name)) {
        return Err("web and api are still wanted".to_owned());
    }
    scene.served()?;
    let returned = [SMALL, LARGE].into_iter().map(|group| scene.returned(group)).sum();
    if returned < FEWEST_RETURNED {
        return Err(format!("{} given back, and there are more", machines(returned)));
    }
    Ok(format!("{} given back, {}", machines(returned), cheaper(scene)))
}

fn consolidation(scene: &Scene<'_>) -> Outcome {
    scene.served()?;
    let (large, small) = (scene.bought(LARGE), scene.returned(SMALL));
    if large == 0 || small < 2 || scene.now.rate >= scene.before.rate {
        let (large, small) = (machines(large), machines(small));
        return Err(format!(
            "{large} of large bought, {small} of small given back, {}",
            cheaper(scene)
        ));
    }
    Ok(format!("{large} large for {small} small, {}", cheaper(scene)))
}

/// What an hour cost, and what it costs.
fn cheaper(scene: &Scene<'_>) -> String {
    let (before, now): (Money, Money) = (scene.before.rate, scene.now.rate);
    format!("{before} → {now} an hour")
}

#[cfg(test)]
mod tests;
