//! Names that may have been meant.

use plimsoll_model::Edits;

use super::Unknown;

/// How many names are proposed.
const MOST: usize = 3;

/// How many pairs of letters are compared: a fraction of a second, and enough for the pods of the largest clusters.
const BUDGET: u64 = 20_000_000;

/// What to say of a name that is not known, among those that are.
pub(super) fn unknown<'n>(
    kind: &'static str,
    name: &str,
    known: impl IntoIterator<Item = &'n str>,
) -> Unknown {
    // A namespace that is right does not excuse a name that is wrong.
    let own = name.rsplit('/').next().unwrap_or(name);
    let mut edits = Edits::new(name, own.chars().count() / 3 + 1, BUDGET);
    let mut near: Vec<(usize, &str)> = known
        .into_iter()
        .filter_map(|known| {
            // Part of a name counts as one edit.
            let is_part = known.contains(name) && !name.is_empty();
            let distance =
                if is_part { Some(1) } else { edits.to(known, |one, other| one == other) };
            Some((distance?, known))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    let nearest = near.into_iter().take(MOST).map(|(_, known)| known.to_owned()).collect();
    Unknown { kind, name: name.to_owned(), nearest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_near_is_named() {
        let known = ["cheap", "dear", "gpu"];
        assert_eq!(unknown("group", "cheep", known).nearest, ["cheap"]);
        assert_eq!(unknown("group", "zzz", known).nearest, [""; 0]);
    }
}
