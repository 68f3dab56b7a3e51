//! Inverse of a dense matrix.

/// Pivots below this are taken for zero.
const SINGULAR: f64 = 1e-9;

/// Gauss–Jordan with row exchanges. `None` for a singular matrix, which a basis is only by rounding.
pub(super) fn inverted(mut matrix: Vec<f64>, rows: usize) -> Option<Vec<f64>> {
    let mut inverse = vec![0.0; rows * rows];
    for row in 0..rows {
        inverse[row * rows + row] = 1.0;
    }
    for at in 0..rows {
        let size = |row: usize| matrix[row * rows + at].abs();
        let pivot = (at..rows).max_by(|&a, &b| size(a).total_cmp(&size(b)))?;
        if size(pivot) < SINGULAR {
            return None;
        }
        for column in 0..rows {
            matrix.swap(at * rows + column, pivot * rows + column);
            inverse.swap(at * rows + column, pivot * rows + column);
        }
        let scale = 1.0 / matrix[at * rows + at];
        for column in 0..rows {
            matrix[at * rows + column] *= scale;
            inverse[at * rows + column] *= scale;
        }
        for row in (0..rows).filter(|&row| row != at) {
            let factor = matrix[row * rows + at];
            if factor != 0.0 {
                for column in 0..rows {
                    matrix[row * rows + column] -= factor * matrix[at * rows + column];
                    inverse[row * rows + column] -= factor * inverse[at * rows + column];
                }
            }
        }
    }
    Some(inverse)
}
