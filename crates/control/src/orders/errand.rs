//! What a plan wants of providers, group by group: first what has to be put right, then the increase.

use std::collections::BTreeMap;

use plimsoll_model::{PodName, Symbol};
use plimsoll_plan::{Plan, Repair, words};
use plimsoll_provider::{Order, OrderId};
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
    pub increase: Option<Increase>,
}

/// A scale-up, and what it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Increase {
    pub order: Order,
    /// In words.
    pub why: String,
    /// The uids of the pods.
    pub pods: Vec<Box<str>>,
}

/// What a plan wants, by group. A group that is raised to its minimum and grows for pods as well gets one order.
pub(crate) fn errands(plan: &Plan, uids: &BTreeMap<PodName, Box<str>>) -> Vec<Errand> {
    let mut by_group: BTreeMap<Symbol, Errand> = BTreeMap::new();
    let mut of = |group: Symbol, change: &mut dyn FnMut(&mut Errand)| {
        let errand = by_group.entry(group).or_insert_with(|| Errand {
            group,
            repairs: Vec::new(),
            increase: None,
        });
        change(errand);
    };
    for repair in &plan.repairs {
        match repair {
            Repair::RaiseToMin { group, from, to } => {
                of(*group, &mut |errand| errand.raise(*from, *to, "the group's minimum", &[]));
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
        of(purchase.group, &mut |errand| errand.raise(purchase.from, purchase.to, &why, &pods));
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
    fn raise(&mut self, from: u32, to: u32, why: &str, pods: &[Box<str>]) {
        if let Some(increase) = &mut self.increase {
            increase.order.count = to.saturating_sub(increase.order.from);
            increase.why = format!("{}; {why}", increase.why);
            increase.pods.extend_from_slice(pods);
        } else {
            let Some(id) = new_id("increase", self.group.as_str()) else { return };
            let count = to.saturating_sub(from);
            let order = Order { id, group: self.group, count, from };
            self.increase = Some(Increase { order, why: why.to_owned(), pods: pods.to_vec() });
        }
        self.increase = self.increase.take().filter(|increase| increase.order.count > 0);
    }
}
