//! What is tried in a fork and dropped leaves no trace in who has which device.

use plimsoll_fit::{Equipment, NodeId, Outfit, PodId, ShapeId, Snapshot, local_slices};
use plimsoll_model::{Devices, Namespaces, PodClaim, Storage, Symbol};
use proptest::{collection::vec, prelude::*, test_runner::Config};

use super::found::{claimed, host, made, objects, shape};

/// What happens. Numbers are taken modulo what there is.
#[derive(Clone, Copy, Debug)]
enum Step {
    Place(usize, usize),
    Evict(usize),
    /// A node that has what the first one has.
    Add,
    Remove(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => (0..9_usize, 0..9_usize).prop_map(|(shape, node)| Step::Place(shape, node)),
        3 => (0..9_usize).prop_map(Step::Evict),
        1 => Just(Step::Add),
        1 => (0..9_usize).prop_map(Step::Remove),
    ]
}

struct Play<'a> {
    objects: &'a Devices,
    shapes: Vec<ShapeId>,
    pods: Vec<PodId>,
    added: usize,
}

impl Play<'_> {
    fn step(&mut self, snapshot: &mut Snapshot, step: Step) {
        let nodes: Vec<NodeId> = snapshot.node_ids().collect();
        match step {
            Step::Place(shape, node) if !nodes.is_empty() => {
                let shape = self.shapes[shape % self.shapes.len()];
                self.pods.push(snapshot.place(shape, nodes[node % nodes.len()]));
            }
            Step::Evict(pod) if !self.pods.is_empty() => {
                let pod = self.pods.swap_remove(pod % self.pods.len());
                snapshot.evict(pod);
            }
            Step::Add => {
                self.added += 1;
                let devices = Equipment::Like(local_slices(self.objects, Symbol::new("n0")));
                let outfit = Outfit { devices, ..Outfit::default() };
                snapshot.add_equipped(host(100 + self.added), &outfit);
            }
            Step::Remove(node) if nodes.len() > 1 => {
                let node = nodes[node % nodes.len()];
                let gone: Vec<PodId> = snapshot.pods_on(node).collect();
                self.pods.retain(|pod| !gone.contains(pod));
                snapshot.remove_node(node);
            }
            Step::Place(..) | Step::Evict(_) | Step::Remove(_) => {}
        }
    }

    /// For every node and shape: whether it fits, and how many one after the other do.
    fn answers(&self, snapshot: &mut Snapshot) -> Vec<(usize, bool)> {
        let nodes: Vec<NodeId> = snapshot.node_ids().collect();
        let mut answers = Vec::new();
        for node in nodes {
            for shape in &self.shapes {
                let fits = snapshot.fits(*shape, node);
                let mut trial = snapshot.fork();
                let mut count = 0;
                while count < 6 && trial.fits(*shape, node) {
                    trial.place(*shape, node);
                    count += 1;
                }
                answers.push((count, fits));
            }
            let supply = snapshot.device_supply(node, Symbol::new("gpu"));
            answers.push((usize::try_from(supply).unwrap_or(0), true));
        }
        answers
    }
}

proptest! {
    #![proptest_config(Config {
        cases: 800,
        ..Config::default()
    })]

    #[test]
    fn a_dropped_fork_leaves_no_trace_in_the_devices(
        nodes in vec(vec(made(), 0..5), 1..3),
        claims in vec(claimed(), 1..3),
        before in vec(step(), 0..8),
        tried in vec(step(), 1..8),
        deeper in vec(step(), 0..4),
    ) {
        let objects = objects(&nodes, &claims);
        let mut snapshot =
            Snapshot::new(Namespaces::default(), Storage::default()).with_devices(&objects);
        for place in 0..nodes.len() {
            snapshot.add_node(host(place));
        }
        let names: Vec<Symbol> =
            (0..claims.len()).map(|place| Symbol::new(&format!("t{place}"))).collect();
        let mut shapes: Vec<ShapeId> = Vec::new();
        for name in &names {
            shapes.push(snapshot.shape(&shape([PodClaim::Template(*name)])));
            shapes.push(snapshot.shape(&shape([PodClaim::Named(*name)])));
        }
        shapes.push(snapshot.shape(&shape([PodClaim::Named("taken".into())])));
        let mut play = Play { objects: &objects, shapes, pods: Vec::new(), added: 0 };
        for step in before {
            play.step(&mut snapshot, step);
        }
        let was = play.answers(&mut snapshot);
        let pods = play.pods.clone();
        {
            let mut fork = snapshot.fork();
            for step in tried {
                play.step(&mut fork, step);
            }
            let (between, kept) = (play.answers(&mut fork), play.pods.clone());
            {
                let mut inner = fork.fork();
                for step in deeper {
                    play.step(&mut inner, step);
                }
            }
            play.pods = kept;
            prop_assert_eq!(play.answers(&mut fork), between);
        }
        play.pods = pods;
        prop_assert_eq!(play.answers(&mut snapshot), was);
    }

    #[test]
    fn no_device_is_given_twice(
        devices in vec(made(), 0..6),
        counts in vec(1..3_usize, 1..6),
    ) {
        // Each pod asks for some devices of any kind: together they get no more than are free.
        let claims: Vec<_> = (1..3_u8).map(|count| (vec![vec![(2, count)]], Vec::new())).collect();
        let objects = objects(std::slice::from_ref(&devices), &claims);
        let mut snapshot =
            Snapshot::new(Namespaces::default(), Storage::default()).with_devices(&objects);
        let node = snapshot.add_node(host(0));
        let mut free = devices.iter().filter(|(_, _, tainted, taken)| !tainted && !taken).count();
        for count in counts {
            let template = PodClaim::Template(Symbol::new(&format!("t{}", count - 1)));
            let shape = snapshot.shape(&shape([template]));
            prop_assert_eq!(snapshot.fits(shape, node), count <= free);
            if count <= free {
                snapshot.place(shape, node);
                free -= count;
            }
        }
    }
}
