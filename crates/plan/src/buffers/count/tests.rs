use plimsoll_model::{Buffer, BufferStatus, Resources, Symbol};

use super::wanted;

fn buffer(
    replicas: Option<i32>,
    percentage: Option<i32>,
    limits: Option<&[(&str, i64)]>,
) -> Buffer {
    Buffer {
        namespace: Symbol::new("shop"),
        name: "spare".into(),
        uid: "u".into(),
        created: "2026-01-01T00:00:00Z".parse().unwrap(),
        generation: 1,
        strategy: "".into(),
        source: None,
        replicas,
        percentage,
        limits: limits.map(|limits| {
            limits.iter().map(|(name, amount)| (Symbol::new(name), *amount)).collect()
        }),
        status: BufferStatus::default(),
        refusal: None,
    }
}

/// A unit asks for two cores and one byte.
#[test]
fn the_larger_wish_within_the_limits_counts() {
    let unit = Resources::from_amounts([(Symbol::new("cpu"), 2000), (Symbol::new("memory"), 1)]);
    let ten: Option<&[(&str, i64)]> = Some(&[("cpu", 10_000)]);
    let tight: Option<&[(&str, i64)]> = Some(&[("cpu", 10_000), ("memory", 3)]);
    let nothing: Option<&[(&str, i64)]> = Some(&[("cpu", 0)]);
    let foreign: Option<&[(&str, i64)]> = Some(&[("gpu", 4)]);
    let undefined = "replicas, percentage and limits are not defined";
    let unshared = "percentage is that of a scalableRef; set replicas or limits";
    let unknown = "resources in configured limits not found in the pod template";
    let cases = [
        (Some(3), None, None, None, Ok(3)),
        (Some(0), None, None, None, Ok(0)),
        (None, Some(20), None, Some(10), Ok(2)),
        (None, Some(25), None, Some(10), Ok(3)),
        (None, Some(1), None, Some(1), Ok(1)),
        (None, Some(50), None, Some(0), Ok(0)),
        (None, Some(300), None, Some(2), Ok(6)),
        (Some(3), Some(50), None, Some(10), Ok(5)),
        (Some(7), Some(50), None, Some(10), Ok(7)),
        (Some(7), Some(50), None, None, Ok(7)),
        (None, None, ten, None, Ok(5)),
        (None, None, tight, None, Ok(3)),
        (None, None, nothing, None, Ok(0)),
        (Some(4), None, ten, None, Ok(4)),
        (Some(9), None, ten, None, Ok(5)),
        (None, Some(100), ten, Some(90), Ok(5)),
        (Some(4), None, foreign, None, Err(unknown)),
        (None, Some(50), None, None, Err(unshared)),
        (None, None, None, Some(5), Err(undefined)),
        (Some(i32::MAX), Some(i32::MAX), None, Some(i32::MAX), Ok(i32::MAX)),
    ];
    for (replicas, percentage, limits, scalable, expected) in cases {
        let found = wanted(&buffer(replicas, percentage, limits), &unit, scalable);
        let expected = expected.map_err(str::to_owned);
        assert_eq!(found, expected, "{replicas:?} {percentage:?} {limits:?} of {scalable:?}");
    }
}
