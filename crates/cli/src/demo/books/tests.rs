//! The books.

use std::time::Duration;

use plimsoll_model::{Group, GroupOptions, Instance, InstanceState, Money, Symbol};

use super::Books;

/// A group whose machines are given as `name state`: `a running, b creating`.
fn group(id: &str, price: i64, machines: &str) -> Group {
    let machine = |text: &str| {
        let (id, state) = text.trim().split_once(' ').unwrap();
        Instance {
            id: id.into(),
            node: Some(Symbol::new(&format!("node-{id}"))),
            state: match state {
                "running" => InstanceState::Running,
                "creating" => InstanceState::Creating,
                _ => InstanceState::Deleting,
            },
            created: None,
            error: None,
        }
    };
    Group {
        id: Symbol::new(id),
        min: 0,
        max: 10,
        target: 0,
        price: Some(Money::from_micros(price)),
        template: None,
        instances: machines.split(',').filter(|text| !text.is_empty()).map(machine).collect(),
        options: GroupOptions::default(),
        stock: None,
        frozen: None,
    }
}

#[test]
fn machines_are_bought_when_they_run_and_paid_for_until_they_are_deleted() {
    let mut books = Books::default();
    let hour = |hours: u64| Duration::from_secs(hours * 3600);
    let looks = [
        (0, "a running"),
        (1, "a running,b creating"),
        (2, "a running,b running,c running"),
        (3, "a deleting,b running,c running"),
        (4, "b running,c running"),
        (5, "b running"),
    ];
    for (hours, machines) in looks {
        let killed = ["node-c".to_owned()];
        books.enter(&[group("small", 1_000_000, machines)], &killed, hour(hours));
    }
    assert_eq!(books.bought, [("small".to_owned(), 2)].into());
    assert_eq!(books.returned, [("small".to_owned(), 1)].into());
    assert_eq!(books.lost, 1);
    // One for two hours, three for one, two for two.
    assert_eq!(books.paid(), Money::from_micros(9_000_000));
    assert_eq!(books.rate, Money::from_micros(1_000_000));
    assert_eq!(books.peak.machines, [("small".to_owned(), 3)].into());
    assert_eq!(books.peak.cost(hour(5)), Money::from_micros(15_000_000));
}

#[test]
fn what_never_ran_was_neither_bought_nor_given_back() {
    let mut books = Books::default();
    for machines in ["", "a creating", ""] {
        books.enter(&[group("small", 1_000_000, machines)], &[], Duration::ZERO);
    }
    assert!(books.bought.is_empty() && books.returned.is_empty());
}
