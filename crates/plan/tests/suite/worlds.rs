//! Random worlds over small vocabularies, as lines of a fixture: a failure shows a world that can be pasted into a test.

use std::fmt;

use proptest::{
    prelude::*,
    sample::{Index, select, subsequence},
};

const SIZES: &[&str] = &["2cpu 4Gi", "4cpu 16Gi", "8cpu 16Gi", "16cpu 64Gi"];
const PRICES: &[&str] = &["$0.10", "$0.20", "$0.21", "$0.50", "$1.30"];
const ZONES: &[&str] = &["", "zone=a", "zone=a", "zone=b", "zone=c"];
const GROUP_MARKS: &[&str] = &["label=disk=ssd", "taint=team=x:NoSchedule", "slots=5", "gpu=1"];
const MACHINES: &[&str] = &["creating", "creating error=OutOfResources", "running age=20m"];
const NODE_MARKS: &[&str] = &["created=2m unready=2m", "unready=30m", "cordoned", "created=30s"];
const CPU: &[&str] = &["", "100m", "500m", "1cpu", "1500m", "3cpu", "7cpu"];
const MEMORY: &[&str] = &["", "100Mi", "1Gi", "3Gi", "7Gi"];
const WISHES: &[&str] = &["selector=disk=ssd", "tolerate=team", "port=80"];
const RANKS: &[&str] = &["prio=5", "prio=10"];
const COMPANY: &[&str] = &[
    "app=shared",
    "zone-spread=1",
    "zone-spread=2",
    "zone-spread=1/2",
    "host-spread=1",
    "host-spread=2",
    "apart",
    "apart=zone",
    "apart=host:p0",
    "apart=zone:p1",
    "near=zone",
    "near=host",
    "near=zone:p0",
];
const LIMITS: &[&str] =
    &["max-nodes-total=4", "cores-total=0:16", "memory-total=0:40", "max-nodes-per-scaleup=2"];
const PATIENCE: &[&str] = &[
    "max-binpacking-time=0s",
    "max-nodegroup-binpacking-duration=1us",
    "salvo-scale-up=false",
    "salvo-scale-up-budget=0s",
    "enable-graceful-degradation=true pending-pods-batching-timeout=6us",
    "scale-down-simulation-timeout=5us",
];
const WAYS: &[&str] = &[
    "balance-similar-node-groups=true",
    "expander=least-waste",
    "expander=most-pods",
    "expander=least-nodes",
    "expander=price",
    "expander=random",
];
const DAEMONS: &[&str] = &[
    "daemon agent 100m 100Mi",
    "daemon agent 500m 1Gi tolerate=everything",
    "daemon agent 100m 100Mi selector=disk=ssd",
];

/// What may be in a world.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a kind of thing of its own")]
pub(crate) struct Kinds {
    /// Nodes that are here, with pods on them.
    pub nodes: bool,
    /// Accelerators: they are spared, whatever that costs.
    pub gpus: bool,
    /// Priorities.
    pub ranks: bool,
    /// Pods that look at other pods.
    pub company: bool,
    /// Gangs.
    pub gangs: bool,
    /// Limits of the whole cluster and of a pass.
    pub limits: bool,
    /// Limits of time.
    pub haste: bool,
    /// Named expanders and balancing.
    pub ways: bool,
    /// Machines and nodes that are not as they should be.
    pub trouble: bool,
    /// Atomic groups.
    pub atomic: bool,
}

/// A world as lines of a fixture.
#[derive(Clone)]
pub(crate) struct Lines {
    groups: Vec<String>,
    nodes: Vec<(Index, String)>,
    pods: Vec<(String, Option<Index>)>,
    rest: Vec<String>,
}

// === impl Kinds ===

impl Kinds {
    /// Pods and nodes of all sizes, and nothing else.
    pub(crate) const PLAIN: Self = Self {
        nodes: true,
        gpus: true,
        ranks: true,
        company: false,
        gangs: false,
        limits: false,
        haste: false,
        ways: false,
        trouble: false,
        atomic: false,
    };

    pub(crate) const COMPANY: Self = Self { company: true, ..Self::PLAIN };

    pub(crate) const EVERYTHING: Self = Self {
        nodes: true,
        gpus: true,
        ranks: true,
        company: true,
        gangs: true,
        limits: true,
        haste: true,
        ways: true,
        trouble: true,
        atomic: true,
    };
}

// === impl Lines ===

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.rest {
            writeln!(f, "{line}")?;
        }
        for (place, group) in self.groups.iter().enumerate() {
            writeln!(f, "group g{place} {}", group.replace('#', &place.to_string()))?;
        }
        for (place, (group, marks)) in self.nodes.iter().enumerate() {
            writeln!(f, "node n{place} of g{} {marks}", group.index(self.groups.len()))?;
        }
        for (place, (pod, node)) in self.pods.iter().enumerate() {
            write!(f, "pods p{place}{pod}")?;
            match node {
                Some(node) if !self.nodes.is_empty() => {
                    writeln!(f, " owner=rs on=n{}", node.index(self.nodes.len()))?;
                }
                _ => writeln!(f)?,
            }
        }
        Ok(())
    }
}

/// As the fixture that it is.
impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

/// Worlds of some kinds.
pub(crate) fn worlds(kinds: Kinds) -> impl Strategy<Value = Lines> {
    let groups = prop::collection::vec(group(kinds), 1..=4);
    let marks = if kinds.trouble { 3 } else { 0 };
    let mark = prop_oneof![7 => Just(""), marks => select(NODE_MARKS)].prop_map(str::to_owned);
    let most = if kinds.nodes { 4 } else { 0 };
    let nodes = prop::collection::vec((any::<Index>(), mark), 0..=most);
    let residents = prop::collection::vec((resident(kinds), any::<Index>()), 0..=most);
    let waiting = prop::collection::vec(waiting(kinds), 0..=6);
    (groups, nodes, residents, waiting, rest(kinds)).prop_map(
        |(groups, nodes, residents, waiting, rest)| {
            let residents = residents.into_iter().map(|(pod, node)| (pod, Some(node)));
            let waiting = waiting.into_iter().map(|pod| (pod, None));
            Lines { groups, nodes, pods: residents.chain(waiting).collect(), rest }
        },
    )
}

fn group(kinds: Kinds) -> impl Strategy<Value = String> {
    let (trouble, atomic) = (u32::from(kinds.trouble), u32::from(kinds.atomic));
    let known = if kinds.gpus { GROUP_MARKS } else { &GROUP_MARKS[..3] };
    let marks = prop_oneof![2 => Just(""), 3 => select(known)];
    let machine = prop_oneof![
        6 => Just(String::new()),
        trouble * 2 => select(MACHINES).prop_map(|state| format!(" instance i-# {state}")),
    ];
    let atomic = prop_oneof![8 => Just(""), atomic => Just("atomic")];
    (0..=2_u32, 0..=6_u32, select(SIZES), select(PRICES), select(ZONES), marks, atomic, machine)
        .prop_map(move |(min, more, size, price, zone, marks, atomic, machine)| {
            // What is raised to a minimum is here as much as a node that is.
            let min = if kinds.nodes { min.saturating_sub(1) } else { 0 };
            format!("{min}..{} {size} {price} {zone} {marks} {atomic}{machine}", min + more)
        })
}

/// A pod that runs: small ones, so that nodes are not overrun.
fn resident(kinds: Kinds) -> impl Strategy<Value = String> {
    (1..=2_u32, select(&CPU[..4]), select(&MEMORY[..3]), wishes(kinds))
        .prop_map(|(count, cpu, memory, wishes)| format!("*{count} {cpu} {memory} {wishes}"))
}

fn waiting(kinds: Kinds) -> impl Strategy<Value = String> {
    let owner = select(&["", "owner=rs"][..]);
    let gang = prop_oneof![9 => Just(""), u32::from(kinds.gangs) => Just("gang=ring")];
    (1..=6_u32, select(CPU), select(MEMORY), wishes(kinds), owner, gang).prop_map(
        |(count, cpu, memory, wishes, owner, gang)| {
            format!("*{count} {cpu} {memory} {wishes} {owner} {gang}")
        },
    )
}

fn wishes(kinds: Kinds) -> impl Strategy<Value = String> {
    let company = if kinds.company { COMPANY } else { &COMPANY[..1] };
    let ranks = if kinds.ranks { RANKS } else { &[] };
    let gpus: &[&str] = if kinds.gpus { &["gpu=1"] } else { &[] };
    let wishes = subsequence([WISHES, ranks, gpus].concat(), 0..=2);
    let company = subsequence(company, 0..=company.len().min(2));
    (wishes, company).prop_map(|(wishes, company)| [wishes, company].concat().join(" "))
}

fn rest(kinds: Kinds) -> impl Strategy<Value = Vec<String>> {
    let (limits, ways) = (u32::from(kinds.limits), u32::from(kinds.ways));
    let limit = prop_oneof![2 => Just(""), limits * 2 => select(LIMITS)];
    let haste = prop_oneof![2 => Just(""), u32::from(kinds.haste) * 2 => select(PATIENCE)];
    let way = prop_oneof![2 => Just(""), ways => select(WAYS)];
    let daemon = prop_oneof![2 => Just(""), 1 => select(DAEMONS)];
    (limit, haste, way, daemon).prop_map(|(limit, haste, way, daemon)| {
        let flags = [limit, haste, way].into_iter().filter(|flag| !flag.is_empty());
        let flags = flags.map(|flag| format!("flags {flag}"));
        flags.chain((!daemon.is_empty()).then(|| daemon.to_owned())).collect()
    })
}
