//! NodePorts: a host port is used once a node.

use super::Question;
use crate::Rejection;

pub(super) fn fits(question: Question<'_>) -> bool {
    question.shape.ports.is_empty() || judge(question).is_none()
}

pub(super) fn judge(question: Question<'_>) -> Option<Rejection> {
    let used = &question.snapshot.rows[question.node.index()].ports;
    let clash = |port: &&_| used.iter().any(|(other, _)| other.clashes(port));
    question.shape.ports.iter().find(clash).map(|port| Rejection::PortTaken(*port))
}
