//! A cluster survives in a file.

use super::*;

#[test]
fn what_is_written_is_read_again() {
    let first = api();
    filled(&first, &["a", "b"]);
    let mut file = Vec::new();
    first.export(&mut file).unwrap();
    let clock = Clock::starting_at(Timestamp::UNIX_EPOCH);
    let second = Api::import(clock, Limits::default(), &mut file.as_slice()).unwrap();
    let kind = config_maps(&second);
    let list = |api: &Api| api.list(&kind, &ListQuery::default()).unwrap();
    let json =
        |listing: &Listing| listing.items.iter().map(|item| item.json.clone()).collect::<Vec<_>>();
    assert_eq!(json(&list(&second)), json(&list(&first)));
    assert_eq!(second.revision(), first.revision());
    let old = WatchQuery { resource_version: "3".to_owned(), ..WatchQuery::default() };
    assert_eq!(told(&mut second.watch(&kind, &old).unwrap()), ["410 Expired"]);
    assert_eq!(list(&second).items[0].labels.get("color"), Some("red"));
    let next = filled(&second, &["c"]).remove(0);
    assert!(next.revision > first.revision());
}

#[test]
fn a_broken_file_is_refused() {
    let clock = Clock::starting_at(Timestamp::UNIX_EPOCH);
    let broken = b"{\"revision\": 5}\n{\"group\": \"\"".as_slice();
    assert!(Api::import(clock, Limits::default(), &mut &*broken).is_err());
}
