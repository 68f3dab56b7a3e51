//! PodTemplates that have to be written for CapacityBuffers: each once at a time, and not again at once when it failed.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use plimsoll_model::Symbol;
use plimsoll_plan::{BufferReport, Making};

/// How long what failed is left alone. Who puts a text right has another digest, and need not wait.
const REST: SignedDuration = SignedDuration::from_secs(30);

/// How many are written at a time.
const MOST: usize = 10;

/// A buffer: its namespace and name.
pub(crate) type BufferName = (Symbol, Box<str>);

/// What is being written, and what could not be.
#[derive(Debug, Default)]
pub(crate) struct Templates {
    under_way: BTreeSet<BufferName>,
    failed: BTreeMap<BufferName, (u64, Timestamp)>,
}

// === impl Templates ===

impl Templates {
    /// What is to be written now.
    pub(crate) fn due<'p>(
        &mut self,
        reports: &'p [BufferReport],
        now: Timestamp,
    ) -> Vec<(&'p BufferReport, &'p Making)> {
        let name = |report: &BufferReport| (report.namespace, report.name.clone());
        let is_there = |known: &BufferName| reports.iter().any(|report| name(report) == *known);
        self.failed.retain(|known, _| is_there(known));
        let room = MOST.saturating_sub(self.under_way.len());
        let rests = |name: &BufferName, digest: u64| {
            let failed = self.failed.get(name);
            failed.is_some_and(|(of, at)| *of == digest && now.duration_since(*at) < REST)
        };
        let due = reports.iter().filter_map(|report| {
            let making = report.making.as_ref()?;
            let name = name(report);
            let waits = self.under_way.contains(&name) || rests(&name, making.digest);
            (!waits).then_some((report, making))
        });
        let due: Vec<_> = due.take(room).collect();
        self.under_way.extend(due.iter().map(|(report, _)| name(report)));
        due
    }

    /// One of them is written, or could not be.
    pub(crate) fn ended(&mut self, buffer: &BufferName, failed: Option<u64>, now: Timestamp) {
        self.under_way.remove(buffer);
        match failed {
            Some(digest) => self.failed.insert(buffer.clone(), (digest, now)),
            None => self.failed.remove(buffer),
        };
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_model::{BufferSource, Symbol, Timestamp};
    use plimsoll_plan::{BufferReport, Making, Told};

    use super::Templates;

    fn report(name: &str, digest: u64) -> BufferReport {
        BufferReport {
            place: 0,
            namespace: Symbol::new("shop"),
            name: name.into(),
            uid: "u".into(),
            units: 0,
            placed: 0,
            told: Told::Nothing,
            making: Some(Making {
                name: "made".into(),
                source: BufferSource::Template("unit".into()),
                digest,
            }),
        }
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn due(templates: &mut Templates, reports: &[BufferReport], second: i64) -> usize {
        templates.due(reports, at(second)).len()
    }

    #[test]
    fn each_is_written_once_at_a_time_and_rests_when_it_failed() {
        let (mut templates, name) = (Templates::default(), (Symbol::new("shop"), "a".into()));
        assert_eq!(due(&mut templates, &[report("a", 1), report("b", 1)], 0), 2);
        assert_eq!(due(&mut templates, &[report("a", 1), report("b", 1)], 1), 0);
        templates.ended(&name, Some(1), at(2));
        assert_eq!(due(&mut templates, &[report("a", 1)], 31), 0);
        assert_eq!(due(&mut templates, &[report("a", 1)], 32), 1);
        templates.ended(&name, Some(1), at(33));
        // Another text is another matter.
        assert_eq!(due(&mut templates, &[report("a", 2)], 33), 1);
    }

    #[test]
    fn so_many_are_written_and_no_more() {
        let reports: Vec<_> = (0..25).map(|number| report(&number.to_string(), 1)).collect();
        let mut templates = Templates::default();
        assert_eq!(due(&mut templates, &reports, 0), 10);
        assert_eq!(due(&mut templates, &reports, 0), 0);
    }
}
