//! What the autoscaler must never do, tried end to end: the tests of the modules `harm`, on the embedded cluster and on a real control
//! plane. Both are part of other suites, so this one runs only when it is asked for.

use super::crates::{self, Of, Target};
use super::{Context, Part, Tally, control_plane};

/// As tests are called that belong to it.
const MODULE: &str = "harm::";

/// On the embedded cluster.
const EMBEDDED: Target<'static> = Target {
    package: "plimsoll-control",
    name: "suite",
    of: Of::Package,
    path: None,
    filter: Some(MODULE),
};

/// On a real control plane.
const REAL: Target<'static> = Target { filter: Some(MODULE), ..control_plane::E2E };

/// Runs those on the embedded cluster.
pub(super) fn run_embedded(context: &Context) -> Vec<Part> {
    named("harm (embedded)", crates::run_target(context, &EMBEDDED))
}

/// Builds a real control plane, and runs those on it.
pub(super) fn run_real(context: &Context) -> Vec<Part> {
    match control_plane::build(context) {
        Ok(_) => named("harm (real)", crates::run_target(context, &REAL)),
        Err(error) => vec![Part::failed("control plane", format!("{error:#}"))],
    }
}

/// Parts under one name. One in which no test ran is a failure: nobody would notice that a promise is no longer tested.
fn named(name: &str, parts: Vec<Part>) -> Vec<Part> {
    let renamed = parts.into_iter().map(|part| match part.tally {
        Tally { passed: 0, failed: 0, .. } => {
            Part::failed(name, format!("no test has {MODULE} in its name"))
        }
        _ => Part { name: name.to_owned(), ..part },
    });
    renamed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suite_without_tests_fails() {
        let part = |passed| Part {
            name: "suite".to_owned(),
            tally: Tally { passed, ..Tally::default() },
            details: String::new(),
        };
        let parts = named("harm (real)", vec![part(3), part(0)]);
        let told: Vec<_> =
            parts.iter().map(|part| format!("{}: {}", part.name, part.tally)).collect();
        assert_eq!(
            told,
            [
                "harm (real): 3 passed, 0 failed, 0 skipped",
                "harm (real): 0 passed, 1 failed, 0 skipped"
            ]
        );
    }
}
