//! `tidy` against a real, tiny cargo workspace: what cargo metadata says arrives at the rules.

use std::fs;
use std::io;
use std::path::Path;

use xtask::tidy::{Workspace, check};

fn write(root: &Path, path: &str, text: &str) -> io::Result<()> {
    let path = root.join(path);
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    fs::write(path, text)
}

fn write_package(root: &Path, directory: &str, name: &str, dependencies: &str) -> io::Result<()> {
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dependencies]\n{dependencies}"
    );
    write(root, &format!("{directory}/Cargo.toml"), &manifest)?;
    write(root, &format!("{directory}/src/lib.rs"), "//! Nothing.\n")
}

/// The packages called `foo` and `tokio` lie beside the workspace and come from no registry.
fn write_workspace(root: &Path, dependencies_of_fit: &str) -> io::Result<()> {
    write(
        root,
        "Cargo.toml",
        "[workspace]\nresolver = \"3\"\nmembers = [\"crates/*\"]\nexclude = [\"foreign\"]\n",
    )?;
    write(root, "ARCHITECTURE.md", "crates/fit\nInvariant: none.\n")?;
    write(root, "README.md", "cargo xtask test\n")?;
    write(root, "target/debug/mod.rs", "// A violation, were it not built output.\n")?;
    write(root, "target/CACHEDIR.TAG", "")?;
    write_package(root, "crates/fit", "plimsoll-fit", dependencies_of_fit)?;
    write_package(root, "foreign/foo", "foo", "tokio = { path = \"../tokio\" }\n")?;
    write_package(root, "foreign/tokio", "tokio", "")
}

fn violations(dependencies_of_fit: &str) -> anyhow::Result<Vec<String>> {
    let root = tempfile::tempdir()?;
    write_workspace(root.path(), dependencies_of_fit)?;
    let workspace = Workspace::read(root.path(), &["--offline"])?;
    Ok(check(&workspace).iter().map(ToString::to_string).collect())
}

#[test]
fn a_runtime_in_the_core_is_found_with_the_way_to_it() -> anyhow::Result<()> {
    assert_eq!(
        violations("tokio = { path = \"../../foreign/tokio\" }\n")?,
        ["plimsoll-fit: must not reach tokio: plimsoll-fit → tokio"]
    );
    assert_eq!(
        violations("foo = { path = \"../../foreign/foo\" }\n")?,
        ["plimsoll-fit: must not reach tokio: plimsoll-fit → foo → tokio"]
    );
    Ok(())
}

#[test]
fn tests_and_build_scripts_of_the_core_are_not_the_core() -> anyhow::Result<()> {
    let for_tests = "\n[dev-dependencies]\ntokio = { path = \"../../foreign/tokio\" }\n";
    assert_eq!(violations(for_tests)?, [""; 0]);
    let for_build = "\n[build-dependencies]\ntokio = { path = \"../../foreign/tokio\" }\n";
    assert_eq!(violations(for_build)?, [""; 0]);
    Ok(())
}

#[test]
fn this_workspace_is_read_whole() -> anyhow::Result<()> {
    let workspace = Workspace::read(Path::new(env!("CARGO_MANIFEST_DIR")), &[])?;
    let chores = workspace.members.iter().find(|member| member.name == "xtask");
    assert!(chores.is_some_and(|member| member.directory == "xtask"));
    let is_shipped = |name: &str| workspace.shipped.iter().any(|package| package.name == name);
    assert!(is_shipped("plimsoll-control") && is_shipped("tokio") && !is_shipped("xtask"));
    assert!(workspace.files.iter().any(|file| file.path == "xtask/tests/real_workspace.rs"));
    assert!(workspace.files.iter().all(|file| !file.path.starts_with("target/")));
    Ok(())
}

#[test]
fn cargo_gives_property_tests_a_seed() {
    let seed = std::env::var("PROPTEST_RNG_SEED").ok();
    assert!(
        seed.is_some_and(|seed| seed.parse::<u64>().is_ok()),
        "`.cargo/config.toml` fixes the seed"
    );
}
