//! Values that CEL itself does not have.

use std::{any::Any, cmp::Ordering, collections::HashMap, fmt};

use cel::{
    ExecutionError,
    common::{
        traits::{Container, Indexer, Iterable, Sizer},
        types::{CelMap, CelMapKey, CelString, Type},
        value::{CowVal, StaticVal, Val},
    },
};
use plimsoll_model::Quantity;

static QUANTITY: Type = Type::new_unspecified_type("kubernetes.Quantity");
static SEMVER: Type = Type::new_unspecified_type("kubernetes.Semver");

/// A quantity.
#[derive(Clone, Copy, Debug)]
pub(super) struct Amount(pub Quantity);

/// A semantic version.
#[derive(Clone, Debug)]
pub(super) struct Version(pub semver::Version);

/// Attributes or capacities by domain and name. A domain that is not there reads as one without entries, so that
/// `has(device.attributes["domain"].name)` can be asked of every device.
pub(super) struct Domains {
    domains: CelMap<'static>,
    nothing: CelMap<'static>,
}

// === impl Amount ===

impl Val for Amount {
    fn get_type(&self) -> &Type {
        &QUANTITY
    }

    fn cel_type() -> &'static Type {
        &QUANTITY
    }

    fn equals(&self, other: &dyn Val) -> bool {
        other.downcast_ref::<Self>().is_some_and(|other| self.0 == other.0)
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
        Box::new(*self)
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl StaticVal for Amount {}

// === impl Version ===

impl Version {
    /// What comes after `+` does not count.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        self.0.cmp_precedence(&other.0)
    }
}

impl Val for Version {
    fn get_type(&self) -> &Type {
        &SEMVER
    }

    fn cel_type() -> &'static Type {
        &SEMVER
    }

    fn equals(&self, other: &dyn Val) -> bool {
        other.downcast_ref::<Self>().is_some_and(|other| self.compare(other) == Ordering::Equal)
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl StaticVal for Version {}

// === impl Domains ===

impl Domains {
    pub(super) fn new(domains: HashMap<&str, HashMap<CelMapKey<'static>, Box<dyn Val>>>) -> Self {
        let domains = domains.into_iter().map(|(domain, entries)| {
            let entries: Box<dyn Val> = Box::new(CelMap::from(entries));
            (CelMapKey::String(CelString::from(domain.to_owned())), entries)
        });
        Self {
            domains: CelMap::from(domains.collect::<HashMap<_, _>>()),
            nothing: CelMap::default(),
        }
    }
}

impl fmt::Debug for Domains {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.domains, f)
    }
}

impl Val for Domains {
    fn get_type(&self) -> &Type {
        self.domains.get_type()
    }

    fn cel_type() -> &'static Type {
        CelMap::cel_type()
    }

    fn as_container(&self) -> Option<&dyn Container> {
        self.domains.as_container()
    }

    fn as_indexer<'b, 'v>(&'b self) -> Option<&'b (dyn Indexer + 'v)>
    where
        Self: 'v,
    {
        Some(self)
    }

    fn as_iterable<'b, 'v>(&'b self) -> Option<&'b (dyn Iterable + 'v)>
    where
        Self: 'v,
    {
        self.domains.as_iterable()
    }

    fn as_sizer(&self) -> Option<&dyn Sizer> {
        self.domains.as_sizer()
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
        Box::new(Self { domains: self.domains.clone(), nothing: CelMap::default() })
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl StaticVal for Domains {}

impl Indexer for Domains {
    fn get<'b, 'v>(&'b self, domain: &dyn Val) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        match self.domains.get(domain) {
            Err(ExecutionError::NoSuchKey(_)) => Ok(CowVal::Borrowed(&self.nothing)),
            found => found,
        }
    }

    fn steal<'v>(self: Box<Self>, domain: &dyn Val) -> Result<Box<dyn Val + 'v>, ExecutionError>
    where
        Self: 'v,
    {
        self.get(domain).map(CowVal::into_owned)
    }
}
