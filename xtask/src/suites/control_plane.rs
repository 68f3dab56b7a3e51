//! The real control plane of `e2e/controlplane`, built before the first test starts: a test that waited for it would find its own cluster
//! old, and its own patience at an end.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, bail};

use super::Context;
use super::crates::{self, Of, Target};

/// Where its sources are.
const MODULE: &str = "e2e/controlplane";

/// The program of [`E2E`]'s package that builds the control plane and prints where it is.
const BUILDER: &str = "control-plane";

/// The end-to-end tests.
pub(super) const E2E: Target<'static> =
    Target { package: "plimsoll-e2e", name: "e2e", of: Of::Workspace, path: None, filter: None };

/// Builds the control plane unless the machine has it, and says where it is. What Go says goes straight to the person.
#[expect(clippy::disallowed_methods, reason = "a person wants to know how long it took")]
pub(super) fn build(context: &Context) -> anyhow::Result<PathBuf> {
    // Cargo builds the programs of a package together with its end-to-end tests, and with the features that these need.
    let built = crates::build(context, &crates::owner(context, &E2E), Some(&E2E))?;
    let builder = built
        .and_then(|mut built| built.programs.remove(BUILDER))
        .with_context(|| format!("cargo did not build {BUILDER}, see above"))?;
    println!("  building the control plane in {MODULE}, unless this machine has it");
    let begun = Instant::now();
    let output = Command::new(builder)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run the builder of the control plane")?;
    if !output.status.success() {
        bail!("the control plane cannot be built, see above");
    }
    let path = String::from_utf8(output.stdout).context("cannot read where it was built")?;
    let path = PathBuf::from(path.trim());
    println!("  the control plane is {} ({} s)", path.display(), begun.elapsed().as_secs());
    Ok(path)
}
