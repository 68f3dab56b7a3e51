//! The fields that a `KubeSchedulerConfiguration` may have, as the scheduler itself insists on: a word that nobody reads would
//! be a wish that nobody grants.

use serde_json::Value;

use crate::{
    flags::did_you_mean,
    problem::{At as _, Checked, Problem},
};

const FILE: &[&str] = &[
    "apiVersion",
    "kind",
    "parallelism",
    "leaderElection",
    "clientConnection",
    "enableProfiling",
    "enableContentionProfiling",
    "percentageOfNodesToScore",
    "podInitialBackoffSeconds",
    "podMaxBackoffSeconds",
    "profiles",
    "extenders",
    "delayCacheUntilActive",
];

const PROFILE: &[&str] = &["schedulerName", "percentageOfNodesToScore", "plugins", "pluginConfig"];

const POINTS: &[&str] = &[
    "preEnqueue",
    "queueSort",
    "preFilter",
    "filter",
    "postFilter",
    "preScore",
    "score",
    "reserve",
    "permit",
    "preBind",
    "bind",
    "postBind",
    "multiPoint",
    "placementGenerate",
    "placementScore",
];

const CONSTRAINT: &[&str] = &[
    "maxSkew",
    "topologyKey",
    "whenUnsatisfiable",
    "labelSelector",
    "minDomains",
    "nodeAffinityPolicy",
    "nodeTaintsPolicy",
    "matchLabelKeys",
];

const EXTENDER: &[&str] = &[
    "urlPrefix",
    "filterVerb",
    "preemptVerb",
    "prioritizeVerb",
    "weight",
    "bindVerb",
    "enableHTTPS",
    "tlsConfig",
    "httpTimeout",
    "nodeCacheCapable",
    "managedResources",
    "ignorable",
];

/// Arguments by plugin. Those of others make no difference here.
const ARGUMENTS: &[(&str, &[&str])] = &[
    ("NodeAffinity", &["apiVersion", "kind", "addedAffinity"]),
    (
        "NodeResourcesFit",
        &["apiVersion", "kind", "ignoredResources", "ignoredResourceGroups", "scoringStrategy"],
    ),
    ("PodTopologySpread", &["apiVersion", "kind", "defaultConstraints", "defaultingType"]),
];

/// Refuses a file with a field that does not exist.
pub(super) fn check(file: &Value) -> Checked<()> {
    only(file, FILE)?;
    entries(file, "profiles", profile)?;
    entries(file, "extenders", |extender| {
        only(extender, EXTENDER)?;
        entries(extender, "managedResources", |one| only(one, &["name", "ignoredByScheduler"]))
    })
}

fn profile(profile: &Value) -> Checked<()> {
    only(profile, PROFILE)?;
    let plugins = &profile["plugins"];
    only(plugins, POINTS).at("plugins")?;
    for point in POINTS {
        let set = &plugins[point];
        let checked = only(set, &["enabled", "disabled"]).and_then(|()| {
            entries(set, "enabled", |one| only(one, &["name", "weight"]))?;
            entries(set, "disabled", |one| only(one, &["name", "weight"]))
        });
        checked.at(point).at("plugins")?;
    }
    entries(profile, "pluginConfig", |config| {
        only(config, &["name", "args"])?;
        let known = ARGUMENTS.iter().find(|(plugin, _)| config["name"] == *plugin);
        let Some((_, known)) = known else { return Ok(()) };
        let args = &config["args"];
        only(args, known)
            .and_then(|()| entries(args, "defaultConstraints", |one| only(one, CONSTRAINT)))
            .at("args")
    })
}

fn entries(value: &Value, field: &str, check: impl Fn(&Value) -> Checked<()>) -> Checked<()> {
    let list = value[field].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut checked = list.iter().enumerate();
    checked.try_for_each(|(index, entry)| check(entry).at_index(index)).at(field)
}

fn only(value: &Value, known: &[&str]) -> Checked<()> {
    let mut keys = value.as_object().into_iter().flat_map(serde_json::Map::keys);
    match keys.find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(Problem::new(did_you_mean("field", key, known.iter().copied()))).at(key),
        None => Ok(()),
    }
}
