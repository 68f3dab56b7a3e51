//! What fields there are: the types of the built-in kinds, and of what custom resource definitions define.
//!
//! The built-in types come from a table that is part of the program (see `schema/README.md` in this crate). A line of it is read
//! when somebody first asks for its type, so that starting costs nothing.

mod decode;
mod parse;
mod protobuf;
mod table;
mod text;

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

pub use decode::{Findings, decode, with_zero_values};
pub use parse::{ParseError, parse};
pub use protobuf::{ProtobufError, from_protobuf};
pub use table::{built_in, built_in_kind};
pub(crate) use table::{definition, kinds_of, listing_from, name_of};
pub(crate) use text::{is_date_time, whole};

/// A type of value: what may be there, and how changes to it are merged.
///
/// Types that contain themselves are resolved by name when they are first looked into.
#[derive(Debug)]
pub struct Type {
    /// What values look like.
    pub(crate) shape: Shape,
    /// How a strategic merge patch changes a list.
    pub(crate) patch: Patching,
    /// Whether a strategic merge patch of a struct may name the keys that stay.
    pub(crate) retains_keys: bool,
    /// How server-side apply sees a list.
    pub(crate) list: Listing,
    /// Whether server-side apply sees a struct or map as one value.
    pub(crate) atomic: bool,
    /// What the server writes where nothing is set.
    pub(crate) unset: Unset,
    /// The path of numbers in protobuf.
    pub(crate) wire: Box<[u32]>,
}

/// How a strategic merge patch changes a list. Structs and maps always merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchRule<'t> {
    /// The list of the patch takes the place of the old one.
    Replace,
    /// Elements with the same value of this field are merged.
    MergeByKey(&'t str),
    /// Values that are not there yet are added.
    MergeSet,
}

/// How server-side apply sees a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListRule<'t> {
    /// One value, with one owner.
    Atomic,
    /// Scalars that occur once.
    Set,
    /// Structs that these fields together tell apart.
    Map(&'t [Box<str>]),
}

/// What values look like.
#[derive(Debug)]
pub(crate) enum Shape {
    /// Anything at all, kept as given.
    Any,
    String,
    /// Base64.
    Bytes,
    Boolean,
    Integer32,
    Integer64,
    Number,
    /// RFC 3339 with seconds.
    Time,
    /// RFC 3339 with six decimals.
    MicroTime,
    Quantity,
    IntOrString,
    List(Arc<Type>),
    Map(Arc<Type>),
    Struct(Struct),
    /// A type of the table, looked up once.
    Named(Box<str>, OnceLock<Arc<Type>>),
    /// Structs of this type, lists of them, or anything else.
    Either(Arc<Type>),
}

/// A type with named fields.
#[derive(Debug)]
pub(crate) struct Struct {
    /// What Go calls it, for messages.
    pub(crate) name: Box<str>,
    /// The fields.
    pub(crate) fields: BTreeMap<Box<str>, Arc<Type>>,
    /// Whether fields that it does not have are kept.
    pub(crate) open: bool,
}

/// What the server writes for a field that nobody set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unset {
    /// Nothing; zero values that were given are kept.
    Absent,
    /// Nothing; zero values are left out too.
    Omit,
    /// The zero value.
    Zero,
    /// `null`.
    Null,
}

/// See [`PatchRule`].
#[derive(Clone, Debug, Default)]
pub(crate) enum Patching {
    #[default]
    Replace,
    Key(Box<str>),
    Set,
}

/// See [`ListRule`].
#[derive(Clone, Debug, Default)]
pub(crate) enum Listing {
    #[default]
    Atomic,
    Set,
    Map(Box<[Box<str>]>),
}

// === impl Type ===

impl Type {
    /// A type of this shape about which nothing else is known.
    pub(crate) fn of(shape: Shape) -> Self {
        Self {
            shape,
            patch: Patching::Replace,
            retains_keys: false,
            list: Listing::Atomic,
            atomic: false,
            unset: Unset::Absent,
            wire: Box::default(),
        }
    }

    /// Anything at all.
    pub fn any() -> Arc<Self> {
        Arc::new(Self::of(Shape::Any))
    }

    /// The shape, with names resolved.
    pub(crate) fn shape(&self) -> &Shape {
        match &self.shape {
            Shape::Named(name, target) => {
                target.get_or_init(|| built_in(name).unwrap_or_else(Self::any)).shape()
            }
            other => other,
        }
    }

    /// The type of a member of a struct, or of the values of a map.
    pub fn field(&self, name: &str) -> Option<Arc<Self>> {
        match self.shape() {
            Shape::Struct(of) => of.fields.get(name).cloned(),
            Shape::Map(values) => Some(Arc::clone(values)),
            Shape::Either(inner) => inner.field(name),
            _ => None,
        }
    }

    /// The type of the elements of a list.
    pub fn item(&self) -> Option<Arc<Self>> {
        match self.shape() {
            Shape::List(items) => Some(Arc::clone(items)),
            _ => None,
        }
    }

    /// The names of a struct's fields, sorted; empty for everything else.
    pub fn field_names(&self) -> impl Iterator<Item = &str> {
        let fields = match self.shape() {
            Shape::Struct(of) => Some(&of.fields),
            _ => None,
        };
        fields.into_iter().flat_map(|fields| fields.keys().map(AsRef::as_ref))
    }

    /// How a strategic merge patch changes a list of this type.
    pub fn patch_rule(&self) -> PatchRule<'_> {
        match &self.patch {
            Patching::Replace => PatchRule::Replace,
            Patching::Key(key) => PatchRule::MergeByKey(key),
            Patching::Set => PatchRule::MergeSet,
        }
    }

    /// Whether a strategic merge patch of this struct (or of the elements of this list) may name the keys that stay.
    pub fn retains_keys(&self) -> bool {
        self.retains_keys
    }

    /// How server-side apply sees a list of this type.
    pub fn list_rule(&self) -> ListRule<'_> {
        match &self.list {
            Listing::Atomic => ListRule::Atomic,
            Listing::Set => ListRule::Set,
            Listing::Map(keys) => ListRule::Map(keys),
        }
    }

    /// Whether server-side apply sees a struct or map of this type as one value.
    pub fn is_atomic(&self) -> bool {
        self.atomic
            || match &self.shape {
                Shape::Named(name, target) => {
                    target.get_or_init(|| built_in(name).unwrap_or_else(Self::any)).is_atomic()
                }
                _ => false,
            }
    }

    /// Whether values have named fields.
    pub fn is_struct(&self) -> bool {
        matches!(self.shape(), Shape::Struct(_))
    }

    /// Whether values have keys that are data.
    pub fn is_map(&self) -> bool {
        matches!(self.shape(), Shape::Map(_))
    }

    /// Whether values are lists.
    pub fn is_list(&self) -> bool {
        matches!(self.shape(), Shape::List(_))
    }

    /// Whether values may be anything and are kept as given.
    pub fn is_any(&self) -> bool {
        matches!(self.shape(), Shape::Any | Shape::Either(_))
    }

    /// Whether a struct keeps fields that it does not have.
    pub fn is_open(&self) -> bool {
        matches!(self.shape(), Shape::Struct(of) if of.open)
    }
}

/// A type that says nothing, for tests and for kinds whose fields nobody looks at.
impl Default for Type {
    fn default() -> Self {
        Self::of(Shape::Any)
    }
}

#[cfg(test)]
mod tests;
