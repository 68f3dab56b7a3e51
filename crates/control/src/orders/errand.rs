//! What a plan wants of providers, group by group: first what has to be put right, then the increase.

use std::collections::BTreeMap;

use jiff::Timestamp;
use plimsoll_model::{Order, OrderId, OrderPhase, PodName, ScaleUp, Symbol};
use plimsoll_plan::{Plan, Repair, words};
use uuid::Uuid;

/// How many digits tell orders of one group apart.
const DIGITS: usize = 10;

/// What a plan wants of one group's provider, in this order.
#[derive(Clone, Debug)]
pub(crate) struct Errand {
    pub group: Symbol,
    /// Machines to delete, targets to lower.
    pub repairs: Vec<Repair>,
    /// What to order then.
    pub scale_up: Option<Order<ScaleUp>>,
}

/// What a plan wants, by group. A group that is raised to its minimum and scaled up for pods as well gets one order.
pub(crate) fn errands(
    plan: &Plan,
    uids: &BTreeMap<PodName, Box<str>>,
    now: Timestamp,
) -> Vec<Errand> {
    let mut by_group: BTreeMap<Symbol, Errand> = BTreeMap::new();
    let mut of = |group: Symbol, change: &mut dyn FnMut(&mut Errand)| {
        let errand = by_group.entry(group).or_insert_with(|| Errand {
            group,
            repairs: Vec::new(),
            scale_up: None,
        });
        change(errand);
    };
    for repair in &plan.repairs {
        match repair {
            Repair::RaiseToMin { group, from, to } => {
                of(*group, &mut |errand| {
                    errand.raise((*from, *to), "the group's minimum", &[], now);
                });
            }
            Repair::DeleteInstance { group, .. } | Repair::LowerTarget { group, .. } => {
                of(*group, &mut |errand| errand.repairs.push(repair.clone()));
            }
        }
    }
    for purchase in &plan.purchases {
        let why = match purchase.pods.as_slice() {
            [] => match words::kept_by_growth(plan, purchase.group) {
                kept if kept.is_empty() => "pods that have to move".to_owned(),
                kept => format!("room for {}", kept.join(" and ")),
            },
            [only] => only.to_string(),
            [first, rest @ ..] => format!("{first} and {} more", rest.len()),
        };
        let pods: Vec<_> = purchase.pods.iter().filter_map(|pod| uids.get(pod).cloned()).collect();
        of(purchase.group, &mut |errand| {
            errand.raise((purchase.from, purchase.to), &why, &pods, now);
        });
    }
    by_group.into_values().collect()
}

/// A name for something about `subject` that nothing else has: readable, and fit for a label. There always is one.
pub(crate) fn new_id(verb: &str, subject: &str) -> Option<OrderId> {
    let room = OrderId::LONGEST - verb.len() - DIGITS - 2;
    let mut name = String::new();
    for letter in subject.chars() {
        let letter = letter.to_ascii_lowercase();
        if letter.is_ascii_lowercase() || letter.is_ascii_digit() {
            name.push(letter);
        } else if !name.ends_with('-') && !name.is_empty() {
            name.push('-');
        }
        if name.len() >= room {
            break;
        }
    }
    let name = name.trim_end_matches('-');
    let unique = Uuid::new_v4().simple().to_string();
    let unique = unique.get(..DIGITS).unwrap_or_default();
    let id = if name.is_empty() {
        format!("{verb}-{unique}")
    } else {
        format!("{verb}-{name}-{unique}")
    };
    OrderId::new(&id)
}

// === impl Errand ===

impl Errand {
    fn raise(&mut self, (from, to): (u32, u32), why: &str, pods: &[Box<str>], now: Timestamp) {
        if let Some(Order { intent, .. }) = &mut self.scale_up {
            intent.count = to.saturating_sub(intent.from);
            intent.why = format!("{}; {why}", intent.why);
            intent.pods.extend_from_slice(pods);
        } else {
            let Some(id) = new_id("increase", self.group.as_str()) else { return };
            let (group, count) = (self.group, to.saturating_sub(from));
            let (pods, why) = (pods.to_vec(), why.to_owned());
            let intent = ScaleUp { group, count, from, pods, why };
            self.scale_up = Some(Order::new(id, intent, OrderPhase::Wanted, now));
        }
        self.scale_up = self.scale_up.take().filter(|order| order.intent.count > 0);
    }
}
