use expect_test::{Expect, expect};
use plimsoll_model::{Extent, Plugin};

use super::read;

/// A file with this in its only profile, and that beside the profiles.
fn file(profile: &str, beside: &str) -> String {
    format!(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n\
         profiles: [{profile}]\n{beside}\n"
    )
}

/// The plugins that are not wholly at work.
fn reduced(plugins: &str) -> Vec<(Plugin, Extent)> {
    let read = read(&file(&format!("{{plugins: {plugins}}}"), "")).unwrap();
    assert_eq!(read.unfollowed, [""; 0], "{plugins}");
    read.profile.reduced.into_iter().collect()
}

fn check_unfollowed(profile: &str, beside: &str, expected: &Expect) {
    expected.assert_eq(&read(&file(profile, beside)).unwrap().unfollowed.join("\n"));
}

fn check_refused(text: &str, expected: &Expect) {
    expected.assert_eq(&read(text).unwrap_err().to_string());
}

#[test]
fn a_file_that_says_nothing_of_filters_is_the_default() {
    let scores = "{schedulerName: default-scheduler, \
                  plugins: {score: {disabled: [{name: '*'}], enabled: [{name: Mine, weight: 2}]}}, \
                  pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated}}}, \
                  {name: PodTopologySpread, args: {defaultingType: System}}, {name: Mine, args: {a: 1}}]}";
    for profile in ["{}", scores] {
        let beside = "extenders: [{urlPrefix: x, prioritizeVerb: p, weight: 1}]";
        assert_eq!(read(&file(profile, beside)).unwrap(), super::Read::default());
    }
}

#[test]
fn plugins_are_merged_as_the_scheduler_merges_them() {
    use Extent::{Early, Off};
    use Plugin::{NodePorts, VolumeZone};
    let all_but = |kept: &[Plugin], extent| -> Vec<(Plugin, Extent)> {
        let others = Plugin::ALL.into_iter().filter(|plugin| !kept.contains(plugin));
        others.map(|plugin| (plugin, extent)).collect()
    };
    let ports = "[{name: NodePorts}]";
    let every = "[{name: '*'}]";
    let cases = [
        (format!("{{filter: {{disabled: {ports}}}}}"), vec![(NodePorts, Early)]),
        (format!("{{multiPoint: {{disabled: {ports}}}}}"), vec![(NodePorts, Off)]),
        (
            format!("{{filter: {{disabled: {ports}}}, preFilter: {{disabled: {ports}}}}}"),
            vec![(NodePorts, Off)],
        ),
        // Whatever is enabled at a point is at work there.
        (format!("{{filter: {{disabled: {ports}, enabled: {ports}}}}}"), vec![]),
        (format!("{{multiPoint: {{disabled: {ports}, enabled: {ports}}}}}"), vec![]),
        (
            format!("{{multiPoint: {{disabled: {every}, enabled: {ports}}}}}"),
            all_but(&[NodePorts], Off),
        ),
        (
            format!(
                "{{multiPoint: {{disabled: {every}}}, filter: {{enabled: [{{name: VolumeZone}}]}}}}"
            ),
            all_but(&[VolumeZone], Off),
        ),
        (
            format!("{{filter: {{disabled: {every}, enabled: {ports}}}}}"),
            all_but(&[NodePorts], Early),
        ),
    ];
    for (plugins, expected) in cases {
        assert_eq!(reduced(&plugins), expected, "{plugins}");
    }
}

#[test]
fn arguments_are_taken_over() {
    let term = "{matchExpressions: [{key: pool, operator: In, values: [a]}]}";
    let added = format!(
        "{{addedAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{term}]}}}}}}"
    );
    let fit = "{ignoredResources: [example.com/a], ignoredResourceGroups: [example.org]}";
    let spread = "{defaultingType: List, defaultConstraints: [\
                  {maxSkew: 2, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, minDomains: 3},\
                  {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]}";
    let profile = format!(
        "{{pluginConfig: [{{name: NodeAffinity, args: {added}}}, {{name: NodeResourcesFit, args: {fit}}}, \
         {{name: PodTopologySpread, args: {spread}}}]}}"
    );
    let read = read(&file(&profile, "")).unwrap();
    let profile = read.profile;
    let terms: Vec<String> =
        profile.added_affinity.iter().flatten().map(|term| term.labels.to_string()).collect();
    assert_eq!(terms, ["pool=a"]);
    assert_eq!(profile.ignored_resources, ["example.com/a".into()].into());
    assert_eq!(profile.ignored_groups, ["example.org".into()].into());
    let [constraint] = &*profile.default_spread else { panic!("one constraint filters") };
    assert_eq!((constraint.max_skew, constraint.min_domains), (2, 3));
    assert!(constraint.selector.is_none() && constraint.honor_affinity && !constraint.honor_taints);
    expect!["pluginConfig: defaultConstraints of PodTopologySpread spread the pods of a ReplicaSet, StatefulSet or ReplicationController; Services are not looked at"]
        .assert_eq(&read.unfollowed.join("\n"));
}

#[test]
fn resources_of_extenders_are_ignored_in_the_place_of_the_arguments() {
    let profile =
        "{pluginConfig: [{name: NodeResourcesFit, args: {ignoredResources: [example.com/a]}}]}";
    let beside = "extenders: [{urlPrefix: x, bindVerb: b, managedResources: [\
                  {name: example.com/b, ignoredByScheduler: true}, {name: example.com/c}]}]";
    let read = read(&file(profile, beside)).unwrap();
    assert_eq!(read.profile.ignored_resources, ["example.com/b".into()].into());
}

#[test]
fn what_cannot_be_followed_is_told() {
    check_unfollowed(
        "{plugins: {filter: {enabled: [{name: Capacity}]}, \
         multiPoint: {enabled: [{name: Coscheduling}, {name: ImageLocality}]}, \
         preFilter: {disabled: [{name: NodePorts}, {name: VolumeZone}]}}}",
        "extenders: [{urlPrefix: 'http://gpu', filterVerb: filter}, {urlPrefix: x, prioritizeVerb: p}]",
        &expect![[r"
            plugins.multiPoint.enabled: Coscheduling is not known here
            plugins.filter.enabled: Capacity is not known here
            plugins.preFilter.disabled: NodePorts cannot filter without it, and is taken to have it
            extenders: http://gpu is not asked"]],
    );
}

#[test]
fn what_makes_no_sense_is_refused_with_its_place() {
    check_refused("kind: Pod", &expect!["is not a KubeSchedulerConfiguration"]);
    check_refused("a: [", &expect!["line 1, column 4: unclosed bracket '['"]);
    check_refused(
        "kind: KubeSchedulerConfiguration\nprofiles: [{}]",
        &expect!["apiVersion: is missing"],
    );
    check_refused(&file("", ""), &expect!["profiles: has 0 entries and not one"]);
    check_refused(&file("{}, {}", ""), &expect!["profiles: has 2 entries and not one"]);
    check_refused(
        &file("{plugin: {}}", ""),
        &expect!["profiles[0].plugin: unknown field, did you mean plugins?"],
    );
    check_refused(
        &file("{plugins: {filter: {disable: []}}}", ""),
        &expect!["profiles[0].plugins.filter.disable: unknown field, did you mean disabled?"],
    );
    check_refused(
        &file("{plugins: {filter: {disabled: NodePorts}}}", ""),
        &expect![[
            r#"profiles[0].plugins.filter.disabled: invalid type: string "NodePorts", expected a list"#
        ]],
    );
    check_refused(
        &file("{plugins: {filter: {enabled: [{name: X}, {name: X}]}}}", ""),
        &expect![[r#"profiles[0].plugins.filter.enabled[1]: "X" stands twice"#]],
    );
    let config = |name: &str, args: &str| {
        file(&format!("{{pluginConfig: [{{name: {name}, args: {args}}}]}}"), "")
    };
    check_refused(
        &config("NodeAffinity", "{addedAfinity: {}}"),
        &expect![
            "profiles[0].pluginConfig[0].args.addedAfinity: unknown field, did you mean addedAffinity?"
        ],
    );
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    let term = "{matchExpressions: [{key: a, operator: Is, values: [b]}]}";
    check_refused(
        &config(
            "NodeAffinity",
            &format!("{{addedAffinity: {{{required}: {{nodeSelectorTerms: [{term}]}}}}}}"),
        ),
        &expect![[
            r#"profiles[0].pluginConfig[0].args.addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator: "Is" is not an operator, known are In, NotIn, Exists, DoesNotExist, Gt and Lt"#
        ]],
    );
    check_refused(
        &config("NodeResourcesFit", "{ignoredResources: ['a b']}"),
        &expect![[
            r#"profiles[0].pluginConfig[0].args.ignoredResources[0]: label key "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName', or 'my.name', or '123-abc')"#
        ]],
    );
    check_refused(
        &config("NodeResourcesFit", "{ignoredResourceGroups: [a/b]}"),
        &expect![[
            r#"profiles[0].pluginConfig[0].args.ignoredResourceGroups[0]: "a/b" has a slash"#
        ]],
    );
    let spread = |args: &str| config("PodTopologySpread", args);
    let constraint = "{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}";
    check_refused(
        &spread("{defaultingType: Some}"),
        &expect![[
            r#"profiles[0].pluginConfig[0].args.defaultingType: "Some" is not a type, known are System and List"#
        ]],
    );
    check_refused(
        &spread(&format!("{{defaultConstraints: [{constraint}]}}")),
        &expect![
            "profiles[0].pluginConfig[0].args.defaultingType: has to be List where there are defaultConstraints"
        ],
    );
    let listed = |constraints: &str| {
        spread(&format!("{{defaultingType: List, defaultConstraints: [{constraints}]}}"))
    };
    check_refused(
        &listed(&format!("{constraint}, {constraint}")),
        &expect!["profiles[0].pluginConfig[0].args.defaultConstraints[1]: stands twice"],
    );
    check_refused(
        &listed(&constraint.replace(": 1", ": 0")),
        &expect![
            "profiles[0].pluginConfig[0].args.defaultConstraints[0].maxSkew: 0 is not a positive number"
        ],
    );
    check_refused(
        &listed(&constraint.replace("zone", "''")),
        &expect![[
            r#"profiles[0].pluginConfig[0].args.defaultConstraints[0].topologyKey: label key "": name part must be non-empty"#
        ]],
    );
    check_refused(
        &listed(&constraint.replace("DoNot", "Never")),
        &expect![[
            r#"profiles[0].pluginConfig[0].args.defaultConstraints[0].whenUnsatisfiable: "NeverSchedule" is not a mode, known are DoNotSchedule and ScheduleAnyway"#
        ]],
    );
    check_refused(
        &listed(&constraint.replace('{', "{labelSelector: {}, ")),
        &expect![
            "profiles[0].pluginConfig[0].args.defaultConstraints[0].labelSelector: has no place here: it is the pod's controller's"
        ],
    );
    let twice = "{name: NodeName, args: {}}, {name: NodeName, args: {}}";
    check_refused(
        &file(&format!("{{pluginConfig: [{twice}]}}"), ""),
        &expect![[r#"profiles[0].pluginConfig[1]: "NodeName" stands twice"#]],
    );
}
