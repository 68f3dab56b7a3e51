//! Whether a command ended as recorded.

use super::{Done, Exit, Recorded, normal};

/// What of the output must be the same.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Every line, in this order.
    Lines,
    /// The same lines, each once, in any order: what happened at the same time is told in any order.
    Set,
    /// The same, but for the steps of a rollout: which of them are told one by one and which are combined is a matter of luck.
    Description,
    /// The last line: what comes before depends on how fast things went.
    Last,
    /// Lines that the recording has too; it may have more, because the real server has more kinds.
    Part,
    /// What the server says of itself; what kubectl says of itself depends on the machine.
    Server,
    /// A document up to its status, which is the work of another fake kubelet.
    Document,
}

/// How commands are compared that are not compared line by line: the first that a command begins with.
const FORMS: &[(&str, Form)] = &[
    ("kubectl version", Form::Server),
    // Replica sets are in the order of their hashes, which are made in another way.
    ("kubectl get all", Form::Set),
    ("kubectl get deploy,rs,svc", Form::Set),
    // Which of the pods that wait are on the node by then is a matter of luck.
    ("kubectl drain kn-${run}-b --ignore-daemonsets --disable-eviction", Form::Last),
    ("kubectl api-versions", Form::Part),
    ("kubectl api-resources -", Form::Lines),
    ("kubectl api-resources", Form::Part),
    ("kubectl delete rs", Form::Set),
    ("kubectl delete pod", Form::Set),
    ("kubectl describe", Form::Description),
    // From 1.36 on it asks again and again.
    ("kubectl logs -f", Form::Set),
    ("kubectl drain", Form::Set),
    ("kubectl events", Form::Set),
    ("kubectl get events", Form::Set),
    ("kubectl get nodes -o json ", Form::Document),
    ("kubectl get pods -o json", Form::Document),
    ("kubectl get pods -o yaml", Form::Document),
    ("kubectl rollout status", Form::Last),
];

/// Which of two pods that are alike is on which node is a matter of luck, for their names are.
const ANYWHERE: &str = "kubectl get pods -o ";

/// What is different: lines with `-` are only in the recording, lines with `+` only here.
pub(super) fn compare(recorded: &Recorded, done: &Done) -> Vec<String> {
    let mut differences = Vec::new();
    if let Exit::Code(code) = recorded.exit
        && done.exit != Some(code)
    {
        differences.push(format!("-exit {code}"));
        differences.push(format!("+exit {}", done.exit.unwrap_or(-1)));
    }
    let form = FORMS.iter().find(|(start, _)| recorded.command.starts_with(start));
    let form = form.map_or(Form::Lines, |(_, form)| *form);
    let anywhere = recorded.command.starts_with(ANYWHERE);
    let place = |text: &str| {
        if anywhere { text.replace("kn-${run}-b", "kn-${run}-a") } else { text.to_owned() }
    };
    differences.extend(form.compare(&place(&recorded.stdout), &place(&done.stdout)));
    // A watch that is stopped has nothing to say, and of versions kubectl complains as its own is.
    if matches!(recorded.exit, Exit::Code(_)) && form != Form::Server {
        differences.extend(form.compare(&recorded.stderr, &done.stderr));
    }
    differences
}

// === impl Form ===

impl Form {
    fn compare(self, there: &str, here: &str) -> Vec<String> {
        let (there, here) = (self.lines(there), self.lines(here));
        let missing = without(&there, &here);
        let extra = without(&here, &there);
        let missing = missing.iter().filter(|_| self != Self::Part).map(|line| format!("-{line}"));
        let extra = extra.iter().map(|line| format!("+{line}"));
        let differences: Vec<String> = missing.chain(extra).collect();
        if differences.is_empty() && self != Self::Part && there != here {
            return vec!["~the lines come in another order".to_owned()];
        }
        differences
    }

    fn lines(self, text: &str) -> Vec<String> {
        let text = normal(text);
        let mut lines: Vec<String> = text.lines().map(in_order).collect();
        match self {
            Self::Lines | Self::Part => {}
            Self::Set | Self::Description => {
                if self == Self::Description {
                    lines.retain(|line| !line.contains(" ScalingReplicaSet <age> "));
                }
                lines.sort();
                lines.dedup();
            }
            Self::Server => {
                let start =
                    lines.iter().position(|line| line.contains("erver") && line.contains("ersion"));
                lines.drain(..start.unwrap_or(lines.len()));
            }
            Self::Last => lines = lines.pop().into_iter().collect(),
            Self::Document => {
                let is_status = |line: &String| {
                    line.trim_start().trim_matches(['"', '{', ' ', ':']) == "status"
                };
                let end = lines.iter().position(is_status).unwrap_or(lines.len());
                lines.truncate(end);
            }
        }
        lines
    }
}

/// What a drain warns of and complains about is in any order within a line; it is sorted.
fn in_order(line: &str) -> String {
    let sorted = |list: &str, separator: &str| {
        let mut parts: Vec<&str> = list.split(separator).collect();
        parts.sort_unstable();
        parts.join(separator)
    };
    if let Some(warnings) = line.strip_prefix("Warning: ") {
        return format!("Warning: {}", sorted(warnings, "; "));
    }
    let list = line.split_once(" due to error: [").and_then(|(start, rest)| {
        let (list, end) = rest.split_once(']')?;
        Some(format!("{start} due to error: [{}]{end}", sorted(list, ", ")))
    });
    list.unwrap_or_else(|| line.to_owned())
}

/// The lines that are not in `others`, each as often as it is more often here.
fn without(lines: &[String], others: &[String]) -> Vec<String> {
    let mut others: Vec<&String> = others.iter().collect();
    let mut left = Vec::new();
    for line in lines {
        match others.iter().position(|other| *other == line) {
            Some(index) => {
                others.swap_remove(index);
            }
            None => left.push(line.clone()),
        }
    }
    left
}
