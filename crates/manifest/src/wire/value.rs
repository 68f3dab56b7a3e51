//! The values that objects are made of.

use std::{borrow::Cow, fmt, marker::PhantomData, ops::Deref};

use serde::{
    Deserialize, Deserializer,
    de::{self, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

/// A string, borrowed from the text unless it has escapes. Absent is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text<'a>(Cow<'a, str>);

/// A list. Absent is empty.
#[derive(Debug)]
pub(crate) struct List<T>(Vec<T>);

/// A map with keys of the user's choice, in the order of the text. Absent is empty.
#[derive(Debug)]
pub(crate) struct Pairs<'a, V>(Vec<(Text<'a>, V)>);

/// A quantity as it stands in the text, quotes and all: a number must not become a float on the way.
#[derive(Debug)]
pub(crate) struct Amount<'a>(&'a str);

/// What a budget counts with: `3` or `30%`.
#[derive(Debug)]
pub(crate) enum CountOrText<'a> {
    Count(i64),
    Text(Text<'a>),
}

// === impl Text ===

impl Text<'_> {
    pub(crate) fn from_string(text: String) -> Self {
        Self(Cow::Owned(text))
    }

    /// The text, if it is not empty.
    pub(crate) fn given(&self) -> Option<&str> {
        (!self.0.is_empty()).then_some(&self.0)
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Text<'de>, E> {
        Ok(Text::default())
    }
}

// === impl List ===

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ListVisitor(PhantomData))
    }
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
    type Value = List<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<List<T>, A::Error> {
        let mut list = Vec::new();
        while let Some(entry) = entries.next_element()? {
            list.push(entry);
        }
        Ok(List(list))
    }

    fn visit_unit<E>(self) -> Result<List<T>, E> {
        Ok(List::default())
    }
}

// === impl Pairs ===

impl<V> Pairs<'_, V> {
    /// The value of `key`.
    pub(crate) fn get(&self, key: &str) -> Option<&V> {
        self.0.iter().rfind(|(other, _)| &**other == key).map(|(_, value)| value)
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut V> {
        self.0.iter_mut().rfind(|(other, _)| &**other == key).map(|(_, value)| value)
    }
}

impl<V> Default for Pairs<'_, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'a, V> Deref for Pairs<'a, V> {
    type Target = [(Text<'a>, V)];

    fn deref(&self) -> &[(Text<'a>, V)] {
        &self.0
    }
}

impl<'de: 'a, 'a, V: Deserialize<'de>> Deserialize<'de> for Pairs<'a, V> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(PairsVisitor(PhantomData))
    }
}

struct PairsVisitor<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for PairsVisitor<V> {
    type Value = Pairs<'de, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<'de, V>, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Pairs(pairs))
    }

    fn visit_unit<E>(self) -> Result<Pairs<'de, V>, E> {
        Ok(Pairs::default())
    }
}

// === impl Amount ===

impl Amount<'_> {
    /// The JSON text of the value.
    pub(crate) fn token(&self) -> &str {
        self.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Amount<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        <&RawValue>::deserialize(from).map(|raw| Self(raw.get()))
    }
}

// === impl CountOrText ===

impl<'de: 'a, 'a> Deserialize<'de> for CountOrText<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(CountOrTextVisitor)
    }
}

struct CountOrTextVisitor;

impl<'de> Visitor<'de> for CountOrTextVisitor {
    type Value = CountOrText<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an integer or a string")
    }

    fn visit_i64<E>(self, count: i64) -> Result<Self::Value, E> {
        Ok(CountOrText::Count(count))
    }

    fn visit_u64<E: de::Error>(self, count: u64) -> Result<Self::Value, E> {
        i64::try_from(count).map(CountOrText::Count).map_err(E::custom)
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
        TextVisitor.visit_borrowed_str(text).map(CountOrText::Text)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        TextVisitor.visit_str(text).map(CountOrText::Text)
    }
}
