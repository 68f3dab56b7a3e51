use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::{Section, parse};

fn shown(text: &str) -> String {
    let line = |section: &Section| {
        let entries = section.entries.iter().map(|entry| {
            format!("\n  {} {} = {:?}", entry.line, entry.key, entry.value.as_deref())
        });
        let entries: String = entries.collect();
        format!("{} [{} {:?}]{entries}\n", section.line, section.kind, section.name)
    };
    match parse(text) {
        Ok(sections) => sections.iter().map(line).collect(),
        Err(error) => format!("{error}\n"),
    }
}

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&shown(text));
}

#[test]
fn sections_keys_and_comments() {
    check(
        "\u{feff}; a comment\n# another\n[Global] ; here too\nK3S-URL=https://a:6443 # and here\n\n\t[NodeGroup \"W1 Medium\"]\n  min-size = 3\n  flag\r\n",
        &expect![[r#"
            3 [global ""]
              4 k3s-url = Some("https://a:6443")
            6 [nodegroup "W1 Medium"]
              7 min-size = Some("3")
              8 flag = None
        "#]],
    );
}

#[test]
fn quotes_escapes_and_long_lines() {
    check(
        "[a]\none = \"b; # c\" d ; e\ntwo = \"\\\"\\\\\\n\\t\"\nthree = x \\\n  y\\\r\nz\nfour = \"  \"  \nfive = a\"b\"c\nsix =\nseven = \"a\"  \"b\"",
        &expect![[r#"
            1 [a ""]
              2 one = Some("b; # c d")
              3 two = Some("\"\\\n\t")
              4 three = Some("x   yz")
              7 four = Some("  ")
              8 five = Some("abc")
              9 six = Some("")
              10 seven = Some("a  b")
        "#]],
    );
}

#[test]
fn names_in_quotes() {
    check(
        "[a \"x\\\"y\\\\z]\"]",
        &expect![[r#"
        1 [a "x\"y\\z]"]
    "#]],
    );
}

#[test]
fn what_is_not_understood_is_told_with_its_line() {
    let cases = [
        "a = b",
        "[a]\n= b",
        "[a]\n\nb : c",
        "[a\nb = c",
        "[a \"\"]",
        "[a \"b]\nc = d",
        "[\"b\"]",
        "[a.b]",
        "[a] b = c",
        "[a]\nb = \"c\nd",
        "[a]\nb = c\\d",
        "[a]\nb = \"\\x\"",
        "[a]\nb = \"c\\",
    ];
    let told: String = cases.iter().map(|case| shown(case)).collect();
    expect![[r#"
        :1: a stands before the first [section]
        :2: '=' begins neither a [section] nor a key
        :3: b is followed by ':'; a value needs = before it
        :1: the section a is not closed with ] on its line
        :1: the section [a ""] has an empty name
        :1: a quote is not closed on its line
        :1: a section is written [name] or [name "which"]
        :1: the section a is not closed with ] on its line
        :1: only a comment may follow ] on its line
        :2: a quote is not closed on its line
        :2: a backslash outside of quotes ends a line that goes on; write "\\" for the letter
        :2: after a backslash in quotes comes one of \, ", n and t
        :2: after a backslash in quotes comes one of \, ", n and t
    "#]]
    .assert_eq(&told);
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "(\\PC|[\\[\\]\"\\\\;#=\n\r\ta]){0,60}") {
        let lines = text.lines().count() as u64 + 1;
        match parse(&text) {
            Ok(sections) => {
                for entry in sections.iter().flat_map(|section| &section.entries) {
                    prop_assert!(entry.line <= lines);
                }
            }
            Err(error) => prop_assert!(error.line.is_some_and(|line| line <= lines)),
        }
    }

    #[test]
    fn any_value_survives_quotes(value in "\\PC{0,40}") {
        let quoted = value.replace('\\', "\\\\").replace('"', "\\\"");
        let sections = parse(&format!("[a]\nb = \"{quoted}\"\n")).unwrap();
        prop_assert_eq!(sections[0].entries[0].value.as_deref(), Some(&*value));
    }
}
