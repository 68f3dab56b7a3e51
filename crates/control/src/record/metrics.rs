//! What is measured: upstream's metrics under upstream's names, and our own.
//!
//! Gauges show the latest pass, and nothing while somebody else leads; what they show is a pure function of it, in `readings`.
//! Counters and histograms grow with what happens, in `counts`.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use plimsoll_net::metrics::Metrics;
use prometheus_client::{
    metrics::{
        counter::Counter,
        family::Family,
        gauge::Gauge,
        histogram::{Histogram, exponential_buckets},
    },
    registry::Registry,
};

use crate::engine::{News, Pass};

mod counts;
mod readings;
mod table;

use self::table::{COUNTERS, GAUGES, HISTOGRAMS, Kind};

/// What tells a series from the others of its metric.
type Labels = Vec<(&'static str, String)>;

type Number = Gauge<f64, std::sync::atomic::AtomicU64>;

/// A value of a metric.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reading {
    /// The metric: a name of the table.
    pub name: &'static str,
    /// Which series.
    pub labels: Labels,
    /// The value; of a counter, by how much it grows.
    pub value: f64,
}

/// Whether groups have series of their own: `emit-per-nodegroup-metrics`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PerGroup {
    /// They have.
    Shown,
    /// They have not.
    Left,
}

/// How fresh what is known of a provider is.
#[derive(Clone, Debug)]
pub(crate) struct Freshness {
    /// Which.
    pub provider: String,
    /// When it was last read; `None` before the first time.
    pub as_of: Option<Timestamp>,
    /// Whether it fails.
    pub is_failing: bool,
}

/// All that is measured.
#[derive(Debug)]
pub(crate) struct Meter {
    metrics: Metrics,
    per_group: PerGroup,
    gauges: BTreeMap<&'static str, (Family<Labels, Number>, BTreeSet<Labels>)>,
    counters: BTreeMap<&'static str, Family<Labels, Counter>>,
    /// Counted, but with names that a counter may not have here.
    tallies: BTreeMap<&'static str, Family<Labels, Number>>,
    histograms: BTreeMap<&'static str, Family<Labels, Histogram>>,
}

// === impl Reading ===

impl Reading {
    fn new(name: &'static str, value: f64) -> Self {
        Self { name, labels: Vec::new(), value }
    }

    fn of(name: &'static str, label: &'static str, key: impl Into<String>, value: f64) -> Self {
        Self { name, labels: vec![(label, key.into())], value }
    }

    fn and(mut self, label: &'static str, key: impl Into<String>) -> Self {
        self.labels.push((label, key.into()));
        self
    }
}

// === impl Meter ===

impl Meter {
    pub(crate) fn new(per_group: PerGroup) -> Self {
        let mut registry = Registry::default();
        let mut gauges = BTreeMap::new();
        for (name, help) in GAUGES {
            let family = Family::<Labels, Number>::default();
            registry.register(name, help, family.clone());
            gauges.insert(name, (family, BTreeSet::new()));
        }
        let (mut counters, mut tallies) = (BTreeMap::new(), BTreeMap::new());
        for (name, kind, help) in COUNTERS {
            match kind {
                Kind::Counter => {
                    let family = Family::<Labels, Counter>::default();
                    // The suffix is put on by the form in which it is written.
                    let stem = name.strip_suffix("_total").unwrap_or(name);
                    registry.register(stem, help, family.clone());
                    counters.insert(name, family);
                }
                Kind::Tally => {
                    let family = Family::<Labels, Number>::default();
                    registry.register(name, help, family.clone());
                    tallies.insert(name, family);
                }
            }
        }
        let mut histograms = BTreeMap::new();
        for (name, help) in HISTOGRAMS {
            // From a millisecond to a bit more than half an hour.
            let new = || Histogram::new(exponential_buckets(0.001, 2.0, 22));
            let family = Family::<Labels, Histogram>::new_with_constructor(new as fn() -> _);
            registry.register(name, help, family.clone());
            histograms.insert(name, family);
        }
        let metrics = Metrics::new(registry);
        Self { metrics, per_group, gauges, counters, tallies, histograms }
    }

    /// To be read while it is counted.
    pub(crate) fn metrics(&self) -> Metrics {
        self.metrics.clone()
    }

    /// Takes a pass.
    pub(crate) fn pass(&mut self, pass: &Pass, providers: &[Freshness]) {
        let mut readings = readings::readings(pass, providers);
        if self.per_group == PerGroup::Shown {
            readings.extend(readings::of_groups(pass));
        }
        self.show(readings);
        self.count(counts::of_pass(pass));
        for Reading { name, labels, value } in counts::times(pass) {
            self.observe(name, &labels, value);
        }
    }

    /// Takes a piece of news.
    pub(crate) fn news(&mut self, news: &News, pass: Option<&Pass>, now: Timestamp) {
        self.count(counts::of_news(news, pass));
        if let Some(Reading { name, labels, value }) = counts::removal(news, now) {
            self.observe(name, &labels, value);
        }
    }

    /// Counts events that were written, or were not.
    pub(crate) fn events(&self, outcome: &'static str, count: usize) {
        let value = u32::try_from(count).map_or(f64::MAX, f64::from);
        self.count(vec![Reading::of("plimsoll_events_total", "outcome", outcome, value)]);
    }

    /// Whether we lead. Who does not shows nothing of a cluster that somebody else looks after.
    pub(crate) fn stand(&mut self, leads: bool) {
        if !leads {
            self.show(Vec::new());
        }
        let value = if leads { 1.0 } else { 0.0 };
        self.show_only("plimsoll_leader", vec![Reading::new("plimsoll_leader", value)]);
    }

    /// Shows these values and no others. Series that stay are never gone, not even for a moment.
    fn show(&mut self, readings: Vec<Reading>) {
        let mut by_name: BTreeMap<&'static str, Vec<Reading>> = BTreeMap::new();
        for reading in readings {
            by_name.entry(reading.name).or_default().push(reading);
        }
        let names: Vec<&'static str> = self.gauges.keys().copied().collect();
        for name in names.into_iter().filter(|name| *name != "plimsoll_leader") {
            self.show_only(name, by_name.remove(name).unwrap_or_default());
        }
    }

    fn show_only(&mut self, name: &'static str, readings: Vec<Reading>) {
        let Some((family, known)) = self.gauges.get_mut(name) else { return };
        let shown: BTreeSet<Labels> =
            readings.iter().map(|reading| reading.labels.clone()).collect();
        for reading in readings {
            family.get_or_create(&reading.labels).set(reading.value);
        }
        for gone in known.difference(&shown) {
            family.remove(gone);
        }
        *known = shown;
    }

    fn count(&self, readings: Vec<Reading>) {
        for Reading { name, labels, value } in readings {
            if let Some(family) = self.tallies.get(name) {
                family.get_or_create(&labels).inc_by(value);
            } else if let Some(family) = self.counters.get(name) {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "counts are whole, small and not negative"
                )]
                family.get_or_create(&labels).inc_by(value.max(0.0) as u64);
            }
        }
    }

    fn observe(&self, name: &'static str, labels: &Labels, value: f64) {
        if let Some(family) = self.histograms.get(name) {
            family.get_or_create(labels).observe(value);
        }
    }
}

#[cfg(test)]
mod tests;
