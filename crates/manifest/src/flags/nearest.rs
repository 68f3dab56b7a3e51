//! The word that was probably meant.

/// So many words a person reads to find the right one.
const FEW: usize = 10;

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
    let word: Vec<char> = word.to_lowercase().chars().collect();
    let ranked = known.into_iter().map(|known| (edits(&word, known), known));
    let (distance, near) = ranked.min_by_key(|(distance, _)| *distance)?;
    let length = word.len().max(near.len());
    (distance <= (length / 3).max(2.min(length / 2))).then_some(near)
}

/// How many letters have to be put in, taken out or replaced to turn one word into the other.
fn edits(word: &[char], known: &str) -> usize {
    let mut row: Vec<usize> = (0..=word.len()).collect();
    for (line, letter) in (1..).zip(known.chars()) {
        let mut diagonal = line - 1;
        let mut left = line;
        let above = row.iter_mut();
        for (cell, own) in above.zip([None].into_iter().chain(word.iter().map(Some))) {
            let here = match own {
                None => line,
                Some(own) => {
                    let replaced = diagonal + usize::from(!own.eq_ignore_ascii_case(&letter));
                    replaced.min(left + 1).min(*cell + 1)
                }
            };
            diagonal = std::mem::replace(cell, here);
            left = here;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{edits, nearest};

    fn distance(one: &str, other: &str) -> usize {
        edits(&one.chars().collect::<Vec<_>>(), other)
    }

    #[test]
    fn edits_are_counted() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("expander", "expander"), 0);
        assert_eq!(distance("unneded-time", "unneeded-time"), 1);
    }

    #[test]
    fn only_a_near_word_is_proposed() {
        assert_eq!(nearest("mx", ["min", "max"]), Some("max"));
        assert_eq!(nearest("unneededsince", ["unneededSince"]), Some("unneededSince"));
        assert_eq!(nearest("colour", ["min", "max", "price"]), None);
        assert_eq!(nearest("", []), None);
    }
}
