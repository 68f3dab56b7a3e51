//! A world in a few lines of text, and the whole answer as a snapshot.
//!
//! ```text
//! group  NAME MIN..MAX AMOUNTS [$PRICE] [OPTION…] [instance ID STATE [OPTION…]]…
//! node   NAME of GROUP [OPTION…]         like the group's template; or `node NAME AMOUNTS [OPTION…]` of no group
//! pods   NAME[*COUNT] AMOUNTS [OPTION…]  labelled app=NAME; pending unless on=NODE
//! daemon NAME AMOUNTS [OPTION…]          on=NODE,NODE for those that run it already
//! template, request                      see `requests.rs`
//! flags  NAME=VALUE…                     of `plimsoll plan`
//! priorities NUMBER=PATTERN…             the priority expander's list
//! memory WHAT NAME [OPTION…]             see `memory.rs`
//! raw    {…}                             any manifest, in YAML's flow style
//! ```
//!
//! Amounts are `4cpu`, `500m` and `16Gi`. Noon is now; durations look back, unless signed. Options are listed where they are
//! read. The text becomes a scenario as `plimsoll plan` takes it, so defaults are the ones that users get.

mod daemons;
mod groups;
mod memory;
mod nodes;
mod pods;
mod requests;
mod show;
mod words;

use expect_test::Expect;
use plimsoll_model::{Order, ScaleUp, SignedDuration, World};
use plimsoll_plan::{Plan, plan};
use serde_json::{Map, Value, json};

use self::{groups::Groups, words::Words};

/// Plans the fixture and compares the whole answer.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "so that `expect![…]` stands alone")]
pub(crate) fn check(fixture: &str, expected: Expect) {
    let world = world(fixture);
    expected.assert_eq(&show::show(&plan(&world)));
}

/// Plans one fixture after the other, each so many minutes after noon and with what the ones before it remember. Compares the
/// last answer.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "so that `expect![…]` stands alone")]
pub(crate) fn check_passes(passes: &[(i64, &str)], expected: Expect) {
    let plan = last_of(passes);
    expected.assert_eq(&show::show(&plan));
}

/// The last plan of a series.
#[track_caller]
pub(crate) fn last_of(passes: &[(i64, &str)]) -> Plan {
    let mut last: Option<(Plan, Vec<Order<ScaleUp>>)> = None;
    for (minutes, fixture) in passes {
        let mut world = world(fixture);
        world.now += SignedDuration::from_mins(*minutes);
        if let Some((last, orders)) = last {
            (world.memory, world.orders) = (last.memory, orders);
        }
        let plan = plan(&world);
        let orders = plan.orders_after(&world);
        last = Some((plan, orders));
    }
    last.unwrap().0
}

/// The whole answer in words.
pub(crate) fn show(plan: &Plan) -> String {
    show::show(plan)
}

/// The world that a fixture describes.
#[track_caller]
pub(crate) fn world(fixture: &str) -> World {
    let text = Draft::read(fixture).text();
    match plimsoll_manifest::scenario::read(&text) {
        Ok(world) => world,
        Err(error) => panic!("{error}\n{fixture}\n{text}"),
    }
}

/// A scenario under construction.
#[derive(Debug, Default)]
struct Draft {
    groups: Groups,
    objects: Vec<Value>,
    raw: Vec<String>,
    flags: Map<String, Value>,
    memory: Map<String, Value>,
}

// === impl Draft ===

impl Draft {
    fn read(fixture: &str) -> Self {
        let mut draft = Self::default();
        let lines = fixture.lines().map(str::trim).filter(|line| !line.is_empty());
        for line in lines {
            let mut words = Words::new(line);
            match words.take() {
                "group" => draft.groups.add(line),
                "node" => {
                    let node = nodes::node(&mut words, &mut draft.groups);
                    draft.objects.push(node);
                }
                "pods" => draft.objects.extend(pods::pods(&mut words)),
                "daemon" => draft.objects.extend(daemons::daemon(&mut words)),
                "template" => draft.objects.push(requests::template(&mut words)),
                "request" => draft.objects.push(requests::request(&mut words)),
                "flags" => {
                    for (name, value) in words.options() {
                        flag(&mut draft.flags, name, value);
                    }
                }
                "priorities" => draft.objects.push(priorities(&words)),
                "memory" => memory::remember(&mut words, &mut draft.memory),
                "raw" => draft.raw.push(line.trim_start_matches("raw").to_owned()),
                other => panic!("what is {other}? {line}"),
            }
        }
        draft
    }

    fn text(&self) -> String {
        let objects = self.objects.iter().map(Value::to_string).chain(self.raw.iter().cloned());
        let objects = objects.collect::<Vec<_>>().join(",\n");
        let document = format!(
            "{{\"now\":\"{}\",\"flags\":{},\"groups\":{},\"memory\":{},\"objects\":[{objects}]}}",
            words::ago("0s"),
            Value::Object(self.flags.clone()),
            self.groups.json(),
            Value::Object(self.memory.clone()),
        );
        // What is not JSON has to look like YAML from the start.
        if self.raw.is_empty() { document } else { format!("# written by hand\n{document}") }
    }
}

/// A flag that stands more than once has all its values.
fn flag(flags: &mut Map<String, Value>, name: &str, value: &str) {
    match flags.get_mut(name) {
        None => drop(flags.insert(name.to_owned(), json!(value))),
        Some(Value::Array(values)) => values.push(json!(value)),
        Some(first) => *first = json!([first.clone(), value]),
    }
}

/// The priority expander's list, in the ConfigMap that it is read from.
fn priorities(words: &Words<'_>) -> Value {
    let entries = words.options().map(|(number, pattern)| format!("{number}:\n- {pattern}\n"));
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"namespace": "kube-system", "name": "cluster-autoscaler-priority-expander"},
        "data": {"priorities": entries.collect::<String>()},
    })
}
