//! The answer as a table for a person.

use std::io::{self, Write};

use super::{
    answer::{Answer, PodAnswer},
    rows::{Row, rows},
};
use crate::printable::Lines;

/// A name longer than this does not push the other column away.
const WIDEST: usize = 40;

/// Writes a heading and a table for each pod.
pub(super) fn write(out: &mut Lines<impl Write>, answer: &Answer) -> io::Result<()> {
    writeln!(out, "{}", answer.id)?;
    if answer.pods.is_empty() {
        return writeln!(out, "  no pod is waiting for a node");
    }
    for pod in &answer.pods {
        writeln!(out)?;
        write_pod(out, pod)?;
    }
    Ok(())
}

fn write_pod(out: &mut Lines<impl Write>, answer: &PodAnswer) -> io::Result<()> {
    let (all, pod) = (answer.nodes.len(), &answer.pod);
    let taking = answer.nodes.iter().filter(|(_, rejections)| rejections.is_empty()).count();
    match (taking, all) {
        (_, 0) => writeln!(out, "{pod}: there are no nodes")?,
        (0, 1) => writeln!(out, "{pod}: the only node does not take it")?,
        (1, 1) => writeln!(out, "{pod}: the only node takes it")?,
        (0, all) => writeln!(out, "{pod}: none of {all} nodes takes it")?,
        (1, all) => writeln!(out, "{pod}: 1 of {all} nodes takes it")?,
        (taking, all) => writeln!(out, "{pod}: {taking} of {all} nodes take it")?,
    }
    let rows = rows(&answer.nodes);
    let widths = rows.iter().map(|row| row.label.chars().count());
    let width = widths.filter(|width| *width <= WIDEST).max().unwrap_or_default();
    for Row { label, lines } in &rows {
        for (number, line) in lines.iter().enumerate() {
            let label = if number == 0 { label } else { "" };
            writeln!(out, "  {label:width$}  {line}")?;
        }
    }
    Ok(())
}
