//! The outermost object of a scenario.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{self, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::{
    flags::did_you_mean,
    parse::parse,
    problem::{At as _, Checked, Problem},
    wire::value::{List, Text},
};

/// What may stand in a scenario.
const FIELDS: [&str; 6] = ["name", "now", "flags", "groups", "objects", "memory"];

/// A scenario whose parts have not been looked at.
#[derive(Debug, Default)]
pub(super) struct Document<'a> {
    /// All fields but `objects`, which is by far the largest, and so is taken apart in the same go.
    fields: Vec<(Text<'a>, &'a RawValue)>,
    pub(super) objects: List<&'a RawValue>,
}

// === impl Document ===

impl<'a> Document<'a> {
    pub(super) fn read(text: &'a str) -> Checked<Self> {
        let document: Self = parse(text)?;
        let names = document.fields.iter().map(|(name, _)| &**name);
        for name in names {
            if !FIELDS.contains(&name) {
                return Err(Problem::new(did_you_mean("field", name, FIELDS))).at(name);
            }
        }
        Ok(document)
    }

    /// The field, unless it is absent or null.
    pub(super) fn get(&self, name: &str) -> Option<&'a RawValue> {
        let (_, value) = self.fields.iter().find(|(known, _)| &**known == name)?;
        (value.get() != "null").then_some(*value)
    }

    /// A field that has to be there.
    pub(super) fn required(&self, name: &str) -> Checked<&'a RawValue> {
        self.get(name).ok_or_else(Problem::missing)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Document<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(DocumentVisitor)
    }
}

struct DocumentVisitor;

impl<'de> Visitor<'de> for DocumentVisitor {
    type Value = Document<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a scenario, which is an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Document<'de>, A::Error> {
        let mut document = Document::default();
        let mut objects = None;
        while let Some(name) = map.next_key::<Text<'de>>()? {
            let is_known = document.fields.iter().any(|(known, _)| *known == name);
            if is_known || (&*name == "objects" && objects.is_some()) {
                return Err(de::Error::custom(format_args!("{} stands twice", &*name)));
            }
            match &*name {
                "objects" => objects = Some(map.next_value()?),
                _ => document.fields.push((name, map.next_value()?)),
            }
        }
        document.objects = objects.unwrap_or_default();
        Ok(document)
    }
}
