//! The processor of a kind of machine, by how clouds name kinds.

const AMD64: &str = "amd64";

const ARM64: &str = "arm64";

/// Families of Google that have Arm processors.
const GOOGLE: [&str; 3] = ["t2a-", "c4a-", "n4a-"];

/// What nodes of this kind of machine say in `kubernetes.io/arch`.
pub(crate) fn architecture(kind: &str) -> &'static str {
    let kind = kind.trim().to_ascii_lowercase();
    let is_arm = GOOGLE.iter().any(|family| kind.starts_with(family))
        || is_amazons(&kind)
        || is_azures(&kind);
    if is_arm { ARM64 } else { AMD64 }
}

/// `m6g.large`: a letter g after the generation says so. The first generation was called a1.
fn is_amazons(kind: &str) -> bool {
    let Some((family, _)) = kind.split_once('.') else { return false };
    if family == "a1" {
        return true;
    }
    let series = family.trim_start_matches(|letter: char| letter.is_ascii_lowercase());
    let traits = series.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let has_generation = series.len() > traits.len() && series.len() < family.len();
    has_generation
        && traits.chars().all(|letter| letter.is_ascii_lowercase())
        && traits.contains('g')
}

/// `standard_d2ps_v5`: a letter p after the number of cores says so, from the fifth version on.
fn is_azures(kind: &str) -> bool {
    let Some(rest) = kind.strip_prefix("standard_") else { return false };
    let Some((size, version)) = rest.split_once("_v") else { return false };
    let version: u32 = version.parse().unwrap_or_default();
    let cores = size.trim_start_matches(|letter: char| letter.is_ascii_lowercase());
    let traits = cores.trim_start_matches(|letter: char| letter.is_ascii_digit());
    version >= 5 && traits.contains('p')
}
