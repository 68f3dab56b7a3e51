use serde_json::{Value, json};

use super::{labels, whole};

#[test]
fn labels_are_read_in_every_form() {
    let one = vec![("a".to_owned(), "b".to_owned()), ("c".to_owned(), "d=e".to_owned())];
    for form in [
        json!("a=b,c=d=e"),
        json!(" a = b ; c=d=e "),
        json!(["a=b", "c=d=e"]),
        json!(["a=b,c=d=e"]),
        json!({"a": "b", "c": "d=e"}),
        json!("{\"a\": \"b\", \"c\": \"d=e\"}"),
        json!("[\"a=b\", \"c=d=e\"]"),
        json!([{"key": "a", "value": "b"}, {"c": "d=e"}]),
    ] {
        assert_eq!(labels(&form), Some(one.clone()), "{form}");
    }
    for none in [json!(null), json!(""), json!([]), json!({}), json!("nothing")] {
        assert_eq!(labels(&none), Some(Vec::new()), "{none}");
    }
    assert_eq!(labels(&json!({"a": 1})), Some(vec![("a".to_owned(), "1".to_owned())]));
    for odd in [json!(5), json!([5]), json!([["a=b"]]), json!({"a": ["b"]})] {
        assert_eq!(labels(&odd), None, "{odd}");
    }
}

#[test]
fn whole_numbers_are_read_in_every_form() {
    for form in [json!(3), json!(3.0), json!("3"), json!(" 3 "), json!("3.0")] {
        assert_eq!(whole(&form), Some(3), "{form}");
    }
    let odd: [Value; 6] =
        [json!(3.5), json!("three"), json!(null), json!([3]), json!(1e300), json!("NaN")];
    for odd in odd {
        assert_eq!(whole(&odd), None, "{odd}");
    }
}
