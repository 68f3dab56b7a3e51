use std::{
    collections::VecDeque,
    convert::Infallible,
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use futures::{StreamExt as _, stream};
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, StreamBody, combinators::UnsyncBoxBody};
use hyper::body::Frame;
use kube::{Client, client::Body};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout_at};
use tower::service_fn;

use super::{Change, Watched, follow};

/// How the API server answers a request.
#[derive(Clone)]
enum Answer {
    /// With this object.
    Object(Value),
    /// With this status.
    Refusal(u16),
    /// With a stream of these.
    Watch(Vec<Act>),
    /// Never.
    Silence,
}

/// What happens in a stream, which ends behind the last one.
#[derive(Clone)]
enum Act {
    Line(Value),
    Seconds(u64),
    Freeze,
}

/// What was asked and told, with the second in which it was.
type Log = Arc<Mutex<Vec<String>>>;

fn list(names: &[&str], version: &str, token: &str) -> Answer {
    let items: Vec<Value> = names.iter().map(|name| node(name, "1")).collect();
    let metadata = json!({ "resourceVersion": version, "continue": token });
    Answer::Object(
        json!({ "apiVersion": "v1", "kind": "NodeList", "metadata": metadata, "items": items }),
    )
}

fn node(name: &str, version: &str) -> Value {
    json!({ "metadata": { "name": name, "resourceVersion": version } })
}

fn event(kind: &str, object: &Value) -> Act {
    Act::Line(json!({ "type": kind, "object": object }))
}

fn bookmark(version: &str) -> Act {
    let metadata = json!({ "resourceVersion": version });
    event("BOOKMARK", &json!({ "apiVersion": "v1", "kind": "Node", "metadata": metadata }))
}

fn gone() -> Value {
    json!({ "kind": "Status", "status": "Failure", "code": 410, "reason": "Expired" })
}

/// A stream that is open and says nothing, not even that it ends.
const FROZEN: Act = Act::Freeze;

fn client(answers: Vec<Answer>, log: &Log, begun: Instant) -> Client {
    let (answers, log) = (Arc::new(Mutex::new(VecDeque::from(answers))), Arc::clone(log));
    Client::new(
        service_fn(move |request: Request<Body>| {
            let answer = answers.lock().unwrap().pop_front().unwrap_or(Answer::Silence);
            let words = words(request.uri().query().unwrap_or_default());
            log.lock().unwrap().push(format!("{:>3} {words}", begun.elapsed().as_secs()));
            async move { Ok::<_, Infallible>(respond(answer).await) }
        }),
        "default",
    )
}

/// A query in short.
fn words(query: &str) -> String {
    let of = |key: &str| query.split('&').find_map(|pair| pair.strip_prefix(key));
    match of("watch=") {
        Some(_) => {
            let (seconds, version) = (of("timeoutSeconds="), of("resourceVersion="));
            assert_eq!(of("allowWatchBookmarks="), Some("true"), "{query}");
            format!("? watch from {} for {} s", version.unwrap(), seconds.unwrap())
        }
        None => format!("? list {}", of("continue=").unwrap_or_default()),
    }
}

async fn respond(answer: Answer) -> Response<UnsyncBoxBody<Bytes, Infallible>> {
    let (code, acts) = match answer {
        Answer::Object(object) => (StatusCode::OK, vec![Act::Line(object)]),
        Answer::Refusal(code) => {
            let status =
                json!({ "kind": "Status", "status": "Failure", "code": code, "message": "no" });
            (StatusCode::from_u16(code).unwrap(), vec![Act::Line(status)])
        }
        Answer::Watch(acts) => (StatusCode::OK, acts),
        Answer::Silence => std::future::pending().await,
    };
    let frames = stream::iter(acts).filter_map(async |act| match act {
        Act::Line(object) => {
            Some(Ok::<_, Infallible>(Frame::data(Bytes::from(format!("{object}\n")))))
        }
        Act::Seconds(seconds) => {
            sleep(Duration::from_secs(seconds)).await;
            None
        }
        Act::Freeze => std::future::pending().await,
    });
    let body = StreamBody::new(frames).boxed_unsync();
    Response::builder().status(code).body(body).unwrap()
}

/// What is asked and told in so many seconds if the API server answers so, and never after the last of the answers.
async fn follow_for(seconds: u64, watched: Watched, answers: Vec<Answer>) -> Vec<String> {
    let (log, begun) = (Log::default(), Instant::now());
    let client = client(answers, &log, begun);
    let mut changes = Box::pin(follow(&client, watched));
    let end = begun + Duration::from_secs(seconds);
    while let Ok(Some(change)) = timeout_at(end, changes.next()).await {
        let told = match change {
            Change::Restart(_) => "restart".to_owned(),
            Change::Put(_, object) => format!("put {}", object.name()),
            Change::Gone(_, object) => format!("gone {}", object.name()),
            Change::Complete(_) => "complete".to_owned(),
            Change::Alive(_) => "alive".to_owned(),
            Change::Broken(_, problem) => format!("broken: {problem}"),
            Change::Absent(_) => "absent".to_owned(),
        };
        log.lock().unwrap().push(format!("{:>3} {told}", begun.elapsed().as_secs()));
    }
    let log = log.lock().unwrap();
    log.clone()
}

/// A watch on which nothing happens and which the API server ends in time.
fn idle(version: &str) -> Answer {
    Answer::Watch(vec![Act::Seconds(18), bookmark(version), Act::Seconds(2)])
}

/// The same, by an API server that knows no bookmarks.
fn mute() -> Answer {
    Answer::Watch(vec![Act::Seconds(20)])
}

#[tokio::test(start_paused = true)]
async fn an_idle_kind_is_listed_once_and_shows_life_at_least_every_twenty_seconds() {
    let answers = vec![list(&["a"], "5", "more"), list(&["b"], "5", ""), idle("7"), mute(), mute()];
    let log = follow_for(61, Watched::Nodes, answers).await;
    let expected = [
        "  0 restart",
        "  0 ? list ",
        "  0 put a",
        "  0 ? list more",
        "  0 put b",
        "  0 complete",
        "  0 ? watch from 5 for 20 s",
        "  0 alive",
        " 18 alive",
        " 20 ? watch from 7 for 20 s",
        " 20 alive",
        " 40 ? watch from 7 for 20 s",
        " 40 alive",
        " 60 ? watch from 7 for 20 s",
    ];
    assert_eq!(log, expected);
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_breaks_is_taken_up_behind_the_last_thing_that_was_told() {
    let events = vec![
        event("ADDED", &node("a", "6")),
        Act::Seconds(1),
        event("MODIFIED", &node("a", "7")),
        event("DELETED", &node("a", "8")),
        event("ERROR", &json!({ "kind": "Status", "code": 500, "message": "etcd" })),
    ];
    let answers =
        vec![list(&[], "5", ""), Answer::Watch(events), Answer::Refusal(503), idle("9"), mute()];
    let log = follow_for(15, Watched::Nodes, answers).await;
    let log: Vec<&str> = log.iter().map(|line| &line[4..]).collect();
    assert_eq!(
        log[..8],
        [
            "restart",
            "? list ",
            "complete",
            "? watch from 5 for 20 s",
            "alive",
            "put a",
            "put a",
            "gone a"
        ]
    );
    assert!(log[8].starts_with("broken") && log[8].contains("etcd"), "{log:?}");
    assert_eq!(log[9], "? watch from 8 for 20 s");
    assert!(log[10].starts_with("broken") && log[10].contains("503"), "{log:?}");
    assert_eq!(log[11..], ["? watch from 8 for 20 s", "alive"]);
}

#[tokio::test(start_paused = true)]
async fn a_version_that_is_gone_is_listed_anew_whether_a_status_or_an_event_says_so() {
    for refusal in [Answer::Refusal(410), Answer::Watch(vec![event("ERROR", &gone())])] {
        let answers = vec![list(&["a"], "5", ""), refusal, list(&["b"], "9", ""), idle("9")];
        let log = follow_for(10, Watched::Nodes, answers).await;
        let log: Vec<&str> =
            log.iter().map(|line| &line[4..]).filter(|line| *line != "alive").collect();
        let expected = [
            "restart",
            "? list ",
            "put a",
            "complete",
            "? watch from 5 for 20 s",
            "restart",
            "? list ",
            "put b",
            "complete",
            "? watch from 9 for 20 s",
        ];
        assert_eq!(log, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn one_connection_that_freezes_is_noticed_and_another_shows_life_before_anything_is_stale() {
    let brief = Answer::Watch(vec![Act::Seconds(2)]);
    let answers = vec![list(&[], "5", ""), Answer::Watch(vec![FROZEN]), brief, mute()];
    let log = follow_for(30, Watched::Nodes, answers).await;
    let expected = [
        " 25 broken: the watch was silent and did not end for 25 s",
        " 25 ? watch from 5 for 2 s",
        " 27 ? watch from 5 for 20 s",
        " 27 alive",
    ];
    assert_eq!(log[5..], expected);
}

#[tokio::test(start_paused = true)]
async fn a_way_on_which_every_watch_freezes_shows_no_life_however_many_begin() {
    for frozen in [Answer::Watch(vec![FROZEN]), Answer::Silence] {
        let mut answers = vec![list(&[], "5", ""), Answer::Watch(vec![FROZEN])];
        answers.extend(vec![frozen; 50]);
        let log = follow_for(300, Watched::Nodes, answers).await;
        assert_eq!(log[4], "  0 alive");
        let signs = |line: &&String| line.ends_with("alive") || line.ends_with("complete");
        assert_eq!(log[5..].iter().filter(signs).count(), 0, "{log:#?}");
        let broken = log.iter().filter(|line| line.contains("broken")).count();
        assert!((5..=25).contains(&broken), "{log:#?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_comes_late_but_comes_is_no_silence() {
    let busy = (0..20).flat_map(|number| {
        [Act::Seconds(4), event("MODIFIED", &node("a", &format!("{}", 10 + number)))]
    });
    let answers = vec![list(&["a"], "5", ""), Answer::Watch(busy.collect()), mute()];
    let log = follow_for(90, Watched::Nodes, answers).await;
    assert!(!log.iter().any(|line| line.contains("broken")), "{log:#?}");
    assert_eq!(log.last().map(String::as_str), Some(" 80 alive"));
    assert_eq!(log[log.len() - 2], " 80 ? watch from 29 for 20 s");
}

#[tokio::test(start_paused = true)]
async fn watches_that_end_at_once_are_not_begun_without_a_pause() {
    let mut answers = vec![list(&[], "5", "")];
    answers.extend(vec![Answer::Watch(Vec::new()); 1000]);
    let log = follow_for(60, Watched::Nodes, answers).await;
    let asked = log.iter().filter(|line| line.contains("? watch")).count();
    assert!((3..=20).contains(&asked), "{log:#?}");
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_the_cluster_does_not_have_is_looked_for_often_enough_to_show_life() {
    let mut answers = vec![Answer::Refusal(404); 3];
    answers.push(list(&[], "5", ""));
    let log = follow_for(70, Watched::CapacityBuffers, answers).await;
    let absent: Vec<&String> = log.iter().filter(|line| line.ends_with("absent")).collect();
    assert_eq!(absent, ["  0 absent", " 20 absent", " 40 absent"]);
    assert!(log.contains(&" 60 complete".to_owned()), "{log:?}");
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_is_taken_out_of_the_cluster_is_absent() {
    let answers = vec![list(&["a"], "5", ""), mute(), Answer::Refusal(404), Answer::Refusal(404)];
    let log = follow_for(30, Watched::CapacityBuffers, answers).await;
    assert_eq!(log.last().map(String::as_str), Some(" 20 absent"));
}
