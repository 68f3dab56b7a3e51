use expect_test::{Expect, expect};
use jiff::Timestamp;
use plimsoll_model::{Attribute, DeviceReach, Quantity, ResourceSlice, Symbol};

use crate::Reader;

fn read(version: &str, spec: &str) -> Result<ResourceSlice, String> {
    let text = format!(
        "apiVersion: resource.k8s.io/{version}\nkind: ResourceSlice\nmetadata: {{name: s}}\nspec:\n{spec}"
    );
    let mut reader = Reader::new(Timestamp::UNIX_EPOCH);
    let read = reader.read_manifests(&text).and_then(|()| reader.finish());
    let slices = read.map_err(|error| error.to_string())?.devices.slices;
    let (_, slice) = slices.into_iter().next().expect("a slice");
    Ok(ResourceSlice::clone(&slice))
}

fn check_error(spec: &str, expected: &Expect) {
    expected.assert_eq(&read("v1", spec).unwrap_err());
}

#[test]
fn devices_of_both_versions_are_the_same() {
    let head = "
  driver: gpu.example.com
  nodeName: n1
  pool: {name: n1, generation: 3, resourceSliceCount: 1}
";
    let fields = "
attributes: {index: {int: 1}, model: {string: A100}, driverVersion: {version: 1.2.3}, ecc: {bool: true}, odd: {ints: [1]}},
capacity: {memory: {value: 40Gi}}, taints: [{key: k, effect: NoSchedule}, {key: note, effect: None}]";
    let new = format!("{head}  devices: [{{name: gpu-0, {fields}}}]");
    let old = format!("{head}  devices: [{{name: gpu-0, basic: {{{fields}}}}}]");
    let slice = read("v1", &new).unwrap();
    assert_eq!(read("v1beta1", &old).unwrap(), slice);
    assert_eq!(slice.reach, DeviceReach::Node("n1".into()));
    assert_eq!((slice.generation, slice.slices), (3, 1));
    let device = &slice.devices[0];
    assert_eq!(device.taints.len(), 1);
    assert_eq!(device.capacity[0].1.value, Quantity::parse("40Gi").unwrap());
    let attribute = |name: &str| device.attribute(slice.driver, name).cloned();
    assert_eq!(attribute("gpu.example.com/index"), Some(Attribute::Int(1)));
    assert_eq!(attribute("gpu.example.com/odd"), Some(Attribute::Unsupported));
    assert_eq!(attribute("other.example.com/index"), None);
    assert_eq!(slice.driver, Symbol::new("gpu.example.com"));
}

#[test]
fn mistakes_are_named_by_their_place() {
    check_error("  driver: d", &expect!["ResourceSlice s: spec.pool.name: is missing"]);
    check_error(
        "  {driver: d, pool: {name: p}, devices: [{name: a, capacity: {memory: {value: 4Q}}}]}",
        &expect![[r#"
            ResourceSlice s: spec.devices[0].capacity[memory].value: quantity "4Q" is not a number with an optional suffix"#]],
    );
    check_error(
        "  {driver: d, pool: {name: p}, nodeSelector: {}}",
        &expect!["ResourceSlice s: spec.nodeSelector.nodeSelectorTerms: is missing"],
    );
}
