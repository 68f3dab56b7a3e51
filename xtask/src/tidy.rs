//! The rules of the code base that the compiler does not know.
//!
//! A [`Workspace`] is read once; each rule is a pure function from it to violations.

use std::fmt;

mod architecture;
mod files;
mod lab;
mod layers;
mod promises;
mod reach;
mod read;
mod workspace;

pub use self::workspace::{Graph, Member, Package, Shipped, SourceFile, Workspace};

/// One line of complaint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The crate or the path, with a line number where there is one.
    pub subject: String,
    /// What is wrong, and what to do where that is not plain.
    pub problem: String,
}

/// A rule, as an entry in [`RULES`].
#[derive(Debug)]
pub struct Rule {
    /// What holds when the rule is kept.
    pub name: &'static str,
    /// Every place where it is not.
    pub check: fn(&Workspace) -> Vec<Violation>,
}

/// All rules, in the order in which their violations are printed.
pub const RULES: &[Rule] = &[
    Rule { name: "crates use only crates below them", check: layers::direction },
    Rule { name: "the core reaches no runtime", check: reach::purity },
    Rule { name: "kube, tonic and clap stay in their crates", check: reach::ownership },
    Rule { name: "the build needs no cmake", check: reach::refused },
    Rule { name: "the lab is not shipped", check: lab::shipped },
    Rule { name: "files are short", check: files::budget },
    Rule { name: "no mod.rs", check: files::no_mod_rs },
    Rule { name: "every crate says what it is", check: files::crate_docs },
    Rule { name: "no stubs", check: files::stubs },
    Rule { name: "property tests take any seed and keep what they find", check: files::properties },
    Rule { name: "ARCHITECTURE.md maps the code", check: architecture::map },
    Rule { name: "ARCHITECTURE.md names files that exist", check: architecture::paths },
    Rule { name: "every promise of safety has its test", check: promises::tested },
    Rule { name: "README.md names the test command", check: architecture::readme },
];

/// Every violation of every rule.
pub fn check(workspace: &Workspace) -> Vec<Violation> {
    RULES.iter().flat_map(|rule| (rule.check)(workspace)).collect()
}

// === impl Violation ===

impl Violation {
    fn new(subject: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { subject: subject.into(), problem: problem.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.subject, self.problem)
    }
}

#[cfg(test)]
mod tests;
