//! The cluster in which the recorded commands are run again.

use super::{Cluster, Done, Scene};

/// Stands for `${run}`: a word that occurs nowhere else.
const RUN: &str = "zebra";

/// The manifests of the recording.
const FILES: &[(&str, &str)] = &[
    ("badfield.yaml", include_str!("files/badfield.yaml")),
    ("badkind.yaml", include_str!("files/badkind.yaml")),
    ("cm.yaml", include_str!("files/cm.yaml")),
    ("cm2.yaml", include_str!("files/cm2.yaml")),
    ("dep1.yaml", include_str!("files/dep1.yaml")),
    ("dep2.yaml", include_str!("files/dep2.yaml")),
    ("ds.yaml", include_str!("files/ds.yaml")),
    ("empty.yaml", include_str!("files/empty.yaml")),
    ("invalid.yaml", include_str!("files/invalid.yaml")),
    ("pdb.yaml", include_str!("files/pdb.yaml")),
];

/// A namespace and two nodes.
pub(super) struct Setting {
    cluster: Cluster,
    /// What recorded names are called here.
    names: Vec<(String, String)>,
}

// === impl Setting ===

impl Setting {
    pub(super) fn new() -> Self {
        let cluster = Cluster::start_with(2, &["--node-cpu=8"]);
        let nodes = cluster.ok("get nodes -o jsonpath={.items[*].metadata.name}");
        let mut names = Vec::new();
        for (node, zone) in nodes.split(' ').zip(["a", "b"]) {
            cluster.ok(&format!("label node {node} run={RUN} zone={zone}"));
            names.push((format!("kn-${{run}}-{zone}"), node.to_owned()));
        }
        names.push(("${run}".to_owned(), RUN.to_owned()));
        let setting = Self { cluster, names };
        setting.cluster.ok(&format!("create namespace kc-{RUN}"));
        setting.cluster.ok(&format!("config set-context --current --namespace=kc-{RUN}"));
        for (name, content) in FILES {
            setting.cluster.file(name, &setting.localise(content));
        }
        setting
    }

    /// Brings about what a scene begins with.
    pub(super) fn prepare(&self, scene: &Scene) {
        for line in scene.before {
            self.cluster.ok(&self.localise(line));
        }
        let Some(count) = scene.web else {
            return;
        };
        let counts = "{.spec.replicas} {.status.availableReplicas} {.status.updatedReplicas}";
        let query = format!("get deploy web -o jsonpath={counts}").replace("} {", "},{");
        let wanted = [count; 3].map(|count| count.to_string()).join(",");
        self.cluster.until("web has its pods", |cluster| {
            let pods = cluster.ok("get pods -l app=web -o name");
            pods.lines().count() == count && cluster.ok(&query) == wanted
        });
    }

    pub(super) fn run(&self, line: &str) -> Done {
        // A drain that is blocked tries again after five seconds whatever its timeout; no need to wait for that twice.
        self.cluster.run(&line.replace("--timeout=7s", "--timeout=3s"))
    }

    /// Runs a command that does not end by itself until it has printed so many lines; one that should be silent, for a moment.
    pub(super) fn watch(&self, line: &str, lines: usize) -> Done {
        let stdout = self.cluster.watched(line, lines);
        Done { exit: None, stdout, stderr: String::new() }
    }

    /// Puts in what the names are here.
    pub(super) fn localise(&self, text: &str) -> String {
        self.names.iter().fold(text.to_owned(), |text, (there, here)| text.replace(there, here))
    }

    /// Puts in what the names are in the recording.
    pub(super) fn anonymise(&self, done: Done) -> Done {
        let rename = |text: String| {
            self.names.iter().fold(text, |text, (there, here)| text.replace(here, there))
        };
        Done { exit: done.exit, stdout: rename(done.stdout), stderr: rename(done.stderr) }
    }
}
