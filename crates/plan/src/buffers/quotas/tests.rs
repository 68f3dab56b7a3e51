use std::sync::Arc;

use plimsoll_model::{NamespaceQuota, PodShape, QuotaScope, Resources, Settings, Symbol, World};

use super::Quotas;
use crate::buffers::source::Unit;

fn pod(cpu: i64) -> Arc<PodShape> {
    let requests = Resources::from_amounts([(Symbol::new("cpu"), cpu)]);
    Arc::new(PodShape::plain(Symbol::new("shop"), requests))
}

fn quota(name: &str, hard: i64, used: i64, scopes: &[QuotaScope]) -> NamespaceQuota {
    NamespaceQuota {
        namespace: Symbol::new("shop"),
        name: name.into(),
        scopes: scopes.to_vec(),
        hard: vec![(Symbol::new("cpu"), hard), (Symbol::new("memory"), 1)],
        used: Resources::from_amounts([(Symbol::new("cpu"), used)]),
    }
}

/// How many of so many units of a core each of several buffers gets in turn, and what holds them.
fn allotted(quotas: Vec<NamespaceQuota>, class: Option<&str>, wanted: &[i32]) -> String {
    let mut world = World::empty("2026-01-01T00:00:00Z".parse().unwrap(), Settings::default());
    world.namespace_quotas = quotas;
    let mut quotas = Quotas::new(&world);
    let pod = pod(1000);
    let class = class.map(Symbol::new);
    let unit = Unit { pod: &pod, priority: 0, priority_class: class, digest: 0 };
    let each = wanted.iter().map(|wanted| {
        let (count, blocking) = quotas.allot(Symbol::new("shop"), &unit, *wanted);
        format!("{count} {}", blocking.join("+")).trim().to_owned()
    });
    each.collect::<Vec<_>>().join(", ")
}

#[test]
fn what_is_used_and_what_others_got_is_left_out() {
    assert_eq!(allotted(vec![], None, &[5]), "5");
    assert_eq!(allotted(vec![quota("a", 4000, 0, &[])], None, &[5]), "4 a");
    assert_eq!(allotted(vec![quota("a", 4000, 1500, &[])], None, &[5]), "2 a");
    assert_eq!(allotted(vec![quota("a", 4000, 9000, &[])], None, &[5]), "0 a");
    assert_eq!(allotted(vec![quota("a", 4000, 0, &[])], None, &[3, 3, 1]), "3, 1 a, 0 a");
    let two = vec![quota("b", 2000, 0, &[]), quota("a", 3000, 0, &[])];
    assert_eq!(allotted(two, None, &[5]), "2 a+b");
}

#[test]
fn a_quota_counts_pods_of_its_scopes_only() {
    let cases = [
        (QuotaScope::All, None, "1 a"),
        (QuotaScope::Nobody, None, "5"),
        (QuotaScope::BestEffort, None, "5"),
        (QuotaScope::NotBestEffort, None, "1 a"),
        (QuotaScope::AnyClass, None, "5"),
        (QuotaScope::AnyClass, Some("gold"), "1 a"),
        (QuotaScope::NoClass, None, "1 a"),
        (QuotaScope::Classes(vec![Symbol::new("gold")]), Some("gold"), "1 a"),
        (QuotaScope::Classes(vec![Symbol::new("gold")]), Some("tin"), "5"),
        (QuotaScope::OtherClasses(vec![Symbol::new("gold")]), Some("tin"), "1 a"),
        (QuotaScope::OtherClasses(vec![Symbol::new("gold")]), Some("gold"), "5"),
        (QuotaScope::CrossNamespaceAffinity, None, "5"),
    ];
    for (scope, class, expected) in cases {
        let quotas = vec![quota("a", 1000, 0, std::slice::from_ref(&scope))];
        assert_eq!(allotted(quotas, class, &[5]), expected, "{scope:?} {class:?}");
    }
}
