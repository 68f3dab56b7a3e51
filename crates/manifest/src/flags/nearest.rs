//! The word that was probably meant.

use plimsoll_model::edits::{Edits, MOST_EDITS};

/// So many words a person reads to find the right one.
const FEW: usize = 10;

/// So many pairs of letters are compared at most, which is more than all flags need.
const BUDGET: u64 = 1_000_000;

/// Says that `word` is not known, and which of the known ones it may stand for; all of them where they are few.
pub fn did_you_mean<'k>(
    what: &str,
    word: &str,
    known: impl IntoIterator<Item = &'k str>,
) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    match nearest(word, known.iter().copied()) {
        Some(near) => format!("unknown {what}, did you mean {near}?"),
        None if known.len() <= FEW => format!("unknown {what}, known are {}", known.join(", ")),
        None => format!("unknown {what}"),
    }
}

/// The known word with the fewest edits, if it is near enough to be meant: a third of the letters may differ, and of a short
/// word two, which is what swapping two letters costs.
fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let word = word.to_lowercase();
    let mut edits = Edits::new(&word, MOST_EDITS, BUDGET);
    let is_same = |own: char, letter: char| own.eq_ignore_ascii_case(&letter);
    let near = known.into_iter().filter_map(|known| Some((edits.to(known, is_same)?, known)));
    let (distance, near) = near.min_by_key(|(distance, _)| *distance)?;
    let length = word.chars().count().max(near.len());
    (distance <= (length / 3).max(2.min(length / 2))).then_some(near)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn only_a_near_word_is_proposed() {
        assert_eq!(nearest("mx", ["min", "max"]), Some("max"));
        assert_eq!(nearest("unneededsince", ["unneededSince"]), Some("unneededSince"));
        assert_eq!(nearest("colour", ["min", "max", "price"]), None);
        assert_eq!(nearest("", []), None);
    }
}
