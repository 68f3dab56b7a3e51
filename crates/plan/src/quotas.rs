//! What CapacityQuotas still allow.

use std::sync::Arc;

use plimsoll_model::{Node, Quota, Symbol, World};

use crate::plan::QuotaReport;

/// All quotas, each with what is left of it. They hold independently of each other: a node may be under several.
#[derive(Clone, Debug, Default)]
pub(crate) struct Quotas(Vec<Left>);

#[derive(Clone, Debug)]
struct Left {
    quota: Arc<Quota>,
    /// By resource; negative where more is there than there may be.
    left: Vec<(Symbol, i64)>,
}

// === impl Quotas ===

impl Quotas {
    /// The limits less the nodes that are there, those on their way out included.
    pub(crate) fn new(world: &World) -> Self {
        let full =
            |quota: &Quota| Left { quota: Arc::new(quota.clone()), left: quota.limits.to_vec() };
        let mut quotas = Self(world.quotas.iter().map(full).collect());
        if !quotas.0.is_empty() {
            world.nodes.iter().for_each(|node| quotas.change(node, -1));
        }
        quotas
    }

    /// So many such nodes less; more when it is negative.
    pub(crate) fn change(&mut self, node: &Node, nodes: i64) {
        for Left { quota, left } in &mut self.0 {
            if quota.counts(node) {
                for (name, left) in left {
                    let amount = Quota::amount(node, *name).saturating_mul(nodes);
                    *left = left.saturating_add(amount);
                }
            }
        }
    }

    /// The first quota that does not allow so many more such nodes.
    pub(crate) fn refuses(&self, node: &Node, count: u32) -> Option<Symbol> {
        let refusing = self.0.iter().find(|one| one.room(node) < count)?;
        Some(Symbol::new(&format!("CapacityQuota/{}", refusing.quota.name)))
    }

    /// How many more such nodes they allow.
    pub(crate) fn room(&self, node: &Node) -> u32 {
        self.0.iter().map(|one| one.room(node)).min().unwrap_or(u32::MAX)
    }
}

// === impl Left ===

impl Left {
    fn room(&self, node: &Node) -> u32 {
        if !self.quota.counts(node) {
            return u32::MAX;
        }
        let rooms = self.left.iter().filter_map(|(name, left)| {
            // What a node has nothing of it cannot exceed, however little is left.
            let each = Some(Quota::amount(node, *name)).filter(|each| *each > 0)?;
            Some(u32::try_from(left.max(&0) / each).unwrap_or(u32::MAX))
        });
        rooms.min().unwrap_or(u32::MAX)
    }
}

/// What is used of each quota by the nodes that are there.
pub(crate) fn reports(world: &World) -> Vec<QuotaReport> {
    let mut reports: Vec<_> = world.quotas.iter().map(|quota| report(world, quota)).collect();
    reports.sort_unstable_by_key(|report| report.name);
    reports
}

fn report(world: &World, quota: &Quota) -> QuotaReport {
    let counted: Vec<_> = world.nodes.iter().filter(|node| quota.counts(node)).collect();
    let used = quota.limits.iter().map(|(name, _)| {
        let amounts = counted.iter().map(|node| Quota::amount(node, *name));
        (*name, amounts.fold(0, i64::saturating_add))
    });
    QuotaReport {
        name: quota.name,
        used: used.collect(),
        generation: quota.generation,
        since: quota.reconciled.unwrap_or(world.now),
    }
}
