//! A world in a few lines: groups, their nodes, the pods on them, and since when nobody has needed a node.
//!
//! Times are minutes from noon, which is now. Nodes have four cores, pods ask for thousandths of one.

use std::{ops::RangeInclusive, sync::Arc};

use plimsoll_model::{
    Budget, BudgetRule, Conditions, Controller, CountOrPercent, DaemonSet, Group, Instance,
    InstanceState, LabelRequirement, LabelSelector, Labels, Memory, Node, Owner, Phase, Pod,
    PodExtras, PodShape, Resources, SafeToEvict, ScaleDownSettings, Settings, SignedDuration,
    Symbol, Timestamp, World, label,
};

use crate::{Plan, plan};

mod drains;
mod memory;
mod pace;
mod properties;
mod protection;
mod reasons;
mod together;
mod used;

/// 2026-01-01T12:00:00Z.
const NOON: i64 = 1_767_268_800;

/// A world under construction. Methods that describe a group, a node or a pod are about the last one added.
#[derive(Clone, Debug)]
struct Builder(World);

fn at(minutes: i64) -> Timestamp {
    Timestamp::from_second(NOON + minutes * 60).unwrap()
}

fn mins(minutes: i64) -> SignedDuration {
    SignedDuration::from_mins(minutes)
}

fn amounts(amounts: &[(&str, i64)]) -> Resources {
    Resources::from_amounts(amounts.iter().map(|(name, amount)| (Symbol::new(name), *amount)))
}

fn labels(pairs: &[(&str, &str)]) -> Labels {
    pairs.iter().map(|(key, value)| (Symbol::new(key), Symbol::new(value))).collect()
}

fn selector(key: &str, value: &str) -> LabelSelector {
    LabelSelector::new([LabelRequirement::new(key, "In", &[value]).unwrap()])
}

/// Many nodes may go at once, and one ReplicaSet `web` wants five pods.
fn world() -> Builder {
    let settings = Settings {
        scale_down: ScaleDownSettings {
            parallelism: 100,
            drain_parallelism: 100,
            ..ScaleDownSettings::default()
        },
        ..Settings::default()
    };
    Builder(World::empty(at(0), settings)).controller("ReplicaSet", "web", 5)
}

// === impl Builder ===

impl Builder {
    /// Adds a group; its target grows with the nodes that are added.
    fn group(mut self, id: &str, bounds: RangeInclusive<u32>) -> Self {
        let (min, max) = bounds.into_inner();
        self.0.groups.push(Group {
            id: Symbol::new(id),
            min,
            max,
            target: 0,
            price: None,
            template: None,
            instances: Vec::new(),
            options: self.0.settings.group.clone(),
            stock: None,
            frozen: None,
        });
        self
    }

    fn change_group(mut self, change: impl FnOnce(&mut Group)) -> Self {
        change(self.0.groups.last_mut().unwrap());
        self
    }

    /// Adds a node of the last group that nobody has needed for half an hour.
    fn node(self, name: &str) -> Self {
        self.busy_node(name).remember(|memory| {
            memory.unneeded_since.insert(Symbol::new(name), at(-30));
        })
    }

    /// Adds a node of the last group that was needed until now.
    fn busy_node(mut self, name: &str) -> Self {
        let group = self.0.groups.last_mut().unwrap();
        group.target += 1;
        group.instances.push(Instance {
            id: format!("sim://{name}").into(),
            node: Some(Symbol::new(name)),
            state: InstanceState::Running,
            created: None,
            error: None,
        });
        let own = [(label::GROUP, group.id.as_str()), (label::HOSTNAME, name)];
        self.0.nodes.push(Arc::new(Node { labels: labels(&own), ..node(name) }));
        self
    }

    /// Adds a node of no group, with room for all.
    fn fixed(mut self) -> Self {
        let plenty = amounts(&[("cpu", 64_000), ("memory", 1 << 38), ("pods", 500)]);
        self.0.nodes.push(Arc::new(Node {
            labels: labels(&[(label::HOSTNAME, "fixed")]),
            allocatable: plenty.clone(),
            capacity: plenty,
            ..node("fixed")
        }));
        self
    }

    fn change_node(mut self, change: impl FnOnce(&mut Node)) -> Self {
        change(Arc::make_mut(self.0.nodes.last_mut().unwrap()));
        self
    }

    /// Makes the node not ready since then.
    fn unready(self, since: i64) -> Self {
        self.change_node(|node| {
            node.conditions.ready = false;
            node.conditions.ready_since = Some(at(since));
        })
    }

    /// Adds a pod of the ReplicaSet `web` to the last node.
    fn pod(mut self, name: &str, cpu: i64) -> Self {
        let node = self.0.nodes.last().map(|node| node.name);
        self.0.pods.push(Pod { node, phase: Phase::Running, ..pod(name, cpu) });
        self.owner(Some(("ReplicaSet", "web")))
    }

    /// Adds a pod of `web` that has no node.
    fn waiting(mut self, name: &str, cpu: i64) -> Self {
        self.0.pods.push(pod(name, cpu));
        self.owner(Some(("ReplicaSet", "web")))
    }

    fn change_pod(mut self, change: impl FnOnce(&mut Pod)) -> Self {
        change(self.0.pods.last_mut().unwrap());
        self
    }

    fn change_shape(self, change: impl FnOnce(&mut PodShape)) -> Self {
        self.change_pod(|pod| change(Arc::make_mut(&mut pod.shape)))
    }

    fn owner(self, owner: Option<(&str, &str)>) -> Self {
        let owner = owner.map(|(kind, name)| {
            Arc::new(Owner { kind: Symbol::new(kind), name: name.into(), uid: name.into() })
        });
        self.change_pod(|pod| pod.owner = owner)
    }

    fn extras(self, change: impl FnOnce(&mut PodExtras)) -> Self {
        self.change_pod(|pod| {
            let mut extras = pod.extras.take().unwrap_or_default();
            change(&mut extras);
            pod.extras = Some(extras);
        })
    }

    fn says(self, word: SafeToEvict) -> Self {
        self.extras(|extras| extras.safe_to_evict = Some(word))
    }

    fn controller(mut self, kind: &str, name: &str, replicas: i32) -> Self {
        self.0.controllers.push(Controller {
            template: None,
            expected: 0,
            kind: Symbol::new(kind),
            namespace: Symbol::new("default"),
            name: name.into(),
            uid: name.into(),
            replicas,
            selector: None,
        });
        self
    }

    fn daemon_set(mut self, name: &str) -> Self {
        self.0.daemon_sets.push(DaemonSet {
            namespace: Symbol::new("default"),
            name: name.into(),
            uid: name.into(),
            pod: pod(name, 100).shape,
            priority: 0,
        });
        self
    }

    /// A budget for pods with the label `app: <app>`.
    fn budget(mut self, app: &str, rule: BudgetRule, allowed: Option<i32>) -> Self {
        self.0.budgets.push(Budget {
            namespace: Symbol::new("default"),
            name: app.into(),
            selector: Some(selector("app", app)),
            rule,
            allowed,
        });
        self
    }

    /// Gives the pod the label `app: <app>`.
    fn app(self, app: &str) -> Self {
        self.change_shape(|shape| shape.labels = labels(&[("app", app)]))
    }

    fn set(mut self, change: impl FnOnce(&mut ScaleDownSettings)) -> Self {
        change(&mut self.0.settings.scale_down);
        self
    }

    fn remember(mut self, change: impl FnOnce(&mut Memory)) -> Self {
        change(&mut self.0.memory);
        self
    }

    fn plan(&self) -> Plan {
        plan(&self.0)
    }

    /// Checks what becomes of the nodes, one line each, in the order of their names; nodes of no group are left out.
    #[track_caller]
    fn check(&self, expected: &[&str]) {
        assert_eq!(fates(&self.plan()), expected);
    }
}

/// What becomes of the nodes, in words.
fn fates(plan: &Plan) -> Vec<String> {
    let leave = plan.retirements.iter().map(|retirement| {
        let evict: Vec<_> = retirement.evict.iter().map(|pod| &*pod.name).collect();
        format!("{} leaves {:?} {}", retirement.node, retirement.why, evict.join(" "))
    });
    let stay = plan.blocked.iter().map(|blocked| {
        let pod = blocked.pod.as_ref().map_or("", |pod| &pod.name);
        let why = blocked.pod_reason.map_or(String::new(), |reason| format!("{reason:?}"));
        format!("{} stays {:?} {pod} {why}", blocked.node, blocked.reason)
    });
    let mut fates: Vec<String> = leave.chain(stay).map(|fate| fate.trim_end().to_owned()).collect();
    fates.retain(|fate| !fate.starts_with("fixed "));
    fates.sort();
    fates
}

/// A node that registered two hours ago and is ready.
fn node(name: &str) -> Node {
    let has = amounts(&[("cpu", 4000), ("memory", 16 << 30), ("pods", 110)]);
    Node {
        name: Symbol::new(name),
        labels: Labels::default(),
        taints: Box::default(),
        unschedulable: false,
        allocatable: has.clone(),
        capacity: has,
        provider_id: "".into(),
        created: at(-120),
        conditions: Conditions::default(),
        keep: false,
        deleting: false,
    }
}

/// A pod without a node or an owner.
fn pod(name: &str, cpu: i64) -> Pod {
    Pod {
        name: name.into(),
        shape: Arc::new(PodShape::plain(Symbol::new("default"), amounts(&[("cpu", cpu)]))),
        node: None,
        phase: Phase::Pending,
        priority: 0,
        created: at(-120),
        deletion: None,
        owner: None,
        scheduler: Symbol::new("default-scheduler"),
        nominated: None,
        gated: false,
        extras: None,
    }
}

/// A budget that keeps so many.
fn min_available(count: i32) -> BudgetRule {
    BudgetRule::MinAvailable(CountOrPercent::Count(count))
}
