//! The scheduling vectors: what the filters of kube-scheduler itself said, case by case.
//!
//! Each line of the files is a cluster with pending pods and the plugins that reject each pod on each node. Where
//! the release has a bug (`quirk-namespace-selector`), `expected` is what is documented.

use std::{fs, path::Path, sync::LazyLock};

use plimsoll_fit::{NodeId, Plugin, Rejection, Snapshot};
use plimsoll_manifest::case::{self, Case};
use plimsoll_model::{Extent, Node, Pod, Profile, Timestamp};
use serde_json::Value;

use crate::reference::{Cluster, rejecting_plugins};

/// A case and what the scheduler said.
struct Vector {
    /// The file, without its ending.
    file: String,
    case: Case,
    expected: Value,
}

/// One pod on one node.
struct Pair<'a> {
    pod: &'a Pod,
    node: &'a Node,
    /// The plugins that reject, in profile order.
    rejected_by: Vec<&'a str>,
}

/// All cases of all files, read once for all tests.
static VECTORS: LazyLock<Vec<Vector>> = LazyLock::new(|| {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/vectors");
    let entries = fs::read_dir(directory).expect("the vectors are there");
    let files = entries.map(|entry| entry.expect("a file").path());
    let mut files: Vec<_> =
        files.filter(|file| file.extension().is_some_and(|ending| ending == "jsonl")).collect();
    files.sort();
    files.iter().flat_map(|file| read(file)).collect()
});

fn read(file: &Path) -> Vec<Vector> {
    let text = fs::read_to_string(file).expect("a text file");
    let name = file.file_stem().expect("a name").to_string_lossy();
    let vectors = text.lines().map(|line| {
        let case = case::read(line, Timestamp::UNIX_EPOCH);
        let mut whole: Value = serde_json::from_str(line).expect("a line of JSON");
        Vector {
            file: name.to_string(),
            case: case.map_err(|error| format!("{name}: {error}")).expect("a case"),
            expected: whole["expected"].take(),
        }
    });
    vectors.collect()
}

#[test]
fn the_reference_says_what_the_scheduler_says() {
    let mut wrong = Vec::new();
    for vector in VECTORS.iter() {
        let cluster = vector.cluster();
        for pair in vector.pairs() {
            let plugins = rejecting_plugins(&cluster, &pair.pod.shape, pair.node);
            let said: Vec<_> = plugins.iter().map(|plugin| plugin.as_str()).collect();
            if said != pair.rejected_by {
                wrong.push(vector.complaint(&pair, &said));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_snapshot_says_what_the_scheduler_says() {
    let mut wrong = Vec::new();
    for vector in VECTORS.iter() {
        wrong.extend(vector.disagreements(&Profile::default(), |_| true));
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

/// Whatever else rejects a pod says so whether or not the plugin is at work.
#[test]
fn a_plugin_that_is_off_says_nothing() {
    let mut wrong = Vec::new();
    for off in Plugin::ALL {
        let profile = Profile { reduced: [(off, Extent::Off)].into(), ..Profile::default() };
        for vector in VECTORS.iter() {
            let found = vector.disagreements(&profile, |plugin| plugin != off.as_str());
            wrong.extend(found.into_iter().map(|line| format!("without {off}: {line}")));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn with_all_plugins_off_every_pod_fits_everywhere() {
    let off = Plugin::ALL.map(|plugin| (plugin, Extent::Off));
    let profile = Profile { reduced: off.into(), ..Profile::default() };
    let vectors = VECTORS.iter();
    let wrong: Vec<_> = vectors.flat_map(|one| one.disagreements(&profile, |_| false)).collect();
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

/// The numbers are those that the makers of the vectors give, so that nothing is passed over in silence.
#[test]
fn no_case_pod_or_verdict_is_left_out() {
    let count = |file: fn(&str) -> bool| {
        let vectors: Vec<_> = VECTORS.iter().filter(|vector| file(&vector.file)).collect();
        let pods: usize = vectors.iter().map(|vector| vector.case.pending.len()).sum();
        let verdicts: usize = vectors.iter().map(|vector| vector.pairs().len()).sum();
        (vectors.len(), pods, verdicts)
    };
    assert_eq!(count(|file| file == "volumes"), (300, 842, 2_709));
    assert_eq!(count(|file| file.starts_with("quirk")), (8, 8, 64));
    assert_eq!(
        count(|file| file != "volumes" && !file.starts_with("quirk")),
        (1_500, 4_951, 26_008)
    );
}

// === impl Vector ===

impl Vector {
    /// Pods that have ended, or are on nodes that are not listed, do not exist for the scheduler.
    fn cluster(&self) -> Cluster {
        let objects = &self.case.objects;
        let running = objects.pods.iter().filter(|pod| !pod.has_ended()).filter_map(|pod| {
            let node = pod.node.filter(|name| objects.nodes.iter().any(|node| node.name == *name));
            Some((pod.shape.clone(), node?))
        });
        Cluster {
            namespaces: objects.namespaces.clone(),
            storage: objects.storage.clone(),
            nodes: objects.nodes.clone(),
            pods: running.collect(),
        }
    }

    /// The pairs of which the snapshot does not say what the scheduler did, as far as its plugins are `kept`.
    fn disagreements(&self, profile: &Profile, kept: impl Fn(&str) -> bool) -> Vec<String> {
        let cluster = self.cluster();
        let mut snapshot = Snapshot::new(cluster.namespaces, cluster.storage).following(profile);
        let nodes: Vec<_> = cluster.nodes.into_iter().map(|node| snapshot.add_node(node)).collect();
        let named = |snapshot: &Snapshot, name| -> NodeId {
            *nodes.iter().find(|node| snapshot.node(**node).name == name).unwrap()
        };
        for (pod, name) in &cluster.pods {
            let shape = snapshot.shape(pod);
            snapshot.place(shape, named(&snapshot, *name));
        }
        let mut wrong = Vec::new();
        for mut pair in self.pairs() {
            pair.rejected_by.retain(|plugin| kept(plugin));
            let shape = snapshot.shape(&pair.pod.shape);
            let node = named(&snapshot, pair.node.name);
            let rejections = snapshot.judge(shape, node);
            let plugins = rejections.iter().map(Rejection::plugin);
            let said: Vec<_> = plugins.map(Plugin::as_str).collect();
            if said != pair.rejected_by || snapshot.fits(shape, node) != said.is_empty() {
                wrong.push(self.complaint(&pair, &said));
            }
        }
        wrong
    }

    /// Every pending pod with every node; there is a verdict for each, and for nothing else.
    fn pairs(&self) -> Vec<Pair<'_>> {
        let mut pairs = Vec::new();
        let of_pods = self.expected.as_object().expect("verdicts by pod");
        assert_eq!(of_pods.len(), self.case.pending.len(), "{}", self.case.id);
        for pod in &self.case.pending {
            let of_nodes = of_pods[&pod.id().to_string()].as_object().expect("verdicts by node");
            assert_eq!(of_nodes.len(), self.case.objects.nodes.len(), "{}", self.case.id);
            for node in &self.case.objects.nodes {
                let plugins = of_nodes[node.name.as_str()].as_array().expect("names of plugins");
                let rejected_by = plugins.iter().filter_map(Value::as_str).collect();
                pairs.push(Pair { pod, node, rejected_by });
            }
        }
        pairs
    }

    fn complaint(&self, pair: &Pair<'_>, said: &[&str]) -> String {
        let Pair { pod, node, rejected_by } = pair;
        format!(
            "{} {}: {} on {}: scheduler {rejected_by:?}, here {said:?}",
            self.file,
            self.case.id,
            pod.id(),
            node.name,
        )
    }
}
