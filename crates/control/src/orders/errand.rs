//! What a plan wants of providers, group by group: first what has to be put right, then the increase.

use std::collections::BTreeMap;

use plimsoll_model::Symbol;
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
    /// What to buy then, and what for.
    pub order: Option<(Order, String)>,
}

/// What a plan wants, by group. A group that is raised to its minimum and grows for pods as well gets one order.
pub(crate) fn errands(plan: &Plan) -> Vec<Errand> {
    let mut by_group: BTreeMap<Symbol, Errand> = BTreeMap::new();
    let mut of = |group: Symbol, change: &mut dyn FnMut(&mut Errand)| {
        let errand = by_group.entry(group).or_insert_with(|| Errand {
            group,
            repairs: Vec::new(),
            order: None,
        });
        change(errand);
    };
    for repair in &plan.repairs {
        match repair {
            Repair::RaiseToMin { group, from, to } => {
                of(*group, &mut |errand| errand.grow(*from, *to, "the group's minimum"));
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
        of(purchase.group, &mut |errand| errand.grow(purchase.from, purchase.to, &why));
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
    fn grow(&mut self, from: u32, to: u32, why: &str) {
        if let Some((order, reason)) = &mut self.order {
            order.count = to.saturating_sub(order.from);
            *reason = format!("{reason}; {why}");
        } else {
            let Some(id) = new_id("increase", self.group.as_str()) else { return };
            let count = to.saturating_sub(from);
            self.order = Some((Order { id, group: self.group, count, from }, why.to_owned()));
        }
        self.order = self.order.take().filter(|(order, _)| order.count > 0);
    }
}
