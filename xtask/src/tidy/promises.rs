//! Every promise of the page on safety has a test, and the tests that it names exist.

use super::{Violation, Workspace};

const PAGE: &str = "docs/safety.md";

/// Each row of the page's tables names at least one test, as crate, modules and function, and each of them is there.
pub(super) fn tested(workspace: &Workspace) -> Vec<Violation> {
    let Some(text) = workspace.text(PAGE) else { return Vec::new() };
    let mut violations = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let Some((promise, tests)) = row(line) else { continue };
        let tests: Vec<&str> = quoted(tests).collect();
        if tests.is_empty() {
            let problem = format!("line {}: \"{promise}\" has no test", number + 1);
            violations.push(Violation::new(PAGE, problem));
        }
        for test in tests.into_iter().filter(|test| !exists(workspace, test)) {
            let problem = format!("line {}: there is no test `{test}`", number + 1);
            violations.push(Violation::new(PAGE, problem));
        }
    }
    violations
}

/// The two cells of a row of a table that is neither its head nor its rule.
fn row(line: &str) -> Option<(&str, &str)> {
    let cells = line.strip_prefix("| ")?.strip_suffix(" |")?;
    let (promise, tests) = cells.rsplit_once(" | ")?;
    (promise != "promise").then_some((promise, tests))
}

/// What stands between backquotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Whether the crate has a test of this name in a module of this name. A module is a file, a directory or a `mod` in a file.
fn exists(workspace: &Workspace, test: &str) -> bool {
    let parts: Vec<&str> = test.split("::").collect();
    let [package, modules @ .., function] = parts.as_slice() else { return false };
    let directory = match *package {
        "xtask" => "xtask/".to_owned(),
        package => format!("crates/{package}/"),
    };
    let is_there = |path: &str, text: &str| {
        let is_in = |module: &&str| {
            path.trim_end_matches(".rs").split('/').any(|part| part == *module)
                || text.contains(&format!("mod {module} "))
        };
        path.starts_with(&directory)
            && text.contains(&format!("fn {function}("))
            && text.contains("test")
            && modules.iter().all(is_in)
    };
    workspace.files.iter().any(|file| is_there(&file.path, &file.text))
}

#[cfg(test)]
mod tests {
    use super::tested;
    use crate::tidy::{SourceFile, Workspace};

    fn problems(page: &str) -> Vec<String> {
        let test = "#[test]\nfn nothing_is_lost() {}\n";
        let files = [("docs/safety.md", page), ("crates/control/src/retire/tests.rs", test)];
        let files = files.map(|(path, text)| SourceFile { path: path.into(), text: text.into() });
        let workspace = Workspace { files: files.into(), ..Workspace::default() };
        tested(&workspace).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_promise_names_tests_that_exist() {
        let head = "| promise | test |\n|---|---|\n";
        let good = "| Nothing is lost. | `control::retire::tests::nothing_is_lost` |";
        assert_eq!(problems(&format!("{head}{good}\n")), [""; 0]);
        let refused = [
            "| Nothing is lost. | by reason |",
            "| Nothing is lost. | `control::retire::tests::nothing` |",
            "| Nothing is lost. | `control::orders::tests::nothing_is_lost` |",
            "| Nothing is lost. | `plan::retire::tests::nothing_is_lost` |",
        ];
        for row in refused {
            assert_eq!(problems(&format!("{head}{row}\n")).len(), 1, "{row}");
        }
    }
}
