//! Random claims.

use plimsoll_model::{Claim, Symbol};
use proptest::{prelude::*, sample};

use super::{access_modes, class::class_name, mostly, node_name, size, volume_name};
use crate::generate::{
    flag, maybe,
    selector::{POD_WORDS, selector},
    terms::NAMESPACES,
    volume::{CLAIMS, UIDS},
};

/// How far the binding of a claim has come.
#[derive(Clone, Copy, Debug)]
enum Binding {
    /// Not at all.
    Unbound,
    /// A node was chosen, the volume is being made.
    Selected(Symbol),
    /// The volume is named, nothing more.
    Prebound(Symbol),
    /// Done.
    Bound(Symbol),
}

/// The claims that pods may have, with how many of a hundred clusters they exist in. Most pods are in the first namespace.
pub(super) fn ids() -> impl Iterator<Item = ((Symbol, Symbol), u32)> {
    let of_namespace = |namespace, percent| {
        CLAIMS.iter().map(move |name| ((Symbol::new(namespace), Symbol::new(name)), percent))
    };
    of_namespace(NAMESPACES[0], 90).chain(of_namespace(NAMESPACES[1], 50))
}

/// A claim of that namespace and name.
pub(super) fn claim(id: (Symbol, Symbol)) -> impl Strategy<Value = Claim> {
    let marks = (flag(5), flag(5), maybe(40, sample::select(&UIDS).prop_map(Symbol::new)));
    let wishes = (
        class_name(),
        size(),
        access_modes(),
        mostly("Filesystem", "Block"),
        mostly("", "gold"),
        maybe(10, selector(POD_WORDS)),
    );
    (binding(), marks, wishes).prop_map(move |(binding, marks, wishes)| {
        let (lost, deleting, controller) = marks;
        let (class, size, access_modes, mode, attributes_class, selector) = wishes;
        Claim {
            id,
            uid: Symbol::new(&format!("uid-of-{}-{}", id.0, id.1)),
            controller,
            class,
            volume: match binding {
                Binding::Prebound(volume) | Binding::Bound(volume) => Some(volume),
                Binding::Unbound | Binding::Selected(_) => None,
            },
            bind_completed: matches!(binding, Binding::Bound(_)),
            selected_node: match binding {
                Binding::Selected(node) => Some(node),
                _ => None,
            },
            lost,
            deleting,
            access_modes,
            size,
            mode,
            attributes_class,
            selector,
        }
    })
}

fn binding() -> impl Strategy<Value = Binding> {
    prop_oneof![
        5 => Just(Binding::Unbound),
        1 => node_name().prop_map(Binding::Selected),
        1 => volume_name().prop_map(Binding::Prebound),
        5 => volume_name().prop_map(Binding::Bound),
    ]
}
