//! The definition of the kind `NodeOrder`: what the API server is told of it, made from the types that are written and read.

use k8s_openapi::{
    apiextensions_apiserver::pkg::apis::apiextensions::v1::{
        CustomResourceColumnDefinition, CustomResourceDefinition, CustomResourceDefinitionNames,
        CustomResourceDefinitionSpec, CustomResourceDefinitionVersion,
        CustomResourceSubresourceStatus, CustomResourceSubresources, CustomResourceValidation,
        JSONSchemaProps, ValidationRule,
    },
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use serde_json::json;

use super::{
    GROUP, KIND, PLURAL, VERSION,
    fields::{Spec, Status},
    schema::{Described as _, typed},
};

/// Columns of `kubectl get nodeorders`: the name, the type, the path, and whether only `-o wide` shows it.
const COLUMNS: [(&str, &str, &str, bool); 8] = [
    ("Action", "string", ".spec.action", false),
    ("Group", "string", ".spec.group", false),
    ("Count", "integer", ".spec.count", false),
    ("Node", "string", ".spec.node", false),
    ("Phase", "string", ".status.phase", false),
    ("Why", "string", ".spec.why", false),
    ("Message", "string", ".status.message", true),
    ("Age", "date", ".metadata.creationTimestamp", false),
];

/// The definition that is installed, and that `deploy/crds/nodeorders.yaml` holds for those who install it by hand.
pub(super) fn definition() -> CustomResourceDefinition {
    CustomResourceDefinition {
        metadata: ObjectMeta { name: Some(format!("{PLURAL}.{GROUP}")), ..ObjectMeta::default() },
        spec: CustomResourceDefinitionSpec {
            group: GROUP.to_owned(),
            scope: "Cluster".to_owned(),
            names: CustomResourceDefinitionNames {
                kind: KIND.to_owned(),
                list_kind: Some(format!("{KIND}List")),
                plural: PLURAL.to_owned(),
                singular: Some(KIND.to_ascii_lowercase()),
                short_names: Some(vec!["order".to_owned()]),
                categories: Some(vec!["plimsoll".to_owned()]),
            },
            versions: vec![version()],
            ..CustomResourceDefinitionSpec::default()
        },
        status: None,
    }
}

fn version() -> CustomResourceDefinitionVersion {
    CustomResourceDefinitionVersion {
        name: VERSION.to_owned(),
        served: true,
        storage: true,
        subresources: Some(CustomResourceSubresources {
            status: Some(CustomResourceSubresourceStatus(json!({}))),
            scale: None,
        }),
        additional_printer_columns: Some(COLUMNS.map(column).into()),
        schema: Some(CustomResourceValidation { open_api_v3_schema: Some(schema()) }),
        ..CustomResourceDefinitionVersion::default()
    }
}

fn column((name, kind, path, is_wide): (&str, &str, &str, bool)) -> CustomResourceColumnDefinition {
    CustomResourceColumnDefinition {
        name: name.to_owned(),
        type_: kind.to_owned(),
        json_path: path.to_owned(),
        priority: is_wide.then_some(1),
        ..CustomResourceColumnDefinition::default()
    }
}

fn schema() -> JSONSchemaProps {
    let mut spec = Spec::schema();
    spec.x_kubernetes_validations = Some(vec![ValidationRule {
        rule: "self == oldSelf".to_owned(),
        message: Some("the spec of an order cannot be changed".to_owned()),
        ..ValidationRule::default()
    }]);
    let parts = [("spec", spec), ("status", Status::schema())];
    JSONSchemaProps {
        required: Some(vec!["spec".to_owned()]),
        properties: Some(parts.map(|(name, schema)| (name.to_owned(), schema)).into()),
        ..typed("object")
    }
}

#[cfg(test)]
mod tests;
