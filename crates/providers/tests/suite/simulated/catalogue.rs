//! Catalogues that are read.

use std::{fs, path::Path};

use expect_test::expect;
use jiff::SignedDuration;
use plimsoll_model::{Money, Symbol};
use plimsoll_provider::Class;
use plimsoll_providers::simulated::{Catalogue, Delay};

const EVERYTHING: &str = "
name: lab
seed: 18446744073709551615
quota: 12
gpuLabel: nvidia.com/gpu.product
gpuTypes: [L4, H100]
callFailureRate: 0.25
groups:
- id: full
  min: 1
  max: 9
  initial: 3
  price: 0.25
  stock: 4
  template:
    labels: {zone: a, on: 'yes'}
    taints: [{key: only, value: me, effect: NoSchedule}, {key: wait, effect: NoExecute}]
    capacity: {cpu: 4, memory: 16Gi, pods: 30, example.com/fpga: 2}
    allocatable: {cpu: 3.5, memory: 15Gi, pods: 30, example.com/fpga: 2}
  delivery: 0
  boot: {uniform: [20s, 1m]}
  deletion: {normal: {mean: 10s, deviation: 2s}}
  bootFailures: {rate: 0.1, class: Quota, code: CPUS}
  vanishRate: 0.01
  options: {scale-down-unneeded-time: 3m, scaledownutilizationthreshold: 0.7, zero-or-max-node-scaling: true}
- {id: short, max: 2, template: {cpu: 2, memory: 4Gi, gpu: 1}}
";

#[test]
fn everything_that_can_stand_in_a_catalogue() {
    let catalogue = Catalogue::read("lab.yaml", EVERYTHING).unwrap();
    assert_eq!((&*catalogue.name, catalogue.seed, catalogue.quota), ("lab", u64::MAX, Some(12)));
    assert_eq!(&*catalogue.gpu_label, "nvidia.com/gpu.product");
    assert_eq!(catalogue.gpu_types, ["L4".into(), "H100".into()]);
    assert!((catalogue.call_failure_rate - 0.25).abs() < f64::EPSILON);

    let [full, short] = catalogue.groups.as_slice() else { panic!("two groups") };
    assert_eq!((full.min, full.max, full.initial, full.stock), (1, 9, 3, Some(4)));
    assert_eq!(full.price, Money::from_units(0.25));
    assert_eq!(full.delivery, Delay::Fixed(SignedDuration::ZERO));
    let (shortest, longest) = (SignedDuration::from_secs(20), SignedDuration::from_secs(60));
    assert_eq!(full.boot, Delay::Uniform { shortest, longest });
    let (mean, deviation) = (SignedDuration::from_secs(10), SignedDuration::from_secs(2));
    assert_eq!(full.deletion, Delay::Normal { mean, deviation });
    let failures = full.boot_failures.as_ref().unwrap();
    assert_eq!((failures.class, &*failures.code), (Class::Quota, "CPUS"));
    expect![[r"
        Overrides {
            unneeded_time: Some(
                180s,
            ),
            unready_time: None,
            utilization_threshold: Some(
                0.7,
            ),
            gpu_utilization_threshold: None,
            ignore_daemon_sets: None,
            provision_time: None,
            startup_time: None,
            atomic: Some(
                true,
            ),
            hold_back: None,
            steer: None,
        }
    "]]
    .assert_debug_eq(&full.options);
    expect![[r#"{"kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux", "on": "yes", "plimsoll.dev/node-group": "full", "zone": "a"} [only=me:NoSchedule wait:NoExecute] {"cpu": 4000, "example.com/fpga": 2, "memory": 17179869184, "pods": 30} {"cpu": 3500, "example.com/fpga": 2, "memory": 16106127360, "pods": 30}"#]]
    .assert_eq(&look(full.template.node()));

    assert_eq!((short.min, short.initial, short.stock, short.price), (0, 0, None, None));
    expect![[r#"{"kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux", "plimsoll.dev/node-group": "short"} [] {"cpu": 2000, "memory": 4294967296, "nvidia.com/gpu": 1, "pods": 110} {"cpu": 2000, "memory": 4294967296, "nvidia.com/gpu": 1, "pods": 110}"#]]
    .assert_eq(&look(short.template.node()));
}

fn look(node: &plimsoll_model::Node) -> String {
    let taints: Vec<_> = node.taints.iter().map(ToString::to_string).collect();
    let (labels, taints) = (&node.labels, taints.join(" "));
    format!("{labels:?} [{taints}] {:?} {:?}", node.capacity, node.allocatable)
}

#[test]
fn json_is_read_like_yaml() {
    let json = "{\n\t\"seed\": 7,\n\t\"groups\": [\n\t\t{\"id\": \"a\", \"max\": 3, \"price\": 1e-1, \"template\": {\"cpu\": \"2\", \"memory\": \"4Gi\"}}\n\t]\n}\n";
    let yaml = "seed: 7\ngroups: [{id: a, max: 3, price: 0.1, template: {cpu: 2, memory: 4Gi}}]\n";
    assert_eq!(Catalogue::read("a.json", json).unwrap(), Catalogue::read("a.yaml", yaml).unwrap());
}

#[test]
fn the_example_is_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/catalogue.yaml");
    let catalogue = Catalogue::load(&path).unwrap();
    let ids: Vec<_> = catalogue.groups.iter().map(|offer| offer.id).collect();
    assert_eq!(ids, ["small", "large", "gpu"].map(Symbol::new));
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("catalogue.yaml");
    let binary = folder.path().join("binary.yaml");
    fs::write(&binary, b"seed: \xff\n").unwrap();
    let problem = |path: &Path| {
        let line = Catalogue::load(path).unwrap_err().to_string();
        line.strip_prefix(&format!("{}/", folder.path().display())).unwrap().to_owned()
    };
    expect!["catalogue.yaml: No such file or directory (os error 2)"].assert_eq(&problem(&missing));
    expect!["binary.yaml: byte 7 is not UTF-8"].assert_eq(&problem(&binary));
}
