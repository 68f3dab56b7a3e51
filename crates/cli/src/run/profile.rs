//! The user's `KubeSchedulerConfiguration`, read for one thing: whether its filters are other ones than ours.
//!
//! Where a pod goes is left to the scheduler, so its scores make no difference here. What it would let in or keep out does: of that
//! which is not followed here the user is told, point by point, before it shows in pods that wait.

use std::{fs, path::Path};

use serde_json::Value;

/// The filters that there are here, those of kube-scheduler's default profile.
const FILTERS: [&str; 12] = [
    "NodeUnschedulable",
    "NodeName",
    "TaintToleration",
    "NodeAffinity",
    "NodePorts",
    "NodeResourcesFit",
    "VolumeRestrictions",
    "NodeVolumeLimits",
    "VolumeBinding",
    "VolumeZone",
    "PodTopologySpread",
    "InterPodAffinity",
];

/// Arguments that change what a filter says, and what becomes of them.
const ARGUMENTS: [(&str, &str, &str); 4] = [
    ("NodeAffinity", "addedAffinity", "is not added to what pods ask for"),
    ("NodeResourcesFit", "ignoredResources", "count like all others"),
    ("NodeResourcesFit", "ignoredResourceGroups", "count like all others"),
    ("PodTopologySpread", "defaultConstraints", "are not put on pods that have none"),
];

/// What a file says that is not followed, in lines for people.
pub(super) fn read(path: &Path) -> Result<Vec<String>, String> {
    let name = path.display();
    let text = fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    let file: Value = serde_saphyr::from_str(&text).map_err(|error| format!("{name}: {error}"))?;
    differences(&file).map_err(|problem| format!("{name}: {problem}"))
}

fn differences(file: &Value) -> Result<Vec<String>, String> {
    if file["kind"] != "KubeSchedulerConfiguration" {
        return Err("is not a KubeSchedulerConfiguration".to_owned());
    }
    let [profile] = list(&file["profiles"]) else {
        // Upstream's rule, too: of several nobody could say which one a new node has to please.
        return Err(format!("has {} profiles and not one", list(&file["profiles"]).len()));
    };
    let mut lines = Vec::new();
    for point in ["multiPoint", "filter"] {
        let plugins = &profile["plugins"][point];
        let enabled: Vec<&str> = list(&plugins["enabled"]).iter().filter_map(name).collect();
        for disabled in list(&plugins["disabled"]).iter().filter_map(name) {
            let is_all = disabled == "*" && enabled.is_empty();
            let is_ours = FILTERS.contains(&disabled) && !enabled.contains(&disabled);
            if is_all || is_ours {
                lines.push(format!(
                    "plugins.{point}.disabled: {disabled} keeps pods away all the same"
                ));
            }
        }
        if point == "filter" {
            let strange = enabled.iter().filter(|name| !FILTERS.contains(name));
            lines.extend(
                strange.map(|name| format!("plugins.filter.enabled: {name} is not known here")),
            );
        }
    }
    for config in list(&profile["pluginConfig"]) {
        for (plugin, argument, what) in ARGUMENTS {
            if config["name"] == plugin && is_given(&config["args"][argument]) {
                lines.push(format!("pluginConfig: {argument} of {plugin} {what}"));
            }
        }
    }
    for extender in list(&file["extenders"]).iter().filter(|one| is_given(&one["filterVerb"])) {
        let place = extender["urlPrefix"].as_str().unwrap_or_default();
        lines.push(format!("extenders: {place} is not asked"));
    }
    Ok(lines)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn name(plugin: &Value) -> Option<&str> {
    plugin["name"].as_str()
}

fn is_given(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(entries) => !entries.is_empty(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::differences;

    fn told(text: &str) -> Result<Vec<String>, String> {
        differences(&serde_saphyr::from_str(text).unwrap())
    }

    #[test]
    fn scores_make_no_difference() {
        let told = told(
            "
            kind: KubeSchedulerConfiguration
            profiles:
            - schedulerName: default-scheduler
              plugins: {score: {disabled: [{name: NodeResourcesBalancedAllocation}]}}
              pluginConfig:
              - {name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated}}}
              - {name: PodTopologySpread, args: {defaultingType: System}}
            ",
        );
        assert_eq!(told.unwrap(), [""; 0]);
    }

    #[test]
    fn filters_that_are_others_than_ours_are_told() {
        let told = told(
            "
            kind: KubeSchedulerConfiguration
            extenders: [{urlPrefix: 'http://gpu', filterVerb: filter}, {urlPrefix: x, prioritizeVerb: p}]
            profiles:
            - plugins:
                filter: {disabled: [{name: NodePorts}], enabled: [{name: Capacity}]}
                multiPoint: {disabled: [{name: VolumeZone}, {name: ImageLocality}]}
              pluginConfig:
              - {name: NodeResourcesFit, args: {ignoredResources: [example.com/x]}}
              - {name: PodTopologySpread, args: {defaultConstraints: [{maxSkew: 1}]}}
            ",
        );
        assert_eq!(
            told.unwrap(),
            [
                "plugins.multiPoint.disabled: VolumeZone keeps pods away all the same",
                "plugins.filter.disabled: NodePorts keeps pods away all the same",
                "plugins.filter.enabled: Capacity is not known here",
                "pluginConfig: ignoredResources of NodeResourcesFit count like all others",
                "pluginConfig: defaultConstraints of PodTopologySpread are not put on pods that have none",
                "extenders: http://gpu is not asked",
            ]
        );
    }

    #[test]
    fn what_is_no_profile_is_refused() {
        assert_eq!(told("kind: Pod").unwrap_err(), "is not a KubeSchedulerConfiguration");
        let none = told("kind: KubeSchedulerConfiguration").unwrap_err();
        assert_eq!(none, "has 0 profiles and not one");
    }
}
