//! The picture in letters.

use std::fmt::Write as _;

use super::picture::{Group, Leaving, Node, Picture};
use crate::printable::printable;

/// How many cells a bar has.
const CELLS: u32 = 10;

/// Of more pods or decisions than this, only some are shown.
const MOST: usize = 20;

/// Draws it. Every line stands for itself, so that it can be searched with grep.
pub(super) fn draw(picture: &Picture) -> String {
    let mut lines = vec![head(picture)];
    lines.extend(picture.held_back.iter().map(|why| format!("nothing is done: {why}")));
    if picture.pass.is_some() && !picture.healthy {
        lines.push("the cluster is not healthy: too many nodes are unready".to_owned());
    }
    lines.extend(picture.warnings.iter().map(|what| format!("warning: {what}")));
    lines.extend(picture.unreadable.iter().map(|what| format!("cannot be read: {what}")));
    section(&mut lines, "groups", table(picture.groups.iter().map(group)));
    section(&mut lines, "nodes", table(picture.nodes.iter().map(node)));
    let pods = picture.pending.iter().take(MOST);
    let mut pods = table(pods.map(|pod| [pod.name.clone(), pod.words.clone()]));
    let unseen = picture.pending_count.saturating_sub(pods.len());
    if unseen > 0 {
        pods.push(format!("and {unseen} more"));
    }
    section(&mut lines, "pods without a node", pods);
    section(&mut lines, "nodes on their way out", table(picture.leaving.iter().map(leaving)));
    let unseen = picture.decisions.len().saturating_sub(MOST);
    let decisions = picture.decisions.iter().skip(unseen);
    let decisions = decisions.map(|line| format!("{}  {}", clock(&line.at), line.text));
    section(&mut lines, "last decisions", decisions.collect());
    let lines: Vec<_> = lines.iter().map(|line| printable(line)).collect();
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

fn head(picture: &Picture) -> String {
    let Some(pass) = picture.pass else {
        return match (&*picture.standing, &picture.leader) {
            ("Leading", _) => "leads, and has not made a pass yet".to_owned(),
            (_, Some(leader)) => format!("stands by; {leader} leads"),
            (_, None) => "stands by; nobody is known to lead".to_owned(),
        };
    };
    let mut head = format!(
        "leads, pass {pass} at {}: {} nodes, {} pods, {} without a node, ${:.2} an hour",
        clock(&picture.at),
        picture.nodes.len(),
        picture.pods,
        picture.pending_count,
        picture.cost_per_hour,
    );
    if (picture.planned_cost_per_hour - picture.cost_per_hour).abs() >= 0.005 {
        let _ = write!(head, ", soon ${:.2}", picture.planned_cost_per_hour);
    }
    head
}

fn group(group: &Group) -> [String; 5] {
    let upcoming = match group.upcoming {
        0 => String::new(),
        upcoming => format!(", {upcoming} coming"),
    };
    [
        group.name.clone(),
        format!("{} of {}..{}", group.target, group.min, group.max),
        format!("{} ready{upcoming}", group.ready),
        group.price.map(|price| format!("${price:.2}")).unwrap_or_default(),
        group.words.clone(),
    ]
}

fn node(node: &Node) -> [String; 5] {
    [
        node.group.clone().unwrap_or_else(|| "-".to_owned()),
        node.name.clone(),
        format!("cpu {} memory {}", bar(node.cpu), bar(node.memory)),
        if node.ready { String::new() } else { "not ready".to_owned() },
        node.words.clone(),
    ]
}

fn leaving(leaving: &Leaving) -> [String; 3] {
    let waits = match leaving.waits_for.as_str() {
        "" => String::new(),
        what => format!("; waits for {what}"),
    };
    [leaving.node.clone(), leaving.stage.clone(), format!("{}{waits}", leaving.why)]
}

/// Such as `████░░░░░░  42%`.
fn bar(share: f64) -> String {
    let filled = |cell: u32| f64::from(cell) + 0.5 <= share * f64::from(CELLS);
    let cells: String = (0..CELLS).map(|cell| if filled(cell) { '█' } else { '░' }).collect();
    format!("{cells} {:>3.0}%", share * 100.0)
}

/// The time of day of `2026-01-01T12:00:00.5Z`.
fn clock(at: &str) -> &str {
    let time = at.split_once('T').map_or(at, |(_, time)| time);
    time.get(..8).unwrap_or(time)
}

/// Rows with their columns under each other; the last is as long as it is.
fn table<const N: usize>(rows: impl Iterator<Item = [String; N]>) -> Vec<String> {
    let rows: Vec<[String; N]> = rows.collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..N).map(width).collect();
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(&widths).filter(|(_, width)| **width > 0);
        let cells: Vec<String> = cells.map(|(cell, width)| format!("{cell:<width$}")).collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

fn section(lines: &mut Vec<String>, heading: &str, body: Vec<String>) {
    if !body.is_empty() {
        lines.push(String::new());
        lines.push(heading.to_owned());
        lines.extend(body.into_iter().map(|line| format!("  {line}")));
    }
}
