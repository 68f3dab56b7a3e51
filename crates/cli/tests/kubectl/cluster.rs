//! A cluster in a process of its own, and kubectl to talk to it.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdout, Command, Stdio},
    thread,
    time::Duration,
};

use tempfile::TempDir;

/// How often something is looked at that comes about by itself, before the test gives up on it: a busy machine may take its time.
const LOOKS: u32 = 1200;
/// And how long it is left alone in between.
const PAUSE: Duration = Duration::from_millis(100);
/// How often one looks at something that should stay as it is.
const LOOKS_AT_NOTHING: u32 = 10;

/// A running cluster. It ends with the test, however that ends.
pub(super) struct Cluster {
    process: Child,
    /// Kept open, because the cluster ends when it cannot say what it has to say.
    _stdout: BufReader<ChildStdout>,
    /// Where kubectl is run: with the kubeconfig, kubectl's caches, and manifests.
    folder: TempDir,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Done {
    /// Nothing if it was stopped.
    pub(super) exit: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// A command that is still running. It ends with this.
pub(super) struct Running {
    process: Child,
    stdout: BufReader<ChildStdout>,
}

// === impl Cluster ===

impl Cluster {
    /// A cluster with so many nodes, all of them ready. Nothing in it takes longer than it must.
    pub(super) fn start(nodes: u32) -> Self {
        Self::start_with(nodes, &[])
    }

    /// The same, with further flags.
    pub(super) fn start_with(nodes: u32, flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut process = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
            .current_dir(folder.path())
            .args(["minicluster", "--listen=127.0.0.1:0", "--kubeconfig=kubeconfig"])
            .args(["--pull-time=0s", "--termination-time=0s", &format!("--nodes={nodes}")])
            .args(flags)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(fs::File::create(folder.path().join("log")).unwrap())
            .spawn()
            .unwrap();
        // The first line says that it is there.
        let mut line = String::new();
        let mut stdout = BufReader::new(process.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let cluster = Self { process, _stdout: stdout, folder };
        assert!(line.starts_with("A cluster runs at "), "{line}{}", cluster.log());
        let wanted = usize::try_from(nodes).unwrap();
        cluster.until("the nodes are there", |cluster| {
            cluster.ok("get nodes -o name").lines().count() == wanted
        });
        if nodes > 0 {
            cluster.ok("wait --for=condition=Ready node --all --timeout=120s");
        }
        cluster
    }

    /// Puts a file where kubectl finds it.
    pub(super) fn file(&self, name: &str, content: &str) {
        fs::write(self.folder.path().join(name), content).unwrap();
    }

    /// Runs kubectl with what stands between the spaces of `line`.
    pub(super) fn run(&self, line: &str) -> Done {
        self.run_words(&words(line), "")
    }

    /// Runs kubectl, with something to read.
    pub(super) fn run_words(&self, words: &[&str], input: &str) -> Done {
        let mut child = self
            .command(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Who does not read it may have closed it.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        Done {
            exit: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// What kubectl prints, which must succeed.
    #[track_caller]
    pub(super) fn ok(&self, line: &str) -> String {
        let done = self.run(line);
        assert_eq!(done.exit, Some(0), "kubectl {line}: {done:#?}\n{}", self.log());
        done.stdout
    }

    /// What kubectl complains of, which must fail.
    #[track_caller]
    pub(super) fn refused(&self, line: &str) -> String {
        let done = self.run(line);
        assert_eq!(done.exit, Some(1), "kubectl {line}: {done:#?}");
        done.stderr
    }

    /// `kubectl apply -f -`, which must succeed.
    #[track_caller]
    pub(super) fn apply(&self, manifest: &str) -> String {
        let done = self.run_words(&["apply", "-f", "-"], &yaml(manifest));
        assert_eq!(done.exit, Some(0), "{done:#?}\n{}", self.log());
        assert_eq!(done.stderr, "");
        done.stdout
    }

    /// Starts kubectl and lets it run.
    pub(super) fn spawn(&self, line: &str) -> Running {
        let mut process = self
            .command(&words(line))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(process.stdout.take().unwrap());
        Running { process, stdout }
    }

    /// Starts kubectl and stops it when it has printed so many lines, or has had a moment to print if it should print none.
    pub(super) fn watched(&self, line: &str, lines: usize) -> String {
        let path = self.folder.path().join("watched");
        let printed = fs::File::create(&path).unwrap();
        let mut process = self.command(&words(line)).stdout(printed).spawn().unwrap();
        let looks = if lines == 0 { LOOKS_AT_NOTHING } else { LOOKS };
        let mut text = String::new();
        for _ in 0..looks {
            text = fs::read_to_string(&path).unwrap();
            if lines > 0 && text.lines().count() >= lines {
                break;
            }
            thread::sleep(PAUSE);
        }
        process.kill().unwrap();
        process.wait().unwrap();
        text
    }

    /// Looks again and again until something holds that comes about by itself.
    #[track_caller]
    pub(super) fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let holds = (0..LOOKS).any(|_| {
            let holds = holds(self);
            if !holds {
                thread::sleep(PAUSE);
            }
            holds
        });
        let there = || self.run("get all,nodes,events -A -o wide").stdout;
        assert!(holds, "in vain: {what}\n{}\n{}", there(), self.log());
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new("kubectl");
        command
            .current_dir(self.folder.path())
            .env("HOME", self.folder.path())
            .env("KUBECONFIG", self.folder.path().join("kubeconfig"))
            .env("TZ", "UTC")
            .args(words);
        command
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

// === impl Running ===

impl Running {
    /// The next line that it prints.
    pub(super) fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Waits until it ends by itself: its exit code, and what it has printed since.
    pub(super) fn end(mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.stdout, &mut rest).unwrap();
        (self.process.wait().unwrap().code(), rest)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Says that a manifest is YAML: one that begins with a brace is taken for JSON.
pub(super) fn yaml(manifest: &str) -> String {
    format!("---\n{manifest}")
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}
