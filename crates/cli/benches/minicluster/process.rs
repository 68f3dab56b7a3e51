//! The cluster's process, and what it uses.

use std::{
    fmt, fs,
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::Duration,
};

use tempfile::TempDir;
use tokio::time::Instant;

/// How many of the kernel's ticks a second has.
const TICKS: u64 = 100;
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// A running cluster. It ends with this.
pub(super) struct Process {
    child: Child,
    folder: TempDir,
}

/// What a process uses from a moment on: time, processors, and the most memory that it had.
pub(super) struct Meter {
    id: u32,
    began: Instant,
    ticks: u64,
    resident: u64,
}

// === impl Process ===

impl Process {
    /// A cluster of so many nodes.
    pub(super) fn start(nodes: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
            .current_dir(folder.path())
            .args(["minicluster", "--kubeconfig=kubeconfig", &format!("--nodes={nodes}")])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        Self { child, folder }
    }

    /// Its kubeconfig, as soon as it is there.
    pub(super) async fn kubeconfig(&self) -> PathBuf {
        let path = self.folder.path().join("kubeconfig");
        // It ends with the key.
        while !fs::read_to_string(&path).is_ok_and(|text| text.contains("client-key-data")) {
            tokio::time::sleep(LOOK_EVERY).await;
        }
        path
    }

    /// Begins to measure.
    pub(super) fn meter(&self) -> Meter {
        let id = self.child.id();
        // The most memory that the process had is forgotten.
        fs::write(format!("/proc/{id}/clear_refs"), "5").unwrap();
        Meter { id, began: Instant::now(), ticks: ticks(id), resident: memory(id, "VmRSS:") }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

// === impl Meter ===

impl Meter {
    pub(super) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }
}

impl fmt::Display for Meter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let used = Duration::from_millis((ticks(self.id) - self.ticks) * 1_000 / TICKS);
        let (before, most) = (self.resident >> 10, memory(self.id, "VmHWM:") >> 10);
        write!(
            f,
            "{:.1?}; memory {before} MiB before, {most} MiB at most; {used:.1?} of processors",
            self.elapsed()
        )
    }
}

/// A line of what the kernel says of a process, in KiB.
fn memory(id: u32, name: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// How long processors have worked for a process.
fn ticks(id: u32) -> u64 {
    let line = fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
    // The name stands in brackets and may have spaces in it.
    let rest = line.rsplit_once(')').unwrap().1;
    let numbers: Vec<&str> = rest.split_whitespace().collect();
    let [user, system] = [numbers[11], numbers[12]].map(|number| number.parse::<u64>().unwrap());
    user + system
}
