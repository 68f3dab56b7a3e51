//! Every namespace has a default service account.

use std::sync::Arc;

use serde_json::json;

use super::{
    Reconcile, View,
    action::Action,
    index::{Change, Ref},
    workload::is_leaving,
};
use crate::{object::Key, store::Resource};

/// The account that pods run as if they do not say.
const ACCOUNT: &str = "default";

/// The controller.
pub(super) struct ServiceAccounts;

// === impl ServiceAccounts ===

impl Reconcile for ServiceAccounts {
    fn affected(&mut self, change: &Change, _: &View<'_>, look: &mut dyn FnMut(Ref)) {
        let namespaces = Resource::new("", "namespaces");
        if change.target.resource == namespaces {
            if !change.gone && !change.meta.deleting {
                look(change.target.clone());
            }
        } else if change.gone
            && change.is("", "serviceaccounts")
            && *change.target.key.name == *ACCOUNT
        {
            look(Ref { resource: namespaces, key: Key::new("", &change.target.key.namespace) });
        }
    }

    fn reconcile(&mut self, target: &Ref, view: &View<'_>) -> Vec<Action> {
        let namespace = view.get(&target.resource, &target.key);
        let accounts = Resource::new("", "serviceaccounts");
        let has = view.get(&accounts, &Key::new(&target.key.name, ACCOUNT)).is_some();
        if has || namespace.is_none_or(|seen| is_leaving(&seen.value)) {
            return Vec::new();
        }
        vec![Action::Create {
            resource: accounts,
            namespace: Arc::clone(&target.key.name),
            object: json!({ "metadata": { "name": ACCOUNT } }),
            note: None,
        }]
    }
}
