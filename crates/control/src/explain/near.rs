//! Names that somebody may have meant.

use super::Unknown;

/// So many are named.
const MOST: usize = 3;

/// What to say of a name that is not known, among those that are.
pub(super) fn unknown<'n>(
    kind: &'static str,
    name: &str,
    known: impl IntoIterator<Item = &'n str>,
) -> Unknown {
    // A namespace that is right does not excuse a name that is wrong.
    let own = name.rsplit('/').next().unwrap_or(name);
    let farthest = own.chars().count() / 3 + 1;
    let mut near: Vec<(usize, &str)> = known
        .into_iter()
        .filter_map(|known| {
            // A part of the name is as good as a slip of the pen.
            let distance =
                if known.contains(name) && !name.is_empty() { 1 } else { distance(name, known) };
            (distance <= farthest).then_some((distance, known))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    let nearest = near.into_iter().take(MOST).map(|(_, known)| known.to_owned()).collect();
    Unknown { kind, name: name.to_owned(), nearest }
}

/// How many letters have to be put in, taken out or changed.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (place, letter) in one.chars().enumerate() {
        let mut diagonal = place;
        let mut left = place + 1;
        let mut next = vec![left];
        for (known, above) in other.iter().zip(row.iter().skip(1)) {
            left = (diagonal + usize::from(*known != letter)).min(left + 1).min(above + 1);
            diagonal = *above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_counted() {
        for (one, other, expected) in
            [("", "", 0), ("a", "", 1), ("kitten", "sitting", 3), ("cheap", "chaep", 2)]
        {
            assert_eq!(distance(one, other), expected, "{one} {other}");
        }
    }

    #[test]
    fn only_what_is_near_is_named() {
        let known = ["cheap", "dear", "gpu"];
        assert_eq!(unknown("group", "cheep", known).nearest, ["cheap"]);
        assert_eq!(unknown("group", "zzz", known).nearest, [""; 0]);
    }
}
