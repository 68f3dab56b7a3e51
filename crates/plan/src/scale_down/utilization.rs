//! How much of a node is used.

use plimsoll_model::{GroupOptions, Node, Pod, Resources, Symbol, World, resource};

use super::drain;
use crate::state::marks;
use devices::DeviceUse;

mod devices;

/// Measures nodes by the requests of their pods.
#[derive(Debug)]
pub(super) struct Gauge<'w> {
    world: &'w World,
    cpu: Symbol,
    memory: Symbol,
    devices: DeviceUse,
}

/// A node's use, and from where on it is too much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reading {
    /// The share that is requested: of accelerators on a node that has some, else of the pool of its devices of which most is
    /// claimed, else of cpu or memory, whichever is more.
    pub used: f64,
    threshold: f64,
}

// === impl Reading ===

impl Reading {
    /// Exactly at the threshold is not above it.
    pub(super) fn is_above_threshold(&self) -> bool {
        self.used > self.threshold
    }
}

// === impl Gauge ===

impl<'w> Gauge<'w> {
    pub(super) fn new(world: &'w World) -> Self {
        Self {
            world,
            cpu: Symbol::new(resource::CPU),
            memory: Symbol::new(resource::MEMORY),
            devices: DeviceUse::new(&world.devices),
        }
    }

    /// Reads a node with these pods. On a node that has accelerators, or promises some, nothing else counts: they are what
    /// it is paid for.
    pub(super) fn read<'a>(
        &self,
        node: &Node,
        pods: &(impl Iterator<Item = &'a Pod> + Clone),
        options: &GroupOptions,
    ) -> Reading {
        let share =
            |amount: &dyn Fn(&Resources) -> i64| self.share(node, pods.clone(), options, amount);
        let is_gpu_node = marks::accelerator_label(node).is_some()
            || marks::gpus(&node.capacity) > 0
            || marks::gpus(&node.allocatable) > 0;
        if is_gpu_node {
            let used = share(&marks::gpus);
            Reading { used, threshold: options.gpu_utilization_threshold }
        } else if let Some(used) = self.devices.of(node.name) {
            Reading { used, threshold: options.utilization_threshold }
        } else {
            let cpu = share(&|amounts| amounts.get(self.cpu));
            let memory = share(&|amounts| amounts.get(self.memory));
            Reading { used: cpu.max(memory), threshold: options.utilization_threshold }
        }
    }

    /// The share of one resource. Pods that are left out take what they use out of the node as well: what is left of it is
    /// all that others could have.
    fn share<'a>(
        &self,
        node: &Node,
        pods: impl Iterator<Item = &'a Pod>,
        options: &GroupOptions,
        amount: &dyn Fn(&Resources) -> i64,
    ) -> f64 {
        let leaves_out = |pod: &Pod| {
            (options.ignore_daemon_sets && pod.is_daemon())
                || (self.world.settings.scale_down.ignore_mirror_pods && pod.is_mirror())
        };
        let (mut used, mut has) = (0_i64, amount(&node.allocatable));
        for pod in pods {
            if leaves_out(pod) {
                has = has.saturating_sub(amount(&pod.shape.requests));
            } else if !drain::is_long_gone(pod, self.world.now) {
                used = used.saturating_add(amount(&pod.shape.requests));
            }
        }
        ratio(used, has)
    }
}

/// Nothing used is no use, even of nothing: a node that never showed its devices is idle. Something used of nothing is a full
/// node.
#[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
fn ratio(used: i64, has: i64) -> f64 {
    match (used, has) {
        (..=0, _) => 0.0,
        (_, ..=0) => f64::INFINITY,
        (used, has) => used as f64 / has as f64,
    }
}
