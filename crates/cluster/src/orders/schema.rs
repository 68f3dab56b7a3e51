//! Schemas of custom resources, made from the Rust types that are written and read.

use std::collections::BTreeMap;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSON, JSONSchemaProps, JSONSchemaPropsOrArray,
};

/// A type that an API server can be told the schema of.
pub(super) trait Described {
    /// The schema that every value of the type satisfies.
    fn schema() -> JSONSchemaProps;
}

/// One field of an object, as its schema lists it.
pub(super) struct Field {
    /// The name as Rust has it.
    pub name: &'static str,
    pub is_required: bool,
    pub schema: JSONSchemaProps,
}

/// Declares a struct and its schema at once, so that no field of it can be missing from the schema.
///
/// The doc comments become the descriptions, which `kubectl explain` shows. A field of `optional` is an `Option`, and absent from the
/// object while it is `None`. What stands behind `=>` narrows the schema of the field's type.
macro_rules! described {
    (
        $(#[doc = $about:literal])+
        #[derive($($derive:ident),+)]
        struct $name:ident {
            required {$(
                $(#[doc = $required_doc:literal])+
                $required:ident: $required_type:ty $(=> $required_rule:expr)?,
            )*}
            optional {$(
                $(#[doc = $optional_doc:literal])+
                $optional:ident: $optional_type:ty $(=> $optional_rule:expr)?,
            )*}
        }
    ) => {
        $(#[doc = $about])+
        #[derive($($derive),+)]
        #[serde(rename_all = "camelCase")]
        pub(super) struct $name {
            $(
                $(#[doc = $required_doc])+
                pub $required: $required_type,
            )*
            $(
                $(#[doc = $optional_doc])+
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $optional: Option<$optional_type>,
            )*
        }

        impl $crate::orders::schema::Described for $name {
            fn schema() -> k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps {
                use $crate::orders::schema::{Described, Field, describe, object};
                object(&[$($about),+], vec![
                    $(Field {
                        name: stringify!($required),
                        is_required: true,
                        schema: describe(<$required_type as Described>::schema(), &[$($required_doc),+])
                            $(.narrowed($required_rule))?,
                    },)*
                    $(Field {
                        name: stringify!($optional),
                        is_required: false,
                        schema: describe(<$optional_type as Described>::schema(), &[$($optional_doc),+])
                            $(.narrowed($optional_rule))?,
                    },)*
                ])
            }
        }
    };
}

pub(super) use described;

/// What narrows the schema of a type for one field.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rule {
    /// The most characters of a text.
    Longest(usize),
    /// The most entries of a list, and the most characters of each.
    Most(usize, usize),
    /// The least number.
    Least(u32),
}

/// Schemas that rules apply to.
pub(super) trait Narrow {
    fn narrowed(self, rule: Rule) -> Self;
}

// === impl JSONSchemaProps ===

impl Narrow for JSONSchemaProps {
    fn narrowed(mut self, rule: Rule) -> Self {
        match rule {
            Rule::Longest(characters) => self.max_length = i64::try_from(characters).ok(),
            Rule::Most(entries, characters) => {
                self.max_items = i64::try_from(entries).ok();
                if let Some(JSONSchemaPropsOrArray::Schema(items)) = &mut self.items {
                    items.max_length = i64::try_from(characters).ok();
                }
            }
            Rule::Least(number) => self.minimum = Some(number.into()),
        }
        self
    }
}

/// A schema with the description that a doc comment gives.
pub(super) fn describe(mut schema: JSONSchemaProps, doc: &[&str]) -> JSONSchemaProps {
    let lines: Vec<&str> = doc.iter().map(|line| line.trim()).collect();
    schema.description = Some(lines.join(" "));
    schema
}

/// The schema of an object with these fields.
pub(super) fn object(doc: &[&str], fields: Vec<Field>) -> JSONSchemaProps {
    let required = fields.iter().filter(|field| field.is_required);
    let required: Vec<String> = required.map(|field| camel_case(field.name)).collect();
    let properties: BTreeMap<String, JSONSchemaProps> =
        fields.into_iter().map(|field| (camel_case(field.name), field.schema)).collect();
    let schema = JSONSchemaProps {
        required: (!required.is_empty()).then_some(required),
        properties: Some(properties),
        ..typed("object")
    };
    describe(schema, doc)
}

/// The schema of a text that is one of these.
pub(super) fn one_of(names: impl IntoIterator<Item = &'static str>) -> JSONSchemaProps {
    let names = names.into_iter().map(|name| JSON(name.into())).collect();
    JSONSchemaProps { enum_: Some(names), ..typed("string") }
}

pub(super) fn typed(name: &str) -> JSONSchemaProps {
    JSONSchemaProps { type_: Some(name.to_owned()), ..JSONSchemaProps::default() }
}

/// The name as serde's `rename_all = "camelCase"` has it.
fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let mut text = words.next().unwrap_or_default().to_owned();
    for word in words {
        let (first, others) = word.split_at(word.len().min(1));
        text.push_str(&first.to_ascii_uppercase());
        text.push_str(others);
    }
    text
}

// === impl Described ===

impl Described for String {
    fn schema() -> JSONSchemaProps {
        typed("string")
    }
}

impl Described for Box<str> {
    fn schema() -> JSONSchemaProps {
        typed("string")
    }
}

impl Described for bool {
    fn schema() -> JSONSchemaProps {
        typed("boolean")
    }
}

impl Described for i32 {
    fn schema() -> JSONSchemaProps {
        JSONSchemaProps { format: Some("int32".to_owned()), ..typed("integer") }
    }
}

impl Described for u32 {
    fn schema() -> JSONSchemaProps {
        i32::schema().narrowed(Rule::Least(0))
    }
}

impl<T: Described> Described for Vec<T> {
    fn schema() -> JSONSchemaProps {
        let items = JSONSchemaPropsOrArray::Schema(Box::new(T::schema()));
        JSONSchemaProps { items: Some(items), ..typed("array") }
    }
}
