//! PodTopologySpread: no domain gets further ahead of the emptiest one than `maxSkew`.

use super::Question;
use crate::{Rejection, Snapshot, domains::Domain, shapes::SpreadCheck};

pub(super) fn fits(question: Question<'_>) -> bool {
    question.entry.spread.iter().all(|check| {
        let domain = question.snapshot.topology.domain(check.key, question.node);
        domain.is_some_and(|domain| question.snapshot.skew_allows(check, domain))
    })
}

pub(super) fn judge(question: Question<'_>) -> Option<Rejection> {
    let snapshot = question.snapshot;
    question.entry.spread.iter().find_map(|check| {
        let key = snapshot.topology.label(check.key);
        let Some(domain) = snapshot.topology.domain(check.key, question.node) else {
            return Some(Rejection::NoTopologyKey { key });
        };
        let (count, least) = snapshot.skew(check, domain);
        (!within(check, count, least)).then(|| Rejection::Skew {
            key,
            domain: snapshot.topology.value(check.key, domain).clone(),
            count,
            least,
            max_skew: check.max_skew,
        })
    })
}

impl Snapshot {
    pub(crate) fn skew_allows(&self, check: &SpreadCheck, domain: Domain) -> bool {
        let (count, least) = self.skew(check, domain);
        within(check, count, least)
    }

    /// The pods of a domain and those of the emptiest one.
    fn skew(&self, check: &SpreadCheck, domain: Domain) -> (u32, u32) {
        let Some(counter) = check.counter.map(|id| &self.counters[id.index()]) else {
            return (0, 0);
        };
        let census = counter.question.census.map(|census| &self.censuses[census.index()]);
        let enough = census.is_some_and(|census| census.domains() >= check.min_domains);
        let least = if enough { counter.tally.least() } else { 0 };
        (counter.tally.get(domain), least)
    }
}

fn within(check: &SpreadCheck, count: u32, least: u32) -> bool {
    count + u32::from(check.counts_itself) <= check.max_skew.saturating_add(least)
}
