//! The text of the status: laid out as upstream's library does it, so that whoever reads one reads the other.

use std::fmt::Display;

use jiff::Timestamp;

use super::{Condition, GroupScope, Status, go_time};
use crate::record::census::Counts;

/// Lines at their depth.
#[derive(Default)]
struct Page {
    text: String,
    depth: usize,
}

pub(super) fn initializing(now: Timestamp) -> String {
    let mut page = Page::default();
    page.entry("time", scalar(&go_time(now)));
    page.entry("autoscalerStatus", "Initializing");
    page.text
}

pub(super) fn running(status: &Status) -> String {
    let mut page = Page::default();
    let at = status.at;
    page.entry("time", scalar(&go_time(at)));
    page.entry("autoscalerStatus", "Running");
    if !status.message.is_empty() {
        page.entry("message", scalar(&status.message));
    }
    page.within("clusterWide", |page| {
        let cluster = &status.cluster;
        page.within("health", |page| {
            page.entry("status", cluster.health.status);
            page.counts(&cluster.counts);
            page.times(cluster.health, at);
        });
        page.within("scaleUp", |page| {
            page.entry("status", cluster.scale_up.status);
            page.times(cluster.scale_up, at);
        });
        page.scale_down(cluster.scale_down, cluster.candidates, at);
    });
    if !status.groups.is_empty() {
        page.line("nodeGroups:");
    }
    for (name, group) in &status.groups {
        page.line(&format!("- name: {}", scalar(name.as_str())));
        page.depth += 1;
        page.group(group, at);
        page.depth -= 1;
    }
    page.text
}

// === impl Page ===

impl Page {
    fn line(&mut self, line: &str) {
        self.text.push_str(&"  ".repeat(self.depth));
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn entry(&mut self, key: &str, value: impl Display) {
        self.line(&format!("{key}: {value}"));
    }

    fn within(&mut self, key: &str, write: impl FnOnce(&mut Self)) {
        self.line(&format!("{key}:"));
        self.depth += 1;
        write(self);
        self.depth -= 1;
    }

    fn group(&mut self, group: &GroupScope, at: Timestamp) {
        let common = &group.common;
        self.within("health", |page| {
            page.entry("status", common.health.status);
            page.counts(&common.counts);
            page.entry("cloudProviderTarget", group.target);
            page.entry("minSize", group.min);
            page.entry("maxSize", group.max);
            page.times(common.health, at);
        });
        self.within("scaleUp", |page| {
            page.entry("status", common.scale_up.status);
            if let Some((code, message)) = &group.backoff {
                page.within("backoffInfo", |page| {
                    page.entry("errorCode", scalar(code));
                    if !message.is_empty() {
                        page.entry("errorMessage", scalar(message));
                    }
                });
            }
            page.times(common.scale_up, at);
        });
        self.scale_down(common.scale_down, common.candidates, at);
    }

    fn scale_down(&mut self, condition: Condition, candidates: usize, at: Timestamp) {
        self.within("scaleDown", |page| {
            page.entry("status", condition.status);
            if candidates > 0 {
                page.entry("candidates", candidates);
            }
            page.times(condition, at);
        });
    }

    fn counts(&mut self, counts: &Counts) {
        self.within("nodeCounts", |page| {
            page.within("registered", |page| {
                page.entry("total", counts.registered);
                page.entry("ready", counts.ready);
                page.entry("notStarted", counts.not_started);
                if counts.suspended > 0 {
                    page.entry("suspended", counts.suspended);
                }
                if counts.being_deleted > 0 {
                    page.entry("beingDeleted", counts.being_deleted);
                }
                page.within("unready", |page| {
                    page.entry("total", counts.unready);
                    page.entry("resourceUnready", 0);
                });
            });
            page.entry("longUnregistered", counts.long_unregistered);
            page.entry("unregistered", counts.unregistered);
        });
    }

    fn times(&mut self, condition: Condition, at: Timestamp) {
        self.entry("lastProbeTime", format_args!("\"{at}\""));
        self.entry("lastTransitionTime", format_args!("\"{}\"", condition.since));
    }
}

/// A text that YAML takes for that text: as it is when nothing in it has a meaning, else in quotes.
fn scalar(text: &str) -> String {
    let is_inner = |letter: char| letter.is_ascii_alphanumeric() || "-_./+ :()".contains(letter);
    let is_plain = text.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        && text.chars().all(is_inner)
        && !text.contains(": ")
        && !text.ends_with([' ', ':']);
    // A number or a word such as `yes` would be taken for something else than a text.
    let is_other = text.parse::<f64>().is_ok()
        || ["true", "false", "yes", "no", "on", "off", "null", "y", "n"]
            .contains(&text.to_ascii_lowercase().as_str())
        || text.parse::<Timestamp>().is_ok();
    if is_plain && !is_other {
        text.to_owned()
    } else {
        // A JSON string is a YAML string in double quotes.
        serde_json::Value::from(text).to_string()
    }
}
