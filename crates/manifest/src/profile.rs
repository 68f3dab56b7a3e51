//! A `KubeSchedulerConfiguration` with one profile, as far as it decides which pods may run where.
//!
//! Which plugins are at work is found out as the scheduler does it: its own defaults stand at `multiPoint`, the file adds to
//! them and takes away, and what an extension point says of a plugin wins over what `multiPoint` says.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_model::{Extent, Plugin, Profile, SpreadConstraint, Symbol, labels::check_label_key};

use crate::{
    ManifestError,
    convert::{affinity, spread},
    parse::parse,
    problem::{At as _, Checked, Problem, Quoted, each},
    wire::scheduler as wire,
    yaml,
};

mod fields;
#[cfg(test)]
mod tests;

const KIND: &str = "KubeSchedulerConfiguration";
const VERSION: &str = "kubescheduler.config.k8s.io/v1";

/// Plugins of the scheduler that keep no pod from a node.
const HARMLESS: [&str; 9] = [
    "DefaultBinder",
    "DefaultPreemption",
    "GangScheduling",
    "ImageLocality",
    "NodeResourcesBalancedAllocation",
    "PodGroupPodsCount",
    "PrioritySort",
    "SchedulingGates",
    "TopologyPlacementGenerator",
];

/// Filters that come to nothing without what their `PreFilter` has worked out: the scheduler then fails for every pod.
const NEEDS_PRE_FILTER: [Plugin; 6] = [
    Plugin::NodePorts,
    Plugin::NodeResourcesFit,
    Plugin::VolumeRestrictions,
    Plugin::VolumeBinding,
    Plugin::PodTopologySpread,
    Plugin::InterPodAffinity,
];

/// A profile as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// What is followed.
    pub profile: Profile,
    /// What is not, a line each.
    pub unfollowed: Vec<String>,
}

/// Reads a file, YAML or JSON.
pub fn read(text: &str) -> Result<Read, ManifestError> {
    let refuse = |path: String, problem: String, location| ManifestError {
        object: None,
        path,
        problem,
        location,
    };
    let documents = yaml::documents(text)
        .map_err(|problem| refuse(String::new(), problem.text, problem.location))?;
    let read = match documents.as_slice() {
        [file] => whole(file),
        files => Err(Problem::new(format!("has {} documents and not one", files.len()))),
    };
    read.map_err(|problem| refuse(problem.path(), problem.text, problem.location))
}

fn whole(file: &serde_json::Value) -> Checked<Read> {
    if file["kind"] != KIND {
        return Err(Problem::new(format!("is not a {KIND}")));
    }
    fields::check(file)?;
    let json = file.to_string();
    let file: wire::Configuration<'_> = parse(&json)?;
    match &*file.api_version {
        VERSION => {}
        "" => return Err(Problem::missing()).at("apiVersion"),
        word => return Err(Problem::unknown(word, "a version", &[VERSION])).at("apiVersion"),
    }
    let [profile] = &*file.profiles else {
        // Upstream's rule, too: of several nobody could say which one a new node has to please.
        let count = file.profiles.len();
        return Err(Problem::new(format!("has {count} entries and not one"))).at("profiles");
    };
    let mut read = Read::default();
    plugins(&profile.plugins, &mut read).at("plugins").at_index(0).at("profiles")?;
    configs(profile, &mut read).at_index(0).at("profiles")?;
    extenders(&file, &mut read);
    Ok(read)
}

fn plugins(plugins: &wire::Plugins<'_>, read: &mut Read) -> Checked<()> {
    let points = [
        ("multiPoint", &plugins.multi),
        ("preFilter", &plugins.early),
        ("filter", &plugins.filter),
    ];
    for (point, set) in points {
        let mut seen = BTreeSet::new();
        for (index, plugin) in set.enabled.iter().enumerate() {
            let name = &*plugin.name;
            if !seen.insert(name) {
                let problem = Problem::new(format!("{} stands twice", Quoted(name)));
                return Err(problem).at_index(index).at("enabled").at(point);
            }
            if Plugin::named(name).is_none() && !HARMLESS.contains(&name) {
                let line = format!("plugins.{point}.enabled: {name} is not known here");
                read.unfollowed.push(line);
            }
        }
    }
    for plugin in Plugin::ALL {
        let by_default = !is_named(&plugins.multi.disabled, plugin);
        let multi = by_default || is_enabled(&plugins.multi, plugin);
        let at = |set: &wire::PluginSet<'_>| {
            is_enabled(set, plugin) || (multi && !is_named(&set.disabled, plugin))
        };
        let extent = match (at(&plugins.early), at(&plugins.filter)) {
            (false, false) => Extent::Off,
            (true, false) => Extent::Early,
            (early, true) => {
                if !early && NEEDS_PRE_FILTER.contains(&plugin) {
                    read.unfollowed.push(format!(
                        "plugins.preFilter.disabled: {plugin} cannot filter without it, and is taken to have it"
                    ));
                }
                Extent::Full
            }
        };
        if extent != Extent::Full {
            read.profile.reduced.insert(plugin, extent);
        }
    }
    Ok(())
}

fn is_enabled(set: &wire::PluginSet<'_>, plugin: Plugin) -> bool {
    set.enabled.iter().any(|one| &*one.name == plugin.as_str())
}

/// Whether a list names a plugin, or all of them.
fn is_named(list: &[wire::Plugin<'_>], plugin: Plugin) -> bool {
    list.iter().any(|one| &*one.name == "*" || &*one.name == plugin.as_str())
}

fn configs(profile: &wire::Profile<'_>, read: &mut Read) -> Checked<()> {
    let mut seen = BTreeMap::new();
    for (index, config) in profile.configs.iter().enumerate() {
        let name = &*config.name;
        let checked = match seen.insert(name, index) {
            Some(_) => Err(Problem::new(format!("{} stands twice", Quoted(name)))),
            None => arguments(name, config.args.map_or("{}", |raw| raw.get()), read).at("args"),
        };
        checked.at_index(index).at("pluginConfig")?;
    }
    Ok(())
}

/// Takes over the arguments of a plugin. Those of others make no difference here.
fn arguments(plugin: &str, json: &str, read: &mut Read) -> Checked<()> {
    match Plugin::named(plugin) {
        Some(Plugin::NodeAffinity) => {
            let args: wire::NodeAffinityArgs<'_> = parse(json)?;
            read.profile.added_affinity =
                affinity::required_terms(&args.added).at("addedAffinity")?;
        }
        Some(Plugin::NodeResourcesFit) => {
            let args: wire::NodeResourcesFitArgs<'_> = parse(json)?;
            read.profile.ignored_resources = each(&args.resources, "ignoredResources", |name| {
                check_name(name).map(|()| Symbol::new(name))
            })?;
            read.profile.ignored_groups = each(&args.groups, "ignoredResourceGroups", |group| {
                if group.contains('/') {
                    return Err(Problem::new(format!("{} has a slash", Quoted(group))));
                }
                check_name(group).map(|()| Box::from(&**group))
            })?;
        }
        Some(Plugin::PodTopologySpread) => {
            let args: wire::PodTopologySpreadArgs<'_> = parse(json)?;
            read.profile.default_spread = default_spread(&args)?;
            if !read.profile.default_spread.is_empty() {
                let line = "pluginConfig: defaultConstraints of PodTopologySpread spread the pods of \
                            a ReplicaSet, StatefulSet or ReplicationController; Services are not \
                            looked at";
                read.unfollowed.push(line.to_owned());
            }
        }
        _ => {}
    }
    Ok(())
}

fn check_name(name: &str) -> Checked<()> {
    check_label_key(name).map_err(|error| Problem::new(error.to_string()))
}

/// The constraints of the file that filter. The scheduler's own are mere preferences.
fn default_spread(args: &wire::PodTopologySpreadArgs<'_>) -> Checked<Box<[SpreadConstraint]>> {
    match &*args.defaulting {
        "" | "System" if args.constraints.is_empty() => {}
        "" | "System" => {
            let problem = Problem::new("has to be List where there are defaultConstraints");
            return Err(problem).at("defaultingType");
        }
        "List" => {}
        word => {
            let problem = Problem::unknown(word, "a type", &["System", "List"]);
            return Err(problem).at("defaultingType");
        }
    }
    let mut seen = BTreeSet::new();
    let constraints: Vec<Option<SpreadConstraint>> =
        each(&args.constraints, "defaultConstraints", |one| {
            if one.selector.is_some() {
                let problem = Problem::new("has no place here: it is the pod's controller's");
                return Err(problem).at("labelSelector");
            }
            check_name(&one.topology_key).at("topologyKey")?;
            let key = (one.topology_key.to_string(), one.when_unsatisfiable.to_string());
            if !seen.insert(key) {
                return Err(Problem::new("stands twice"));
            }
            spread::without_selector(one)
        })?;
    Ok(constraints.into_iter().flatten().collect())
}

fn extenders(file: &wire::Configuration<'_>, read: &mut Read) {
    let mut ignored = Vec::new();
    for extender in &*file.extenders {
        if extender.filter.given().is_some() {
            read.unfollowed.push(format!("extenders: {} is not asked", &*extender.url));
        }
        let resources = extender.resources.iter().filter(|one| one.ignored == Some(true));
        ignored.extend(resources.map(|one| Symbol::new(&one.name)));
    }
    // What extenders say comes in the place of what the plugin was told, as in the scheduler.
    if !ignored.is_empty() {
        read.profile.ignored_resources = ignored.into();
    }
}
