//! How far words are apart, for proposing the one that was probably meant.
//!
//! The words may come from strangers, and the known ones may be every pod of a large cluster. So the work is bounded: words whose
//! lengths differ too much are not compared, a comparison ends once the words are too far apart, only letters near the diagonal are
//! compared, and a search has a budget.

/// Words that are farther apart than this are not alike, however long they are.
pub const MOST_EDITS: usize = 10;

/// A word that is compared with others.
#[derive(Clone, Debug)]
pub struct Edits {
    word: Vec<char>,
    most: usize,
    budget: u64,
    /// Letters that were compared so far.
    spent: u64,
    row: Vec<usize>,
}

// === impl Edits ===

impl Edits {
    /// Compares `word` with others that are at most `most` edits away, and with no more than [`MOST_EDITS`]; until `budget` pairs of
    /// letters have been compared.
    pub fn new(word: &str, most: usize, budget: u64) -> Self {
        let most = most.min(MOST_EDITS);
        Self { word: word.chars().collect(), most, budget, spent: 0, row: Vec::new() }
    }

    /// How many letters have to be put in, taken out or replaced to turn the word into `other`; `None` if it is too far away, or the
    /// budget is spent. Whether letters are the same is for the caller to say.
    pub fn to(&mut self, other: &str, is_same: impl Fn(char, char) -> bool) -> Option<usize> {
        let (own, most) = (self.word.len(), self.most);
        let length = other.chars().count();
        if own.abs_diff(length) > most || self.spent >= self.budget {
            return None;
        }
        // A cell outside the band is farther than `most` edits away.
        let far = most + 1;
        self.row.clear();
        self.row.extend((0..=own).map(|place| place.min(far)));
        for (line, letter) in (1_usize..).zip(other.chars()) {
            let (first, last) = (line.saturating_sub(most).max(1), (line + most).min(own));
            let mut diagonal = self.row.get(first - 1).copied().unwrap_or(far);
            // What is left of the band: the first column, or a cell that is too far.
            let mut left = if first == 1 { line.min(far) } else { far };
            if let Some(cell) = self.row.get_mut(first - 1) {
                *cell = left;
            }
            let mut least = left;
            let band = self.row.iter_mut().skip(first).zip(self.word.iter().skip(first - 1));
            for (cell, own) in band.take((last + 1).saturating_sub(first)) {
                let replaced = diagonal + usize::from(!is_same(*own, letter));
                diagonal = *cell;
                left = replaced.min(left + 1).min(*cell + 1).min(far);
                *cell = left;
                least = least.min(left);
                self.spent += 1;
            }
            if least > most || self.spent >= self.budget {
                return None;
            }
        }
        self.row.last().copied().filter(|distance| *distance <= most)
    }

    /// How many pairs of letters were compared so far.
    pub const fn spent(&self) -> u64 {
        self.spent
    }
}

#[cfg(test)]
mod tests;
