//! Which modules hold tests whose inputs follow from a seed: read from the sources, so that a new one needs no list.

use std::fmt;

use crate::tidy::{Member, Workspace};

/// The variable from which tests other than those of proptest take a seed.
pub(super) const STORY_SEED: &str = "PLIMSOLL_STORY_SEED";

/// What a file has in it that makes inputs from a seed.
const SIGNS: [&str; 3] = ["proptest! {", "TestRunner::new(", STORY_SEED];

/// A module with such tests.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Module {
    /// Its package.
    pub(super) package: String,
    /// What it is compiled into.
    pub(super) target: Target,
    /// As test names begin: `wire::tests::`; empty for the root.
    pub(super) prefix: String,
}

/// A test executable of a package.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    /// The unit tests of the library.
    Library,
    /// The unit tests of a program.
    Program(String),
    /// A test target.
    Test(String),
}

/// All of them, in order.
pub(super) fn with_seeds(workspace: &Workspace) -> Vec<Module> {
    let mut modules = Vec::new();
    for file in workspace.rust_files() {
        if !SIGNS.iter().any(|sign| file.text.contains(sign)) {
            continue;
        }
        let owner = workspace.members.iter().find_map(|member| {
            let path = file.path.strip_prefix(&format!("{}/", member.directory))?;
            Some((member, path))
        });
        // These very words stand in this crate.
        modules.extend(
            owner
                .filter(|(member, _)| member.name != "xtask")
                .and_then(|(member, path)| Module::of(member, path)),
        );
    }
    modules.sort();
    modules.dedup();
    modules
}

// === impl Module ===

impl Module {
    /// The module of the file at `path` in the member's directory; none for what holds no tests.
    fn of(member: &Member, path: &str) -> Option<Self> {
        let parts: Vec<&str> = path.strip_suffix(".rs")?.split('/').collect();
        let (target, modules) = match parts.as_slice() {
            ["src", "main"] | ["src", "bin", ..] => {
                (Target::Program(member.name.clone()), [].as_slice())
            }
            ["src", "lib"] => (Target::Library, [].as_slice()),
            ["src", modules @ ..] if member.library.is_some() => (Target::Library, modules),
            ["src", modules @ ..] => (Target::Program(member.name.clone()), modules),
            ["tests", target] | ["tests", target, "main"] => {
                (Target::Test((*target).to_owned()), [].as_slice())
            }
            ["tests", target, modules @ ..] => (Target::Test((*target).to_owned()), modules),
            _ => return None,
        };
        let prefix = modules.iter().flat_map(|module| [*module, "::"]).collect();
        Some(Self { package: member.name.clone(), target, prefix })
    }
}

// === impl Target ===

impl fmt::Display for Target {
    /// As cargo's arguments name it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Library => write!(formatter, "--lib"),
            Self::Program(name) => write!(formatter, "--bin {name}"),
            Self::Test(name) => write!(formatter, "--test {name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::SourceFile;

    fn told(files: &[(&str, &str)]) -> Vec<String> {
        let member = |name: &str, directory: &str, library: Option<&str>| Member {
            name: name.to_owned(),
            directory: directory.to_owned(),
            library: library.map(str::to_owned),
            ..Member::default()
        };
        let members = vec![
            member("plimsoll-fit", "crates/fit", Some("plimsoll_fit")),
            member("plimsoll", "crates/cli", None),
            member("xtask", "xtask", Some("xtask")),
        ];
        let files = files
            .iter()
            .map(|(path, text)| SourceFile { path: (*path).into(), text: (*text).into() });
        let workspace = Workspace { members, files: files.collect(), ..Workspace::default() };
        let told = |module: &Module| {
            format!("{} {} {}", module.package, module.target, module.prefix).trim_end().to_owned()
        };
        with_seeds(&workspace).iter().map(told).collect()
    }

    #[test]
    fn modules_are_called_as_the_compiler_calls_them() {
        let text = "proptest! {\n}\n";
        let told = told(&[
            ("crates/fit/src/lib.rs", text),
            ("crates/fit/src/a/b/tests.rs", text),
            ("crates/fit/tests/suite/main.rs", text),
            ("crates/fit/tests/suite/c/d.rs", text),
            ("crates/fit/tests/plain.rs", text),
            ("crates/fit/benches/e.rs", text),
            ("crates/cli/src/run/tests.rs", text),
            ("crates/cli/src/main.rs", text),
        ]);
        assert_eq!(
            told,
            [
                "plimsoll --bin plimsoll",
                "plimsoll --bin plimsoll run::tests::",
                "plimsoll-fit --lib",
                "plimsoll-fit --lib a::b::tests::",
                "plimsoll-fit --test plain",
                "plimsoll-fit --test suite",
                "plimsoll-fit --test suite c::d::",
            ]
        );
    }

    #[test]
    fn only_what_takes_a_seed_is_chosen() {
        let told = told(&[
            ("crates/fit/src/a.rs", "use proptest::prelude::*;\n"),
            ("crates/fit/src/b.rs", "TestRunner::new(config)\n"),
            ("crates/fit/src/c.rs", "env::var(\"PLIMSOLL_STORY_SEED\")\n"),
            ("xtask/src/nightly/modules.rs", "\"PLIMSOLL_STORY_SEED\"\n"),
            ("fuzz/src/d.rs", "proptest! {\n"),
        ]);
        assert_eq!(told, ["plimsoll-fit --lib b::", "plimsoll-fit --lib c::"]);
    }
}
