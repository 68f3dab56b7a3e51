//! A file that changes.

use std::{ffi::OsString, fs, path::Path, sync::Arc, time::Duration};

use tokio::sync::watch;

use super::{changed, follow};
use crate::run::wanted::{Wanted, Wish};

fn wanted(path: &Path) -> Wanted {
    let words = [format!("--config={}", path.display()), "--max-nodes-total=9".to_owned()];
    let words: Vec<OsString> = words.into_iter().map(OsString::from).collect();
    let Wish::Run(wanted) = Wanted::read(&words).unwrap() else { unreachable!() };
    wanted
}

#[tokio::test(start_paused = true)]
async fn settings_follow_the_file_and_a_bad_file_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.yaml");
    fs::write(&path, "scan-interval: 20s\n").unwrap();
    let wanted = wanted(&path);
    let first = wanted.resolve().unwrap();
    let settings = watch::Sender::new(Arc::new(first.settings.clone()));
    let mut heard = settings.subscribe();
    settings.send_modify(|current| {
        Arc::make_mut(current).plan.scale_up.priorities = Some(vec![(1, vec!["a".to_owned()])]);
    });
    heard.mark_unchanged();
    let following = tokio::spawn(follow(wanted, first, settings));

    fs::write(
        &path,
        "scan-interval: 30s\nscale-down-unneeded-time: 1m\nmax-nodes-total: 3\nnamespace: other\n",
    )
    .unwrap();
    heard.changed().await.unwrap();
    let now = Arc::clone(&heard.borrow_and_update());
    assert_eq!(now.pace.scan.as_secs(), 30);
    assert_eq!(now.plan.group.unneeded_time.as_secs(), 60);
    assert_eq!(now.plan.limits.nodes, 9, "what was typed wins");
    assert_eq!(now.namespace, "kube-system", "this needs another start");
    assert!(now.plan.scale_up.priorities.is_some(), "the user's list is not in the file");

    fs::write(&path, "scan-interval: soon\n").unwrap();
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert!(!heard.has_changed().unwrap());
    fs::write(&path, "{}\n").unwrap();
    heard.changed().await.unwrap();
    assert_eq!(heard.borrow().pace.scan.as_secs(), 10, "what is not said any more is as ever");
    following.abort();
}

#[test]
fn what_needs_another_start_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.yaml");
    let resolve = |text: &str| {
        fs::write(&path, text).unwrap();
        wanted(&path).resolve().unwrap()
    };
    let first = resolve("{}\n");
    let parts = |text: &str| changed(&first, &resolve(text)).join(", ");
    assert_eq!(parts("scan-interval: 30s\ndry-run: true\nmax-drain-parallelism: 3\n"), "");
    assert_eq!(parts("address: ':1'\nleader-elect: false\n"), "leader election, the address");
    assert_eq!(parts("v: 4\nkube-client-qps: 1\n"), "the connection to the API server, logging");
    assert_eq!(parts("nodes: ['0:1:a']\n"), "the choice of groups");
}
