//! A running count of pods per domain.

use rustc_hash::FxHashMap;

use crate::domains::Domain;

/// Domains below this number are counted in a plain array, the rest in a map: zones and racks are few, hosts may be many
/// and mostly empty.
const DENSE: u32 = 4096;

/// How many pods each domain has; zero where nothing was counted.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    dense: Vec<u32>,
    sparse: FxHashMap<Domain, u32>,
}

/// Counts per domain, with the emptiest domain always known.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    sums: Sums,
    /// All that was counted.
    total: u64,
    /// By count: how many domains have it. Only domains announced by `add_domain` are in it.
    levels: Vec<u32>,
    /// The count of the emptiest domain.
    least: u32,
    /// How often the emptiest domain rose or a domain was added: nodes that spread refused may be acceptable after that.
    rises: u64,
    /// How often a domain got its first pod: nodes that affinity refused may be acceptable after that.
    firsts: u64,
}

// === impl Sums ===

impl Sums {
    pub(crate) fn get(&self, domain: Domain) -> u32 {
        if domain < DENSE {
            self.dense.get(domain as usize).copied().unwrap_or(0)
        } else {
            self.sparse.get(&domain).copied().unwrap_or(0)
        }
    }

    pub(crate) fn entry(&mut self, domain: Domain) -> &mut u32 {
        if domain < DENSE {
            let place = domain as usize;
            if place >= self.dense.len() {
                self.dense.resize(place + 1, 0);
            }
            &mut self.dense[place]
        } else {
            self.sparse.entry(domain).or_default()
        }
    }
}

// === impl Tally ===

impl Tally {
    pub(crate) fn get(&self, domain: Domain) -> u32 {
        self.sums.get(domain)
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    pub(crate) fn least(&self) -> u32 {
        self.least
    }

    pub(crate) fn rises(&self) -> u64 {
        self.rises
    }

    pub(crate) fn firsts(&self) -> u64 {
        self.firsts
    }

    /// A pod more in a domain.
    pub(crate) fn add(&mut self, domain: Domain) {
        let count = self.sums.entry(domain);
        let before = *count as usize;
        *count += 1;
        self.total += 1;
        self.firsts += u64::from(before == 0);
        if !self.levels.is_empty() {
            if self.levels.len() == before + 1 {
                self.levels.push(0);
            }
            self.levels[before] -= 1;
            self.levels[before + 1] += 1;
            if before == self.least as usize && self.levels[before] == 0 {
                self.least += 1;
                self.rises += 1;
            }
        }
    }

    /// A pod less in a domain.
    pub(crate) fn remove(&mut self, domain: Domain) {
        let count = self.sums.entry(domain);
        *count -= 1;
        let after = *count;
        self.total -= 1;
        if !self.levels.is_empty() {
            self.levels[after as usize + 1] -= 1;
            self.levels[after as usize] += 1;
            self.least = self.least.min(after);
        }
    }

    /// A domain more, without pods.
    pub(crate) fn add_domain(&mut self) {
        if self.levels.is_empty() {
            self.levels.push(0);
        }
        self.levels[0] += 1;
        self.least = 0;
        self.rises += 1;
    }

    /// A domain less, without pods.
    pub(crate) fn remove_domain(&mut self) {
        self.levels[0] -= 1;
        if self.levels.iter().all(|domains| *domains == 0) {
            self.levels.clear();
            self.least = 0;
            return;
        }
        while self.levels[self.least as usize] == 0 {
            self.least += 1;
        }
    }
}
