//! Similar groups: a purchase is spread over look-alikes, the smallest first (`balance-similar-node-groups`).

use plimsoll_model::{BalanceSettings, Labels, Resources, Symbol, label, resource};

use super::{market::Offer, shop::Shop};
use crate::{
    pack::{PackedBin, Problem},
    scene::Scene,
    template::Template,
};

/// Labels that always may differ between similar groups.
const IGNORED: &[&str] = &[
    label::HOSTNAME,
    label::ZONE,
    label::BETA_ZONE,
    label::GROUP,
    "beta.kubernetes.io/fluentd-ds-ready",
    "kops.k8s.io/instancegroup",
    "alpha.eksctl.io/instance-id",
    "alpha.eksctl.io/nodegroup-name",
    "eks.amazonaws.com/nodegroup",
    "k8s.amazonaws.com/eniConfig",
    "lifecycle",
    "topology.ebs.csi.aws.com/zone",
    "topology.gke.io/zone",
    "cloud.google.com/gke-nodepool",
    "kubernetes.azure.com/agentpool",
    "agentpool",
];

/// Which offers may stand in for which.
#[derive(Debug)]
pub(crate) struct Similar {
    /// By offer: those alike, itself included, by place. Empty when nothing is balanced.
    alike: Vec<Vec<usize>>,
    /// By offer: the group's size before anything is bought.
    sizes: Vec<u32>,
}

// === impl Similar ===

impl Similar {
    pub(crate) fn new(scene: &Scene<'_>, offers: &[Offer]) -> Self {
        let sizes = offers.iter().map(|offer| scene.state.groups[offer.group].target).collect();
        let Some(settings) = &scene.state.world.settings.scale_up.balance else {
            return Self { alike: Vec::new(), sizes };
        };
        let node = |offer: &Offer| scene.templates[offer.group].as_ref();
        let alike = offers
            .iter()
            .map(|one| {
                let same = |other: &Offer| match (node(one), node(other)) {
                    // Atomic groups are not grown node by node.
                    _ if one.atomic || other.atomic => false,
                    (Some(one), Some(other)) => are_similar(one, other, settings),
                    _ => false,
                };
                (0..offers.len()).filter(|place| same(&offers[*place])).collect()
            })
            .collect();
        Self { alike, sizes }
    }

    /// Whether a purchase from one offer may be spread over the other.
    pub(crate) fn are_alike(&self, one: usize, other: usize) -> bool {
        self.alike.get(one).is_some_and(|alike| alike.contains(&other))
    }

    /// The offer from which to open a node of a packing: the smallest look-alike that may hold all its contents.
    pub(crate) fn choose(&self, shop: &Shop, bin: &PackedBin, problem: &Problem) -> usize {
        let Some(alike) = self.alike.get(bin.bin) else { return bin.bin };
        let holds = |offer: usize| {
            bin.contents.iter().all(|(item, _)| problem.items[*item].bins.contains(offer))
        };
        let bought = |offer: usize| shop.nodes.iter().filter(|node| node.offer == offer).count();
        let candidates =
            alike.iter().copied().filter(|offer| shop.offers[*offer].room > 0 && holds(*offer));
        let size = |offer: &usize| self.sizes[*offer] as usize + bought(*offer);
        candidates.min_by_key(size).unwrap_or(bin.bin)
    }
}

/// Whether nodes differ only in what may differ: the upstream's rules.
fn are_similar(new: &Template, like: &Template, settings: &BalanceSettings) -> bool {
    let (one, other) = (new.unnamed(), like.unnamed());
    if !settings.only_labels.is_empty() {
        return settings
            .only_labels
            .iter()
            .all(|key| one.labels.get(*key) == other.labels.get(*key));
    }
    let compared = |labels: &Labels| {
        let ignored =
            |key: Symbol| IGNORED.contains(&key.as_str()) || settings.ignore_labels.contains(&key);
        Labels::from_pairs(labels.iter().filter(|(key, _)| !ignored(*key)))
    };
    let capacities = close(&one.capacity, &other.capacity, |name| match name.as_str() {
        resource::MEMORY => settings.memory_ratio,
        _ => 0.0,
    });
    capacities
        && close(&one.allocatable, &other.allocatable, |_| settings.allocatable_ratio)
        && close(&new.free(), &like.free(), |_| settings.free_ratio)
        && compared(&one.labels) == compared(&other.labels)
}

/// Whether the same resources are there, each within its tolerance of the larger.
fn close(one: &Resources, other: &Resources, tolerance: impl Fn(Symbol) -> f64) -> bool {
    one.iter().len() == other.iter().len()
        && one.iter().all(|(name, amount)| {
            let against = other.get(name);
            let larger = amount.max(against);
            #[expect(clippy::cast_precision_loss, reason = "compared with a tolerance")]
            let allowed = larger as f64 * tolerance(name);
            #[expect(clippy::cast_precision_loss, reason = "compared with a tolerance")]
            let difference = amount.abs_diff(against) as f64;
            against != 0 && difference <= allowed
        })
}
