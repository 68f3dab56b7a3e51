//! Which rows a person gets to see: every node of a small cluster, kinds of nodes of a large one.

use plimsoll_fit::Rejection;
use plimsoll_model::Symbol;
use rustc_hash::FxHashMap;

/// So many rows are read; of more, one looks at the first few and gives up.
const READABLE: usize = 12;

/// So many names stand for a crowd.
const SAMPLE: usize = 4;

/// A row of the table: its first column, and the lines beside it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) label: String,
    pub(super) lines: Vec<String>,
}

/// A node, and what it has against the pod.
type Verdict = (Symbol, Vec<Rejection>);

/// Nodes that give the same answer.
struct Crowd<'a> {
    /// At least one.
    nodes: Vec<&'a Verdict>,
    lines: Vec<String>,
}

/// The rows for a pod.
pub(super) fn rows(nodes: &[Verdict]) -> Vec<Row> {
    if nodes.len() <= READABLE {
        let row = |(name, all): &Verdict| Row { label: name.to_string(), lines: words(all) };
        return nodes.iter().map(row).collect();
    }
    let mut crowds = gather(nodes, words);
    if crowds.len() > READABLE {
        // Amounts differ from node to node; by plugin there are few kinds.
        crowds = gather(nodes, plugins);
        crowds.iter_mut().for_each(Crowd::add_example);
    }
    crowds.into_iter().map(Crowd::into_row).collect()
}

/// Sorts nodes by what `key` says of them; a crowd stands where its first node stood.
fn gather(nodes: &[Verdict], key: impl Fn(&[Rejection]) -> Vec<String>) -> Vec<Crowd<'_>> {
    let mut crowds: Vec<Crowd<'_>> = Vec::new();
    let mut places: FxHashMap<Vec<String>, usize> = FxHashMap::default();
    for node in nodes {
        let lines = key(&node.1);
        let place = *places.entry(lines).or_insert_with_key(|lines| {
            crowds.push(Crowd { nodes: Vec::new(), lines: lines.clone() });
            crowds.len() - 1
        });
        crowds[place].nodes.push(node);
    }
    crowds
}

/// Everything that speaks against a node, a line each.
fn words(all: &[Rejection]) -> Vec<String> {
    if all.is_empty() {
        return vec!["fits".to_owned()];
    }
    let mut lines = Vec::new();
    for rejection in all {
        let plugin = rejection.plugin();
        match rejection {
            Rejection::Insufficient(shortages) => {
                lines.extend(shortages.iter().map(|shortage| format!("{plugin}: {shortage}")));
            }
            _ => lines.push(format!("{plugin}: {rejection}")),
        }
    }
    lines
}

/// The plugins alone.
fn plugins(all: &[Rejection]) -> Vec<String> {
    if all.is_empty() {
        return words(all);
    }
    let names: Vec<&str> = all.iter().map(|rejection| rejection.plugin().as_str()).collect();
    vec![names.join(", ")]
}

// === impl Crowd ===

impl Crowd<'_> {
    /// Says what one of the nodes has against the pod, in place of what each of them has.
    fn add_example(&mut self) {
        match self.nodes.as_slice() {
            [(_, all)] => self.lines = words(all),
            [(name, all), ..] if !all.is_empty() => {
                let said: Vec<String> = all.iter().map(Rejection::to_string).collect();
                self.lines.push(format!("for example {name}: {}", said.join("; ")));
            }
            _ => {}
        }
    }

    fn into_row(mut self) -> Row {
        if let [(only, _)] = self.nodes.as_slice() {
            return Row { label: only.to_string(), lines: self.lines };
        }
        let shown: Vec<&str> = self.nodes.iter().take(SAMPLE).map(|node| node.0.as_str()).collect();
        let names = shown.join(", ");
        self.lines.push(match self.nodes.len() - shown.len() {
            0 => names,
            more => format!("{names} and {more} more"),
        });
        Row { label: format!("{} nodes", self.nodes.len()), lines: self.lines }
    }
}
