//! Pods without a node: which stay pending and why, and what becomes of the others.

use std::collections::BTreeMap;

use plimsoll_model::Symbol;
use plimsoll_plan::{
    GroupRejection, Outcome, PodReport,
    words::{self, Reason},
};

use super::Story;
use crate::plan::{
    crowd::{Crowd, Listed},
    full_name,
};

/// More lines than this about one pod nobody reads.
const MOST_REASONS: usize = 10;

/// More groups than this with the same reason are counted, not named.
const MOST_GROUPS: usize = 4;

/// All that is to be said, those that stay pending first.
pub(in crate::plan) fn lines(story: &Story<'_>) -> Vec<String> {
    let mut reports: Vec<&PodReport> = story.plan.pods.iter().collect();
    reports.sort_by(|one, other| full_name::compare(&one.pod, &other.pod));
    let mut lines = stuck(story, &reports);
    let others = [
        Outcome::FitsExisting,
        Outcome::Nominated,
        Outcome::TooYoung,
        Outcome::ConsumesRequest,
        Outcome::Expendable,
        Outcome::Ignored,
    ];
    for outcome in others {
        let pods = reports.iter().filter(|report| report.outcome == outcome);
        let crowds = story.stems.crowds(pods.map(|report| &report.pod));
        if !crowds.is_empty() {
            let is_many = crowds.len() > 1 || crowds.iter().any(Crowd::is_many);
            lines.push(format!("{} {}", Listed(&crowds), words::outcome(outcome, is_many)));
        }
    }
    lines
}

/// What becomes of one pod, with a line for each group that does not take it.
pub(in crate::plan) fn report(story: &Story<'_>, report: &PodReport) -> Vec<String> {
    let mut lines = vec![words::pod(report)];
    lines.extend(reasons(story, &report.rejections));
    lines
}

/// Pods of one crowd that are rejected alike are spoken of together.
fn stuck(story: &Story<'_>, reports: &[&PodReport]) -> Vec<String> {
    type Key<'p> = (Outcome, *const GroupRejection, (Symbol, &'p str));
    let mut alike: Vec<(&PodReport, Vec<&PodReport>)> = Vec::new();
    let mut places: BTreeMap<Key<'_>, usize> = BTreeMap::new();
    let is_stuck = |report: &&&PodReport| {
        matches!(report.outcome, Outcome::NoGroupFits | Outcome::AwaitsNextPass)
    };
    for report in reports.iter().filter(is_stuck) {
        // Pods of one shape share the list of rejections.
        let key = (report.outcome, report.rejections.as_ptr(), story.stems.stem(&report.pod));
        let place = *places.entry(key).or_insert(alike.len());
        match alike.get_mut(place) {
            Some((_, reports)) => reports.push(report),
            None => alike.push((report, vec![report])),
        }
    }
    let mut lines = Vec::new();
    for (first, reports) in alike {
        for crowd in story.stems.crowds(reports.iter().map(|report| &report.pod)) {
            lines.push(format!("{crowd} {}", words::outcome(first.outcome, crowd.is_many())));
        }
        lines.extend(reasons(story, &first.rejections));
    }
    lines
}

/// What each group has against a pod, groups that have the same in one line, the names in a column.
fn reasons(story: &Story<'_>, rejections: &[GroupRejection]) -> Vec<String> {
    let alike = words::alike(rejections);
    let names = alike.iter().take(MOST_REASONS).map(|(_, groups)| match groups.len() {
        count if count > MOST_GROUPS => format!("{count} groups"),
        _ => groups.join(", "),
    });
    let names: Vec<String> = names.collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or_default();
    let now = Some(story.world.now);
    let lines = names.iter().zip(&alike);
    let mut lines: Vec<String> = lines
        .map(|(name, (reason, _))| format!("  {name:width$}  {}", Reason { reason, now }))
        .collect();
    match alike.iter().skip(MOST_REASONS).map(|(_, groups)| groups.len()).sum::<usize>() {
        0 => {}
        rest => lines.push(format!("  and {rest} more groups for reasons of this kind")),
    }
    lines
}
