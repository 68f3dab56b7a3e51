use super::direction;
use crate::tidy::tests::{check, crates};

#[test]
fn downwards_is_fine() {
    let workspace = crates(&[
        ("plimsoll", &["plimsoll-fit", "plimsoll-model", "anyhow"]),
        ("plimsoll-fit", &["plimsoll-model"]),
        ("plimsoll-model", &["jiff"]),
        ("xtask", &["plimsoll"]),
    ]);
    check(&direction(&workspace), &[]);
}

#[test]
fn upwards_is_not() {
    let workspace = crates(&[("plimsoll-plan", &[]), ("plimsoll-fit", &["plimsoll-plan"])]);
    check(&direction(&workspace), &["plimsoll-fit: uses plimsoll-plan, which is not below it"]);
}

#[test]
fn the_test_bed_shares_only_the_words_with_what_it_tests() {
    let workspace = crates(&[
        ("plimsoll-minicluster", &["plimsoll-cluster", "plimsoll-fit", "plimsoll-net"]),
        ("plimsoll-cluster", &[]),
        ("plimsoll-fit", &[]),
        ("plimsoll-net", &[]),
    ]);
    check(
        &direction(&workspace),
        &["plimsoll-minicluster: uses plimsoll-cluster; of this workspace it may use only \
           plimsoll-model, plimsoll-fit, plimsoll-manifest, plimsoll-net"],
    );
}

#[test]
fn manifest_knows_the_model_only() {
    let workspace = crates(&[
        ("plimsoll-manifest", &["plimsoll-fit", "plimsoll-model"]),
        ("plimsoll-fit", &[]),
        ("plimsoll-model", &[]),
    ]);
    check(
        &direction(&workspace),
        &["plimsoll-manifest: uses plimsoll-fit; of this workspace it may use only plimsoll-model"],
    );
}

#[test]
fn a_new_crate_asks_for_its_place_once() {
    let workspace = crates(&[("plimsoll", &["plimsoll-new"]), ("plimsoll-new", &["plimsoll"])]);
    check(
        &direction(&workspace),
        &["plimsoll-new: is not in the list of layers; add it to LAYERS in \
           xtask/src/tidy/layers.rs"],
    );
}

#[test]
fn nobody_uses_the_chores() {
    let workspace = crates(&[("plimsoll", &["xtask"]), ("xtask", &[])]);
    check(&direction(&workspace), &["plimsoll: uses xtask, which no crate may"]);
}
