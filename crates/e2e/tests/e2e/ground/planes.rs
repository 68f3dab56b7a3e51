//! Who has which control plane. A start takes seconds, so tests take over those of others when they are done, emptied.

use std::{
    mem,
    sync::{Condvar, Mutex, PoisonError},
    thread,
};

use plimsoll_e2e::{ControlPlane, Flavour};
use serde_json::Value;

use super::{
    PAUSE, PAUSES,
    desk::{Desk, Kind, in_real_time},
};
use crate::shipped;

/// How many run at once.
const PLANES: usize = 2;

/// What tests leave behind: who makes others first. Custom resources are left behind as well, and go with their definitions.
const LEFT: [(&str, &str); 21] = [
    ("apps", "deployments"),
    ("apps", "daemonsets"),
    ("apps", "statefulsets"),
    ("apps", "replicasets"),
    ("batch", "jobs"),
    ("", "pods"),
    ("", "nodes"),
    ("", "configmaps"),
    ("", "persistentvolumeclaims"),
    ("", "persistentvolumes"),
    ("", "events"),
    ("coordination.k8s.io", "leases"),
    ("policy", "poddisruptionbudgets"),
    ("scheduling.k8s.io", "priorityclasses"),
    ("", "podtemplates"),
    ("", "resourcequotas"),
    ("resource.k8s.io", "resourceclaimtemplates"),
    ("resource.k8s.io", "resourceclaims"),
    ("resource.k8s.io", "resourceslices"),
    ("resource.k8s.io", "deviceclasses"),
    ("apiextensions.k8s.io", "customresourcedefinitions"),
];

/// What control planes have of their own among that, or from the beginning: names begin so.
const OWN: [&str; 5] =
    ["kube-root-ca", "extension-apiserver-", "apiserver-", "system-", "nodeorders.plimsoll.dev"];

/// A control plane that nobody else has until this is dropped.
pub(super) struct Tenancy {
    /// None only while it is being dropped.
    home: Option<Home>,
}

struct Home {
    plane: ControlPlane,
    desk: Desk,
}

/// All of them.
struct Quarter {
    free: Vec<Home>,
    /// How many there are.
    homes: usize,
    /// How many tests wait for one.
    waiting: usize,
}

static QUARTER: Mutex<Quarter> = Mutex::new(Quarter { free: Vec::new(), homes: 0, waiting: 0 });
static MOVED_OUT: Condvar = Condvar::new();

// === impl Tenancy ===

impl Tenancy {
    /// Waits for its turn, and for a cluster with nothing in it.
    pub(super) fn begin() -> Self {
        let mut quarter = QUARTER.lock().unwrap_or_else(PoisonError::into_inner);
        quarter.waiting += 1;
        let full = |quarter: &mut Quarter| quarter.free.is_empty() && quarter.homes == PLANES;
        quarter = MOVED_OUT.wait_while(quarter, full).unwrap_or_else(PoisonError::into_inner);
        quarter.waiting -= 1;
        let free = quarter.free.pop();
        if free.is_none() {
            quarter.homes += 1;
        }
        drop(quarter);
        // From here on it counts, also if something fails.
        let mut tenancy = Self { home: free };
        let home = tenancy.home.get_or_insert_with(Home::build);
        home.clear();
        tenancy
    }

    pub(super) fn plane(&self) -> &ControlPlane {
        &self.home.as_ref().unwrap().plane
    }

    pub(super) fn desk(&self) -> &Desk {
        &self.home.as_ref().unwrap().desk
    }
}

impl Drop for Tenancy {
    fn drop(&mut self) {
        let mut quarter = QUARTER.lock().unwrap_or_else(PoisonError::into_inner);
        match mem::take(&mut self.home) {
            Some(home) if quarter.waiting > 0 => quarter.free.push(home),
            // Nothing may be left when the last test is over.
            gone => {
                quarter.homes -= 1;
                drop(gone);
            }
        }
        MOVED_OUT.notify_one();
    }
}

// === impl Home ===

impl Home {
    fn build() -> Self {
        let plane = in_real_time(ControlPlane::start(Flavour::Hurried)).unwrap();
        let desk = Desk::new(plane.api().unwrap());
        // It takes seconds until a new kind is served, for which a test would have to wait.
        let api = plane.api().unwrap();
        in_real_time(async move { shipped::define_kinds(&api).await });
        Self { plane, desk }
    }

    /// Removes what others have left.
    fn clear(&self) {
        for _ in 0..PAUSES {
            if self.remove_all() == 0 {
                return;
            }
            thread::sleep(PAUSE);
        }
        panic!("what a test has left does not go: {}", self.plane.output());
    }

    fn remove_all(&self) -> usize {
        let mut kinds = self.desk.kinds();
        let place = |kind: &Kind| {
            let known = LEFT.iter().position(|left| *left == (&*kind.group, &*kind.plural));
            known.or_else(|| is_custom(kind).then_some(LEFT.len()))
        };
        kinds.retain(|kind| place(kind).is_some());
        kinds.sort_by_key(place);
        let mut found = 0;
        for kind in kinds {
            for object in self.desk.objects(&kind) {
                let text = |field: &str| {
                    object["metadata"].get(field).and_then(Value::as_str).unwrap_or_default()
                };
                if !OWN.iter().any(|own| text("name").starts_with(own)) {
                    self.desk.remove(&kind, text("namespace"), text("name"));
                    found += 1;
                }
            }
        }
        found
    }
}

/// Whether somebody defined it. Nobody else has such groups.
fn is_custom(kind: &Kind) -> bool {
    kind.group.contains('.') && !kind.group.ends_with(".k8s.io")
}
