//! Looks at the cluster and at the autoscaler, and says what is so and what is new.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use plimsoll_control::engine::{News, Pass};
use plimsoll_model::{InstanceState, Money};
use plimsoll_net::Clock;
use plimsoll_plan::GroupHealth;
use serde_json::Value;
use tokio::sync::broadcast::{Receiver, error::TryRecvError};

use super::{
    books::Books,
    facts::{Facts, Group, Node, NodeState, Service, Waiting},
    stage::{Stage, text},
    words::{self, Actor, Line},
    workload::APP,
};

mod nodes;

/// Looks, and remembers what it saw last.
pub(super) struct Observer {
    clock: Clock,
    start: Timestamp,
    news: Receiver<Arc<News>>,
    books: Books,
    /// When pods were first seen that do not run yet, by uid.
    waiting: BTreeMap<String, Duration>,
    /// Pods that have run, by uid.
    ran: BTreeSet<String>,
    /// How long each pod took from its creation until it ran.
    waits: Vec<Duration>,
    /// Nodes at the last look, with what to say of them.
    nodes: BTreeSet<String>,
    /// Services that were full at the last look, and whether their pods run or are done.
    full: BTreeMap<String, &'static str>,
}

// === impl Observer ===

impl Observer {
    pub(super) fn new(stage: &Stage, clock: Clock) -> Self {
        Self {
            clock,
            start: clock.now(),
            news: stage.handle().news(),
            books: Books::default(),
            waiting: BTreeMap::new(),
            ran: BTreeSet::new(),
            waits: Vec::new(),
            nodes: BTreeSet::new(),
            full: BTreeMap::new(),
        }
    }

    /// Since the beginning.
    pub(super) fn elapsed(&self) -> Duration {
        let passed: SignedDuration = self.clock.now().duration_since(self.start);
        Duration::try_from(passed).unwrap_or_default()
    }

    pub(super) fn books(&self) -> &Books {
        &self.books
    }

    /// How long each pod took from its creation until it ran.
    pub(super) fn waits(&self) -> &[Duration] {
        &self.waits
    }

    /// What is so, and what has happened since the last look.
    pub(super) fn look(&mut self, stage: &Stage) -> anyhow::Result<(Facts, Vec<Line>)> {
        let at = self.elapsed();
        let pass = stage.handle().passes().borrow().clone();
        let pass = pass.as_deref();
        // Nodes after pods, so that the node of every pod that was just bound is among them.
        let pods = stage.list("pods");
        let nodes = stage.list("nodes");
        stage.bury(&nodes, &pods)?;
        if let Some(pass) = pass {
            self.books.enter(&pass.seen.groups, stage.killed(), at);
        }
        let pending = self.follow(&pods, at);
        let nodes = nodes::all(&nodes, &pods, pass, &self.books);
        let facts = Facts {
            at,
            awake: nodes
                .iter()
                .any(|node| node.state == NodeState::Ready && !node.group.is_empty()),
            services: services(stage, &pods, &nodes),
            groups: pass.map(|pass| groups(pass, &nodes)).unwrap_or_default(),
            nodes,
            pending,
            bought: self.books.bought.clone(),
            returned: self.books.returned.clone(),
            killed: stage.killed().to_vec(),
            rate: self.books.rate,
            peak: self.books.peak.rate,
        };
        let mut lines = self.told(stage, at);
        self.compare(&facts, &mut lines);
        Ok((facts, lines))
    }

    /// Notes which pods wait and which have begun to run; gives those that wait.
    fn follow(&mut self, pods: &[Value], at: Duration) -> Vec<Waiting> {
        let mut pending = Vec::new();
        for pod in pods {
            let uid = text(pod, "/metadata/uid");
            let leaves = pod.pointer("/metadata/deletionTimestamp").is_some();
            let phase = text(pod, "/status/phase");
            if phase == "Pending" {
                let since = *self.waiting.entry(uid.to_owned()).or_insert(at);
                if !leaves {
                    let pod = text(pod, "/metadata/name").to_owned();
                    pending.push(Waiting { pod, since });
                }
            } else if self.ran.insert(uid.to_owned()) && matches!(phase, "Running" | "Succeeded") {
                let since = self.waiting.remove(uid).unwrap_or(at);
                self.waits.push(at.saturating_sub(since));
            }
        }
        pending.sort_by(|one, other| (one.since, &one.pod).cmp(&(other.since, &other.pod)));
        pending
    }

    /// What the autoscaler told.
    fn told(&mut self, stage: &Stage, at: Duration) -> Vec<Line> {
        let mut lines = Vec::new();
        loop {
            match self.news.try_recv() {
                Ok(news) => {
                    let told = words::news(&news, &mut stage.purposes());
                    lines.extend(told.map(|what| Line { at, who: Actor::Plimsoll, what }));
                }
                // Whoever is so far behind goes on with what is new.
                Err(TryRecvError::Lagged(_)) => {}
                Err(TryRecvError::Empty | TryRecvError::Closed) => return lines,
            }
        }
    }

    /// What is not as it was at the last look.
    fn compare(&mut self, facts: &Facts, lines: &mut Vec<Line>) {
        // Before the autoscaler has looked, nobody knows what a machine costs.
        if !facts.awake {
            return;
        }
        let at = facts.at;
        let mut say = |who, what| lines.push(Line { at, who, what });
        let is_here = |node: &&Node| node.state != NodeState::Booting;
        // Whose a new node is, and so what it costs, is known a moment after it is there.
        let is_known = |node: &&Node| facts.groups.iter().any(|group| group.id == node.group);
        for node in facts.nodes.iter().filter(is_here).filter(is_known) {
            if self.nodes.insert(node.name.clone()) {
                let Node { name, group, zone, .. } = node;
                let group = facts.groups.iter().find(|other| other.id == *group);
                let price = group.map(|group| group.price).unwrap_or_default();
                say(Actor::Cloud, format!("{name} has joined, in {zone}, for {price} an hour"));
            }
        }
        let here: BTreeSet<&str> =
            facts.nodes.iter().filter(is_here).map(|node| node.name.as_str()).collect();
        self.nodes.retain(|name| {
            let stays = here.contains(name.as_str());
            if !stays {
                say(Actor::Cloud, format!("{name} is gone"));
            }
            stays
        });
        for (name, service) in &facts.services {
            if !service.is_full() || service.wanted == 0 {
                self.full.remove(name);
                continue;
            }
            let wanted = service.wanted;
            let verb = if service.done < wanted { "run" } else { "are done" };
            if self.full.insert(name.clone(), verb) != Some(verb) {
                say(Actor::Cluster, format!("all {wanted} pods of {name} {verb}"));
            }
        }
        self.full.retain(|name, _| facts.services.contains_key(name));
    }
}

/// Deployments and Jobs with their pods.
fn services(stage: &Stage, pods: &[Value], nodes: &[Node]) -> BTreeMap<String, Service> {
    let mut services: BTreeMap<String, Service> = BTreeMap::new();
    let number = |object: &Value, pointer: &str| {
        let number = object.pointer(pointer).and_then(Value::as_u64).unwrap_or_default();
        u32::try_from(number).unwrap_or(u32::MAX)
    };
    for deployment in stage.list("deployments.apps") {
        let wanted = number(&deployment, "/spec/replicas");
        let service = Service { wanted, ..Service::default() };
        services.insert(text(&deployment, "/metadata/name").to_owned(), service);
    }
    for job in stage.list("jobs.batch") {
        let (wanted, done) = (number(&job, "/spec/completions"), number(&job, "/status/succeeded"));
        let service = Service { wanted, done, ..Service::default() };
        services.insert(text(&job, "/metadata/name").to_owned(), service);
    }
    for pod in pods {
        let leaves = pod.pointer("/metadata/deletionTimestamp").is_some();
        let service = services.get_mut(text(pod, &format!("/metadata/labels/{APP}")));
        // A pod of a node that is gone runs no more, whatever is written about it.
        let node = nodes.iter().find(|node| node.name == text(pod, "/spec/nodeName"));
        let runs = !leaves && text(pod, "/status/phase") == "Running";
        if let (Some(service), Some(node), true) = (service, node, runs) {
            service.running += 1;
            *service.zones.entry(node.zone.clone()).or_default() += 1;
        }
    }
    services
}

/// Groups as the autoscaler sees them.
fn groups(pass: &Pass, nodes: &[Node]) -> Vec<Group> {
    let of = |group: &plimsoll_model::Group| {
        let machines = group.instances.iter();
        let stays = machines
            .filter(|machine| machine.error.is_none() && machine.state != InstanceState::Deleting);
        let boots = nodes
            .iter()
            .filter(|node| node.group == group.id.as_str() && node.state == NodeState::Booting);
        let count = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let report = pass.plan.groups.iter().find(|report| report.id == group.id);
        let note = match report.map(|report| &report.health) {
            _ if group.stock == Some(0) => "sold out".to_owned(),
            Some(GroupHealth::Backoff { .. }) => "rests after a failure".to_owned(),
            Some(GroupHealth::Unhealthy) => "not healthy".to_owned(),
            Some(GroupHealth::Frozen { .. }) => "cannot be read".to_owned(),
            Some(GroupHealth::Healthy) | None => String::new(),
        };
        Group {
            id: group.id.to_string(),
            min: group.min,
            max: group.max,
            size: count(stays.count()),
            booting: count(boots.count()),
            price: group.price.unwrap_or(Money::ZERO),
            note,
        }
    };
    pass.seen.groups.iter().map(of).collect()
}
