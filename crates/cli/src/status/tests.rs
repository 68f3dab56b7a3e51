//! The picture in letters.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::{draw::draw, picture::Picture};

fn check(answer: Value, expected: &Expect) {
    let picture: Picture = serde_json::from_value(answer).unwrap();
    expected.assert_eq(&draw(&picture));
}

#[test]
fn everything_has_its_line() {
    let group = |name: &str, words: &str| {
        json!({
            "name": name, "words": words, "min": 1, "max": 5, "target": 2, "ready": 1,
            "upcoming": 1, "price": 0.1, "orders": [], "leaving": [], "failed": [],
        })
    };
    check(
        json!({
            "standing": "Leading", "pass": 7, "at": "2026-01-01T12:00:00.123Z", "healthy": true,
            "heldBack": "this is a dry run", "costPerHour": 0.1, "plannedCostPerHour": 0.2,
            "pods": 31, "pendingCount": 30,
            "groups": [group("small", "ready"), group("large-one", "rests until 12:05")],
            "nodes": [
                {"name": "small-1", "group": "small", "ready": true, "cpu": 0.42, "memory": 1.0,
                 "state": "Kept", "words": "kept: too much runs on it"},
                {"name": "old", "ready": false, "cpu": 0.0, "memory": 0.05, "state": "Kept",
                 "words": "belongs to no group"},
            ],
            "pending": [{"name": "default/huge", "outcome": "NoGroupFits", "words": "no group can take it"}],
            "leaving": [{"node": "small-1", "group": "small", "why": "nothing runs on it",
                         "stage": "Draining", "since": "2026-01-01T11:59:00Z", "waitsFor": "2 pods to end"}],
            "unreadable": ["Pod default/odd: no name"],
            "decisions": [{"at": "2026-01-01T11:59:58Z", "text": "small grows from 1 to 2"}],
        }),
        &expect![[r"
            leads, pass 7 at 12:00:00: 2 nodes, 31 pods, 30 without a node, $0.10 an hour, soon $0.20
            nothing is done: this is a dry run
            cannot be read: Pod default/odd: no name

            groups
              small      2 of 1..5  1 ready, 1 coming  $0.10  ready
              large-one  2 of 1..5  1 ready, 1 coming  $0.10  rests until 12:05

            nodes
              small  small-1  cpu ████░░░░░░  42% memory ██████████ 100%             kept: too much runs on it
              -      old      cpu ░░░░░░░░░░   0% memory █░░░░░░░░░   5%  not ready  belongs to no group

            pods without a node
              default/huge  no group can take it
              and 29 more

            nodes on their way out
              small-1  Draining  nothing runs on it; waits for 2 pods to end

            last decisions
              11:59:58  small grows from 1 to 2
        "]],
    );
}

#[test]
fn who_does_not_lead_says_who_does() {
    check(
        json!({"standing": "Standby", "leader": "other_1", "decisions": []}),
        &expect![["stands by; other_1 leads\n"]],
    );
    check(
        json!({"standing": "Leading", "decisions": []}),
        &expect![["leads, and has not made a pass yet\n"]],
    );
}

#[test]
fn a_name_cannot_command_the_terminal() {
    let picture: Picture = serde_json::from_value(json!({
        "standing": "Standby", "leader": "a\u{1b}[2J\nleads, pass 7", "decisions": [
            {"at": "2026-01-01T11:59:58Z", "text": "slicer: \u{9b}31m\u{202e}refused"},
        ],
    }))
    .unwrap();
    expect![[r"
        stands by; a\u{1b}[2J\nleads, pass 7 leads

        last decisions
          11:59:58  slicer: \u{9b}31m\u{202e}refused
    "]]
    .assert_eq(&draw(&picture));
}
