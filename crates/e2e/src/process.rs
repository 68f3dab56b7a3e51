//! A program that runs beside a test and ends with it.

use std::{
    ffi::OsStr,
    fs::{self, File},
    path::{Path, PathBuf},
    process::Stdio,
};

use anyhow::{Context as _, Result};
use tokio::process::{Child, Command};

/// How much of a program's output is shown when it fails.
const TAIL: usize = 4000;

/// A running program. Dropped, it is killed.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    log: PathBuf,
}

// === impl Process ===

impl Process {
    /// Starts `program`; what it prints goes to `NAME.log` in `directory`.
    pub fn start<A: AsRef<OsStr>>(
        name: &str,
        program: &Path,
        arguments: impl IntoIterator<Item = A>,
        directory: &Path,
    ) -> Result<Self> {
        let log = directory.join(format!("{name}.log"));
        let output = File::create(&log).context("cannot make a log file")?;
        let errors = output.try_clone().context("cannot share a log file")?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(directory).kill_on_drop(true);
        command.stdin(Stdio::null()).stdout(output).stderr(errors);
        let child = command.spawn().with_context(|| format!("cannot start {name}"))?;
        Ok(Self { name: name.to_owned(), child, log })
    }

    /// Its number among the processes of the machine.
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits until it ends by itself, and says whether all went well.
    pub async fn wait(&mut self) -> Result<bool> {
        Ok(self
            .child
            .wait()
            .await
            .with_context(|| format!("cannot wait for {}", self.name))?
            .success())
    }

    /// Kills it, and waits until it is gone.
    pub async fn kill(&mut self) -> Result<()> {
        self.child.kill().await.with_context(|| format!("cannot kill {}", self.name))
    }

    /// An error if it has ended.
    pub fn check(&mut self) -> Result<()> {
        match self.child.try_wait().with_context(|| format!("cannot look at {}", self.name))? {
            None => Ok(()),
            Some(status) => anyhow::bail!("{} ended with {status}: {}", self.name, self.output()),
        }
    }

    /// The last of what it has printed.
    pub fn output(&self) -> String {
        let text = fs::read(&self.log).unwrap_or_default();
        let tail = text.get(text.len().saturating_sub(TAIL)..).unwrap_or_default();
        String::from_utf8_lossy(tail).into_owned()
    }
}
