//! The fuzzer's bodies on random texts, so that they run with every test.

use proptest::prelude::*;

#[path = "properties/bodies.rs"]
mod bodies;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_text_as_quantity(text in any::<String>()) {
        bodies::quantity(&text);
    }

    #[test]
    fn likely_text_as_quantity(
        text in "[+-]?[0-9]{0,45}(\\.[0-9]{0,30})?([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]{1,2})?",
    ) {
        bodies::quantity(&text);
    }

    #[test]
    fn garbled_text_as_quantity(text in "[-+0-9.eEinumkKMGTP ]{0,12}") {
        bodies::quantity(&text);
    }

    #[test]
    fn any_text_as_selector(text in any::<String>()) {
        bodies::selector(&text);
    }

    #[test]
    fn likely_text_as_selector(
        text in "((!|)[a-c](| ?[=<>] ?[0-9]| (in|notin) \\([a-c, ]{0,5}\\)|!=[a-c]?|==x), ?){0,4}[a-c]",
    ) {
        bodies::selector(&text);
    }

    #[test]
    fn garbled_text_as_selector(text in "([a-c7]|in|notin|[ =!<>(),]){0,12}") {
        bodies::selector(&text);
    }
}
