//! Names of pods.

use super::stem;

#[test]
fn a_pod_belongs_to_what_its_name_begins_with() {
    let pods = ["web-7d4b9c6f5-x2x9k", "training-8xkq2", "zone-spread-7d4b9c6f5-x2x9k", "alone"];
    assert_eq!(pods.map(stem), ["web", "training", "zone-spread", "alone"]);
}
