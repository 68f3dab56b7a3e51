//! How a snapshot learns a new pod shape.

use std::sync::Arc;

use plimsoll_model::{PodShape, PodTerm, SpreadConstraint, Symbol};

use crate::{
    Snapshot,
    census::{Census, CensusState},
    counter::{Counter, Question, Whom},
    ids::{CensusId, CounterId, KeyId, ShapeId},
    shapes::{AffinityCheck, SpreadCheck},
    tally::Tally,
};

impl Snapshot {
    /// The handle of a shape; shapes that are alike have the same one.
    pub fn shape(&mut self, shape: &Arc<PodShape>) -> ShapeId {
        let trimmed = self.profile.trimmed(shape).map(Arc::new);
        let shape = trimmed.as_ref().unwrap_or(shape);
        if let Some(id) = self.shapes.find(shape) {
            return id;
        }
        if !shape.device_claims.is_empty()
            && let Some(canonical) = self.devices.canonical(shape)
        {
            return self.shape(&Arc::new(canonical));
        }
        let claims = self.devices.wanted(shape).map(Box::new);
        let nodes = || self.rows.iter().map(|row| &*row.node);
        let affinity = self.profile.node_affinity(&shape.node_affinity);
        let gate = self.gates.gate(&affinity, &shape.tolerations, nodes());
        let slot = (Symbol::new(plimsoll_model::resource::PODS), 1);
        let (mut asks, mut uses) = (Vec::new(), Vec::new());
        for (name, amount) in [slot].into_iter().chain(shape.requests.iter()) {
            let column = match self.capacity.find_column(name) {
                Some(column) => column,
                None => self.capacity.add_column(name, nodes()),
            };
            if amount > 0 {
                uses.push((column, amount));
                if self.profile.counts(name) {
                    asks.push((column, amount));
                }
            }
        }
        let id = self.shapes.add(Arc::clone(shape), gate, asks.into(), uses.into());

        // First the questions others have asked, then this shape's own: a new question looks at all shapes, this one
        // included.
        self.join_known_counters(id, shape);
        let spread: Box<[_]> =
            shape.spread.iter().map(|one| self.spread_check(shape, one)).collect();
        let affinity = self.affinity_check(shape);
        let avoids: Box<[_]> =
            shape.anti_affinity.iter().filter_map(|term| self.avoidance(term)).collect();
        for term in &shape.anti_affinity {
            if term.selector.is_some() {
                let owners = self.counter(Whom::Owners(term.clone()), term.topology_key, None);
                self.shapes.entry_mut(id).counted_in.push(owners);
            }
        }
        let entry = self.shapes.entry_mut(id);
        entry.claims = claims;
        (entry.spread, entry.affinity, entry.avoids) = (spread, affinity, avoids);
        id
    }

    fn join_known_counters(&mut self, id: ShapeId, shape: &PodShape) {
        let by_label = shape
            .labels
            .iter()
            .filter_map(|(key, value)| self.counters_by_pair.get(&(key, value.clone())));
        let known = by_label.flatten().chain(&self.counters_without_pair);
        let entry = self.shapes.entry_mut(id);
        for counter in known {
            let whom = &self.counters[counter.index()].question.whom;
            match whom {
                Whom::Owners(_) if whom.repels(shape, &self.namespaces) => {
                    entry.repelled_by.push(*counter);
                }
                Whom::Spread { .. } | Whom::Matching(_) if whom.counts(shape, &self.namespaces) => {
                    entry.counted_in.push(*counter);
                }
                _ => {}
            }
        }
    }

    fn spread_check(&mut self, shape: &PodShape, constraint: &SpreadConstraint) -> SpreadCheck {
        let key = self.key(constraint.topology_key);
        let selector = constraint.selector.as_ref();
        let counter = selector.filter(|selector| !selector.is_empty()).map(|selector| {
            let mut keys: Vec<KeyId> =
                shape.spread.iter().map(|other| self.key(other.topology_key)).collect();
            keys.sort_unstable();
            keys.dedup();
            let affinity = constraint.honor_affinity && !shape.node_affinity.is_empty();
            let census = Census {
                key,
                keys: keys.into(),
                affinity: affinity.then(|| self.gates.affinity(&shape.node_affinity)),
                tolerations: constraint
                    .honor_taints
                    .then(|| self.gates.tolerations(&shape.tolerations)),
            };
            let census = self.census(census);
            let whom = Whom::Spread { namespace: shape.namespace, selector: selector.clone() };
            self.counter(whom, constraint.topology_key, Some(census))
        });
        SpreadCheck {
            key,
            counter,
            max_skew: constraint.max_skew,
            min_domains: constraint.min_domains,
            counts_itself: selector.is_some_and(|selector| selector.matches(&shape.labels)),
        }
    }

    fn affinity_check(&mut self, shape: &PodShape) -> AffinityCheck {
        let terms: Option<Box<[_]>> = shape
            .affinity
            .iter()
            .map(|term| Some((term.namespaces.clone(), term.selector.clone()?)))
            .collect();
        let Some(terms) = terms else {
            return AffinityCheck { impossible: true, ..AffinityCheck::default() };
        };
        let whom = Whom::Matching(terms);
        AffinityCheck {
            satisfies_itself: whom.counts(shape, &self.namespaces),
            needs: shape
                .affinity
                .iter()
                .map(|term| self.counter(whom.clone(), term.topology_key, None))
                .collect(),
            impossible: false,
        }
    }

    fn avoidance(&mut self, term: &PodTerm) -> Option<CounterId> {
        let whom = Whom::Matching([(term.namespaces.clone(), term.selector.clone()?)].into());
        Some(self.counter(whom, term.topology_key, None))
    }

    fn key(&mut self, label: Symbol) -> KeyId {
        match self.topology.find(label) {
            Some(key) => key,
            None => {
                self.topology.add(label, self.rows.iter().map(|row| (&*row.node, row.is_present())))
            }
        }
    }

    fn census(&mut self, census: Census) -> CensusId {
        let (place, new) = self.census_ids.insert_full(census.clone());
        if new {
            let mut state = CensusState::new(census);
            for (id, row) in self.numbered_rows() {
                state.push(id, &row.node, &self.topology, &self.gates);
                if row.is_present() {
                    state.attach(id, &self.topology);
                }
            }
            self.censuses.push(state);
        }
        CensusId::new(place)
    }

    /// The counter that answers a question, made and brought up to date if it is new.
    fn counter(&mut self, whom: Whom, label: Symbol, census: Option<CensusId>) -> CounterId {
        let question = Question { whom, key: self.key(label), census };
        let (place, new) = self.questions.insert_full(question.clone());
        let id = CounterId::new(place);
        if !new {
            return id;
        }
        let mut tally = Tally::default();
        if let Some(census) = census {
            let state = &mut self.censuses[census.index()];
            state.counters.push(id);
            (0..state.domains()).for_each(|_| tally.add_domain());
        }
        let pair = question.whom.pair().map(|(key, value)| (key, value.clone()));
        match &pair {
            Some(pair) => self.counters_by_pair.entry(pair.clone()).or_default().push(id),
            None => self.counters_without_pair.push(id),
        }
        self.counters.push(Counter { question, tally });
        for shape in self.shapes.candidates(pair.as_ref()) {
            self.join(shape, id);
        }
        id
    }

    /// Tells a shape of a new counter, and the counter of the shape's pods.
    fn join(&mut self, shape: ShapeId, id: CounterId) {
        let whom = &self.counters[id.index()].question.whom;
        let known = self.shapes.shape(shape);
        if let Whom::Owners(_) = whom {
            if whom.repels(known, &self.namespaces) {
                self.shapes.entry_mut(shape).repelled_by.push(id);
            }
            return;
        }
        if !whom.counts(known, &self.namespaces) {
            return;
        }
        let pods = std::mem::take(&mut self.shapes.entry_mut(shape).pods);
        for pod in &pods {
            self.count(id, self.pods[pod.index()].node, true);
        }
        let entry = self.shapes.entry_mut(shape);
        entry.pods = pods;
        entry.counted_in.push(id);
    }
}
