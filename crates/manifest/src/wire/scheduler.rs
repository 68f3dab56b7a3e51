//! A `KubeSchedulerConfiguration`, as far as it decides what is filtered.

use serde_json::value::RawValue;

use crate::wire::{
    affinity::{NodeAffinity, SpreadConstraint},
    value::{List, Text},
    wire,
};

wire! {
    /// The file.
    struct Configuration<'a> {
        "apiVersion" => api_version: Text<'a>,
        "profiles" => profiles: List<Profile<'a>>,
        "extenders" => extenders: List<Extender<'a>>,
    }

    /// An entry of `profiles`.
    struct Profile<'a> {
        "plugins" => plugins: Plugins<'a>,
        "pluginConfig" => configs: List<PluginConfig<'a>>,
    }

    /// The extension points at which a pod can be kept from nodes.
    struct Plugins<'a> {
        "multiPoint" => multi: PluginSet<'a>,
        "preFilter" => early: PluginSet<'a>,
        "filter" => filter: PluginSet<'a>,
    }

    /// The plugins of an extension point.
    struct PluginSet<'a> {
        "enabled" => enabled: List<Plugin<'a>>,
        "disabled" => disabled: List<Plugin<'a>>,
    }

    /// A plugin by its name, or all of them.
    struct Plugin<'a> {
        "name" => name: Text<'a>,
    }

    /// The arguments of a plugin.
    struct PluginConfig<'a> {
        "name" => name: Text<'a>,
        "args" => args: Option<&'a RawValue>,
    }

    /// Those of NodeAffinity.
    struct NodeAffinityArgs<'a> {
        "addedAffinity" => added: NodeAffinity<'a>,
    }

    /// Those of NodeResourcesFit.
    struct NodeResourcesFitArgs<'a> {
        "ignoredResources" => resources: List<Text<'a>>,
        "ignoredResourceGroups" => groups: List<Text<'a>>,
    }

    /// Those of PodTopologySpread.
    struct PodTopologySpreadArgs<'a> {
        "defaultingType" => defaulting: Text<'a>,
        "defaultConstraints" => constraints: List<SpreadConstraint<'a>>,
    }

    /// A service that the scheduler asks.
    struct Extender<'a> {
        "urlPrefix" => url: Text<'a>,
        "filterVerb" => filter: Text<'a>,
        "managedResources" => resources: List<ManagedResource<'a>>,
    }

    /// A resource that such a service looks after.
    struct ManagedResource<'a> {
        "name" => name: Text<'a>,
        "ignoredByScheduler" => ignored: Option<bool>,
    }
}
