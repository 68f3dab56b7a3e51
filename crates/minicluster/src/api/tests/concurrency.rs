//! Many writers at once.

use std::thread;

use super::*;

const WRITERS: usize = 8;
const ROUNDS: usize = 50;

/// The number in a config map that writers count up.
fn count(object: &Object) -> usize {
    object.value().pointer("/data/n").unwrap().as_str().unwrap().parse().unwrap()
}

#[test]
fn of_writers_with_the_same_version_one_wins() {
    let api = api();
    let kind = config_maps(&api);
    let body = json!({"metadata": {"name": "n"}, "data": {"n": "0"}});
    api.create(&kind, "default", body, &quietly()).unwrap();
    let at = Target::new("default", "n");
    let wins: usize = thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|_| {
                scope.spawn(|| {
                    let mut wins = 0;
                    while wins < ROUNDS {
                        let mut value = api.get(&kind, "default", "n").unwrap();
                        let mut body = value.value();
                        body["data"]["n"] = json!((count(&value) + 1).to_string());
                        match api.update(&kind, &at, body, &quietly()) {
                            Ok(written) => {
                                value = written.object;
                                wins += 1;
                                assert!(count(&value) >= wins);
                            }
                            Err(error) => assert_eq!(error.reason, "Conflict"),
                        }
                    }
                    wins
                })
            })
            .collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).sum()
    });
    assert_eq!(count(&api.get(&kind, "default", "n").unwrap()), wins);
}

#[test]
fn patches_and_modifications_never_conflict() {
    let api = api();
    let kind = config_maps(&api);
    api.create(&kind, "default", json!({"metadata": {"name": "n"}}), &quietly()).unwrap();
    let at = Target::new("default", "n");
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (api, kind, at) = (&api, &kind, &at);
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let key = format!("w{writer}r{round}");
                    if writer % 2 == 0 {
                        let patch = Patch::Merge(json!({"data": {key: "x"}}));
                        api.patch(kind, at, PatchRequest::Patch(patch), &quietly()).unwrap();
                    } else {
                        api.modify(kind, at, |value| value["data"][key] = json!("x")).unwrap();
                    }
                }
            });
        }
    });
    let data = api.get(&kind, "default", "n").unwrap().value()["data"].clone();
    assert_eq!(data.as_object().unwrap().len(), WRITERS * ROUNDS);
}

#[test]
fn of_creators_and_deleters_of_one_name_one_wins_each_time() {
    let api = api();
    let kind = config_maps(&api);
    let (created, deleted) = thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|_| {
                scope.spawn(|| {
                    let (mut created, mut deleted) = (0_usize, 0_usize);
                    let at = Target::new("default", "one");
                    for _ in 0..ROUNDS {
                        match api.create(&kind, "default", config_map("one", "red"), &quietly()) {
                            Ok(_) => created += 1,
                            Err(error) => assert_eq!(error.reason, "AlreadyExists"),
                        }
                        match api.delete(&kind, &at, &DeleteOptions::default()) {
                            Ok(outcome) => deleted += usize::from(outcome.gone),
                            Err(error) => assert_eq!(error.reason, "NotFound"),
                        }
                    }
                    (created, deleted)
                })
            })
            .collect();
        let outcomes = writers.into_iter().map(|writer| writer.join().unwrap());
        outcomes.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    });
    let left = api.list(&kind, &ListQuery::default()).unwrap().items.len();
    assert_eq!(created - deleted, left);
}

#[test]
fn a_watch_misses_nothing_of_many_writers() {
    let api = api();
    let kind = config_maps(&api);
    let mut watch = api.watch(&kind, &WatchQuery::default()).unwrap();
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (api, kind) = (&api, &kind);
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let name = format!("w{writer}r{round}");
                    api.create(kind, "default", config_map(&name, "red"), &quietly()).unwrap();
                }
            });
        }
    });
    let mut seen = told(&mut watch);
    let total = seen.len();
    seen.sort();
    seen.dedup();
    assert_eq!((total, seen.len()), (WRITERS * ROUNDS, WRITERS * ROUNDS));
}
