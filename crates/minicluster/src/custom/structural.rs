//! Structural schemas: what a custom resource definition says about the values of its kind.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use regex_lite::Regex;
use serde_json::Value;

use super::cel::Rule;
use crate::schema::{Listing, Shape, Struct, Type, listing_from};

/// A schema and what is below it, read once per definition.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of its own in the definition")]
pub(crate) struct Schema {
    /// The types that values may have; none means any. Two only for integers or strings.
    pub(crate) types: Vec<Box<str>>,
    pub(crate) nullable: bool,
    /// Whether unknown fields are kept.
    pub(crate) open: bool,
    /// Whether values are objects with a kind and metadata of their own.
    pub(crate) embedded: bool,
    pub(crate) int_or_string: bool,
    pub(crate) properties: BTreeMap<Box<str>, Self>,
    pub(crate) additional: Additional,
    pub(crate) items: Option<Box<Self>>,
    pub(crate) default: Option<Value>,
    pub(crate) list: Listing,
    pub(crate) atomic: bool,
    pub(crate) checks: Checks,
    /// `x-kubernetes-validations`.
    pub(crate) rules: Vec<Rule>,
}

/// What values that are not named may be.
#[derive(Debug, Default)]
pub(crate) enum Additional {
    /// Nothing is said.
    #[default]
    Unsaid,
    /// Anything.
    Allowed,
    /// There must be none.
    Forbidden,
    /// Values of this schema.
    Of(Box<Schema>),
}

/// What is asked of values beyond their type.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    pub(crate) format: Box<str>,
    pub(crate) required: Vec<Box<str>>,
    pub(crate) options: Vec<Value>,
    pub(crate) pattern: Option<(Box<str>, Option<Regex>)>,
    pub(crate) minimum: Option<f64>,
    pub(crate) exclusive_minimum: bool,
    pub(crate) maximum: Option<f64>,
    pub(crate) exclusive_maximum: bool,
    pub(crate) multiple_of: Option<f64>,
    pub(crate) min_length: Option<u64>,
    pub(crate) max_length: Option<u64>,
    pub(crate) min_items: Option<u64>,
    pub(crate) max_items: Option<u64>,
    pub(crate) unique_items: bool,
    pub(crate) min_properties: Option<u64>,
    pub(crate) max_properties: Option<u64>,
    pub(crate) all_of: Vec<Schema>,
    pub(crate) any_of: Vec<Schema>,
    pub(crate) one_of: Vec<Schema>,
    pub(crate) not: Option<Box<Schema>>,
}

// === impl Schema ===

impl Schema {
    /// Reads a schema as it stands in a definition.
    pub(crate) fn read(json: &Value) -> Self {
        let flag = |key: &str| json.get(key).and_then(Value::as_bool).unwrap_or_default();
        let text = |key: &str| json.get(key).and_then(Value::as_str).unwrap_or_default();
        let int_or_string = flag("x-kubernetes-int-or-string");
        let properties = json.get("properties").and_then(Value::as_object);
        Self {
            types: match text("type") {
                _ if int_or_string => vec!["integer".into(), "string".into()],
                "" => Vec::new(),
                one => vec![one.into()],
            },
            nullable: flag("nullable"),
            open: flag("x-kubernetes-preserve-unknown-fields"),
            embedded: flag("x-kubernetes-embedded-resource"),
            int_or_string,
            properties: properties
                .into_iter()
                .flatten()
                .map(|(name, schema)| (name.as_str().into(), Self::read(schema)))
                .collect(),
            additional: match json.get("additionalProperties") {
                None | Some(Value::Null) => Additional::Unsaid,
                Some(Value::Bool(true)) => Additional::Allowed,
                Some(Value::Bool(false)) => Additional::Forbidden,
                Some(schema) => Additional::Of(Box::new(Self::read(schema))),
            },
            items: json.get("items").map(|items| Box::new(Self::read(items))),
            default: json.get("default").filter(|default| !default.is_null()).cloned(),
            list: listing_from(json),
            atomic: text("x-kubernetes-map-type") == "atomic",
            checks: Checks::read(json),
            rules: list(json, "x-kubernetes-validations").map(Rule::read).collect(),
        }
    }

    /// The schema of a kind's objects as a type. The root and embedded objects have metadata whether the schema says so or not.
    pub(crate) fn root_type(&self) -> Type {
        Type::of(self.with_metadata())
    }

    fn with_metadata(&self) -> Shape {
        let mut fields: BTreeMap<Box<str>, Arc<Type>> = self
            .properties
            .iter()
            .map(|(name, schema)| (name.clone(), Arc::new(schema.to_type())))
            .collect();
        for name in ["apiVersion", "kind"] {
            fields.insert(name.into(), Arc::new(Type::of(Shape::String)));
        }
        let metadata = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
        let metadata = Type::of(Shape::Named(metadata.into(), OnceLock::new()));
        fields.insert("metadata".into(), Arc::new(metadata));
        Shape::Struct(Struct { name: Box::default(), fields, open: self.open })
    }

    pub(crate) fn to_type(&self) -> Type {
        let mut ty = Type::of(self.shape());
        ty.list = self.list.clone();
        ty.atomic = self.atomic;
        ty
    }

    fn shape(&self) -> Shape {
        if self.int_or_string {
            return Shape::IntOrString;
        }
        match self.types.first().map(AsRef::as_ref) {
            Some("object") if self.embedded => self.with_metadata(),
            Some("object") => self.object_shape(),
            Some("array") => Shape::List(Arc::new(
                self.items.as_ref().map(|items| items.to_type()).unwrap_or_default(),
            )),
            Some("string") => Shape::String,
            Some("integer") => Shape::Integer64,
            Some("number") => Shape::Number,
            Some("boolean") => Shape::Boolean,
            // Without a type only unknown fields that are kept can be meant, with or without some that are known.
            _ if self.properties.is_empty() => Shape::Any,
            _ => self.object_shape(),
        }
    }

    fn object_shape(&self) -> Shape {
        match &self.additional {
            Additional::Of(values) => return Shape::Map(Arc::new(values.to_type())),
            Additional::Allowed => return Shape::Any,
            Additional::Unsaid | Additional::Forbidden => {}
        }
        if self.open && self.properties.is_empty() {
            return Shape::Any;
        }
        let fields = self
            .properties
            .iter()
            .map(|(name, schema)| (name.clone(), Arc::new(schema.to_type())))
            .collect();
        Shape::Struct(Struct { name: Box::default(), fields, open: self.open })
    }
}

// === impl Checks ===

impl Checks {
    fn read(json: &Value) -> Self {
        let flag = |key: &str| json.get(key).and_then(Value::as_bool).unwrap_or_default();
        let text = |key: &str| json.get(key).and_then(Value::as_str).unwrap_or_default();
        let number = |key: &str| json.get(key).and_then(Value::as_f64);
        let count = |key: &str| json.get(key).and_then(Value::as_u64);
        let schemas = |key: &str| list(json, key).map(Schema::read).collect();
        let pattern = text("pattern");
        Self {
            // Names of formats are compared without dashes.
            format: text("format").replace('-', "").into(),
            required: list(json, "required").filter_map(Value::as_str).map(Into::into).collect(),
            options: list(json, "enum").cloned().collect(),
            pattern: (!pattern.is_empty()).then(|| (pattern.into(), Regex::new(pattern).ok())),
            minimum: number("minimum"),
            exclusive_minimum: flag("exclusiveMinimum"),
            maximum: number("maximum"),
            exclusive_maximum: flag("exclusiveMaximum"),
            multiple_of: number("multipleOf"),
            min_length: count("minLength"),
            max_length: count("maxLength"),
            min_items: count("minItems"),
            max_items: count("maxItems"),
            unique_items: flag("uniqueItems"),
            min_properties: count("minProperties"),
            max_properties: count("maxProperties"),
            all_of: schemas("allOf"),
            any_of: schemas("anyOf"),
            one_of: schemas("oneOf"),
            not: json.get("not").map(|not| Box::new(Schema::read(not))),
        }
    }
}

fn list<'v>(json: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    json.get(key).and_then(Value::as_array).into_iter().flatten()
}
