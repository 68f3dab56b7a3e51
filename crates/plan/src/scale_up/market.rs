//! What can be bought: groups with room, and why the others have none.

use plimsoll_model::{Money, Node, Symbol, Text, resource};

use crate::{
    plan::{GroupHealth, GroupReason},
    quotas::Quotas,
    scene::Scene,
    state::{Readiness, marks},
    template::Template,
};

/// A group from which nodes can be bought.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer {
    /// Its place in the World's list.
    pub group: usize,
    /// How many nodes it may give in this pass.
    pub room: u32,
    /// What a node costs for the purpose of choosing.
    pub cost: Money,
    /// Its nodes have accelerators.
    pub gpu: bool,
    /// It comes whole or not at all.
    pub atomic: bool,
}

/// All groups, sorted into those that can be used and those that cannot.
#[derive(Debug)]
pub(crate) struct Market {
    pub offers: Vec<Offer>,
    /// By group: why it cannot be used.
    pub closed: Vec<Option<GroupReason>>,
}

/// What the limits of the whole cluster still allow.
#[derive(Clone, Debug)]
pub(crate) struct Allowance {
    /// `None` without a limit.
    pub nodes: Option<u32>,
    cores: i64,
    memory: i64,
    gpus: Vec<(Text, i64)>,
    quotas: Quotas,
}

// === impl Offer ===

impl Offer {
    /// The order in which single nodes are bought: accelerators last unless somebody needs one, then the cheapest.
    pub(crate) fn rank(&self, needs_gpu: bool, place: usize) -> (bool, Money, usize) {
        (self.gpu && !needs_gpu, self.cost, place)
    }
}

// === impl Market ===

impl Market {
    pub(crate) fn new(scene: &Scene<'_>, allowance: &Allowance) -> Self {
        let world = scene.state.world;
        let mut market = Self { offers: Vec::new(), closed: vec![None; world.groups.len()] };
        for (place, group) in world.groups.iter().enumerate() {
            let found = &scene.state.groups[place];
            let room = group.max.saturating_sub(found.target);
            let stock = group.stock.unwrap_or(u32::MAX);
            let closed = match (&found.health, &scene.templates[place]) {
                (GroupHealth::Frozen { reason }, _) => {
                    Some(GroupReason::Frozen { reason: reason.clone() })
                }
                (GroupHealth::Backoff { until, code }, _) => {
                    Some(GroupReason::Backoff { until: *until, code: code.clone() })
                }
                (GroupHealth::Unhealthy, _) => Some(GroupReason::Unhealthy),
                (GroupHealth::Healthy, None) => Some(GroupReason::NoTemplate),
                (GroupHealth::Healthy, Some(_)) if room == 0 => {
                    Some(GroupReason::MaxSizeReached { max: group.max })
                }
                (GroupHealth::Healthy, Some(_))
                    if stock == 0 || (group.options.atomic && stock < room) =>
                {
                    Some(GroupReason::OutOfStock { stock })
                }
                (GroupHealth::Healthy, Some(_))
                    if group.options.atomic
                        && room > world.settings.scale_up.max_nodes_per_pass =>
                {
                    Some(GroupReason::ScaleUpLimitReached { flag: "max-nodes-per-scaleup" })
                }
                (GroupHealth::Healthy, Some(template)) => {
                    allowance.refuses(template, 1).map(|limit| GroupReason::QuotaExceeded { limit })
                }
            };
            match (&scene.templates[place], closed) {
                (Some(template), None) => {
                    let atomic = group.options.atomic;
                    // One that comes whole or not at all is not cut off.
                    let quota = if atomic { u32::MAX } else { allowance.quota_room(template) };
                    let most = stock.min(quota).min(world.settings.scale_up.max_nodes_per_pass);
                    market.offers.push(Offer {
                        group: place,
                        room: room.min(most),
                        cost: template.cost,
                        gpu: template.gpus > 0,
                        atomic,
                    });
                }
                (_, closed) => market.closed[place] = closed,
            }
        }
        market
    }
}

// === impl Allowance ===

impl Allowance {
    /// The limits less what is there and on its way. Nodes that are leaving do not count.
    pub(crate) fn new(scene: &Scene<'_>) -> Self {
        let world = scene.state.world;
        let limits = &world.settings.limits;
        let mut allowance = Self {
            nodes: (limits.nodes > 0).then_some(limits.nodes),
            cores: limits.cores.max.saturating_mul(1000),
            memory: limits.memory_gib.max.saturating_mul(1 << 30),
            gpus: limits.gpus.iter().map(|(kind, range)| (Text::from(*kind), range.max)).collect(),
            quotas: Quotas::new(world),
        };
        for (node, found) in world.nodes.iter().zip(&scene.state.nodes) {
            if found.readiness != Readiness::BeingDeleted {
                allowance.change_limits(node, marks::gpus(&node.capacity), -1);
            }
        }
        for (group, _) in &scene.upcoming {
            if let Some(template) = &scene.templates[*group] {
                allowance.take(template);
            }
        }
        allowance
    }

    /// The flag or CapacityQuota whose limit does not allow so many more such nodes.
    pub(crate) fn refuses(&self, template: &Template, count: u32) -> Option<Symbol> {
        let node = template.unnamed();
        let times = |amount: i64| amount.saturating_mul(i64::from(count));
        let asks = |name: &str| times(node.capacity.get(Symbol::new(name)));
        let kind = marks::accelerator_label(node);
        let gpus = self.gpus.iter().find(|(limited, _)| Some(limited) == kind);
        if self.nodes.is_some_and(|left| left < count) {
            Some(Symbol::new("max-nodes-total"))
        } else if asks(resource::CPU) > self.cores {
            Some(Symbol::new("cores-total"))
        } else if asks(resource::MEMORY) > self.memory {
            Some(Symbol::new("memory-total"))
        } else if gpus.is_some_and(|(_, left)| times(template.gpus) > *left) {
            Some(Symbol::new("gpu-total"))
        } else {
            self.quotas.refuses(node, count)
        }
    }

    /// How many more such nodes CapacityQuotas allow.
    fn quota_room(&self, template: &Template) -> u32 {
        self.quotas.room(template.unnamed())
    }

    /// One more such node is bought.
    pub(crate) fn take(&mut self, template: &Template) {
        self.change(template.unnamed(), template.gpus, -1);
    }

    /// One such node less is bought.
    pub(crate) fn give(&mut self, template: &Template) {
        self.change(template.unnamed(), template.gpus, 1);
    }

    fn change(&mut self, node: &Node, gpus: i64, nodes: i32) {
        self.change_limits(node, gpus, nodes);
        self.quotas.change(node, i64::from(nodes));
    }

    fn change_limits(&mut self, node: &Node, gpus: i64, nodes: i32) {
        let change = |left: &mut i64, amount: i64| {
            *left = left.saturating_add(amount.saturating_mul(i64::from(nodes)));
        };
        self.nodes = self.nodes.map(|left| left.saturating_add_signed(nodes));
        change(&mut self.cores, node.capacity.get(Symbol::new(resource::CPU)));
        change(&mut self.memory, node.capacity.get(Symbol::new(resource::MEMORY)));
        let kind = marks::accelerator_label(node);
        if let Some((_, left)) = self.gpus.iter_mut().find(|(limited, _)| Some(limited) == kind) {
            change(left, gpus);
        }
    }
}
