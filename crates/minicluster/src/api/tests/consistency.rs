//! Lists and watches agree, whatever was written.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::store::{FieldSelector, Filter, LabelSelector};

#[derive(Clone, Debug)]
enum Write {
    Create { name: usize, color: usize },
    Update { name: usize, color: usize },
    Patch { name: usize, color: usize },
    Delete { name: usize },
    Unrelated,
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];
const COLORS: [&str; 3] = ["red", "green", "blue"];

fn writes() -> impl Strategy<Value = Vec<Write>> {
    let write = prop_oneof![
        (0..4_usize, 0..3_usize).prop_map(|(name, color)| Write::Create { name, color }),
        (0..4_usize, 0..3_usize).prop_map(|(name, color)| Write::Update { name, color }),
        (0..4_usize, 0..3_usize).prop_map(|(name, color)| Write::Patch { name, color }),
        (0..4_usize).prop_map(|name| Write::Delete { name }),
        Just(Write::Unrelated),
    ];
    proptest::collection::vec(write, 0..30)
}

fn perform(api: &Api, kind: &Kind, write: &Write) {
    let body = |name: usize, color: usize| config_map(NAMES[name], COLORS[color]);
    // Refusals are part of the game: what is refused must leave no trace.
    match write {
        Write::Create { name, color } => {
            let _ = api.create(kind, "default", body(*name, *color), &quietly());
        }
        Write::Update { name, color } => {
            let at = Target::new("default", NAMES[*name]);
            let _ = api.update(kind, &at, body(*name, *color), &quietly());
        }
        Write::Patch { name, color } => {
            let change = json!({"metadata": {"labels": {"color": COLORS[*color]}}});
            let patch = PatchRequest::Patch(Patch::Merge(change));
            let _ = api.patch(kind, &Target::new("default", NAMES[*name]), patch, &quietly());
        }
        Write::Delete { name } => {
            let at = Target::new("default", NAMES[*name]);
            let _ = api.delete(kind, &at, &DeleteOptions::default());
        }
        Write::Unrelated => {
            let leases = api.kind("coordination.k8s.io", "v1", "leases").unwrap();
            let body = json!({"metadata": {"generateName": "x"}});
            api.create(&leases, "default", body, &quietly()).unwrap();
        }
    }
}

fn filters(kind: &Kind) -> Vec<Filter> {
    let labels = |text| Filter { labels: LabelSelector::parse(text).unwrap(), ..Filter::default() };
    let fields =
        |text| Filter { fields: FieldSelector::parse(kind, text).unwrap(), ..Filter::default() };
    vec![
        Filter::default(),
        labels("color=red"),
        labels("color notin (red)"),
        fields("metadata.name=a"),
        fields("metadata.name!=b"),
    ]
}

/// A list as name and JSON, which has the revision in it.
fn state(listing: &Listing) -> BTreeMap<String, String> {
    let text = |item: &Arc<Object>| String::from_utf8(item.json.to_vec()).unwrap();
    listing.items.iter().map(|item| (item.key.name.to_string(), text(item))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn replaying_a_watch_over_an_old_list_gives_the_new_one(writes in writes()) {
        let api = api();
        let kind = config_maps(&api);
        let start = api.revision();
        let mut history = Vec::new();
        for write in &writes {
            history.push((api.revision(), api.list(&kind, &ListQuery::default()).unwrap()));
            perform(&api, &kind, write);
        }
        prop_assert!(api.revision() <= start + u64::try_from(writes.len()).unwrap());
        for filter in filters(&kind) {
            let query = ListQuery { filter: filter.clone(), ..ListQuery::in_namespace("default") };
            let now = state(&api.list(&kind, &query).unwrap());
            for (revision, seen_then) in &history {
                let exact = ListQuery {
                    resource_version: revision.to_string(),
                    version_match: "Exact".to_owned(),
                    ..query.clone()
                };
                let then = api.list(&kind, &exact).unwrap();
                let expected: BTreeMap<_, _> = state(seen_then)
                    .into_iter()
                    .filter(|(name, _)| then.items.iter().any(|item| &*item.key.name == name))
                    .collect();
                prop_assert_eq!(&state(&then), &expected);
                let matching = seen_then.items.iter().filter(|item| filter.matches(item)).count();
                prop_assert_eq!(then.items.len(), matching);

                let query = WatchQuery {
                    namespace: "default".to_owned(),
                    filter: filter.clone(),
                    resource_version: revision.to_string(),
                    ..WatchQuery::default()
                };
                let mut replayed = state(&then);
                let mut watch = api.watch(&kind, &query).unwrap();
                let mut newest = *revision;
                while let Some(event) = watch.try_next() {
                    let (object, there) = match &event {
                        WatchEvent::Added(object) | WatchEvent::Modified(object) => (object, true),
                        WatchEvent::Deleted(object) => (object, false),
                        other => return Err(TestCaseError::fail(format!("{other:?}"))),
                    };
                    prop_assert!(object.revision > newest, "revisions rise");
                    newest = object.revision;
                    let name = object.key.name.to_string();
                    let known = replayed.remove(&name).is_some();
                    prop_assert_eq!(known, !matches!(event, WatchEvent::Added(_)));
                    if there {
                        replayed.insert(name, String::from_utf8(object.json.to_vec()).unwrap());
                    }
                }
                prop_assert_eq!(&replayed, &now);
            }
        }
    }

    #[test]
    fn pages_show_one_state_whatever_is_written_between(
        before in writes(),
        between in writes(),
        limit in 1..4_usize,
    ) {
        let api = api();
        let kind = config_maps(&api);
        for write in &before {
            perform(&api, &kind, write);
        }
        let whole = api.list(&kind, &ListQuery::default()).unwrap();
        let mut between = between.iter();
        let mut paged = Vec::new();
        let mut query = ListQuery { limit, ..ListQuery::default() };
        loop {
            let page = api.list(&kind, &query).unwrap();
            prop_assert_eq!(page.revision, whole.revision);
            paged.extend(page.items);
            prop_assert_eq!(
                page.remaining.unwrap_or_default(),
                if page.continue_token.is_some() { whole.items.len() - paged.len() } else { 0 }
            );
            let Some(token) = page.continue_token else { break };
            query.continue_token = token;
            for write in between.by_ref().take(3) {
                perform(&api, &kind, write);
            }
        }
        let json = |items: &[Arc<Object>]| items.iter().map(|item| item.json.clone()).collect::<Vec<_>>();
        prop_assert_eq!(json(&paged), json(&whole.items));
    }
}
