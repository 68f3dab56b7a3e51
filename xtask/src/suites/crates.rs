//! The suite of all crates: one `cargo test`, reported package by package; and suites that are one test target, kept out of it because
//! they need a tool.
//!
//! One run instead of one per package, because cargo builds shared dependencies with the features
//! of all packages it is asked for: asked for them one by one, it would build many of them again.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use anyhow::Context as _;
use cargo_metadata::Message;

use super::transcript::{Owners, Transcript};
use super::{Context, Part};
use crate::cargo;
use crate::tidy::Member;

/// How many tests with a tool run at once: they mostly wait for processes of their own, so more than there are processors.
const AT_ONCE: &str = "8";

/// Which tests of the packages are meant.
#[derive(Clone, Copy)]
enum Targets<'a> {
    /// What cargo tests when nobody says more.
    Usual,
    /// One test target, by name, and the PATH for it if it is another one.
    One(&'static str, Option<&'a OsStr>),
}

/// The packages of the workspace.
pub(super) fn names(context: &Context) -> Vec<String> {
    context.workspace.members.iter().map(|member| member.name.clone()).collect()
}

/// Builds, then tests, the packages that the command line asks for.
pub(super) fn run(context: &Context) -> Vec<Part> {
    run_targets(context, &chosen(context), Targets::Usual)
}

/// What a real control plane makes of the rest.
pub(super) fn run_e2e(context: &Context) -> Vec<Part> {
    run_target(context, "plimsoll-e2e", "e2e", None)
}

/// One test target, reported by its own name, where programs are looked for along `path` if one is given.
pub(super) fn run_target(
    context: &Context,
    package: &str,
    target: &'static str,
    path: Option<&OsStr>,
) -> Vec<Part> {
    let members = context.workspace.members.iter();
    let owner: Vec<&Member> = members.filter(|member| member.name == package).collect();
    let parts = run_targets(context, &owner, Targets::One(target, path));
    parts.into_iter().map(|part| Part { name: target.to_owned(), ..part }).collect()
}

fn run_targets(context: &Context, members: &[&Member], targets: Targets<'_>) -> Vec<Part> {
    let tested = build(context, members, targets).and_then(|built| match built {
        Some(owners) => test(context, members, targets, owners),
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

/// Compiles the tests and learns which executable belongs to which package; `None` if they do not
/// compile. What the compiler says goes straight to the person.
fn build(
    context: &Context,
    members: &[&Member],
    targets: Targets<'_>,
) -> anyhow::Result<Option<Owners>> {
    let output = cargo_test(context, members, targets)
        .args(["--no-run", "--message-format", "json-render-diagnostics"])
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo test")?;
    if !output.status.success() {
        return Ok(None);
    }
    let mut owners = Owners::default();
    for member in members {
        if let Some(library) = &member.library {
            owners.libraries.insert(library.clone(), member.name.clone());
        }
    }
    for message in Message::parse_stream(output.stdout.as_slice()) {
        let Message::CompilerArtifact(artifact) =
            message.context("cannot read cargo's messages")?
        else {
            continue;
        };
        let owner = members.iter().find(|member| member.id == artifact.package_id.repr);
        let executable = artifact.executable.as_ref().and_then(|path| path.file_name());
        if let (Some(owner), Some(executable)) = (owner, executable) {
            owners.executables.insert(executable.to_owned(), owner.name.clone());
        }
    }
    Ok(Some(owners))
}

/// Runs the tests. Cargo names the executable on stderr and the executable reports on stdout; both
/// write into one pipe, so the lines arrive in the order in which they were written.
fn test(
    context: &Context,
    members: &[&Member],
    targets: Targets<'_>,
    owners: Owners,
) -> anyhow::Result<Vec<Part>> {
    let (reader, writer) = std::io::pipe().context("cannot make a pipe")?;
    let mut command = cargo_test(context, members, targets);
    command.arg("--no-fail-fast");
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

/// One test target is asked of the whole workspace, too: of its package alone, cargo would build much of what the suite of all
/// crates has just built once more, with fewer features.
fn cargo_test(context: &Context, members: &[&Member], targets: Targets<'_>) -> Command {
    let mut command = cargo::command(&context.workspace.root);
    command.args(["test", "--color", "never"]);
    match targets {
        Targets::One(name, path) => {
            command.args(["--workspace", "--test", name]).env("RUST_TEST_THREADS", AT_ONCE);
            if let Some(path) = path {
                command.env("PATH", path);
            }
        }
        Targets::Usual if members.len() == context.workspace.members.len() => {
            command.arg("--workspace");
        }
        Targets::Usual => {
            command.args(members.iter().flat_map(|member| ["-p", member.name.as_str()]));
        }
    }
    command
}
