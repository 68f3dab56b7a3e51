//! NodeResourcesFit: what the pod asks for is free, the slot for the pod itself included.
//!
//! A resource of which nothing is asked is not looked at, even on an overcommitted node. The quick answer is
//! `Capacity::takes`.

use super::Question;
use crate::{Rejection, Shortage};

pub(super) fn judge(question: Question<'_>) -> Option<Rejection> {
    let capacity = &question.snapshot.capacity;
    let node = question.snapshot.node(question.node);
    let shortages: Box<[_]> = question
        .entry
        .asks
        .iter()
        .filter(|(column, asks)| *asks > capacity.free(question.node, *column))
        .map(|(column, asks)| {
            let resource = capacity.name(*column);
            Shortage {
                resource,
                asks: *asks,
                free: capacity.free(question.node, *column),
                allocatable: node.allocatable.get(resource),
            }
        })
        .collect();
    (!shortages.is_empty()).then_some(Rejection::Insufficient(shortages))
}
