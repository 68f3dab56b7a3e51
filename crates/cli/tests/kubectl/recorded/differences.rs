//! The differences that are known, and why they are there.
//!
//! ```text
//! logs 0: kubectl logs solo
//!   why: containers exist in name only, so there are no logs
//!   -Error from server: Get "https://127.0.0.1:10250/containerLogs/...
//!   +Error from server (NotImplemented): ...
//! ```

use std::{env, fmt, fs};

use super::BTreeMap;

/// What stands for a reason that nobody has given yet.
const UNEXPLAINED: &str = "nobody has said";

const HEAD: &str = "\
# What kubectl prints against this cluster and printed otherwise against a real one, and why that is so.
# Lines with - are the recording's, lines with + are ours. The list may only shrink; UPDATE_EXPECT=1 writes it anew.
";

/// By command, in the order of the play.
#[derive(Default)]
pub(super) struct Differences {
    entries: Vec<Entry>,
}

#[derive(Debug, PartialEq, Eq)]
struct Entry {
    command: String,
    why: String,
    lines: Vec<String>,
}

/// Compares what was found with what is known.
pub(super) fn judge(found: &Differences) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kubectl/differences.txt");
    let known = Differences::parse(&fs::read_to_string(path).unwrap_or_default());
    let found = found.explained_by(&known);
    if env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(path, found.to_string()).unwrap();
    }
    let mut complaints = Vec::new();
    for entry in &found.entries {
        if !known.entries.contains(entry) {
            complaints.push(format!("not in differences.txt:\n{entry}"));
        } else if entry.why == UNEXPLAINED {
            complaints.push(format!("not explained:\n{entry}"));
        }
    }
    for entry in &known.entries {
        if !found.entries.iter().any(|found| found.command == entry.command) {
            complaints.push(format!("in differences.txt, and no difference now:\n{entry}"));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

// === impl Differences ===

impl Differences {
    /// Adds what is different about a command, if anything is.
    pub(super) fn add(&mut self, command: String, lines: Vec<String>) {
        if !lines.is_empty() {
            self.entries.push(Entry { command, why: UNEXPLAINED.to_owned(), lines });
        }
    }

    /// Adds what else is different.
    pub(super) fn append(&mut self, mut other: Self) {
        self.entries.append(&mut other.entries);
    }

    fn parse(text: &str) -> Self {
        let mut entries: Vec<Entry> = Vec::new();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match (line.strip_prefix("  "), entries.last_mut()) {
                (Some(line), Some(entry)) => match line.strip_prefix("why: ") {
                    Some(why) => why.clone_into(&mut entry.why),
                    None => entry.lines.push(line.to_owned()),
                },
                _ => entries.push(Entry {
                    command: line.to_owned(),
                    why: UNEXPLAINED.to_owned(),
                    lines: Vec::new(),
                }),
            }
        }
        Self { entries }
    }

    /// The same differences, with the reasons that are known for these commands.
    fn explained_by(&self, known: &Self) -> Self {
        let reasons: BTreeMap<&str, &str> =
            known.entries.iter().map(|entry| (&*entry.command, &*entry.why)).collect();
        let entries = self.entries.iter().map(|entry| Entry {
            command: entry.command.clone(),
            why: (*reasons.get(&*entry.command).unwrap_or(&UNEXPLAINED)).to_owned(),
            lines: entry.lines.clone(),
        });
        Self { entries: entries.collect() }
    }
}

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HEAD)?;
        self.entries.iter().try_for_each(|entry| write!(f, "\n{entry}"))
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n  why: {}", self.command, self.why)?;
        self.lines.iter().try_for_each(|line| writeln!(f, "  {line}"))
    }
}
