//! ResourceQuotas: a buffer gets no more units than its namespace could have pods.

use plimsoll_model::{NamespaceQuota, PodShape, QuotaScope, Resources, Symbol, World, resource};

use super::source::Unit;

/// The quotas, with what buffers take of them.
#[derive(Debug)]
pub(super) struct Quotas<'w> {
    /// With what buffers that were served before have taken.
    quotas: Vec<(&'w NamespaceQuota, Resources)>,
}

// === impl Quotas ===

impl<'w> Quotas<'w> {
    pub(super) fn new(world: &'w World) -> Self {
        let mut quotas: Vec<_> =
            world.namespace_quotas.iter().map(|quota| (quota, Resources::default())).collect();
        quotas.sort_by_key(|(quota, _)| (quota.namespace, &quota.name));
        Self { quotas }
    }

    /// How many of the units wanted there may be, and the quotas that allow no more.
    pub(super) fn allot(
        &mut self,
        namespace: Symbol,
        unit: &Unit<'_>,
        wanted: i32,
    ) -> (i32, Vec<&'w str>) {
        let counts = |quota: &NamespaceQuota| {
            quota.namespace == namespace && quota.scopes.iter().all(|scope| covers(scope, unit))
        };
        let matching = self.quotas.iter_mut().filter(|(quota, _)| counts(quota));
        let matching: Vec<_> = matching.collect();
        let (mut allowed, mut blocking) = (wanted, Vec::new());
        for (quota, taken) in &matching {
            let most = most(quota, taken, &unit.pod.requests);
            if most < wanted {
                blocking.push(&*quota.name);
            }
            allowed = allowed.min(most);
        }
        for (_, taken) in matching {
            for (name, amount) in unit.pod.requests.iter() {
                taken.add(name, amount.saturating_mul(i64::from(allowed)));
            }
        }
        (allowed, blocking)
    }
}

/// How many units are within what is left of a quota.
fn most(quota: &NamespaceQuota, taken: &Resources, unit: &Resources) -> i32 {
    let counts = quota.hard.iter().filter_map(|(name, hard)| {
        let asked = unit.get(*name);
        let left = hard.saturating_sub(quota.used.get(*name)).saturating_sub(taken.get(*name));
        (asked > 0).then(|| left.max(0) / asked)
    });
    counts.min().map_or(i32::MAX, |most| i32::try_from(most).unwrap_or(i32::MAX))
}

fn covers(scope: &QuotaScope, unit: &Unit<'_>) -> bool {
    let class = unit.priority_class;
    match scope {
        QuotaScope::All => true,
        QuotaScope::Nobody => false,
        QuotaScope::BestEffort => is_best_effort(unit.pod),
        QuotaScope::NotBestEffort => !is_best_effort(unit.pod),
        QuotaScope::Classes(classes) => class.is_some_and(|class| classes.contains(&class)),
        QuotaScope::OtherClasses(classes) => class.is_none_or(|class| !classes.contains(&class)),
        QuotaScope::AnyClass => class.is_some(),
        QuotaScope::NoClass => class.is_none(),
        QuotaScope::CrossNamespaceAffinity => looks_elsewhere(unit.pod),
    }
}

fn is_best_effort(pod: &PodShape) -> bool {
    let asks = |name| pod.requests.get(Symbol::new(name)) > 0;
    !asks(resource::CPU) && !asks(resource::MEMORY)
}

fn looks_elsewhere(pod: &PodShape) -> bool {
    let mut terms = pod.affinity.iter().chain(&pod.anti_affinity);
    terms.any(|term| {
        let named = &term.namespaces.named;
        term.namespaces.selected.is_some() || named.iter().any(|name| *name != pod.namespace)
    })
}

#[cfg(test)]
mod tests;
