//! What holds for every text: run on random texts by the property tests, on cleverer ones by the fuzzer.

use plimsoll_model::{LabelSelector, Quantity, selector};

/// Whatever is read as a quantity is read the same once it has been printed, and every method has an answer.
pub(crate) fn quantity(text: &str) {
    let Ok(quantity) = Quantity::parse(text) else {
        let _ = (Quantity::parse_trimmed(text), Quantity::parse_json(text));
        return;
    };
    // JSON values are read more leniently, so what is a quantity as it stands is one there, too.
    assert_eq!(Quantity::parse_trimmed(text), Ok(quantity));
    assert_eq!(Quantity::parse_json(&format!("\"{text}\"")), Ok(quantity));

    let printed = quantity.to_string();
    // Only the amount is the same, not always the family: 62.5Ki is printed as 64000, which by itself is 64k.
    assert_eq!(Quantity::parse(&printed), Ok(quantity), "{text:?} is printed as {printed:?}");

    if let (Ok(value), Ok(milli)) = (quantity.value(), quantity.milli()) {
        let (value, milli) = (Quantity::from_units(value), Quantity::from_milli(milli));
        let ordered = if quantity.is_negative() {
            value <= milli && milli <= quantity
        } else {
            value >= milli && milli >= quantity
        };
        assert!(ordered, "{text:?} is not rounded away from zero");
    }
    if let Ok(double) = quantity.checked_add(&quantity) {
        assert_eq!(
            double.cmp(&quantity),
            quantity.cmp(&Quantity::ZERO),
            "{text:?} added to itself"
        );
    }
    assert!(!quantity.human().is_empty());
}

/// Whatever is read as a selector is printed as text that is read as the same selector.
pub(crate) fn selector(text: &str) {
    let Ok(parsed) = selector::parse::parse(text) else {
        assert!(LabelSelector::parse(text).is_err());
        return;
    };
    let as_written = parsed.to_string();
    let again = selector::parse::parse(&as_written);
    assert_eq!(again.as_ref(), Ok(&parsed), "{text:?} is printed as {as_written:?}");

    let meant = LabelSelector::from(parsed);
    let printed = meant.to_string();
    assert_eq!(
        LabelSelector::parse(&printed).as_ref(),
        Ok(&meant),
        "{text:?} is printed as {printed:?}"
    );
}
