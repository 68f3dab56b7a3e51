use super::{map, paths, readme};
use crate::tidy::Workspace;
use crate::tidy::tests::{check, files, member};

fn with_map(text: &str) -> Workspace {
    Workspace {
        members: vec![member("plimsoll-provider", &[]), member("xtask", &[])],
        ..files(&[("ARCHITECTURE.md", text)])
    }
}

#[test]
fn the_map_states_invariants_and_names_every_crate() {
    check(
        &map(&with_map("`crates/provider` is the contract.\nInvariant: no I/O.\nxtask: chores\n")),
        &[],
    );
}

#[test]
fn a_missing_map_is_one_violation() {
    check(&map(&Workspace::default()), &["ARCHITECTURE.md: does not exist"]);
}

#[test]
fn what_the_map_lacks_is_listed() {
    check(
        &map(&with_map("Only `crates/providers` is here. Invariant: too late in the line.\n")),
        &[
            "ARCHITECTURE.md: has no line that begins with `Invariant:`",
            "ARCHITECTURE.md: does not name `crates/provider`",
            "ARCHITECTURE.md: does not name `xtask`",
        ],
    );
}

#[test]
fn the_readme_tells_how_to_test() {
    check(&readme(&files(&[("README.md", "Run `cargo xtask test`.")])), &[]);
    check(
        &readme(&files(&[("README.md", "Run it.")])),
        &["README.md: does not say `cargo xtask test`"],
    );
    check(&readme(&files(&[])), &["README.md: does not exist"]);
}

#[test]
fn the_map_names_files_that_exist() {
    let map = ("ARCHITECTURE.md", "`crates/plan/src/pass.rs`, then `crates/plan/src/serve.rs`.");
    let there = ("crates/plan/src/pass.rs", "");
    check(
        &paths(&files(&[map, there])),
        &["ARCHITECTURE.md: names `crates/plan/src/serve.rs`, which is not there"],
    );
}
