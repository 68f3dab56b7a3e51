//! The first look at an object: which kind is it?

use std::fmt;

use serde::{
    Deserializer as _,
    de::{self, IgnoredAny, MapAccess, Visitor},
};

use crate::wire::value::Text;

/// What says how to read the rest.
#[derive(Debug, Default)]
pub(crate) struct Head<'a> {
    pub(crate) api_version: Option<Text<'a>>,
    pub(crate) kind: Option<Text<'a>>,
}

/// Reads `apiVersion` and `kind`, and no further than it has to: they mostly stand first, and the rest of the object will
/// be read by whoever knows the kind. So a text that is broken further on still has a head.
pub(crate) fn head(json: &str) -> Result<Head<'_>, serde_json::Error> {
    let mut head = Head::default();
    let mut reader = serde_json::Deserializer::from_str(json);
    match reader.deserialize_any(HeadVisitor(&mut head)) {
        Err(error) if head.api_version.is_none() || head.kind.is_none() => Err(error),
        _ => Ok(head),
    }
}

/// Whether the first object in a text has the field `key` before it has a `kind`.
pub(crate) fn has_field(json: &str, key: &str) -> bool {
    let mut found = false;
    let mut reader = serde_json::Deserializer::from_str(json);
    // The search ends in an error when the field is there, for want of another way to stop.
    let _ = reader.deserialize_any(FieldVisitor { key, found: &mut found });
    found
}

struct HeadVisitor<'h, 'a>(&'h mut Head<'a>);

impl<'de> Visitor<'de> for HeadVisitor<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Text<'de>>()? {
            match &*key {
                "apiVersion" => self.0.api_version = Some(map.next_value()?),
                "kind" => self.0.kind = Some(map.next_value()?),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            if self.0.api_version.is_some() && self.0.kind.is_some() {
                return Err(de::Error::custom("seen enough"));
            }
        }
        Ok(())
    }
}

struct FieldVisitor<'k> {
    key: &'k str,
    found: &'k mut bool,
}

impl<'de> Visitor<'de> for FieldVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Text<'de>>()? {
            *self.found = &*key == self.key;
            if *self.found || &*key == "kind" {
                return Err(de::Error::custom("seen enough"));
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}
