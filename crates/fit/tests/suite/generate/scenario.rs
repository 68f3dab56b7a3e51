//! A cluster's history: what there is, and what happens to it.

use std::fmt;

use plimsoll_model::{Labels, Namespaces, Storage, Symbol};
use proptest::prelude::*;

use super::{Shape, Template, terms::NAMESPACES};

/// Everything that a test run needs.
#[derive(Clone)]
pub(crate) struct Scenario {
    /// The storage objects, which do not change.
    pub(crate) storage: Storage,
    /// What nodes look like.
    pub(crate) templates: Vec<Template>,
    /// What pods look like.
    pub(crate) shapes: Vec<Shape>,
    /// What happens.
    pub(crate) steps: Vec<Step>,
}

/// One thing that happens. Numbers mean the so many-th of what is there, counted round.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// So many nodes of a template come.
    Add {
        /// Which template.
        template: usize,
        /// How many nodes.
        copies: usize,
    },
    /// A node goes, with its pods.
    Remove(usize),
    /// A node takes no more pods, or takes them again.
    Turn(usize),
    /// A pod is put on a node, whether it fits or not.
    Place {
        /// Which shape.
        shape: usize,
        /// Which node.
        node: usize,
    },
    /// Pods are put where they fit first, one after the other.
    Fit {
        /// Which shape.
        shape: usize,
        /// How many pods.
        times: usize,
    },
    /// A pod goes.
    Evict(usize),
    /// A fork begins, unless there are enough already.
    Fork,
    /// The innermost fork is dropped.
    Drop,
    /// The innermost fork is kept.
    Keep,
    /// A shape is judged on all nodes.
    Ask(usize),
}

/// How deep forks go.
pub(crate) const DEEPEST: usize = 3;

/// A step that adds up to `copies` nodes, if it adds any.
pub(super) fn step(copies: usize) -> BoxedStrategy<Step> {
    let shape = 0..5_usize;
    let any = 0..1000_usize;
    prop_oneof![
        4 => (0..5_usize, 1..=copies).prop_map(|(template, copies)| Step::Add { template, copies }),
        2 => any.clone().prop_map(Step::Remove),
        1 => any.clone().prop_map(Step::Turn),
        8 => (shape.clone(), any.clone()).prop_map(|(shape, node)| Step::Place { shape, node }),
        6 => (shape.clone(), 1..5_usize).prop_map(|(shape, times)| Step::Fit { shape, times }),
        3 => any.prop_map(Step::Evict),
        2 => Just(Step::Fork),
        1 => Just(Step::Drop),
        2 => Just(Step::Keep),
        4 => shape.prop_map(Step::Ask),
    ]
    .boxed()
}

/// Three namespaces are listed, one of them without labels; a fourth that pods use is not.
pub(crate) fn namespaces() -> Namespaces {
    let labels = |team: &str| Labels::from_pairs([(Symbol::new("team"), Symbol::new(team))]);
    let labels = [labels("red"), labels("blue"), Labels::default()];
    NAMESPACES.iter().map(|name| Symbol::new(name)).zip(labels).collect()
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Add { template, copies } => write!(f, "add t{template}×{copies}"),
            Self::Remove(node) => write!(f, "remove {node}"),
            Self::Turn(node) => write!(f, "turn {node}"),
            Self::Place { shape, node } => write!(f, "place p{shape} {node}"),
            Self::Fit { shape, times } => write!(f, "fit p{shape}×{times}"),
            Self::Evict(pod) => write!(f, "evict {pod}"),
            Self::Fork => write!(f, "fork"),
            Self::Drop => write!(f, "drop"),
            Self::Keep => write!(f, "keep"),
            Self::Ask(shape) => write!(f, "ask p{shape}"),
        }
    }
}

impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f)?;
        for (number, template) in self.templates.iter().enumerate() {
            writeln!(f, "  t{number}: {template:?}")?;
        }
        for (number, shape) in self.shapes.iter().enumerate() {
            writeln!(f, "  p{number}: {shape:?}")?;
        }
        for claim in self.storage.claims.values() {
            writeln!(f, "  {claim:?}")?;
        }
        for volume in self.storage.volumes() {
            writeln!(f, "  {volume:?}")?;
        }
        if !self.storage.classes.is_empty() {
            let Storage { classes, capacities, capacity_drivers, limits, attachments, .. } =
                &self.storage;
            for class in classes.values().filter(|class| !class.allowed_topologies.is_empty()) {
                writeln!(f, "  {class:?}")?;
            }
            writeln!(f, "  {capacity_drivers:?} publish {capacities:?}")?;
            writeln!(f, "  limits {limits:?}, attachments {attachments:?}")?;
        }
        writeln!(f, "  steps {:?}", self.steps)
    }
}
