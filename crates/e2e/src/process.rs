//! A program that runs beside a test and ends with it.

use std::{
    ffi::OsStr,
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use anyhow::{Context as _, Result};

/// How much of a program's output is shown when it fails.
const TAIL: usize = 4000;

/// A running program. Dropped, it is killed, and gone when the drop is done.
///
/// Its standard input is a pipe that nobody writes to and that ends with this process, however that ends: a program that stops when
/// its input ends does not outlive a test that was killed.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    log: PathBuf,
}

/// Whether a process of this machine waits for something, with all its threads: nothing that it was asked is still to be done.
pub fn is_idle(process: u32) -> bool {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return true };
    threads.flatten().all(|thread| {
        // `12 (name of the thread) S 1 ...`: it sleeps, where `R` runs or could, and `D` waits for a disk.
        let told = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        let state = told.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
        !matches!(state, Some('R' | 'D'))
    })
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
        command.args(arguments).current_dir(directory);
        command.stdin(Stdio::piped()).stdout(output).stderr(errors);
        let child = command.spawn().with_context(|| format!("cannot start {name}"))?;
        Ok(Self { name: name.to_owned(), child, log })
    }

    /// Its number among the processes of the machine.
    pub fn id(&self) -> u32 {
        self.child.id()
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

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
