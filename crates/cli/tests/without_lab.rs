//! The program as it is shipped, without the lab: what it says when it is asked for it.
//!
//! Only `cargo test --package plimsoll --no-default-features` has something to test here.

#![cfg(not(feature = "lab"))]
#![expect(clippy::unwrap_used, reason = "a test stops where it is surprised")]

use std::process::Command;

/// What the program says on the standard error, and how it ends.
fn refused(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_plimsoll")).args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_command_of_the_lab_is_refused_with_what_to_do() {
    for arguments in [
        &["demo"][..],
        &["demo", "--help"],
        &["minicluster", "--nodes=3"],
        &["emulate", "slicer", "--config", "hosts.yaml"],
    ] {
        let name = arguments[0];
        assert_eq!(
            refused(arguments),
            format!(
                "error: this build has no lab; `plimsoll {name}` is part of it\n  help: build plimsoll with the feature `lab`, which is on by default: cargo build --release\n"
            )
        );
    }
}

#[test]
fn help_does_not_offer_what_is_not_there() {
    let output = Command::new(env!("CARGO_BIN_EXE_plimsoll")).arg("--help").output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    assert!(help.contains("  run ") && help.contains("  provider "), "{help}");
    assert!(!help.contains("demo") && !help.contains("emulate"), "{help}");
}

#[test]
fn the_simulated_infrastructure_is_refused_before_its_file_is_read() {
    let line = refused(&["run", "--cloud-provider=simulated", "--cloud-config=absent.yaml"]);
    assert_eq!(
        line,
        "error: this build has no lab; the simulated infrastructure is part of it\n  help: build plimsoll with the feature `lab`, or choose another infrastructure\n"
    );
}
