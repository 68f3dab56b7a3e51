//! Random storage objects.

use plimsoll_model::{Storage, Symbol};
use proptest::{collection, prelude::*, sample};

use super::{NODE_NAMES, Odds, flag, maybe};

mod claim;
mod class;
mod volume;

/// Volumes that are spoken of; the first never exists.
const VOLUMES: [&str; 6] = ["pv-gone", "pv-0", "pv-1", "pv-2", "pv-3", "pv-4"];

/// Drivers with limits; the second takes over disks that pods name themselves.
const DRIVERS: [&str; 2] = ["csi.example.com", "ebs.csi.aws.com"];

/// All storage objects; none if no pod has volumes.
pub(super) fn storage(odds: Odds) -> BoxedStrategy<Storage> {
    if odds.volumes == 0 {
        return Just(Storage::default()).boxed();
    }
    let claims: Vec<_> =
        claim::ids().map(|(id, percent)| maybe(percent, claim::claim(id))).collect();
    let volumes: Vec<_> = VOLUMES[1..].iter().map(|name| maybe(80, volume::volume(name))).collect();
    let objects = (claims, volumes, class::classes());
    let of_nodes = (
        collection::vec(((node_name(), driver()), 0..4_i64), 0..6),
        collection::vec((node_name(), collection::vec(volume_name(), 1..3)), 0..3),
    );
    let of_driver = (flag(30), collection::vec(class::capacity(), 0..3));
    (objects, of_nodes, of_driver)
        .prop_map(|(objects, (limits, attachments), (publishes, capacities))| {
            let (claims, volumes, classes) = objects;
            let mut storage = Storage::default();
            let claims = claims.into_iter().flatten().map(|claim| (claim.id, claim));
            let classes = classes.into_iter().map(|class| (class.name, class));
            storage.claims.extend(claims);
            storage.classes.extend(classes);
            storage.limits.extend(limits);
            storage.attachments.extend(attachments);
            storage.capacities = capacities;
            if publishes {
                storage.capacity_drivers.insert(Symbol::new(DRIVERS[0]));
            }
            for volume in volumes.into_iter().flatten() {
                storage.add_volume(volume);
            }
            storage
        })
        .boxed()
}

fn node_name() -> impl Strategy<Value = Symbol> {
    sample::select(&NODE_NAMES).prop_map(Symbol::new)
}

fn driver() -> impl Strategy<Value = Symbol> {
    sample::select(&DRIVERS).prop_map(Symbol::new)
}

fn volume_name() -> impl Strategy<Value = Symbol> {
    sample::select(&VOLUMES).prop_map(Symbol::new)
}

/// Sizes of claims, volumes and capacities.
fn size() -> impl Strategy<Value = i64> {
    sample::select(&[1, 5, 10])
}

/// Mostly `usual`.
fn mostly(usual: &'static str, unusual: &'static str) -> impl Strategy<Value = Symbol> {
    prop_oneof![9 => Just(usual), 1 => Just(unusual)].prop_map(Symbol::new)
}

/// Access modes, sorted.
fn access_modes() -> impl Strategy<Value = Box<[Symbol]>> {
    let modes = prop_oneof![
        5 => Just(&["ReadWriteOnce"][..]),
        3 => Just(&["ReadWriteOncePod"][..]),
        2 => Just(&["ReadOnlyMany", "ReadWriteOnce"][..]),
    ];
    modes.prop_map(|modes| modes.iter().map(|mode| Symbol::new(mode)).collect())
}
