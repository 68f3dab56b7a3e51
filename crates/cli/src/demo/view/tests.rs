//! What is seen, at the size of a small terminal and of a larger one.

use std::{collections::BTreeSet, time::Duration};

use expect_test::{Expect, expect};
use plimsoll_model::Money;
use ratatui::{Terminal, backend::TestBackend};

use super::View;
use crate::demo::{
    director::{Progress, Verdict},
    facts::{Facts, Group, Node, NodeState, Waiting},
    play::ACTS,
    words::{Actor, Line},
};

fn group(id: &str, max: u32, size: u32, price: i64) -> Group {
    Group {
        id: id.to_owned(),
        max,
        size,
        price: Money::from_micros(price * 10_000),
        ..Group::default()
    }
}

fn node(name: &str, state: NodeState, pods: usize, load: u32) -> Node {
    let group = name.split_once('-').map(|(group, _)| group.to_owned());
    Node {
        name: name.to_owned(),
        group: group.unwrap_or_default(),
        zone: "zone-a".to_owned(),
        state,
        pods,
        services: BTreeSet::new(),
        load,
        line: 900,
    }
}

/// In the middle of the fourth act.
fn facts() -> Facts {
    use NodeState::{Booting, Leaving, NotReady, Ready};

    let large = Group { note: "sold out".to_owned(), ..group("large", 6, 1, 44) };
    Facts {
        at: Duration::from_millis(42_300),
        awake: true,
        groups: vec![
            Group { min: 1, booting: 2, ..group("small", 12, 8, 20) },
            large,
            group("gpu", 3, 0, 120),
        ],
        nodes: vec![
            node("small-03f1", Ready, 4, 1000),
            node("small-2b7c", Ready, 1, 250),
            node("small-4d9e", Ready, 3, 750),
            node("small-77aa", NotReady, 2, 500),
            node("small-a0b1", Ready, 0, 0),
            node("small-c3d4", Leaving, 1, 250),
            node("small-e5f6", Booting, 0, 0),
            node("small-f7a8", Booting, 0, 0),
            node("large-19c2", Ready, 2, 750),
        ],
        pending: vec![
            Waiting { pod: "checkout-6f5d-abcde".to_owned(), since: Duration::from_secs(41) },
            Waiting { pod: "checkout-6f5d-fghij".to_owned(), since: Duration::from_secs(41) },
        ],
        rate: Money::from_micros(1_640_000),
        peak: Money::from_micros(3_280_000),
        ..Facts::default()
    }
}

fn lines() -> Vec<Line> {
    let line =
        |at, who, what: &str| Line { at: Duration::from_millis(at), who, what: what.to_owned() };
    vec![
        line(38_000, Actor::Cluster, "all 4 pods of api run"),
        line(
            40_100,
            Actor::Play,
            "act 4 of 7, stockout: One large machine would be cheapest for checkout, but",
        ),
        line(40_200, Actor::Plimsoll, "does not get 1 machine of large: large is out of machines"),
        line(40_300, Actor::Plimsoll, "orders 3 machines of small (5 → 8) for 3 pods of checkout"),
        line(42_200, Actor::Cloud, "small-a0b1 has joined, in zone-a, for $0.20 an hour"),
    ]
}

fn check(width: u16, height: u16, limit: Option<u64>, expected: &Expect) {
    let facts = facts();
    let state = |place: usize| match place {
        0..3 => Progress::Happened,
        3 => Progress::Playing,
        _ => Progress::ToCome,
    };
    let verdict = |place| Verdict { state: state(place), ..Verdict::default() };
    let verdicts: Vec<Verdict> = (0..ACTS.len()).map(verdict).collect();
    let hints =
        ["kubectl --kubeconfig /tmp/plimsoll-demo-x1y2z3/kubeconfig get nodes -w".to_owned()];
    let view = View {
        facts: &facts,
        acts: ACTS,
        verdicts: &verdicts,
        current: Some(3),
        round: 2,
        limit: limit.map(Duration::from_secs),
        hints: &hints,
    };
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| view.draw(frame, &lines())).unwrap();
    let buffer = terminal.backend().buffer();
    let rows = (0..height).map(|y| {
        let row: String = (0..width).map(|x| buffer[(x, y)].symbol()).collect();
        format!("{}\n", row.trim_end())
    });
    expected.assert_eq(&rows.collect::<String>());
}

#[test]
fn a_small_terminal() {
    check(
        80,
        24,
        Some(90),
        &expect![[r"
        ⊖ plimsoll demo                      $1.64 an hour, at most $3.28   42 s of 90 s
        Act 4 of 7, stockout: A large machine would be cheapest for checkout, but they
        are sold out; small ones serve.
        ✓burst ✓GPU job ✓zone spread ▸stockout ·dead machine ·load falls ·consolidation
         groups ────────────────────────────────────────────────────────────────────────
        small      8 of 1–12   at $0.20 each   $1.20 an hour  2 booting
        large      1 of 0–6    at $0.44 each   $0.44 an hour  sold out
        gpu        0 of 0–3    at $1.20 each   $0.00 an hour
         nodes, each filled up to its load line ┃ ──────────────────────────────────────
        small-03f1  ███████████████┃  4 pods    small-c3d4  ████░░░░░░░░░░░┃  leaving
        small-2b7c  ████░░░░░░░░░░░┃  1 pod     small-e5f6  ················· booting
        small-4d9e  ███████████░░░░┃  3 pods    small-f7a8  ················· booting
        small-77aa  ████████░░░░░░░┃  not ready large-19c2  ███████████░░░░┃  2 pods
        small-a0b1  ░░░░░░░░░░░░░░░┃  0 pods
         pending pods: 2 ───────────────────────────────────────────────────────────────
        checkout-6f5d-abcde (1.3 s)  checkout-6f5d-fghij (1.3 s)
         what happens ──────────────────────────────────────────────────────────────────
         38.0s cluster  all 4 pods of api run
         40.1s play     act 4 of 7, stockout: One large machine would be cheapest for ch
         40.2s plimsoll does not get 1 machine of large: large is out of machines
         40.3s plimsoll orders 3 machines of small (5 → 8) for 3 pods of checkout
         42.2s cloud    small-a0b1 has joined, in zone-a, for $0.20 an hour

        kubectl --kubeconfig /tmp/plimsoll-demo-x1y2z3/kubeconfig get nodes -w
    "]],
    );
}

#[test]
fn a_large_terminal() {
    check(
        120,
        40,
        None,
        &expect![[r"
        ⊖ plimsoll demo                                                  $1.64 an hour, at most $3.28   42 s, round 2, q ends it
        Act 4 of 7, stockout: A large machine would be cheapest for checkout, but they are sold out; small ones serve.

        ✓burst ✓GPU job ✓zone spread ▸stockout ·dead machine ·load falls ·consolidation
         groups ────────────────────────────────────────────────────────────────────────────────────────────────────────────────
        small      8 of 1–12   at $0.20 each   $1.20 an hour  2 booting
        large      1 of 0–6    at $0.44 each   $0.44 an hour  sold out
        gpu        0 of 0–3    at $1.20 each   $0.00 an hour
         nodes, each filled up to its load line ┃ ──────────────────────────────────────────────────────────────────────────────
        small-03f1  ███████████████┃  4 pods    small-77aa  ████████░░░░░░░┃  not ready small-e5f6  ················· booting
        small-2b7c  ████░░░░░░░░░░░┃  1 pod     small-a0b1  ░░░░░░░░░░░░░░░┃  0 pods    small-f7a8  ················· booting
        small-4d9e  ███████████░░░░┃  3 pods    small-c3d4  ████░░░░░░░░░░░┃  leaving   large-19c2  ███████████░░░░┃  2 pods
         pending pods: 2 ───────────────────────────────────────────────────────────────────────────────────────────────────────
        checkout-6f5d-abcde (1.3 s)  checkout-6f5d-fghij (1.3 s)
         what happens ──────────────────────────────────────────────────────────────────────────────────────────────────────────
         38.0s cluster  all 4 pods of api run
         40.1s play     act 4 of 7, stockout: One large machine would be cheapest for checkout, but
         40.2s plimsoll does not get 1 machine of large: large is out of machines
         40.3s plimsoll orders 3 machines of small (5 → 8) for 3 pods of checkout
         42.2s cloud    small-a0b1 has joined, in zone-a, for $0.20 an hour



















        kubectl --kubeconfig /tmp/plimsoll-demo-x1y2z3/kubeconfig get nodes -w
    "]],
    );
}

#[test]
fn a_tiny_terminal_shows_what_it_can() {
    check(
        40,
        12,
        Some(90),
        &expect![[r"
        ⊖ plimsoll demo             42 s of 90 s
        Act 4 of 7, stockout: A large machine
        ✓burst ✓GPU job ✓zone spread ▸stockout ·
         groups ────────────────────────────────
         nodes, each filled up to its load line
         pending pods: 2 ───────────────────────
         what happens ──────────────────────────
         40.1s play     act 4 of 7, stockout: On
         40.2s plimsoll does not get 1 machine o
         40.3s plimsoll orders 3 machines of sma
         42.2s cloud    small-a0b1 has joined, i
        kubectl --kubeconfig /tmp/plimsoll-demo-
    "]],
    );
}
