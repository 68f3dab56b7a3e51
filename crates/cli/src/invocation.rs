//! Command lines of the upstream autoscaler, taken as they are.
//!
//! Its manifests name its binary: as the command, or, where the image has an entry point, as the first argument. Either way what
//! follows are arguments of `run`.

use std::{ffi::OsString, path::Path};

/// What the upstream's binary is called.
const UPSTREAM: &str = "cluster-autoscaler";

/// How manifests write it as a first argument.
const AS_ARGUMENT: [&str; 2] = ["/cluster-autoscaler", "./cluster-autoscaler"];

/// A command line, the program's name first, with `run` where the upstream's binary was meant.
pub(crate) fn understood(line: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut line = line.into_iter();
    let Some(program) = line.next() else { return Vec::new() };
    let mut rest = line.peekable();
    let is_called_so = Path::new(&program).file_name().is_some_and(|name| name == UPSTREAM);
    let is_argument = rest.next_if(|first| AS_ARGUMENT.iter().any(|name| first == name)).is_some();
    let has_verb = rest.peek().is_some_and(|first| first == "run");
    let verb = ((is_called_so || is_argument) && !has_verb).then(|| OsString::from("run"));
    [program].into_iter().chain(verb).chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::{OsString, understood};

    fn told(line: &[&str]) -> String {
        let words: Vec<OsString> = understood(line.iter().map(OsString::from));
        let words: Vec<&str> = words.iter().map(|word| word.to_str().unwrap()).collect();
        words.join(" ")
    }

    #[test]
    fn a_command_line_of_the_upstream_is_one_of_run() {
        let flag = "--cloud-provider=spc";
        for first in ["/cluster-autoscaler", "./cluster-autoscaler"] {
            assert_eq!(told(&["/plimsoll", first, flag]), format!("/plimsoll run {flag}"));
            assert_eq!(told(&["plimsoll", first]), "plimsoll run");
        }
        for program in ["cluster-autoscaler", "/cluster-autoscaler", "/usr/bin/cluster-autoscaler"]
        {
            assert_eq!(told(&[program, flag]), format!("{program} run {flag}"));
            assert_eq!(told(&[program]), format!("{program} run"));
            assert_eq!(told(&[program, "run", flag]), format!("{program} run {flag}"), "once");
            let twice = told(&[program, "./cluster-autoscaler", flag]);
            assert_eq!(twice, format!("{program} run {flag}"));
        }
    }

    #[test]
    fn every_other_command_line_stays_as_it_is() {
        for line in [
            &["plimsoll", "run", "--v=1"][..],
            &["plimsoll", "explain", "pod", "cluster-autoscaler"],
            &["plimsoll", "cluster-autoscaler"],
            &["plimsoll", "fit", "/cluster-autoscaler"],
            &["/opt/cluster-autoscaler/plimsoll", "status"],
            &["plimsoll"],
            &[],
        ] {
            assert_eq!(told(line), line.join(" "));
        }
    }
}
