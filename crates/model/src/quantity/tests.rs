use super::{Quantity, QuantityError};

mod exactness;

fn quantity(text: &str) -> Quantity {
    Quantity::parse(text).unwrap()
}

#[test]
fn amounts_beyond_64_bits_are_exact() {
    assert_eq!(
        quantity("1e30").checked_add(&quantity("1")).unwrap().to_string(),
        "1000000000000000000000000000001"
    );
    assert_eq!(quantity("1000E").to_string(), "1000E");
    assert_eq!(quantity("100000000000000000000000").to_string(), "100000E");
    assert!(quantity("1e38") < quantity("100000000000000000000000000000000000001"));
    assert!(quantity("9e38") > quantity("170141183460469231731687303715884105727"));
}

#[test]
fn what_is_out_of_range_is_refused() {
    assert_eq!(quantity("9999e60").to_string(), "9999e60");
    for text in
        ["1e64", "0.1e65", "1e9223372036854775807", "170141183460469231731687303715884105729"]
    {
        assert_eq!(Quantity::parse(text), Err(QuantityError::Overflow(text.into())));
    }
    assert!(matches!(Quantity::parse("1e9223372036854775808"), Err(QuantityError::Suffix(_))));
    assert_eq!(quantity("0e9223372036854775807"), Quantity::ZERO);
    assert_eq!(quantity("1e-9223372036854775808"), quantity("1n"));
    assert_eq!(
        quantity("1e60").checked_add(&quantity("1n")).unwrap_err().to_string(),
        r#"quantity "1e60 + 1n" is out of range"#
    );
    assert_eq!(
        quantity("10E").value().unwrap_err().to_string(),
        r#"quantity "10E" is out of range"#
    );
    assert_eq!(quantity("-8192Pi").value(), Ok(-i64::MAX));
    assert_eq!(quantity("-9223372036854775808").value(), Ok(i64::MIN));
}

#[test]
fn less_than_one_is_decimal_even_in_a_sum() {
    let half = quantity("0.00048828125Ki");
    assert_eq!(half.checked_add(&quantity("0.99951171875Ki")).unwrap().to_string(), "1024");
    let one = quantity("0.0009765625Ki");
    assert_eq!(one.checked_add(&quantity("0.9990234375Ki")).unwrap().to_string(), "1Ki");
}

#[test]
fn messages_quote_the_input() {
    let message = |text: &str| Quantity::parse(text).unwrap_err().to_string();
    assert_eq!(message("1 Gi"), r#"quantity "1 Gi" is not a number with an optional suffix"#);
    assert!(message("1K").starts_with(r#"quantity "1K" has an unknown suffix"#));
    let nines = |count| "9".repeat(count);
    assert_eq!(message(&nines(999)), format!(r#"quantity "{}…" is out of range"#, nines(80)));
}

#[test]
fn built_from_integers() {
    assert_eq!(Quantity::from_units(-3000).to_string(), "-3k");
    assert_eq!(Quantity::from_milli(1500).to_string(), "1500m");
    assert_eq!(Quantity::from_milli(2000), quantity("2"));
    assert_eq!(Quantity::bytes(1 << 30).to_string(), "1Gi");
    assert_eq!(Quantity::from_milli(i64::MIN).milli(), Ok(i64::MIN));
    assert_eq!(format!("{:>6}|{:?}", Quantity::bytes(2048), Quantity::ZERO), "   2Ki|Quantity(0)");
}

#[test]
fn people_get_one_decimal() {
    for (text, human) in [
        ("0", "0"),
        ("4", "4"),
        ("1500m", "1500m"),
        ("15500m", "15.5"),
        ("-250m", "-250m"),
        ("1.2345", "1.2"),
        ("100500u", "100.5m"),
        ("1500", "1500"),
        ("123456", "123.5k"),
        ("999999", "1M"),
        ("12e6", "12M"),
        ("1073741824", "1.1G"),
        ("1Gi", "1Gi"),
        ("1536Mi", "1.5Gi"),
        ("3277Mi", "3.2Gi"),
        ("1048575Ki", "1Gi"),
        ("-1536Mi", "-1.5Gi"),
        ("0.5Ki", "512"),
        ("1e40", "10e39"),
    ] {
        assert_eq!(quantity(text).human(), human, "{text}");
    }
}
