//! The suite of all crates: one `cargo test`, reported package by package; and suites that are one test target, kept out of it because
//! they need a tool.
//!
//! One run instead of one per package, because cargo builds shared dependencies with the features
//! of all packages it is asked for: asked for them one by one, it would build many of them again.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::Context as _;
use cargo_metadata::Message;

use super::transcript::{Owners, Transcript};
use super::{Context, Part, control_plane};
use crate::cargo;
use crate::tidy::Member;

/// How many tests with a tool run at once: they mostly wait for processes of their own, so more than there are processors.
const AT_ONCE: &str = "8";

/// One test target of one package.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target<'a> {
    /// The package's name.
    pub(super) package: &'a str,
    /// The target's own name.
    pub(super) name: &'a str,
    /// What cargo is asked to build it of.
    pub(super) of: Of,
    /// The PATH along which its tests look for programs, if it is another one than ours.
    pub(super) path: Option<&'a OsStr>,
    /// What a test has in its name to be run; all of them if nothing is said.
    pub(super) filter: Option<&'a str>,
}

/// What cargo is asked to build a test target of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// The whole workspace. Of its package alone, cargo would build much of what the suite of all crates has just built once more, with
    /// fewer features.
    Workspace,
    /// Its package: targets of others have the same name.
    Package,
}

/// What a build made.
#[derive(Debug, Default)]
pub(super) struct Built {
    /// The tests.
    pub(super) owners: Owners,
    /// Programs that are no tests, by name.
    pub(super) programs: BTreeMap<String, PathBuf>,
}

/// The packages of the workspace.
pub(super) fn names(context: &Context) -> Vec<String> {
    context.workspace.members.iter().map(|member| member.name.clone()).collect()
}

/// Builds, then tests, the packages that the command line asks for.
pub(super) fn run(context: &Context) -> Vec<Part> {
    run_targets(context, &chosen(context), None)
}

/// What a real control plane makes of the rest. It is built before the first test starts.
pub(super) fn run_e2e(context: &Context) -> Vec<Part> {
    match control_plane::build(context) {
        Ok(_) => run_target(context, &control_plane::E2E),
        Err(error) => vec![Part::failed("control plane", format!("{error:#}"))],
    }
}

/// One test target, reported by its own name.
pub(super) fn run_target(context: &Context, target: &Target<'_>) -> Vec<Part> {
    let parts = run_targets(context, &owner(context, target), Some(target));
    parts.into_iter().map(|part| Part { name: target.name.to_owned(), ..part }).collect()
}

fn run_targets(context: &Context, members: &[&Member], target: Option<&Target<'_>>) -> Vec<Part> {
    let tested = build(context, members, target).and_then(|built| match built {
        Some(built) => test(context, members, target, built.owners),
        None => Ok(vec![Part::failed("crates", "does not compile, see above".to_owned())]),
    });
    tested.unwrap_or_else(|error| vec![Part::failed("crates", format!("{error:#}"))])
}

/// All packages if the suite itself is asked for, else those that are.
fn chosen(context: &Context) -> Vec<&Member> {
    let everything = context.wants("crates");
    let members = context.workspace.members.iter();
    members.filter(|member| everything || context.wants(&member.name)).collect()
}

/// The package of a target.
pub(super) fn owner<'a>(context: &'a Context, target: &Target<'_>) -> Vec<&'a Member> {
    let members = context.workspace.members.iter();
    members.filter(|member| member.name == target.package).collect()
}

/// Compiles the tests and learns which executable belongs to which package; `None` if they do not
/// compile. What the compiler says goes straight to the person.
pub(super) fn build(
    context: &Context,
    members: &[&Member],
    target: Option<&Target<'_>>,
) -> anyhow::Result<Option<Built>> {
    let output = cargo_test(context, members, target)
        .args(["--no-run", "--message-format", "json-render-diagnostics"])
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo test")?;
    if !output.status.success() {
        return Ok(None);
    }
    let mut built = Built::default();
    for member in members {
        if let Some(library) = &member.library {
            built.owners.libraries.insert(library.clone(), member.name.clone());
        }
    }
    for message in Message::parse_stream(output.stdout.as_slice()) {
        let Message::CompilerArtifact(artifact) =
            message.context("cannot read cargo's messages")?
        else {
            continue;
        };
        let owner = members.iter().find(|member| member.id == artifact.package_id.repr);
        let (Some(owner), Some(executable)) = (owner, &artifact.executable) else { continue };
        match executable.file_name() {
            Some(name) if artifact.profile.test => {
                built.owners.executables.insert(name.to_owned(), owner.name.clone());
            }
            _ => {
                let path = executable.clone().into_std_path_buf();
                built.programs.insert(artifact.target.name.clone(), path);
            }
        }
    }
    Ok(Some(built))
}

/// Runs the tests. Cargo names the executable on stderr and the executable reports on stdout; both
/// write into one pipe, so the lines arrive in the order in which they were written.
fn test(
    context: &Context,
    members: &[&Member],
    target: Option<&Target<'_>>,
    owners: Owners,
) -> anyhow::Result<Vec<Part>> {
    let (reader, writer) = std::io::pipe().context("cannot make a pipe")?;
    let mut command = cargo_test(context, members, target);
    command.arg("--no-fail-fast");
    if let Some(filter) = target.and_then(|target| target.filter) {
        command.args(["--", filter]);
    }
    command.stdout(writer.try_clone().context("cannot share a pipe")?).stderr(writer);
    let mut child = command.spawn().context("cannot run cargo test")?;
    // It holds the writing ends; the pipe ends when the last of them is gone.
    drop(command);

    let names = members.iter().map(|member| member.name.clone());
    let mut transcript = Transcript::new(owners, names);
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).context("cannot read what cargo test prints")? > 0 {
        if let Some(heading) = transcript.read(String::from_utf8_lossy(&line).trim_end()) {
            println!("  {heading}");
        }
        line.clear();
    }
    let status = child.wait().context("cannot wait for cargo test")?;
    Ok(transcript.finish(status.success()))
}

fn cargo_test(context: &Context, members: &[&Member], target: Option<&Target<'_>>) -> Command {
    let mut command = cargo::command(&context.workspace.root);
    command.args(["test", "--color", "never"]);
    match target {
        Some(target) => {
            match target.of {
                Of::Workspace => command.arg("--workspace"),
                Of::Package => command.args(["--package", target.package]),
            };
            command.args(["--test", target.name]).env("RUST_TEST_THREADS", AT_ONCE);
            if let Some(path) = target.path {
                command.env("PATH", path);
            }
        }
        None if members.len() == context.workspace.members.len() => {
            command.arg("--workspace");
        }
        None => {
            command.args(members.iter().flat_map(|member| ["-p", member.name.as_str()]));
        }
    }
    command
}
