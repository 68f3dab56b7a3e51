//! Watches: what there is of a kind, and every change to it, in order.

use std::time::Duration;

use futures::{Stream, StreamExt as _, stream::BoxStream};
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject},
    core::GroupVersionKind,
    runtime::{
        utils::Backoff as _,
        watcher::{self, DefaultBackoff, Event, watcher},
    },
};

/// A kind that is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Watched {
    /// Nodes.
    Nodes,
    /// Pods that have not ended.
    Pods,
    /// `DaemonSet` objects.
    DaemonSets,
    /// `ReplicaSet` objects.
    ReplicaSets,
    /// `StatefulSet` objects.
    StatefulSets,
    /// `Job` objects.
    Jobs,
    /// `ReplicationController` objects.
    ReplicationControllers,
    /// `PodDisruptionBudget` objects.
    Budgets,
    /// Namespaces, for their labels.
    Namespaces,
    /// `PersistentVolume` objects.
    Volumes,
    /// `PersistentVolumeClaim` objects.
    Claims,
    /// `StorageClass` objects.
    StorageClasses,
    /// `CSINode` objects.
    CsiNodes,
    /// `CSIDriver` objects.
    CsiDrivers,
    /// `CSIStorageCapacity` objects.
    StorageCapacities,
    /// `VolumeAttachment` objects.
    VolumeAttachments,
}

/// What a watch tells.
#[derive(Debug)]
pub enum Change {
    /// The list begins anew: what is not told before [`Change::Complete`] is not there any more.
    Restart(Watched),
    /// An object is there, new or changed.
    Put(Watched, Box<DynamicObject>),
    /// An object is gone.
    Gone(Watched, Box<DynamicObject>),
    /// The list is complete.
    Complete(Watched),
    /// The watch broke. It is tried again; until an object is told or the list is complete, what is known grows old.
    Broken(Watched, String),
}

/// Kind, group, version and plural.
const KINDS: [(Watched, &str, &str, &str, &str); 16] = [
    (Watched::Nodes, "Node", "", "v1", "nodes"),
    (Watched::Pods, "Pod", "", "v1", "pods"),
    (Watched::DaemonSets, "DaemonSet", "apps", "v1", "daemonsets"),
    (Watched::ReplicaSets, "ReplicaSet", "apps", "v1", "replicasets"),
    (Watched::StatefulSets, "StatefulSet", "apps", "v1", "statefulsets"),
    (Watched::Jobs, "Job", "batch", "v1", "jobs"),
    (Watched::ReplicationControllers, "ReplicationController", "", "v1", "replicationcontrollers"),
    (Watched::Budgets, "PodDisruptionBudget", "policy", "v1", "poddisruptionbudgets"),
    (Watched::Namespaces, "Namespace", "", "v1", "namespaces"),
    (Watched::Volumes, "PersistentVolume", "", "v1", "persistentvolumes"),
    (Watched::Claims, "PersistentVolumeClaim", "", "v1", "persistentvolumeclaims"),
    (Watched::StorageClasses, "StorageClass", "storage.k8s.io", "v1", "storageclasses"),
    (Watched::CsiNodes, "CSINode", "storage.k8s.io", "v1", "csinodes"),
    (Watched::CsiDrivers, "CSIDriver", "storage.k8s.io", "v1", "csidrivers"),
    (
        Watched::StorageCapacities,
        "CSIStorageCapacity",
        "storage.k8s.io",
        "v1",
        "csistoragecapacities",
    ),
    (Watched::VolumeAttachments, "VolumeAttachment", "storage.k8s.io", "v1", "volumeattachments"),
];

/// Pods that have ended need no room, and there may be many of them.
const LIVING: &str = "status.phase!=Succeeded,status.phase!=Failed";

/// How long is waited at most before a watch is tried again.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

type Told = Result<Event<DynamicObject>, watcher::Error>;

// === impl Watched ===

impl Watched {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        KINDS.iter().map(|(watched, ..)| *watched)
    }

    /// As in a manifest.
    pub fn kind(self) -> &'static str {
        self.entry().1
    }

    /// As in a path.
    pub fn plural(self) -> &'static str {
        self.entry().4
    }

    /// How the API knows it.
    pub fn resource(self) -> ApiResource {
        let (_, kind, group, version, plural) = self.entry();
        ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(group, version, kind), plural)
    }

    fn entry(self) -> &'static (Self, &'static str, &'static str, &'static str, &'static str) {
        // The table has all of them, which a test checks; Nodes are as good as any otherwise.
        KINDS.iter().find(|(watched, ..)| *watched == self).unwrap_or(&KINDS[0])
    }
}

/// Everything of a kind, from now on. The stream ends never: after a break the list is told anew. A watch that was merely taken up
/// again would say nothing while nothing changes, and nobody could tell whether it is heard from.
pub fn follow(client: &Client, watched: Watched) -> impl Stream<Item = Change> + Send + use<> {
    let api: Api<DynamicObject> = Api::all_with(client.clone(), &watched.resource());
    let begin = move || begin(&api, watched);
    let state = (begin(), DefaultBackoff::default(), None::<Duration>);
    futures::stream::unfold(state, move |(mut events, mut backoff, pause)| {
        let begin = begin.clone();
        async move {
            if let Some(pause) = pause {
                tokio::time::sleep(pause).await;
                events = begin();
            }
            let change = match events.next().await {
                Some(Ok(event)) => told(watched, event),
                Some(Err(error)) => Change::Broken(watched, error.to_string()),
                None => Change::Broken(watched, "the watch ended".to_owned()),
            };
            let pause = match &change {
                Change::Broken(..) => Some(backoff.next().unwrap_or(LONGEST_PAUSE)),
                // It begins before anybody is asked.
                Change::Restart(_) => None,
                _ => {
                    backoff.reset();
                    None
                }
            };
            Some((change, (events, backoff, pause)))
        }
    })
}

fn begin(api: &Api<DynamicObject>, watched: Watched) -> BoxStream<'static, Told> {
    let mut config = watcher::Config::default();
    if watched == Watched::Pods {
        config = config.fields(LIVING);
    }
    watcher(api.clone(), config).boxed()
}

fn told(watched: Watched, event: Event<DynamicObject>) -> Change {
    match event {
        Event::Init => Change::Restart(watched),
        Event::InitApply(object) | Event::Apply(object) => Change::Put(watched, Box::new(object)),
        Event::Delete(object) => Change::Gone(watched, Box::new(object)),
        Event::InitDone => Change::Complete(watched),
    }
}

/// Everything of every kind.
pub fn follow_all(client: &Client) -> impl Stream<Item = Change> + Send + use<> {
    futures::stream::select_all(Watched::all().map(|watched| follow(client, watched).boxed()))
}
