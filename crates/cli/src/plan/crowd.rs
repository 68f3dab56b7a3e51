//! Crowds: pods that belong together, spoken of in one breath.

use std::{cmp::Reverse, fmt};

use plimsoll_model::{Pod, PodName, Symbol, World};
use rustc_hash::FxHashMap;

/// Pods of one owner, or with the same beginning of their names.
#[derive(Debug)]
pub(super) struct Crowd<'p> {
    /// The namespace and the name that all share.
    stem: (Symbol, &'p str),
    pods: Vec<&'p PodName>,
}

/// Knows to which crowd a pod belongs.
#[derive(Debug)]
pub(super) struct Stems<'w>(FxHashMap<(Symbol, &'w str), &'w str>);

/// Crowds one after the other: `12 pods web-… (default) and pod default/x`.
pub(super) struct Listed<'c, 'p>(pub(super) &'c [Crowd<'p>]);

/// More crowds than this are counted, not named.
const MOST_CROWDS: usize = 6;

// === impl Stems ===

impl<'w> Stems<'w> {
    /// Pods are known by their owner's name; the plan speaks only of pods that have no node, or may lose it.
    pub(super) fn new(world: &'w World) -> Self {
        let owned = |pod: &'w Pod| {
            let owner = pod.owner.as_ref()?;
            Some(((pod.shape.namespace, &*pod.name), &*owner.name))
        };
        Self(world.pods.iter().filter_map(owned).collect())
    }

    /// Sorts pods into crowds, the largest first.
    pub(super) fn crowds<'p>(&self, pods: impl IntoIterator<Item = &'p PodName>) -> Vec<Crowd<'p>>
    where
        'w: 'p,
    {
        let mut crowds: Vec<Crowd<'p>> = Vec::new();
        let mut places: FxHashMap<(Symbol, &'p str), usize> = FxHashMap::default();
        for pod in pods {
            let stem = self.stem(pod);
            let place = *places.entry(stem).or_insert(crowds.len());
            match crowds.get_mut(place) {
                Some(crowd) => crowd.pods.push(pod),
                None => crowds.push(Crowd { stem, pods: vec![pod] }),
            }
        }
        crowds.sort_by_key(|crowd| Reverse(crowd.pods.len()));
        crowds
    }

    /// The owner's name, or else the pod's without its last part.
    pub(super) fn stem<'p>(&self, pod: &'p PodName) -> (Symbol, &'p str)
    where
        'w: 'p,
    {
        let owner = self.0.get(&(pod.namespace, &*pod.name)).copied();
        let stem = owner.or_else(|| Some(pod.name.rsplit_once('-')?.0));
        (pod.namespace, stem.unwrap_or(&pod.name))
    }
}

// === impl Crowd ===

impl Crowd<'_> {
    /// Whether it is more than one pod.
    pub(super) fn is_many(&self) -> bool {
        self.pods.len() > 1
    }
}

impl fmt::Display for Crowd<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pods.as_slice() {
            [pod] => write!(f, "pod {pod}"),
            pods => {
                let (namespace, stem) = self.stem;
                write!(f, "{} pods {stem}-… ({namespace})", pods.len())
            }
        }
    }
}

// === impl Listed ===

impl fmt::Display for Listed<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (named, rest) = if self.0.len() > MOST_CROWDS {
            self.0.split_at(MOST_CROWDS - 1)
        } else {
            (self.0, [].as_slice())
        };
        for (place, crowd) in named.iter().enumerate() {
            let is_last = place + 1 == named.len() && rest.is_empty();
            f.write_str(match (place, is_last) {
                (0, _) => "",
                (_, true) => " and ",
                (_, false) => ", ",
            })?;
            write!(f, "{crowd}")?;
        }
        match rest.iter().map(|crowd| crowd.pods.len()).sum::<usize>() {
            0 => Ok(()),
            count => write!(f, " and {count} more"),
        }
    }
}
