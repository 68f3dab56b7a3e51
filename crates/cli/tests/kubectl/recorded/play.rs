//! In which order the recorded commands are run, and what has to be so before.

use std::ops::Range;

/// Some commands of one trace.
pub(super) struct Scene {
    /// The name of the trace.
    pub(super) topic: &'static str,
    /// Which of its commands.
    pub(super) commands: Range<usize>,
    /// What is run before and must succeed, word for word as the commands are recorded.
    pub(super) before: &'static [&'static str],
    /// How many pods of `web` there must be, running, none of them on its way out.
    pub(super) web: Option<usize>,
}

const ALL: Range<usize> = 0..usize::MAX;
const SETTLED: Option<usize> = Some(2);

const fn scene(topic: &'static str) -> Scene {
    Scene { topic, commands: ALL, before: &[], web: None }
}

/// What is run, in two acts that need nothing of each other and have a cluster each, so that they can run at once. `config` is left
/// out: what it shows is the kubeconfig of the recording.
pub(super) const PLAY: [&[Scene]; 2] = [ABOUT_THE_CLUSTER, ABOUT_ITS_OBJECTS];

const ABOUT_THE_CLUSTER: &[Scene] = &[
    scene("version"),
    scene("api-versions"),
    scene("api-resources"),
    scene("explain"),
    scene("top"),
    scene("auth"),
    scene("cordon"),
    scene("taint"),
    Scene {
        commands: 0..1,
        before: &[
            "apply -f dep2.yaml",
            "run solo --image=registry.example/x",
            "wait --for=condition=Ready pod/solo --timeout=20s",
        ],
        web: SETTLED,
        ..scene("scale")
    },
    Scene { commands: 1..4, web: Some(3), ..scene("scale") },
    Scene { web: SETTLED, ..scene("logs") },
    scene("exec"),
];

const ABOUT_ITS_OBJECTS: &[Scene] = &[
    Scene { commands: 0..4, ..scene("apply") },
    Scene { commands: 4..5, web: SETTLED, ..scene("apply") },
    scene("apply-errors"),
    scene("apply-server-side"),
    Scene { commands: 0..5, web: SETTLED, ..scene("create") },
    // In the recording, `solo` came to be on the first node.
    Scene { commands: 5..6, before: &["cordon kn-${run}-b"], ..scene("create") },
    Scene {
        commands: 6..7,
        before: &["wait --for=condition=Ready pod/solo --timeout=20s", "uncordon kn-${run}-b"],
        ..scene("create")
    },
    scene("get-pods"),
    scene("get-nodes"),
    scene("get-other"),
    scene("get-watch"),
    scene("wait"),
    scene("label"),
    scene("annotate"),
    scene("patch"),
    Scene { commands: 0..4, ..scene("rollout") },
    Scene { commands: 4..7, web: SETTLED, ..scene("rollout") },
    Scene { web: SETTLED, ..scene("describe") },
    Scene { commands: 7..8, ..scene("create") },
    Scene {
        commands: 0..4,
        before: &[
            "rollout status daemonset/ds --timeout=20s",
            "wait --for=condition=Ready pod/scratch --timeout=20s",
            "wait --for=jsonpath={.status.expectedPods}=2 pdb/b --timeout=20s",
        ],
        ..scene("drain")
    },
    Scene {
        commands: 4..6,
        before: &[
            "patch pdb b --type=merge -p {\"spec\":{\"minAvailable\":0}}",
            "wait --for=jsonpath={.status.disruptionsAllowed}=2 pdb/b --timeout=20s",
        ],
        ..scene("drain")
    },
    Scene { commands: 6..8, web: SETTLED, ..scene("drain") },
    Scene { web: SETTLED, ..scene("delete") },
];
