//! What a kubelet reports of a machine, which is less than the machine was made with: the kernel keeps some memory, the file system
//! some of the disk, and the kubelet sets aside what it is told to, and what it wants free.
//!
//! Hosts tell only what a machine is made with. So this is what is promised until a group has a node that can be looked at, and it errs
//! on the side of less: a promise that no node can keep costs machine after machine for a pod that fits on none of them.

use plimsoll_model::{Quantity, Resources, Symbol, resource};

/// What a machine is made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Nominal {
    /// In thousandths of a processor.
    pub(super) cpu: i64,
    /// In bytes.
    pub(super) memory: i64,
    /// In bytes.
    pub(super) storage: i64,
}

/// What the kubelet sets aside, and how many pods it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kubelet {
    pods: i64,
    cpu: i64,
    memory: i64,
    storage: i64,
    /// Memory that it keeps free by evicting pods.
    free_memory: Share,
    /// Disk that it keeps free in the same way.
    free_storage: Share,
}

/// A part of what there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Share {
    Bytes(i64),
    Percent(i64),
}

/// How an argument of the kubelet stands among those of the agent.
const ARGUMENT: &str = "--kubelet-arg=";

const MIB: i64 = 1024 * 1024;

// === impl Kubelet ===

impl Default for Kubelet {
    fn default() -> Self {
        Self {
            pods: 110,
            cpu: 0,
            memory: 0,
            storage: 0,
            free_memory: Share::Bytes(100 * MIB),
            free_storage: Share::Percent(10),
        }
    }
}

impl Kubelet {
    /// As the arguments of the agent make it. What cannot be read is left to the kubelet, which refuses it.
    pub(super) fn read<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Self {
        let mut kubelet = Self::default();
        for argument in arguments {
            let argument = argument.strip_prefix(ARGUMENT).and_then(|rest| rest.split_once('='));
            match argument {
                Some(("max-pods", pods)) => kubelet.pods = pods.parse().unwrap_or(kubelet.pods),
                Some(("kube-reserved" | "system-reserved", list)) => kubelet.reserve(list),
                Some(("eviction-hard", list)) => kubelet.keep_free(list),
                _ => {}
            }
        }
        kubelet
    }

    /// `cpu=500m,memory=1Gi`.
    fn reserve(&mut self, list: &str) {
        for (name, amount) in list.split(',').filter_map(|part| part.split_once('=')) {
            let Ok(amount) = Quantity::parse(amount.trim()) else { continue };
            let bytes = amount.value().unwrap_or_default();
            match name.trim() {
                resource::CPU => self.cpu += amount.milli().unwrap_or_default(),
                resource::MEMORY => self.memory += bytes,
                resource::EPHEMERAL_STORAGE => self.storage += bytes,
                _ => {}
            }
        }
    }

    /// `memory.available<500Mi,nodefs.available<10%`.
    fn keep_free(&mut self, list: &str) {
        for (signal, amount) in list.split(',').filter_map(|part| part.split_once('<')) {
            let Some(share) = Share::read(amount.trim()) else { continue };
            match signal.trim() {
                "memory.available" => self.free_memory = share,
                "nodefs.available" => self.free_storage = share,
                _ => {}
            }
        }
    }

    /// The capacity that it reports, at least, and what of that pods can have.
    pub(super) fn report(&self, nominal: Nominal) -> (Resources, Resources) {
        let memory = (nominal.memory - kernel(nominal.memory)).max(0);
        // A file system describes itself on the disk that it is on.
        let storage = nominal.storage - nominal.storage / 25;
        let amounts = |cpu: i64, memory: i64, storage: i64| {
            let amounts = [
                (resource::CPU, cpu),
                (resource::MEMORY, memory),
                (resource::EPHEMERAL_STORAGE, storage),
                (resource::PODS, self.pods),
            ];
            Resources::from_amounts(
                amounts.map(|(name, amount)| (Symbol::new(name), amount.max(0))),
            )
        };
        let capacity = amounts(nominal.cpu, memory, storage);
        let allocatable = amounts(
            nominal.cpu - self.cpu,
            memory - self.memory - self.free_memory.of(memory),
            storage - self.storage - self.free_storage.of(storage),
        );
        (capacity, allocatable)
    }
}

// === impl Share ===

impl Share {
    fn read(text: &str) -> Option<Self> {
        match text.strip_suffix('%') {
            // A fraction of a percent is rounded to more.
            Some(percent) => {
                let whole = percent.split('.').next()?.parse::<i64>().ok()?;
                Some(Self::Percent(whole + i64::from(percent.contains('.'))))
            }
            None => Quantity::parse(text).ok()?.value().ok().map(Self::Bytes),
        }
    }

    const fn of(self, whole: i64) -> i64 {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Percent(percent) => whole.saturating_mul(percent) / 100,
        }
    }
}

/// What the kernel keeps of the memory: a 64th to keep track of the rest, its own image, and what it sets aside when it starts.
const fn kernel(memory: i64) -> i64 {
    memory / 50 + 128 * MIB
}

#[cfg(test)]
mod tests {
    use plimsoll_model::{Symbol, resource};

    use super::{Kubelet, MIB, Nominal};

    const GIB: i64 = 1024 * MIB;
    const NOMINAL: Nominal = Nominal { cpu: 4000, memory: 4 * GIB, storage: 25_000_000_000 };

    fn allocatable(arguments: &[&str]) -> [i64; 4] {
        let (capacity, allocatable) = Kubelet::read(arguments.iter().copied()).report(NOMINAL);
        [resource::CPU, resource::MEMORY, resource::EPHEMERAL_STORAGE, resource::PODS].map(|name| {
            let name = Symbol::new(name);
            assert!(allocatable.get(name) <= capacity.get(name));
            allocatable.get(name)
        })
    }

    #[test]
    fn the_kernel_and_the_kubelet_keep_their_share() {
        let [cpu, memory, storage, pods] = allocatable(&[]);
        assert_eq!((cpu, pods), (4000, 110));
        // Machines of this size with kernels of today report between 3.83 and 3.87 GiB.
        assert!(memory < 3922 * MIB - 100 * MIB && memory > 3700 * MIB, "{}", memory / MIB);
        assert!(storage < 25_000_000_000 / 10 * 9 && storage > 20_000_000_000, "{storage}");
    }

    #[test]
    fn what_the_agent_is_told_to_set_aside_is_not_promised() {
        let [_, before, ..] = allocatable(&["--kubelet-arg=eviction-hard=memory.available<0"]);
        let told = allocatable(&[
            "--kubelet-arg=max-pods=50",
            "--kubelet-arg=kube-reserved=cpu=500m,memory=1Gi,ephemeral-storage=1Gi",
            "--kubelet-arg=system-reserved=cpu=250m,memory=256Mi",
            "--kubelet-arg=eviction-hard=memory.available<500Mi,nodefs.available<50%",
            "--kubelet-arg=kube-reserved",
            "--node-label=cpu=1",
        ]);
        let [cpu, memory, storage, pods] = told;
        assert_eq!((cpu, pods), (3250, 50));
        assert_eq!(before - memory, 1024 * MIB + 256 * MIB + 500 * MIB);
        assert!(storage < 12_000_000_000 && storage > 10_000_000_000, "{storage}");
    }

    #[test]
    fn a_machine_that_is_too_small_for_its_kernel_promises_nothing() {
        let nominal = Nominal { cpu: 1000, memory: 64 * MIB, storage: 0 };
        let (capacity, allocatable) = Kubelet::default().report(nominal);
        assert_eq!(capacity.get(Symbol::new(resource::MEMORY)), 0);
        assert_eq!(allocatable.get(Symbol::new(resource::MEMORY)), 0);
    }
}
