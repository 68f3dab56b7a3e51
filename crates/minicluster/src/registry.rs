//! Which kinds there are: the built-in ones, and those that `CustomResourceDefinition` objects add.

use std::sync::Arc;

use crate::{
    kind::{Kind, Scope},
    rules::rules_for,
    schema::{self, Type},
};

mod table;

/// The kinds that are served now, in the order of discovery.
#[derive(Clone, Debug)]
pub struct Registry {
    kinds: Vec<Arc<Kind>>,
}

// === impl Registry ===

impl Default for Registry {
    fn default() -> Self {
        Self { kinds: table::BUILT_IN.iter().map(|row| Arc::new(built_in(row))).collect() }
    }
}

impl Registry {
    /// The built-in kinds.
    pub fn new() -> Self {
        Self::default()
    }

    /// All kinds: built-in ones in a fixed order, then custom ones by group, name and version.
    pub fn kinds(&self) -> &[Arc<Kind>] {
        &self.kinds
    }

    /// The kind that a path names.
    pub fn find(&self, group: &str, version: &str, plural: &str) -> Option<&Arc<Kind>> {
        self.kinds.iter().find(|kind| {
            *kind.plural == *plural && *kind.group == *group && *kind.version == *version
        })
    }

    /// The kind that `apiVersion` and `kind` of an object name.
    pub fn find_kind(&self, api_version: &str, kind: &str) -> Option<&Arc<Kind>> {
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
        self.kinds.iter().find(|known| {
            *known.kind == *kind && *known.group == *group && *known.version == *version
        })
    }

    /// The kind of a resource in any version, preferably the first.
    pub fn find_resource(&self, group: &str, plural: &str) -> Option<&Arc<Kind>> {
        self.kinds.iter().find(|kind| *kind.plural == *plural && *kind.group == *group)
    }

    /// Serves exactly these kinds of the custom resource `plural` of `group` from now on.
    pub fn replace_custom(&mut self, group: &str, plural: &str, kinds: Vec<Kind>) {
        self.kinds.retain(|kind| {
            kind.custom.is_none() || *kind.group != *group || *kind.plural != *plural
        });
        self.kinds.extend(kinds.into_iter().map(Arc::new));
        let built_in = self.kinds.partition_point(|kind| kind.custom.is_none());
        if let Some(custom) = self.kinds.get_mut(built_in..) {
            custom.sort_by(|a, b| (&a.group, &a.plural).cmp(&(&b.group, &b.plural)));
        }
    }
}

fn built_in(row: &table::Row) -> Kind {
    let texts = |texts: &[&str]| texts.iter().map(|text| Box::from(*text)).collect();
    Kind {
        group: row.group.into(),
        version: row.version.into(),
        kind: row.kind.into(),
        list_kind: format!("{}List", row.kind).into(),
        plural: row.plural.into(),
        singular: row.kind.to_ascii_lowercase().into(),
        short_names: texts(row.short_names),
        categories: texts(row.categories),
        scope: if row.namespaced { Scope::Namespaced } else { Scope::Cluster },
        subresources: row.subresources.to_vec(),
        schema: schema::built_in(&format!("{}.{}", row.package, row.kind))
            .unwrap_or_else(Type::any),
        rules: rules_for(row.group, row.kind),
        custom: None,
    }
}
