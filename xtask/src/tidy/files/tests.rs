use super::{budget, crate_docs, no_mod_rs, properties, stubs};
use crate::tidy::Workspace;
use crate::tidy::tests::{check, files, member};

#[test]
fn a_file_may_have_700_lines_and_no_more() {
    let page = "// a line\n".repeat(700);
    let longer = "// a line\n".repeat(701);
    check(&budget(&files(&[("crates/fit/src/page.rs", &page)])), &[]);
    check(
        &budget(&files(&[("crates/fit/src/longer.rs", &longer)])),
        &["crates/fit/src/longer.rs: has 701 lines, the most is 700; split it"],
    );
}

#[test]
fn tables_and_generated_files_may_be_long() {
    let body = "// a line\n".repeat(800);
    let generated = format!("// @generated from a schema\n{body}");
    let table = format!("//! table: instance types\n{body}");
    check(&budget(&files(&[("a.rs", &generated), ("b.rs", &table), ("notes.md", &body)])), &[]);

    let marked_too_late = format!("{body}// @generated\n");
    check(
        &budget(&files(&[("c.rs", &marked_too_late)])),
        &["c.rs: has 801 lines, the most is 700; split it"],
    );
}

#[test]
fn modules_are_named_after_themselves() {
    check(&no_mod_rs(&files(&[("src/model.rs", ""), ("src/my_mod.rs", "")])), &[]);
    check(
        &no_mod_rs(&files(&[("src/model/mod.rs", "")])),
        &["src/model/mod.rs: is a mod.rs; name it after its module"],
    );
}

#[test]
fn a_crate_begins_with_what_it_is() {
    let with_root = |path: &str, text: &str| Workspace {
        members: vec![member("plimsoll-fit", &[])],
        ..files(&[(path, text)])
    };
    check(&crate_docs(&with_root("crates/fit/src/lib.rs", "//! Fit.\n")), &[]);
    check(&crate_docs(&with_root("crates/fit/src/main.rs", "\n//! Fit.\n")), &[]);
    check(
        &crate_docs(&with_root("crates/fit/src/lib.rs", "use std::fmt;\n//! Fit.\n")),
        &["crates/fit/src/lib.rs: does not begin with `//!` and what the crate is for"],
    );
    check(
        &crate_docs(&with_root("crates/fit/src/other.rs", "//! Fit.\n")),
        &["crates/fit: has neither src/lib.rs nor src/main.rs"],
    );
}

#[test]
fn nothing_is_left_undone() {
    let text =
        "fn a() {\n    todo!()\n}\n#[ignore = \"slow\"]\n// FIXME: later\nunimplemented!(\"b\")\n";
    check(
        &stubs(&files(&[("crates/fit/src/a.rs", text)])),
        &[
            "crates/fit/src/a.rs:2: contains `todo!(`",
            "crates/fit/src/a.rs:4: contains `#[ignore`",
            "crates/fit/src/a.rs:5: contains `FIXME`",
            "crates/fit/src/a.rs:6: contains `unimplemented!(`",
        ],
    );
}

#[test]
fn words_that_only_look_undone_are_fine() {
    let text = "// ignore what is done\nlet todo = ignored(list);\n";
    check(&stubs(&files(&[("crates/fit/src/a.rs", text)])), &[]);
    check(&stubs(&files(&[("xtask/src/tidy/files.rs", "\"FIXME\"")])), &[]);
}

#[test]
fn property_tests_are_not_tied_to_a_seed() {
    let text = "Config {\n    rng_seed: RngSeed::Fixed(7),\n    failure_persistence: None,\n}\n";
    let help = "; the seed comes from the environment, and what fails is kept";
    check(
        &properties(&files(&[("crates/fit/tests/a.rs", text)])),
        &[
            &format!("crates/fit/tests/a.rs:2: contains `rng_seed`{help}"),
            &format!("crates/fit/tests/a.rs:2: contains `RngSeed`{help}"),
            &format!("crates/fit/tests/a.rs:3: contains `failure_persistence`{help}"),
        ],
    );
    let text = "Config { source_file: Some(file!()), ..Config::with_cases(64) }\n";
    check(&properties(&files(&[("crates/fit/tests/a.rs", text)])), &[]);
}
