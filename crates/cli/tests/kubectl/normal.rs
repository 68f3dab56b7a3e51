//! Takes out of kubectl's output what is different each time.

use std::sync::LazyLock;

use regex_lite::Regex;

/// The letters of generated names and of hashes: no vowels, so that they form no words.
const RULES: &[(&str, &str)] = &[
    (r"<(\w+):\d+>", "<$1>"),
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<uid>"),
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| \+0000)", "<time>"),
    (r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000", "<time>"),
    (r#"(resourceVersion"?: "?)\d+"#, "${1}<rv>"),
    (r"X509SHA256=[0-9a-f]{64}", "X509SHA256=<hash>"),
    (r"https?://(SERVER|127\.0\.0\.1:\d+)", "<server>"),
    (r"\S*/(LIVE|MERGED)(-\d+)?/", "$$TMP/$1/"),
    (r"\b\d+\.\d+\.\d+\.\d+\b", "<ip>"),
    (r#"(pod-template-hash"?[=:] ?"?)[bcdfghjklmnpqrstvwxz2456789]+"#, "${1}<hash>"),
    (r"-[bcdfghjklmnpqrstvwxz2456789]{6,10}\b", "-<hash>"),
    (r"-[bcdfghjklmnpqrstvwxz2456789]{5}\b", "-<gen>"),
    (r"\b(\d+(y|d|h|ms|m|s|µs|ns))+\b", "<age>"),
    (r" \(x\d+ over <age>\)", ""),
    (r"(\S)[ \t]{2,}", "$1 "),
    (r"-{3,}", "---"),
];

/// What one version of kubectl words so and another otherwise.
const VERSIONS: &[(&str, &str)] = &[
    (r" deleted from \S+ namespace", " deleted"),
    (r"\b(ConfigMap)?Optional: (<nil>|false)", "Optional: false"),
    (r"cannot delete cannot delete", "cannot delete"),
    (r"(error upgrading connection: )unable to upgrade connection: ", "$1"),
    (r"^error: unable to upgrade connection: ", "Error from server (NotImplemented): "),
    (r"^(Get .*/containerLogs/)", "Error from server: $1"),
    (r"^(there are no logs)", "Error from server (NotImplemented): $1"),
    (r"error: no objects passed to scale (.*not found)", "Error from server (NotFound): $1"),
];

/// What one version of kubectl has to say and another has not: how a line of it begins.
const SOME_VERSIONS: &[&str] = &[
    "  Kube-Proxy Version:",
    "All commands and output from this session will be recorded",
    "    \"emulationM",
    "    \"minCompatibilityM",
];

static COMPILED: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let rules = RULES.iter().chain(VERSIONS);
    rules.map(|(pattern, with)| (Regex::new(pattern).unwrap(), *with)).collect()
});

/// The same output for the same outcome: names, times, addresses and the widths of columns become placeholders, and versions of kubectl
/// agree.
pub(super) fn normal(text: &str) -> String {
    let lines = text.trim_end().lines();
    let lines = lines.filter(|line| !SOME_VERSIONS.iter().any(|start| line.starts_with(start)));
    let lines = lines.map(|line| {
        let line = line.trim_end().to_owned();
        COMPILED.iter().fold(line, |line, (rule, with)| rule.replace_all(&line, *with).into_owned())
    });
    lines.map(|line| line.trim_end().to_owned() + "\n").collect()
}

#[test]
fn what_is_different_each_time_is_taken_out() {
    let table = "NAME                  READY   STATUS    RESTARTS   AGE     IP
web-7c5ddbdf54-x7k2p   1/1     Running   0          4m32s   10.244.0.3  \n";
    expect_test::expect![[r"
        NAME READY STATUS RESTARTS AGE IP
        web-<hash>-<gen> 1/1 Running 0 <age> <ip>
    "]]
    .assert_eq(&normal(table));
    assert_eq!(
        normal("web-<hash:1>-<gen:2>   <age>  <ip:1>"),
        normal("web-7c5ddbdf54-x7k2p 1s 10.0.0.1")
    );
    assert_eq!(normal("    uid: 6e8bbd0e-96a3-4ef2-a9b6-8dd0b4d1a9c3"), "    uid: <uid>\n");
}
