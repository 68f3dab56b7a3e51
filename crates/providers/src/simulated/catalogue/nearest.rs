//! The known field that was probably meant.

/// Says that a field is not known, and which of the known ones it may stand for.
pub(super) fn unknown_field(word: &str, known: &[&str]) -> String {
    match nearest(word, known) {
        Some(near) => format!("unknown field, did you mean {near}?"),
        None => format!("unknown field, known are {}", known.join(", ")),
    }
}

/// The known word with the fewest edits, if at most half of the letters differ.
fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let word: Vec<char> = word.to_lowercase().chars().collect();
    let ranked = known.iter().map(|known| (edits(&word, known), *known));
    let (distance, near) = ranked.min_by_key(|(distance, _)| *distance)?;
    (distance * 2 <= word.len().max(near.len())).then_some(near)
}

/// How many letters have to be put in, taken out or replaced to turn one word into the other.
fn edits(word: &[char], known: &str) -> usize {
    let first: Vec<usize> = (0..=word.len()).collect();
    let last = known.chars().fold(first, |above, letter| {
        let mut row: Vec<usize> = above.first().map(|cell| cell + 1).into_iter().collect();
        for (own, pair) in word.iter().zip(above.windows(2)) {
            let &[diagonal, up] = pair else { continue };
            let left = row.last().copied().unwrap_or_default();
            let replaced = diagonal + usize::from(!own.eq_ignore_ascii_case(&letter));
            row.push(replaced.min(left + 1).min(up + 1));
        }
        row
    });
    last.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn only_a_near_word_is_proposed() {
        assert_eq!(nearest("mx", &["min", "max"]), Some("max"));
        assert_eq!(nearest("bootfailure", &["boot", "bootFailures"]), Some("bootFailures"));
        assert_eq!(nearest("sede", &["seed", "name"]), Some("seed"));
        assert_eq!(nearest("colour", &["min", "max", "price"]), None);
        assert_eq!(nearest("", &[]), None);
    }
}
