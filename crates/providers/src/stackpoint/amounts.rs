//! What a machine has, as versions of the service write it.

/// No machine that runs a kubelet has less memory, in MB. A smaller number has another unit.
const LEAST_MEMORY: f64 = 128.0;

/// No machine has more, in MB. A larger number has another unit.
const MOST_MEMORY: f64 = 100_000_000.0;

/// No machine has more cores.
const MOST_CORES: f64 = 4096.0;

/// Units, and how many MB each stands for.
///
/// The service's catalogue writes 3750 for a machine that its cloud sells with 3.75 GiB, and 4000 for one with 4 GiB: its GB are a
/// thousand MB. A node reports less than what is sold, because its kernel keeps a part. So every unit is taken for its decimal
/// neighbour, which leaves that part out: 4Gi are 4000 MB of a million bytes.
const UNITS: [(&str, f64); 9] = [
    ("tib", 1_000_000.0),
    ("gib", 1000.0),
    ("mib", 1.0),
    ("ti", 1_000_000.0),
    ("gi", 1000.0),
    ("mi", 1.0),
    ("tb", 1_000_000.0),
    ("gb", 1000.0),
    ("mb", 1.0),
];

/// Thousandths of a core: `2`, `2.0`, `0.5`, `2000m`. `None` for what no machine has.
pub(super) fn cpu_millis(text: &str) -> Option<u32> {
    let text = text.trim();
    let (digits, each) = match text.strip_suffix('m') {
        Some(digits) => (digits, 1.0),
        None => (text, 1000.0),
    };
    let millis = digits.trim().parse::<f64>().ok()? * each;
    (1.0..=MOST_CORES * 1000.0).contains(&millis).then(|| floor(millis))
}

/// Memory in MB of a million bytes: `4000`, `3750.0`, `4Gi`, `4 GB`. `None` for what no machine has.
pub(super) fn memory_megabytes(text: &str) -> Option<u32> {
    let text = text.trim().to_ascii_lowercase();
    let of_unit = |(unit, each): &(&str, f64)| Some((text.strip_suffix(unit)?, *each));
    let (digits, each) = UNITS.iter().find_map(of_unit).unwrap_or((&text, 1.0));
    let megabytes = digits.trim().parse::<f64>().ok()? * each;
    (LEAST_MEMORY..=MOST_MEMORY).contains(&megabytes).then(|| floor(megabytes))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is between one and a hundred million"
)]
const fn floor(amount: f64) -> u32 {
    amount as u32
}

#[cfg(test)]
mod tests {
    use super::{cpu_millis, memory_megabytes};

    #[test]
    fn cores_are_read_in_every_form() {
        for (text, millis) in
            [("2", 2000), (" 2.0 ", 2000), ("0.5", 500), ("1500m", 1500), ("36", 36_000)]
        {
            assert_eq!(cpu_millis(text), Some(millis), "{text}");
        }
        for odd in ["", "two", "0", "-2", "NaN", "inf", "1e9", "2 cores"] {
            assert_eq!(cpu_millis(odd), None, "{odd}");
        }
    }

    #[test]
    fn memory_is_mb_unless_it_has_a_unit() {
        for (text, megabytes) in [
            ("3750", 3750),
            ("3750.0", 3750),
            ("4Gi", 4000),
            ("4GiB", 4000),
            ("4 GB", 4000),
            ("4096Mi", 4096),
            ("7.5gb", 7500),
            ("1Ti", 1_000_000),
        ] {
            assert_eq!(memory_megabytes(text), Some(megabytes), "{text}");
        }
        // A machine of 4 MB, or of four petabytes, is a number whose unit is not known.
        for odd in ["", "lots", "4", "0", "-4000", "4294967296", "NaN", "4Gigs"] {
            assert_eq!(memory_megabytes(odd), None, "{odd}");
        }
    }
}
