use expect_test::{Expect, expect};
use jiff::Timestamp;
use plimsoll_model::{PodClaim, Symbol};

use crate::{Objects, Reader};

fn read(text: &str) -> Result<Objects, String> {
    let mut reader = Reader::new(Timestamp::UNIX_EPOCH);
    let read = reader.read_manifests(text).and_then(|()| reader.finish());
    read.map_err(|error| error.to_string())
}

fn check_claim(claim: &str, expected: &Expect) {
    let text = format!("apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\n{claim}");
    let shown = match read(&text) {
        Ok(objects) => {
            let claim = objects.devices.claims.values().next().expect("a claim");
            format!("{:#?}\nothers {}", claim.spec, claim.other_users)
        }
        Err(error) => error,
    };
    expected.assert_eq(&shown);
}

#[test]
fn requests_of_both_versions_are_the_same() {
    let beta = read(
        "
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaimTemplate
metadata: {name: a}
spec: {spec: {devices: {requests: [{name: gpu, deviceClassName: gpu, count: 2, adminAccess: true}]}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: b}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, count: 2, adminAccess: true}}]}}}
",
    );
    let templates = beta.unwrap().devices.templates;
    let [one, other] = ["a", "b"].map(|name| &templates[&("default".into(), name.into())]);
    assert_eq!(one, other);
}

#[test]
fn a_pod_knows_the_claims_made_for_it() {
    let pod = |status: &str| {
        let text = format!(
            "
kind: Pod
metadata: {{name: a}}
spec: {{resourceClaims: [{{name: x, resourceClaimTemplateName: t}}, {{name: y, resourceClaimName: c}}]}}
{status}"
        );
        read(&text).unwrap().pods[0].shape.device_claims.to_vec()
    };
    let template = Symbol::new("t");
    let named = PodClaim::Named("c".into());
    assert_eq!(pod(""), [PodClaim::Template(template), named]);
    let claim = Symbol::new("a-x-7");
    assert_eq!(
        pod("status: {resourceClaimStatuses: [{name: x, resourceClaimName: a-x-7}]}"),
        [PodClaim::Generated { template, claim }, named]
    );
    // Nothing was needed.
    assert_eq!(pod("status: {resourceClaimStatuses: [{name: x}]}"), [named]);
}

#[test]
fn mistakes_are_named_by_their_place() {
    check_claim(
        "metadata: {name: a}\nspec: {devices: {requests: [{name: r, exactly: {count: 1}}]}}",
        &expect![[r"
            ResourceClaim default/a: spec.devices.requests[0].exactly.deviceClassName: is missing"]],
    );
    check_claim(
        "metadata: {name: a}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: c, allocationMode: Some}}]}}",
        &expect![[r#"
            ResourceClaim default/a: spec.devices.requests[0].exactly.allocationMode: "Some" is not an allocation mode, known are ExactCount and All"#]],
    );
    check_claim(
        "metadata: {name: a}\nspec: {devices: {requests: [], constraints: [{requests: [x]}]}}",
        &expect![[r"
            ResourceClaim default/a: spec.devices.constraints[0].matchAttribute: is missing"]],
    );
    let pod = "kind: Pod\nmetadata: {name: a}\nspec: {resourceClaims: [{name: x}]}";
    expect!["Pod default/a: spec.resourceClaims[0].resourceClaimName: is missing"]
        .assert_eq(&read(pod).unwrap_err());
}

#[test]
fn users_that_are_no_pods_are_counted() {
    check_claim(
        "
metadata: {name: a}
spec: {devices: {requests: [{name: r, firstAvailable: [{name: big, deviceClassName: c, allocationMode: All}]}]}}
status:
  reservedFor: [{resource: pods, name: p, uid: u}, {apiGroup: example.com, resource: jobs, name: j, uid: v}]
",
        &expect![[r#"
            ClaimSpec {
                requests: [
                    DeviceRequest {
                        name: "r",
                        wants: FirstAvailable(
                            [
                                (
                                    "big",
                                    DeviceWish {
                                        class: "c",
                                        count: All,
                                        selectors: [],
                                        tolerations: [],
                                        admin: false,
                                        capacity: [],
                                    },
                                ),
                            ],
                        ),
                    },
                ],
                constraints: [],
            }
            others 1"#]],
    );
}
