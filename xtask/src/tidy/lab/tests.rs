use super::shipped;
use crate::tidy::tests::{check, member};
use crate::tidy::{Member, Shipped, Workspace};

/// A workspace whose program is built of these packages, each with one feature.
fn built_of(packages: &[(&str, &str)]) -> Workspace {
    let package = |(name, feature): &(&str, &str)| Shipped {
        name: (*name).to_owned(),
        features: [(*feature).to_owned()].into(),
    };
    let lab =
        Member { directory: "lab/minicluster".to_owned(), ..member("plimsoll-minicluster", &[]) };
    Workspace {
        members: vec![member("plimsoll-providers", &[]), lab],
        shipped: packages.iter().map(package).collect(),
        ..Workspace::default()
    }
}

#[test]
fn crates_of_the_product_and_what_they_use_are_shipped() {
    check(&shipped(&built_of(&[("plimsoll-providers", "default"), ("tokio", "lab")])), &[]);
}

#[test]
fn crates_of_the_lab_and_what_only_they_use_are_not() {
    check(
        &shipped(&built_of(&[("plimsoll-minicluster", ""), ("ratatui", "")])),
        &[
            "plimsoll-minicluster: is part of the shipped program; make it optional, behind the \
             feature `lab`",
            "ratatui: is part of the shipped program; make it optional, behind the feature `lab`",
        ],
    );
}

#[test]
fn no_crate_of_the_product_has_its_lab_with_it() {
    check(
        &shipped(&built_of(&[("plimsoll-providers", "lab")])),
        &[
            "plimsoll-providers: has the feature `lab` in the shipped program; only `lab` of another \
           crate may turn it on",
        ],
    );
}
