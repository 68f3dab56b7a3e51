//! The commands that read a configuration.

use std::{
    io::{BufRead as _, BufReader, Read},
    path::Path,
    process::{Child, Command, Stdio},
};

/// Ends the process with the test.
pub(crate) struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A command in a folder, in which nothing is set that the test does not set.
pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    for variable in ["CLUSTER_API_TOKEN", "SPC_API_BASE_URL", "ORGANIZATION_ID", "CLUSTER_ID"] {
        command.env_remove(variable);
    }
    command.current_dir(folder).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What is said of these flags and variables, by whoever reads them.
pub(crate) fn refused(folder: &Path, flags: &[&str], variables: &[(&str, &str)]) -> String {
    let [run, serve] =
        [&["run"][..], &["provider", "serve", "--address=127.0.0.1:0"]].map(|verb| {
            let mut command = command(folder, &[verb, flags].concat());
            let output = command.envs(variables.iter().copied()).output().unwrap();
            let line = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{verb:?} {flags:?}: {line}");
            assert_eq!(line.lines().count(), 1, "{verb:?} {flags:?}: {line}");
            line
        });
    assert_eq!(run, serve);
    run
}

/// Starts a command that goes on, and waits for a line of one of its outputs.
pub(crate) fn started(
    mut command: Command,
    output: fn(&mut Child) -> Box<dyn Read + Send>,
    word: &str,
) -> (Running, String) {
    let mut running = Running(command.spawn().unwrap());
    let mut lines = BufReader::new(output(&mut running.0)).lines().map(Result::unwrap);
    let line = lines.find(|line| line.contains(word)).unwrap();
    // Whoever reads no further would stop it with its next message.
    std::thread::spawn(move || lines.for_each(drop));
    (running, line)
}

pub(crate) fn stdout(child: &mut Child) -> Box<dyn Read + Send> {
    Box::new(child.stdout.take().unwrap())
}

pub(crate) fn stderr(child: &mut Child) -> Box<dyn Read + Send> {
    Box::new(child.stderr.take().unwrap())
}
