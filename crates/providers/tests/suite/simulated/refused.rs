//! What is wrong with a catalogue is said in one line: file, line, place, problem.

use expect_test::{Expect, expect};
use plimsoll_providers::simulated::Catalogue;
use proptest::{
    prelude::*,
    sample::{Index, select},
};

const EXAMPLE: &str = include_str!("../../../../../examples/catalogue.yaml");

/// What is said about each file.
fn check<S: AsRef<str>>(files: impl IntoIterator<Item = S>, expected: &Expect) {
    let problem = |text: S| {
        let line = match Catalogue::read("c.yaml", text.as_ref()) {
            Err(error) => error.to_string(),
            Ok(_) => panic!("not refused: {}", text.as_ref()),
        };
        assert_eq!(line.lines().count(), 1, "{line}");
        line
    };
    let lines: Vec<_> = files.into_iter().map(problem).collect();
    expected.assert_eq(&lines.join("\n"));
}

/// What is said about a group with these fields beside `id` and `template`, which stand in line 2.
fn check_group<const N: usize>(fields: [&str; N], expected: &Expect) {
    let file = |rest: &str| {
        format!("groups:\n- {{id: a, template: {{cpu: 1, memory: 1Gi}},\n   {rest}}}\n")
    };
    check(fields.map(file), expected);
}

/// What is said about a group with this template, which stands in line 4.
fn check_template<const N: usize>(templates: [&str; N], expected: &Expect) {
    let file = |rest: &str| format!("groups:\n- id: a\n  max: 3\n  template: {rest}\n");
    check(templates.map(file), expected);
}

#[test]
fn the_file_as_a_whole() {
    check(
        [
            "",
            "# nothing\n",
            "- a\n- b\n",
            "just words",
            "seed: 1\n",
            "seed: [\n",
            "seed: 1\nseed: 2\ngroups: []\n",
            "groups: []\n---\ngroups: []\n",
            "groups: {}\n",
            "groups:\n- 5\n",
            "{\"groups\": [],\n \"sede\": 5}",
            "group: []\n",
            "colour: blue\n",
            "seed: -1\ngroups: []\n",
            "seed: 18446744073709551616\ngroups: []\n",
            "seed: soon\ngroups: []\n",
            "name: ''\ngroups: []\n",
            "name: 5\ngroups: []\n",
            "groups: []\nquota: -3\n",
            "groups: []\nquota: many\n",
            "quota: 2\ngroups:\n- {id: a, max: 5, initial: 3, template: {cpu: 1}}\n",
            "gpuLabel: a/b/c\ngroups: []\n",
            "gpuTypes: [L4, 'not a label']\ngroups: []\n",
            "gpuTypes: L4\ngroups: []\n",
            "callFailureRate: 1.5\ngroups: []\n",
            "callFailureRate: .nan\ngroups: []\n",
        ],
        &expect![[r#"
            c.yaml: the file is empty
            c.yaml: the file is empty
            c.yaml:1: a list is not an object with fields
            c.yaml:1: "just words" is not an object with fields
            c.yaml:1: groups: is missing
            c.yaml:1: unclosed bracket '['
            c.yaml:2: duplicate mapping key: seed
            c.yaml:3: a second document begins here, and there may be only one
            c.yaml:1: groups: an object is not a list
            c.yaml:2: groups[0]: 5 is not an object with fields
            c.yaml:2: sede: unknown field, did you mean seed?
            c.yaml:1: group: unknown field, did you mean groups?
            c.yaml:1: colour: unknown field, known are name, seed, quota, gpuLabel, gpuTypes, callFailureRate, groups
            c.yaml:1: seed: -1 is not a whole number below 2^64
            c.yaml:1: seed: 1.8446744073709552e19 is not a whole number below 2^64
            c.yaml:1: seed: "soon" is not a whole number below 2^64
            c.yaml:1: name: is empty
            c.yaml:1: name: 5 is not a text; put it in quotes
            c.yaml:2: quota: -3 is negative
            c.yaml:2: quota: "many" is not a whole number
            c.yaml:1: quota: 2 is below the 3 initial machines
            c.yaml:1: gpuLabel: label key "a/b/c" must be a name of alphanumeric characters, '-', '_' or '.', with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')
            c.yaml:1: gpuTypes[1]: label value "not a label" must be empty or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue', or 'my_value', or '12345')
            c.yaml:1: gpuTypes: "L4" is not a list
            c.yaml:1: callFailureRate: 1.5 is above 1, and this is a probability
            c.yaml:1: non-finite float `.nan` rejected by the configured policy"#]],
    );
}

#[test]
fn groups() {
    check_group(
        [
            "mx: 5",
            "",
            "max: plenty",
            "max: -5",
            "max: 2.5",
            "max: 5000000000",
            "max: 100001",
            "max: 5, min: 6",
            "max: 5, initial: 6",
            "max: 5, price: free",
            "max: 5, price: -0.1",
            "max: 5, price: 1e30",
            "max: 5, stock: -1",
            "max: 5, boot: 90",
            "max: 5, boot: -90s",
            "max: 5, boot: soon",
            "max: 5, boot: {uniform: [5s]}",
            "max: 5, boot: {uniform: [5s, 1s]}",
            "max: 5, boot: {normal: {mean: 5s}}",
            "max: 5, boot: {gamma: 5s}",
            "max: 5, boot: {}",
            "max: 5, delivery: {normal: {mean: 5s, deviation: -1s}}",
            "max: 5, deletion: [1s]",
            "max: 5, bootFailures: {rate: 2, class: Quota}",
            "max: 5, bootFailures: {rate: 0.5}",
            "max: 5, bootFailures: {rate: 0.5, class: Stockout}",
            "max: 5, bootFailure: {}",
            "max: 5, vanishRate: -1",
            "max: 5, options: {scale-down-uneeded-time: 1m}",
            "max: 5, options: {scale-down-unneeded-time: soon}",
            "max: 5, options: {scale-down-utilization-threshold: half}",
            "max: 5, options: {expander: random}",
            "max: 5, options: {zero-or-max-node-scaling: [true]}",
            "max: 5, options: [x]",
        ],
        &expect![[r#"
            c.yaml:3: groups[0].mx: unknown field, did you mean max?
            c.yaml:2: groups[0].max: is missing
            c.yaml:3: groups[0].max: "plenty" is not a whole number
            c.yaml:3: groups[0].max: -5 is negative
            c.yaml:3: groups[0].max: 2.5 is not a whole number
            c.yaml:3: groups[0].max: 5000000000 is too large
            c.yaml:3: groups[0].max: 100001 is more than 100000
            c.yaml:3: groups[0].min: 6 is above max, which is 5
            c.yaml:3: groups[0].initial: 6 is above max, which is 5
            c.yaml:3: groups[0].price: "free" is not a number
            c.yaml:3: groups[0].price: -0.1 is negative
            c.yaml:3: groups[0].price: 1e30 is too large
            c.yaml:3: groups[0].stock: -1 is negative
            c.yaml:3: groups[0].boot: 90 is not a duration such as 90s or 1h30m
            c.yaml:3: groups[0].boot: "-90s" is negative
            c.yaml:3: groups[0].boot: "soon" is not a duration such as 90s or 1h30m
            c.yaml:3: groups[0].boot.uniform: takes the shortest and the longest, such as [20s, 60s]
            c.yaml:3: groups[0].boot.uniform: the first is the shortest, the second the longest
            c.yaml:3: groups[0].boot.normal.deviation: is missing
            c.yaml:3: groups[0].boot.gamma: unknown field, known are uniform, normal
            c.yaml:3: groups[0].boot: takes either uniform or normal
            c.yaml:3: groups[0].delivery.normal.deviation: "-1s" is negative
            c.yaml:3: groups[0].deletion: a list is not a duration such as 90s or 1h30m
            c.yaml:3: groups[0].bootFailures.rate: 2 is above 1, and this is a probability
            c.yaml:3: groups[0].bootFailures.class: is missing
            c.yaml:3: groups[0].bootFailures.class: "Stockout" is not a class of error, known are Retry, OutOfCapacity, Quota, Auth, NotFound, Invalid, Unsupported, Bug
            c.yaml:3: groups[0].bootFailure: unknown field, did you mean bootFailures?
            c.yaml:3: groups[0].vanishRate: -1 is negative
            c.yaml:3: groups[0].options.scale-down-uneeded-time: unknown option, did you mean scale-down-unneeded-time?
            c.yaml:3: groups[0].options.scale-down-unneeded-time: "soon" is not a duration such as 90s or 1h30m
            c.yaml:3: groups[0].options.scale-down-utilization-threshold: "half" is not a number
            c.yaml:3: groups[0].options.expander: cannot be set for a group
            c.yaml:3: groups[0].options.zero-or-max-node-scaling: a list is not a value
            c.yaml:3: groups[0].options: a list is not an object with keys and values"#]],
    );
    check(
        [
            "groups:\n- max: 5\n",
            "groups:\n- id: ''\n",
            "groups:\n- id: 7\n",
            "groups:\n- {id: a, max: 1, template: {cpu: 1}}\n- id: a\n  max: 1\n  template: {cpu: 1}\n",
            "groups:\n- id: a\n  max: 5\n",
        ],
        &expect![[r#"
            c.yaml:2: groups[0].id: is missing
            c.yaml:2: groups[0].id: is empty
            c.yaml:2: groups[0].id: 7 is not a text; put it in quotes
            c.yaml:3: groups[1].id: groups[0] has the id "a" already
            c.yaml:2: groups[0].template: is missing"#]],
    );
}

#[test]
fn templates() {
    check_template(
        [
            "4cpu",
            "{}",
            "{cpu: four}",
            "{cpu: -1}",
            "{cpu: true}",
            "{cpu: 1, memory: 4GB}",
            "{cpu: 1, memory: 9e60}",
            "{cpus: 1}",
            "{cpu: 1, capacity: {memory: 1Gi}}",
            "{capacity: {cpu: [1]}}",
            "{capacity: 4}",
            "{capacity: {cpu: 2}, allocatable: {cpu: 3}}",
            "{cpu: 2, allocatable: {cpu: 2, memory: 1Gi}}",
            "{cpu: 1, labels: {a b: c}}",
            "{cpu: 1, labels: {a: b c}}",
            "{cpu: 1, labels: {a: true}}",
            "{cpu: 1, labels: [a]}",
            "{cpu: 1, taints: [{key: k, effect: Never}]}",
            "{cpu: 1, taints: [{effect: NoSchedule}]}",
            "{cpu: 1, taints: [{key: k}]}",
            "{cpu: 1, taints: {}}",
        ],
        &expect![[r#"
            c.yaml:4: groups[0].template: "4cpu" is not an object with fields
            c.yaml:4: groups[0].template: takes cpu and memory, or capacity
            c.yaml:4: groups[0].template.cpu: quantity "four" is not a number with an optional suffix
            c.yaml:4: groups[0].template.cpu: -1 is negative
            c.yaml:4: groups[0].template.cpu: true is not a quantity such as 500m or 16Gi
            c.yaml:4: groups[0].template.memory: quantity "4GB" is not a number with an optional suffix
            c.yaml:4: groups[0].template.memory: quantity "9000000000000000000000000000000000000000000E" is out of range
            c.yaml:4: groups[0].template.cpus: unknown field, did you mean cpu?
            c.yaml:4: groups[0].template.cpu: stands beside capacity; write it there
            c.yaml:4: groups[0].template.capacity[cpu]: a list is not a quantity such as 500m or 16Gi
            c.yaml:4: groups[0].template.capacity: 4 is not an object with keys and values
            c.yaml:4: groups[0].template.allocatable: 3 of cpu is more than the capacity
            c.yaml:4: groups[0].template.allocatable: 1Gi of memory is more than the capacity
            c.yaml:4: groups[0].template.labels[a b]: label key "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName', or 'my.name', or '123-abc')
            c.yaml:4: groups[0].template.labels[a]: label value "b c" must be empty or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue', or 'my_value', or '12345')
            c.yaml:4: groups[0].template.labels[a]: true is not a text; put it in quotes
            c.yaml:4: groups[0].template.labels: a list is not an object with keys and values
            c.yaml:4: groups[0].template.taints[0].effect: "Never" is not an effect, known are NoSchedule, PreferNoSchedule, NoExecute
            c.yaml:4: groups[0].template.taints[0].key: is missing
            c.yaml:4: groups[0].template.taints[0].effect: is missing
            c.yaml:4: groups[0].template.taints: an object is not a list"#]],
    );
}

#[test]
fn hostile_files_are_refused() {
    let deep = format!("groups: {}", "[".repeat(10_000));
    let aliases = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\ngroups: *c\n";
    for text in [&deep, aliases, "\u{0}", "? {a: b}\n: c\n", "!!binary x", "%YAML 9\n", "&a *a"] {
        let line = Catalogue::read("c.yaml", text).unwrap_err().to_string();
        assert_eq!(line.lines().count(), 1, "{line}");
    }
}

/// Pieces of text that have a meaning somewhere.
const PIECES: [&str; 24] = [
    "",
    "\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    ": ",
    "null",
    "true",
    "-1",
    "1e999",
    "0.5",
    "\u{0}",
    "é",
    "\n",
    "\n---\n",
    "- ",
    "&a ",
    "*a",
    "99999999999999999999",
    "-1h",
    "Gi",
    "#",
];

proptest! {
    /// A good file in which something was replaced is read, or refused in one line.
    #[test]
    fn no_file_makes_the_reader_panic(
        cuts in prop::collection::vec((any::<Index>(), 0..6_usize, select(PIECES.as_slice())), 1..4),
    ) {
        let mut letters: Vec<String> = EXAMPLE.chars().map(String::from).collect();
        for (place, length, piece) in cuts {
            let start = place.index(letters.len());
            let end = (start + length).min(letters.len());
            letters.splice(start..end, [piece.to_owned()]);
        }
        if let Err(error) = Catalogue::read("c.yaml", &letters.concat()) {
            let line = error.to_string();
            prop_assert_eq!(line.lines().count(), 1, "{}", line);
        }
    }
}
