//! Reads objects one after the other and keeps what they mean.

use std::{collections::BTreeMap, sync::Arc};

use jiff::Timestamp;
use plimsoll_model::{
    Budget, Buffer, ConfigMap, Controller, DaemonSet, Devices, NamespaceQuota, Namespaces, Node,
    Pod, PodTemplate, Quota, Request, Storage, Symbol,
};
use rustc_hash::FxHashSet;
use serde_json::value::RawValue;

use crate::{
    ManifestError,
    convert::{
        meta,
        pod::{Pods, Role},
    },
    kind::{Kind, Sort},
    parse::{parse, syntax_or_type},
    problem::{Checked, Problem, Quoted},
    wire::{
        head::{Head, head},
        meta::{Metadata, NameOnly},
        pod as wire,
        value::{List, Text},
        wire,
    },
};
use admit::{Copies, admit};
use priorities::{Holder, Priorities};

mod admit;
mod documents;
mod priorities;

/// What a set of manifests describes. Lists are in the order of the input.
#[derive(Debug, Default)]
pub struct Objects {
    /// Namespaces with their labels.
    pub namespaces: Namespaces,
    /// Nodes.
    pub nodes: Vec<Arc<Node>>,
    /// Pods: running, waiting, ended, and those bound to a node that is not there.
    pub pods: Vec<Pod>,
    /// All storage objects.
    pub storage: Storage,
    /// Devices and claims for them.
    pub devices: Devices,
    /// What makes pods again: `ReplicaSet`, `StatefulSet`, `Job`, `ReplicationController`; and `Deployment` objects.
    pub controllers: Vec<Controller>,
    /// `DaemonSet` objects.
    pub daemon_sets: Vec<DaemonSet>,
    /// `PodDisruptionBudget` objects.
    pub budgets: Vec<Budget>,
    /// `PodTemplate` objects.
    pub pod_templates: Vec<PodTemplate>,
    /// `CapacityBuffer` objects.
    pub buffers: Vec<Buffer>,
    /// `ResourceQuota` objects.
    pub namespace_quotas: Vec<NamespaceQuota>,
    /// `ProvisioningRequest` objects.
    pub requests: Vec<Request>,
    /// `CapacityQuota` objects.
    pub quotas: Vec<Quota>,
    /// `ConfigMap` objects.
    pub config_maps: Vec<ConfigMap>,
    /// How many objects of other kinds were passed over, by kind.
    pub skipped: BTreeMap<String, usize>,
    /// How many objects there were in all.
    pub count: usize,
}

/// Takes manifests and gathers [`Objects`]. Pods that look the same to the scheduler share one shape.
///
/// After an error the reader has taken some of the input and not the rest; there is no use in going on with it.
#[derive(Debug)]
pub struct Reader {
    objects: Objects,
    /// Pods that are asked about, apart from those of the cluster.
    questions: Vec<Pod>,
    pods: Pods,
    priorities: Priorities,
    /// What was given already, so that a name that stands twice is noticed.
    seen: FxHashSet<(Kind, Option<Symbol>, Box<str>)>,
}

wire! {
    /// A list of objects.
    struct Items<'a> {
        "items" => items: List<&'a RawValue>,
    }
}

// === impl Objects ===

impl Objects {
    /// Whether there was no object at all, not even one that was passed over.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

// === impl Reader ===

impl Reader {
    /// A reader that has seen nothing. Objects that do not say when they were made were made at `default_created`.
    pub fn new(default_created: Timestamp) -> Self {
        Self {
            objects: Objects::default(),
            questions: Vec::new(),
            pods: Pods::new(default_created),
            priorities: Priorities::default(),
            seen: FxHashSet::default(),
        }
    }

    /// Takes one object with its `kind`, as JSON text. A list stands for its entries.
    pub fn add_json(&mut self, object: &str) -> Result<(), ManifestError> {
        match sort_of(object, None)? {
            (Sort::List(expected), _) => self.add_entries(expected, object),
            (sort, kind) => self.add_sorted(sort, &kind, object, Copies::One),
        }
    }

    /// Takes one object of this kind, as JSON text, for who knows the kind: what a watch tells of an object may leave it out.
    pub fn add_object(
        &mut self,
        api_version: &str,
        kind: &str,
        object: &str,
    ) -> Result<(), ManifestError> {
        self.add_sorted(Sort::of(kind, Some(api_version)), kind, object, Copies::One)
    }

    /// Takes `count` copies of one object, read once. Copies are named `name-0`, `name-1` and so on, or have the number in
    /// place of `%d`; a node's hostname label follows its name.
    pub fn add_copies(&mut self, object: &str, count: u32) -> Result<(), ManifestError> {
        let (sort, kind) = sort_of(object, None)?;
        self.add_sorted(sort, &kind, object, Copies::Numbered(count))
    }

    /// What was taken since the last time, for who reads objects as they change and keeps them elsewhere. A name may stand
    /// again then, and pods still share their shapes with those that were handed out before.
    pub fn drain(&mut self) -> Result<Objects, ManifestError> {
        self.settle();
        self.seen.clear();
        let outcome = self.refuse_equal_pods();
        let objects = std::mem::take(&mut self.objects);
        outcome.map(|()| objects)
    }

    /// Forgets shapes that no pod has any more.
    pub fn sweep(&mut self) {
        self.pods.shapes.sweep();
        self.pods.owners.sweep();
    }

    /// Everything that was taken, with priorities settled.
    pub fn finish(self) -> Result<Objects, ManifestError> {
        self.finish_with_questions().map(|(objects, _)| objects)
    }

    /// The objects, and the pods that are asked about.
    pub(crate) fn finish_with_questions(mut self) -> Result<(Objects, Vec<Pod>), ManifestError> {
        self.settle();
        self.refuse_equal_pods()?;
        Ok((self.objects, self.questions))
    }

    fn settle(&mut self) {
        for (holder, priority) in self.priorities.settle() {
            let place = match holder {
                Holder::Pod(place) => self.objects.pods.get_mut(place).map(|pod| &mut pod.priority),
                Holder::Question(place) => {
                    self.questions.get_mut(place).map(|pod| &mut pod.priority)
                }
                Holder::DaemonSet(place) => {
                    self.objects.daemon_sets.get_mut(place).map(|set| &mut set.priority)
                }
                Holder::PodTemplate(place) => {
                    let templates = &mut self.objects.pod_templates;
                    templates.get_mut(place).map(|template| &mut template.priority)
                }
                Holder::Controller(place) => {
                    let controller = self.objects.controllers.get_mut(place);
                    let template = controller.and_then(|one| one.template.as_mut());
                    template.map(|template| &mut template.priority)
                }
            };
            if let Some(place) = place {
                *place = priority;
            }
        }
    }

    /// Takes an object that need not say of which kind it is.
    pub(crate) fn add_of_kind(&mut self, kind: Kind, object: &str) -> Result<(), ManifestError> {
        self.add_known(kind, object, Copies::One)
    }

    /// Takes a pod that is asked about.
    pub(crate) fn add_question(&mut self, object: &str) -> Result<(), ManifestError> {
        let taken = parse::<wire::Pod<'_>>(object).and_then(|pod| {
            let converted = self.pods.convert(&pod, Role::Question)?;
            self.priorities.note(Holder::Question(self.questions.len()), &pod.spec)?;
            self.questions.push(converted);
            Ok(())
        });
        taken.map_err(|problem| blame(Kind::Pod, object, problem))
    }

    fn add_entries(&mut self, expected: Option<Kind>, list: &str) -> Result<(), ManifestError> {
        let items = parse::<Items<'_>>(list).map_err(|problem| refuse(None, problem))?.items;
        for (index, entry) in items.iter().enumerate() {
            let entry = entry.get();
            sort_of(entry, expected)
                .and_then(|(sort, kind)| self.add_sorted(sort, &kind, entry, Copies::One))
                .map_err(|error| error.within("items", index))?;
        }
        Ok(())
    }

    fn add_sorted(
        &mut self,
        sort: Sort,
        kind: &str,
        object: &str,
        copies: Copies,
    ) -> Result<(), ManifestError> {
        self.objects.count += copies.count();
        match sort {
            Sort::Known(kind) => self.add_known(kind, object, copies),
            // Lists within lists could be nested deeper than the stack goes.
            Sort::List(_) => {
                Err(refuse(None, Problem::new(format!("a {kind} can stand only by itself"))))
            }
            Sort::Other => {
                *self.objects.skipped.entry(kind.to_owned()).or_default() += copies.count();
                Ok(())
            }
        }
    }

    fn add_known(&mut self, kind: Kind, object: &str, copies: Copies) -> Result<(), ManifestError> {
        admit(self, kind, object, copies).map_err(|problem| blame(kind, object, problem))
    }

    /// Refuses a name that stands twice. Pods are looked at in the end, they are too many to keep their names here.
    fn note(&mut self, kind: Kind, metadata: &Metadata<'_>) -> Checked<()> {
        let name = meta::name(metadata)?;
        let has_namespace = kind.has_namespace();
        let namespace = has_namespace.then(|| meta::namespace(metadata));
        if self.seen.insert((kind, namespace, name.into())) {
            Ok(())
        } else {
            Err(stands_twice(kind, name))
        }
    }

    fn refuse_equal_pods(&self) -> Result<(), ManifestError> {
        let all = self.objects.pods.iter().chain(&self.questions);
        let mut seen = FxHashSet::default();
        seen.reserve(self.objects.pods.len() + self.questions.len());
        for pod in all {
            if !seen.insert((pod.shape.namespace, &*pod.name)) {
                let object = format!("{} {}", Kind::Pod.name(), pod.id());
                return Err(refuse(Some(object), stands_twice(Kind::Pod, &pod.name)));
            }
        }
        Ok(())
    }
}

/// What an object is, and the kind as it is written. An entry of a list of pods need not say that it is one.
fn sort_of(object: &str, expected: Option<Kind>) -> Result<(Sort, Text<'_>), ManifestError> {
    let Head { api_version, kind } =
        head(object).map_err(|error| refuse(None, syntax_or_type(&error)))?;
    match (kind.filter(|kind| !kind.is_empty()), expected) {
        (Some(kind), _) => {
            let api_version = api_version.as_ref().and_then(|version| version.given());
            Ok((Sort::of(&kind, api_version), kind))
        }
        (None, Some(expected)) => Ok((Sort::Known(expected), Text::default())),
        (None, None) => Err(refuse(None, Problem::missing().in_field("kind"))),
    }
}

/// Says of which object a problem is. The name is read on its own, because the rest may be unreadable.
fn blame(kind: Kind, object: &str, problem: Problem) -> ManifestError {
    let named = parse::<NameOnly<'_>>(object).unwrap_or_default();
    let name = meta::full_name(&named.metadata, kind.has_namespace());
    let object = match name {
        Some(name) => format!("{} {name}", kind.name()),
        None => kind.name().to_owned(),
    };
    refuse(Some(object), problem)
}

fn stands_twice(kind: Kind, name: &str) -> Problem {
    let text = format!("another {} has the name {} already", kind.name(), Quoted(name));
    Problem::new(text).in_field("name").in_field("metadata")
}

pub(crate) fn refuse(object: Option<String>, problem: Problem) -> ManifestError {
    let path = problem.path();
    ManifestError { object, path, problem: problem.text, location: problem.location }
}

#[cfg(test)]
mod tests;
