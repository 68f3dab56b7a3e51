//! The search finds devices exactly when there are some: checked against trying everything.

use std::sync::Arc;

use plimsoll_fit::Snapshot;
use plimsoll_model::{
    AllocatedDevice, AllocatedWhere, Attribute, ClaimAllocation, ClaimSpec, Conditions, Device,
    DeviceClaim, DeviceClass, DeviceConstraint, DeviceCount, DeviceReach, DeviceRequest,
    DeviceWants, DeviceWish, Devices, Effect, Labels, Namespaces, Node, PodClaim, PodShape,
    ResourceSlice, Resources, SameOrDistinct, Storage, Symbol, Taint, Timestamp, resource,
};
use proptest::{collection::vec, prelude::*, test_runner::Config};

/// A device: its kind, its board, whether it is tainted, and whether somebody has it.
pub(super) type Made = (u8, u8, bool, bool);

/// A request: alternatives, each a kind and a number, where 0 is all.
type Asked = Vec<(u8, u8)>;

/// A constraint: over which requests (none is all), and whether boards have to be the same.
type Held = (Option<bool>, bool);

/// A claim.
pub(super) type Claimed = (Vec<Asked>, Vec<Held>);

const DRIVER: &str = "gpu.example.com";

pub(super) fn made() -> impl Strategy<Value = Made> {
    (0..2_u8, 0..3_u8, prop::bool::weighted(0.15), prop::bool::weighted(0.2))
}

pub(super) fn claimed() -> impl Strategy<Value = Claimed> {
    let alternative = (0..3_u8, 0..3_u8);
    let request = prop_oneof![
        3 => alternative.clone().prop_map(|one| vec![one]),
        1 => vec(alternative, 1..3),
    ];
    let constraint = (prop::option::of(any::<bool>()), any::<bool>());
    (vec(request, 1..3), vec(constraint, 0..2))
}

fn device(place: usize, made: Made) -> Device {
    let (kind, board, tainted, _) = made;
    let taint = Taint { key: "broken".into(), value: "".into(), effect: Effect::NoSchedule };
    Device {
        name: Symbol::new(&format!("d{place}")),
        attributes: [
            (Symbol::new("board"), Attribute::Int(i64::from(board))),
            (Symbol::new("kind"), Attribute::Int(i64::from(kind))),
        ]
        .into(),
        capacity: Box::default(),
        taints: tainted.then_some(taint).into_iter().collect(),
        reach: DeviceReach::Unknown,
        shareable: false,
        consumes: Box::default(),
        binds_to_node: false,
        awaits_binding: false,
    }
}

/// Kind 2 takes devices of every kind.
fn wish((kind, count): (u8, u8)) -> DeviceWish {
    let selector = format!(r#"device.attributes["{DRIVER}"].kind == {kind}"#);
    DeviceWish {
        class: "gpu".into(),
        count: match count {
            0 => DeviceCount::All,
            count => DeviceCount::Exactly(i64::from(count)),
        },
        selectors: (kind < 2).then(|| Symbol::new(&selector)).into_iter().collect(),
        tolerations: Box::default(),
        admin: false,
        capacity: Box::default(),
    }
}

fn claim_spec((requests, constraints): &Claimed) -> ClaimSpec {
    let request = |(place, asked): (usize, &Asked)| DeviceRequest {
        name: Symbol::new(&format!("r{place}")),
        wants: match &asked[..] {
            [one] => DeviceWants::Exactly(wish(*one)),
            many => DeviceWants::FirstAvailable(
                (0..)
                    .zip(many)
                    .map(|(place, one)| (format!("a{place}").as_str().into(), wish(*one)))
                    .collect(),
            ),
        },
    };
    let constraint = |(only, same): &Held| DeviceConstraint {
        requests: only
            .map(|second| Symbol::new(if second { "r1" } else { "r0" }))
            .into_iter()
            .collect(),
        attribute: Symbol::new(&format!("{DRIVER}/board")),
        rule: if *same { SameOrDistinct::Same } else { SameOrDistinct::Distinct },
    };
    ClaimSpec {
        requests: requests.iter().enumerate().map(request).collect(),
        constraints: constraints.iter().map(constraint).collect(),
    }
}

/// One slice for each node, one template for each claim, and one claim that has what is taken.
pub(super) fn objects(nodes: &[Vec<Made>], claims: &[Claimed]) -> Devices {
    let mut objects = Devices::default();
    let class = Symbol::new("gpu");
    objects.classes.insert(class, DeviceClass { name: class, selectors: Box::default() });
    let mut taken = Vec::new();
    for (place, devices) in nodes.iter().enumerate() {
        let node = Symbol::new(&format!("n{place}"));
        let slice = ResourceSlice {
            name: node,
            driver: DRIVER.into(),
            pool: node,
            generation: 1,
            slices: 1,
            reach: DeviceReach::Node(node),
            devices: devices.iter().enumerate().map(|(place, made)| device(place, *made)).collect(),
            counters: Box::default(),
        };
        let in_use = slice.devices.iter().zip(devices).filter(|(_, made)| made.3);
        taken.extend(in_use.map(|(device, _)| AllocatedDevice {
            driver: slice.driver,
            pool: node,
            device: device.name,
            admin: false,
            shared: false,
            consumed: Box::default(),
        }));
        objects.slices.insert(node, Arc::new(slice));
    }
    for (place, claim) in claims.iter().enumerate() {
        let id = (Symbol::new("default"), Symbol::new(&format!("t{place}")));
        objects.templates.insert(id, Arc::new(claim_spec(claim)));
        let named = DeviceClaim {
            id,
            spec: Arc::new(claim_spec(claim)),
            allocation: None,
            other_users: 0,
            deleting: false,
        };
        objects.claims.insert(id, Arc::new(named));
    }
    let id = (Symbol::new("default"), Symbol::new("taken"));
    let allocation =
        Some(ClaimAllocation { devices: taken.into(), reach: AllocatedWhere::Everywhere });
    let spec = Arc::default();
    let taken = DeviceClaim { id, spec, allocation, other_users: 0, deleting: false };
    objects.claims.insert(id, Arc::new(taken));
    objects
}

pub(super) fn host(place: usize) -> Arc<Node> {
    let room = Resources::from_amounts([(Symbol::new(resource::PODS), 100)]);
    Arc::new(Node {
        name: Symbol::new(&format!("n{place}")),
        labels: Labels::default(),
        taints: Box::default(),
        unschedulable: false,
        allocatable: room.clone(),
        capacity: room,
        provider_id: Box::default(),
        created: Timestamp::UNIX_EPOCH,
        conditions: Conditions::default(),
        keep: false,
        deleting: false,
    })
}

pub(super) fn shape(claims: impl IntoIterator<Item = PodClaim>) -> Arc<PodShape> {
    Arc::new(PodShape {
        device_claims: claims.into_iter().collect(),
        ..PodShape::plain("default".into(), Resources::default())
    })
}

/// Tries everything: each request in turn, each alternative, each set of devices.
fn exists(
    devices: &[Made],
    claims: &[Claimed],
    claim: usize,
    request: usize,
    chosen: &[Vec<(usize, usize)>],
) -> bool {
    let Some((requests, constraints)) = claims.get(claim) else { return true };
    let own = &chosen[claim];
    let holds = constraints.iter().all(|(only, same)| {
        let concerned =
            own.iter().filter(|(of, _)| only.is_none_or(|second| usize::from(second) == *of));
        let boards: Vec<u8> = concerned.map(|(_, device)| devices[*device].1).collect();
        if *same {
            boards.iter().all(|board| *board == boards[0])
        } else {
            (1..boards.len()).all(|place| !boards[..place].contains(&boards[place]))
        }
    });
    if !holds {
        return false;
    }
    let Some(alternatives) = requests.get(request) else {
        return exists(devices, claims, claim + 1, 0, chosen);
    };
    alternatives.iter().any(|(kind, count)| {
        let matching: Vec<usize> =
            (0..devices.len()).filter(|place| *kind == 2 || devices[*place].0 == *kind).collect();
        let is_free = |place: usize| {
            !devices[place].2
                && !devices[place].3
                && chosen.iter().flatten().all(|(_, other)| *other != place)
        };
        let sets: Vec<u32> = match count {
            0 if matching.is_empty() => Vec::new(),
            0 => vec![u32::MAX],
            count => (0..1 << matching.len())
                .filter(|set: &u32| set.count_ones() == u32::from(*count))
                .collect(),
        };
        sets.into_iter().any(|set| {
            let picked: Vec<usize> = (0..matching.len())
                .filter(|place| set >> place & 1 == 1)
                .map(|place| matching[place])
                .collect();
            picked.iter().all(|place| is_free(*place)) && {
                let mut chosen = chosen.to_vec();
                chosen[claim].extend(picked.iter().map(|place| (request, *place)));
                exists(devices, claims, claim, request + 1, &chosen)
            }
        })
    })
}

/// A claim for all devices that a constraint forbids to have is an error in the scheduler, which ends the search there; so the
/// reference, which would go on with other alternatives, is asked only where that cannot be.
fn is_plain(claims: &[Claimed]) -> bool {
    let takes_all =
        |(requests, _): &Claimed| requests.iter().flatten().any(|(_, count)| *count == 0);
    claims.iter().all(|claim| claim.1.is_empty() || !takes_all(claim))
}

proptest! {
    #![proptest_config(Config {
        cases: 3000,
        ..Config::default()
    })]

    #[test]
    fn devices_are_found_exactly_when_there_are_some(
        devices in vec(made(), 0..5),
        claims in vec(claimed(), 1..3).prop_filter("an error in the scheduler", |claims| is_plain(claims)),
    ) {
        let objects = objects(std::slice::from_ref(&devices), &claims);
        let mut snapshot =
            Snapshot::new(Namespaces::default(), Storage::default()).with_devices(&objects);
        let node = snapshot.add_node(host(0));
        let names = (0..claims.len()).map(|place| Symbol::new(&format!("t{place}")));
        let expected = exists(&devices, &claims, 0, 0, &vec![Vec::new(); claims.len()]);
        for claims in [
            shape(names.clone().map(PodClaim::Template)),
            shape(names.map(PodClaim::Named)),
        ] {
            let shape = snapshot.shape(&claims);
            prop_assert_eq!(snapshot.fits(shape, node), expected);
        }
    }
}
