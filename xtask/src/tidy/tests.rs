//! Small workspaces built by hand, and what must hold for the list of rules as a whole.

use super::*;

/// A crate in `crates/`, with what its manifest names.
pub(super) fn member(name: &str, uses: &[&str]) -> Member {
    let directory = match name.strip_prefix("plimsoll-") {
        Some(short) => format!("crates/{short}"),
        None if name == "plimsoll" => "crates/cli".to_owned(),
        None => name.to_owned(),
    };
    Member {
        name: name.to_owned(),
        id: name.to_owned(),
        directory,
        library: None,
        uses: uses.iter().map(|used| (*used).to_owned()).collect(),
    }
}

pub(super) fn crates(members: &[(&str, &[&str])]) -> Workspace {
    Workspace {
        members: members.iter().map(|(name, uses)| member(name, uses)).collect(),
        ..Workspace::default()
    }
}

/// `links` read like `a -> b` for code and `a => b` for a build script.
pub(super) fn graph(links: &[&str]) -> Graph {
    let mut graph = Graph::default();
    let mut package = |name: &str, normal: Option<&str>, build: Option<&str>| {
        let package = graph.packages.entry(name.to_owned()).or_default();
        name.clone_into(&mut package.name);
        package.normal.extend(normal.map(str::to_owned));
        package.build.extend(build.map(str::to_owned));
    };
    for link in links {
        if let Some((user, used)) = link.split_once(" -> ") {
            package(user, Some(used), None);
            package(used, None, None);
        } else if let Some((user, used)) = link.split_once(" => ") {
            package(user, None, Some(used));
            package(used, None, None);
        } else {
            panic!("{link:?} is no link");
        }
    }
    graph
}

pub(super) fn files(files: &[(&str, &str)]) -> Workspace {
    let file = |(path, text): &(&str, &str)| SourceFile {
        path: (*path).to_owned(),
        text: (*text).to_owned(),
    };
    Workspace { files: files.iter().map(file).collect(), ..Workspace::default() }
}

/// Compares what a rule says, as it is printed.
#[track_caller]
pub(super) fn check(violations: &[Violation], expected: &[&str]) {
    let printed: Vec<String> = violations.iter().map(Violation::to_string).collect();
    assert_eq!(printed, expected);
}

#[test]
fn a_violation_is_one_line_with_its_subject_first() {
    check(&[Violation::new("crates/fit", "is wrong")], &["crates/fit: is wrong"]);
}

#[test]
fn all_rules_are_applied() {
    let mut workspace = files(&[
        ("ARCHITECTURE.md", "crates/fit\nInvariant: none\n"),
        ("README.md", "cargo xtask test"),
        ("crates/fit/src/lib.rs", "//! Fit.\n"),
    ]);
    workspace.members = vec![member("plimsoll-fit", &[])];
    check(&super::check(&workspace), &[]);

    workspace.files.clear();
    check(
        &super::check(&workspace),
        &[
            "crates/fit: has neither src/lib.rs nor src/main.rs",
            "ARCHITECTURE.md: does not exist",
            "README.md: does not exist",
        ],
    );
}
