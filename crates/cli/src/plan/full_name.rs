//! Names as they are printed, `namespace/name`, and their order.

use std::cmp::Ordering;

use plimsoll_model::PodName;

/// The order of the printed names. It is not that of namespaces and names: `a-b/x` comes before `a/x`.
pub(super) fn compare(one: &PodName, other: &PodName) -> Ordering {
    bytes(one).cmp(bytes(other))
}

/// The names in their printed order.
pub(super) fn sorted(names: &[PodName]) -> Vec<&PodName> {
    let mut names: Vec<&PodName> = names.iter().collect();
    names.sort_by(|one, other| compare(one, other));
    names
}

fn bytes(name: &PodName) -> impl Iterator<Item = u8> {
    let PodName { namespace, name } = name;
    namespace.as_str().bytes().chain([b'/']).chain(name.bytes())
}

#[cfg(test)]
mod tests {
    use plimsoll_model::{PodName, Symbol};

    use super::sorted;

    #[test]
    fn the_printed_name_decides() {
        let names = [("a", "x"), ("a-b", "x"), ("a", "w")]
            .map(|(space, name)| PodName { namespace: Symbol::new(space), name: name.into() });
        let shown: Vec<String> = sorted(&names).into_iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["a-b/x", "a/w", "a/x"]);
    }
}
