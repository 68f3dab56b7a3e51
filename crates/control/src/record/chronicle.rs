//! The last decisions in words, for people who look: `plimsoll status`, the demonstration, a dashboard.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use jiff::Timestamp;
use plimsoll_cluster::evict::Eviction;
use plimsoll_plan::words;
use serde::Serialize;

use crate::engine::{News, Pass};

/// How many are kept.
const KEPT: usize = 100;

/// The last decisions in words. Clones show the same.
#[derive(Clone, Debug, Default)]
pub struct Chronicle {
    lines: Arc<Mutex<VecDeque<Line>>>,
}

/// A decision, or what came of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// When.
    pub at: Timestamp,
    /// In words.
    pub text: String,
}

// === impl Chronicle ===

impl Chronicle {
    /// The last decisions, the oldest first.
    pub fn lines(&self) -> Vec<Line> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().cloned().collect()
    }

    pub(super) fn add(&self, at: Timestamp, texts: impl IntoIterator<Item = String>) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.extend(texts.into_iter().map(|text| Line { at, text }));
        let surplus = lines.len().saturating_sub(KEPT);
        lines.drain(..surplus);
    }
}

/// What a pass has begun, in words. What becomes of it is news.
pub fn decisions(pass: &Pass) -> Vec<String> {
    let mut decisions = Vec::new();
    let begun = pass.orders.iter().filter(|order| pass.begun.orders.contains(&order.id));
    for order in begun {
        let (group, count) = (order.intent.group, order.machines());
        let to = order.target();
        let added = words::Count(usize::try_from(count).unwrap_or(usize::MAX), "node");
        let purchase = pass.plan.purchases.iter().find(|one| one.group == group);
        let purpose = match purchase.map_or(0, |purchase| purchase.pods.len()) {
            0 => match words::kept_by_growth(&pass.plan, group) {
                kept if kept.is_empty() => String::new(),
                kept => format!(" to keep room for {}", kept.join(" and ")),
            },
            pods => format!(" for {}", words::Count(pods, "pod")),
        };
        decisions
            .push(format!("scale up {group} by {added} ({} → {to}){purpose}", order.intent.from));
    }
    decisions.extend(pass.begun.repairs.iter().map(words::repair));
    decisions.extend(pass.begun.removals.iter().map(|one| words::removal(one, pass.at)));
    let leaving = pass.retirements.iter().filter(|one| pass.begun.retirements.contains(&one.id));
    decisions
        .extend(leaving.map(|one| format!("node {} of {} goes: {}", one.node, one.group, one.why)));
    decisions
}

/// A piece of news in words; `None` for what is too small to tell, or was told as a decision.
pub fn news(news: &News) -> Option<String> {
    Some(match news {
        News::Placed(order) => {
            let to = order.target();
            format!(
                "the provider of {} takes the order ({} → {to})",
                order.intent.group, order.intent.from
            )
        }
        News::OrderFailed { order, class, code } => {
            let why = match (order.message.as_str(), code.as_str()) {
                ("", "") => class.name(),
                ("", code) => code,
                (message, _) => message,
            };
            format!("{} does not grow: {why}", order.intent.group)
        }
        News::OrderUnwritten { why } => format!("an order could not be written down: {why}"),
        News::ScaleUpHeldBack { group, machines, why } => {
            format!("scale-up of {group} by {machines} held back: {why}")
        }
        News::RepairFailed { repair, message } => {
            format!("could not be put right: {}: {message}", words::repair(repair))
        }
        News::Evicted { node, pod, outcome: Eviction::Accepted, .. } => {
            format!("pod {pod} leaves {node}")
        }
        News::Evicted { node, pod, outcome: Eviction::Failed { why }, .. } => {
            format!("pod {pod} cannot be asked to leave {node}: {why}")
        }
        News::Gone(gone) => format!("node {} of {} is gone", gone.node, gone.group),
        News::Released { retirement, why } => format!("node {} stays: {why}", retirement.node),
        News::Cleaned(node) => format!("node {node} is open again: no order explains its mark"),
        News::Repaired(_) | News::Leaving(_) | News::Evicted { .. } => return None,
    })
}
