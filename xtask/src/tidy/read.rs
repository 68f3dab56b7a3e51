//! Reads a [`Workspace`] from cargo and from the tree. The only part of `tidy` that does I/O.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, TargetKind};

use super::{Graph, Member, Package, Shipped, SourceFile, Workspace};
use crate::cargo;

/// The package of the program that is shipped.
const PROGRAM: &str = "plimsoll";

/// What stands after the name of a package and after its features; neither contains it.
const MARK: char = '|';

impl Workspace {
    /// The workspace around `directory`. `cargo_options` go to `cargo metadata`, e.g. `--offline`.
    pub fn read(directory: &Path, cargo_options: &[&str]) -> anyhow::Result<Self> {
        let metadata = metadata(directory, cargo_options)?;
        let root = metadata.workspace_root.clone().into_std_path_buf();
        let mut files = Vec::new();
        collect_files(&root, &root, &mut files)?;
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let (members, graph) = (members(&metadata)?, graph(&metadata)?);
        let mut shipped = Vec::new();
        if members.iter().any(|member| member.name == PROGRAM) {
            shipped = read_shipped(&root, cargo_options)?;
        }
        Ok(Self { root, members, graph, shipped, files })
    }
}

/// Asks for this host's dependencies only: those of other systems may not be downloaded, and a
/// build here does not compile them.
fn metadata(directory: &Path, cargo_options: &[&str]) -> anyhow::Result<Metadata> {
    let output = cargo::command(directory)
        .args(["metadata", "--format-version", "1", "--filter-platform", "host-tuple"])
        .args(cargo_options)
        .output()
        .context("cannot run cargo metadata")?;
    if !output.status.success() {
        bail!("cargo metadata failed\n{}", String::from_utf8_lossy(&output.stderr).trim_end());
    }
    let text = String::from_utf8(output.stdout).context("cargo metadata printed no UTF-8")?;
    MetadataCommand::parse(text).context("cannot understand cargo metadata")
}

/// What the program is built of without default features. Cargo's metadata would not do: it unites the features of all crates and their
/// tests.
fn read_shipped(root: &Path, cargo_options: &[&str]) -> anyhow::Result<Vec<Shipped>> {
    let output = cargo::command(root)
        .args(["tree", "--package", PROGRAM, "--no-default-features", "--edges", "normal"])
        .args(["--prefix", "none", "--format", &format!("{{p}}{MARK}{{f}}{MARK}")])
        .args(cargo_options)
        .output()
        .context("cannot run cargo tree")?;
    if !output.status.success() {
        bail!("cargo tree failed\n{}", String::from_utf8_lossy(&output.stderr).trim_end());
    }
    let text = String::from_utf8(output.stdout).context("cargo tree printed no UTF-8")?;
    let mut packages = BTreeMap::new();
    for line in text.lines() {
        let mut parts = line.split(MARK);
        let (package, features) = (parts.next().unwrap_or_default(), parts.next());
        let features = features.with_context(|| format!("cannot understand cargo tree: {line}"))?;
        let name = package.split(' ').next().unwrap_or_default();
        let features = features.split(',').map(str::to_owned).collect();
        // What comes again is the same with a mark that it has come before.
        packages.insert(package, Shipped { name: name.to_owned(), features });
    }
    Ok(packages.into_values().collect())
}

fn members(metadata: &Metadata) -> anyhow::Result<Vec<Member>> {
    metadata
        .workspace_packages()
        .into_iter()
        .map(|package| {
            let directory = package
                .manifest_path
                .parent()
                .and_then(|directory| directory.strip_prefix(&metadata.workspace_root).ok())
                .with_context(|| format!("package {} lies outside the workspace", package.name))?;
            let library = package
                .targets
                .iter()
                .find(|target| target.is_lib() || target.is_kind(TargetKind::ProcMacro));
            Ok(Member {
                name: package.name.to_string(),
                id: package.id.repr.clone(),
                directory: with_forward_slashes(directory.as_std_path()),
                library: library.map(|target| target.name.replace('-', "_")),
                uses: package.dependencies.iter().map(|used| used.name.clone()).collect(),
            })
        })
        .collect()
}

fn graph(metadata: &Metadata) -> anyhow::Result<Graph> {
    let names: BTreeMap<_, _> =
        metadata.packages.iter().map(|package| (&package.id, package.name.to_string())).collect();
    let resolve = metadata.resolve.as_ref().context("cargo metadata resolved no dependencies")?;
    let packages = resolve.nodes.iter().map(|node| {
        let ids_of = |kind: DependencyKind| {
            node.deps
                .iter()
                .filter(|link| link.dep_kinds.iter().any(|info| info.kind == kind))
                .map(|link| link.pkg.repr.clone())
                .collect()
        };
        let package = Package {
            name: names.get(&node.id).cloned().unwrap_or_default(),
            normal: ids_of(DependencyKind::Normal),
            build: ids_of(DependencyKind::Build),
        };
        (node.id.repr.clone(), package)
    });
    Ok(Graph { packages: packages.collect() })
}

/// Rust files anywhere, Markdown at the root and in `docs`. Hidden directories and cargo's output are left out;
/// the latter is known by the tag that cargo puts there, since a module may be called `target`.
fn collect_files(root: &Path, directory: &Path, files: &mut Vec<SourceFile>) -> anyhow::Result<()> {
    let unreadable = || format!("cannot read {}", directory.display());
    for entry in fs::read_dir(directory).with_context(unreadable)? {
        let entry = entry.with_context(unreadable)?;
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type().with_context(unreadable)?.is_dir() {
            if !name.starts_with('.') && !path.join("CACHEDIR.TAG").exists() {
                collect_files(root, &path, files)?;
            }
            continue;
        }
        let extension = path.extension().and_then(|extension| extension.to_str());
        let is_wanted = match extension {
            Some("rs") => true,
            Some("md") => directory == root || directory == root.join("docs"),
            _ => false,
        };
        if is_wanted {
            let text = fs::read_to_string(&path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            let path = with_forward_slashes(path.strip_prefix(root).unwrap_or(&path));
            files.push(SourceFile { path, text });
        }
    }
    Ok(())
}

fn with_forward_slashes(path: &Path) -> String {
    path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}
