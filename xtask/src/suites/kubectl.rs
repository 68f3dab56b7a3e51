//! What kubectl sees of the embedded cluster: the kubectl on the PATH, or else that of the real control plane.

use std::ffi::OsString;
use std::path::PathBuf;
use std::{env, fs};

use anyhow::Context as _;

use super::crates::{self, Of, Target};
use super::{Context, Part, control_plane};

/// As it is looked up on the PATH.
pub(super) const KUBECTL: &str = "kubectl";

/// Runs the tests, and builds a kubectl first where there is none.
pub(super) fn run(context: &Context) -> Vec<Part> {
    let path = if super::is_on_the_path(KUBECTL) { Ok(None) } else { built(context).map(Some) };
    match path {
        Ok(path) => {
            let (of, path) = (Of::Workspace, path.as_deref());
            let target = Target { package: "plimsoll", name: KUBECTL, of, path, filter: None };
            crates::run_target(context, &target)
        }
        Err(error) => {
            let problem = format!("{KUBECTL} is not on the PATH, and cannot be built: {error:#}");
            vec![Part::failed(KUBECTL, problem)]
        }
    }
}

/// A PATH with the kubectl that is part of the control plane's executable: it is what the name says that it is called by.
fn built(context: &Context) -> anyhow::Result<OsString> {
    let executable = control_plane::build(context)?;
    let folder = executable.parent().context("cannot see where it was built")?.join("links");
    fs::create_dir_all(&folder).context("cannot make a directory for kubectl")?;
    let link = folder.join(KUBECTL);
    if !link.exists() {
        std::os::unix::fs::symlink(&executable, &link).context("cannot call it kubectl")?;
    }
    let others = env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder).chain(env::split_paths(&others));
    env::join_paths(folders.collect::<Vec<PathBuf>>()).context("cannot put it on the PATH")
}
