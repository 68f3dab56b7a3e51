//! How many pods of a job ended, and how.

use std::sync::Arc;

use serde_json::Value;

use super::{INDEX, Indexes, TRACKING};
use crate::{
    controllers::facts::{Phase, Pod},
    read::{number, text},
};

/// How the pods of a job are.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) active: i64,
    pub(super) ready: i64,
    pub(super) terminating: i64,
    /// Those that were counted before included.
    pub(super) succeeded: i64,
    pub(super) failed: i64,
    /// Of an indexed job: those that ended well.
    pub(super) indexes: Indexes,
    /// Pods that are counted here for the first time.
    pub(super) counted: Vec<Arc<Pod>>,
}

// === impl Tally ===

impl Tally {
    pub(super) fn of(job: &Value, pods: &[Arc<Pod>]) -> Self {
        let indexed = text(job, "/spec/completionMode") == "Indexed";
        let mut tally = Self {
            succeeded: number(job, "/status/succeeded"),
            failed: number(job, "/status/failed"),
            indexes: parse(text(job, "/status/completedIndexes")),
            ..Self::default()
        };
        for pod in pods {
            if pod.is_active() {
                tally.active += 1;
                tally.ready += i64::from(pod.is_ready());
                continue;
            }
            tally.terminating += i64::from(pod.meta.deleting && !pod.is_over());
            if !pod.meta.is_held_by(TRACKING) {
                continue;
            }
            // A pod that was deleted before it ended has failed.
            if pod.phase == Phase::Succeeded {
                match index_of(pod).filter(|_| indexed) {
                    Some(index) => tally.succeeded += i64::from(tally.indexes.insert(index)),
                    None => tally.succeeded += 1,
                }
            } else {
                tally.failed += 1;
            }
            tally.counted.push(Arc::clone(pod));
        }
        tally
    }
}

/// Which of the pods of an indexed job this is.
fn index_of(pod: &Pod) -> Option<i64> {
    pod.object.labels.get(INDEX)?.parse().ok()
}

/// The indexes that nobody works on and that have not ended well, the lowest first.
pub(super) fn free_indexes(
    pods: &[Arc<Pod>],
    done: &Indexes,
    completions: i64,
) -> impl Iterator<Item = i64> {
    let busy: Indexes =
        pods.iter().filter(|pod| pod.is_active()).filter_map(|pod| index_of(pod)).collect();
    (0..completions).filter(move |index| !busy.contains(index) && !done.contains(index))
}

/// Indexes as a status has them: `0-2,5`.
pub(super) fn ranges(indexes: &Indexes) -> String {
    let mut ranges: Vec<(i64, i64)> = Vec::new();
    for index in indexes {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *index => *last = *index,
            _ => ranges.push((*index, *index)),
        }
    }
    let texts: Vec<String> = ranges
        .into_iter()
        .map(|(first, last)| match last - first {
            0 => first.to_string(),
            1 => format!("{first},{last}"),
            _ => format!("{first}-{last}"),
        })
        .collect();
    texts.join(",")
}

fn parse(text: &str) -> Indexes {
    let mut indexes = Indexes::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(first), Ok(last)) = (first.parse::<i64>(), last.parse::<i64>()) {
            indexes.extend(first..=last);
        }
    }
    indexes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_are_written_as_ranges_and_read_back() {
        for (text, indexes) in [
            ("", vec![]),
            ("0", vec![0]),
            ("0,1", vec![0, 1]),
            ("0-2,5", vec![0, 1, 2, 5]),
            ("1,3-5,7,8", vec![1, 3, 4, 5, 7, 8]),
        ] {
            let indexes: Indexes = indexes.into_iter().collect();
            assert_eq!(ranges(&indexes), text);
            assert_eq!(parse(text), indexes);
        }
    }
}
