//! Runs the steps of one recording and says what differs.

use std::{collections::BTreeMap, time::Duration};

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::{
    compare::{Comparer, short},
    exchange::{Client, Stream},
    normal::{last_bookmarks, prepare, settle},
    placeholder::Bindings,
    pointer,
    recording::{Compare, Recording, Step},
    variables::Variables,
};

/// How long a client takes from one request to the next.
const BETWEEN_STEPS: Duration = Duration::from_millis(5);

/// What came of one recording.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// Which one.
    pub(crate) topic: String,
    /// Steps without a difference.
    pub(crate) passed: usize,
    /// Steps that were recorded.
    pub(crate) total: usize,
    /// One line for each difference.
    pub(crate) differences: Vec<String>,
}

struct Runner {
    client: Client,
    variables: Variables,
    streams: BTreeMap<String, Stream>,
}

/// Replays a recording.
pub(crate) async fn replay(recording: &Recording, client: Client) -> Outcome {
    let variables = Variables::new("qwxzrt", recording);
    let mut runner = Runner { client, variables, streams: BTreeMap::new() };
    let mut outcome = Outcome {
        topic: recording.topic.clone(),
        passed: 0,
        total: recording.total(),
        differences: Vec::new(),
    };
    if let Err(why) = runner.set_up(recording).await {
        outcome.differences.push(format!("[setup] {why}"));
        return outcome;
    }
    let mut bindings = Bindings::default();
    for step in &recording.steps {
        // A real client takes its time, and meanwhile controllers do what the last request left them to do.
        sleep(BETWEEN_STEPS).await;
        let answer = runner.step(step).await;
        let Some(response) = &step.response else { continue };
        let mut comparer = Comparer {
            bindings: &mut bindings,
            variables: &runner.variables,
            unordered: &step.unordered,
        };
        let found = check(step, response, &answer, &mut comparer);
        if found.is_empty() {
            outcome.passed += 1;
        }
        outcome.differences.extend(found.iter().map(|line| format!("[{}] {line}", step.id)));
    }
    outcome
}

// === impl Runner ===

impl Runner {
    async fn set_up(&mut self, recording: &Recording) -> Result<(), String> {
        for step in &recording.setup {
            let answer = self.step(step).await;
            let succeeded = answer["status"].as_u64().is_some_and(|status| status / 100 == 2);
            if !step.optional && step.request.is_some() && !succeeded {
                let request = step.request.as_ref().map(short).unwrap_or_default();
                return Err(format!("{request} answered {}", short(&answer)));
            }
        }
        Ok(())
    }

    /// What the server says, with the parts that a recorded response has.
    async fn step(&mut self, step: &Step) -> Value {
        if let Some(seconds) = step.sleep {
            sleep(Duration::from_secs_f64(seconds)).await;
            return Value::Null;
        }
        if let Some(name) = &step.collect {
            return self.collect(name, step).await;
        }
        let request = self.variables.fill(step.request.as_ref().unwrap());
        let auth = step
            .auth
            .as_ref()
            .map(|auth| self.variables.fill(&json!(auth)).as_str().unwrap_or_default().to_owned());
        if let Some(name) = &step.watch {
            return self.open(name, &request, auth.as_deref()).await;
        }
        let deadline = Instant::now() + Duration::from_secs_f64(step.timeout.unwrap_or(30.0));
        loop {
            let mut answer = self.client.call(&request, auth.as_deref()).await;
            if step.pick.is_some()
                && let Some(text) = answer["text"].as_str().filter(|text| text.starts_with('{'))
            {
                answer["body"] = serde_json::from_str(text).unwrap();
                answer.as_object_mut().unwrap().remove("text");
            }
            if step.until.iter().all(|condition| holds(condition, &answer))
                || Instant::now() > deadline
            {
                self.capture(step, &answer);
                return answer;
            }
            sleep(Duration::from_millis(100)).await;
        }
    }

    async fn open(&mut self, name: &str, request: &Value, auth: Option<&str>) -> Value {
        let (mut answer, mut stream) = self.client.open(request, auth).await;
        if answer["status"] == 200 {
            self.streams.insert(name.to_owned(), stream);
        } else {
            let events = stream.take(None, Duration::from_secs(5), Duration::ZERO).await;
            match <[Value; 1]>::try_from(events) {
                Ok([body]) => answer["body"] = body,
                Err(events) => answer["events"] = Value::Array(events),
            }
        }
        answer
    }

    async fn collect(&mut self, name: &str, step: &Step) -> Value {
        let Some(stream) = self.streams.get_mut(name) else { return json!({ "events": [] }) };
        let patience = Duration::from_secs_f64(step.timeout.unwrap_or(20.0));
        let quiet = Duration::from_secs_f64(step.quiet.unwrap_or(0.4));
        let mut answer = json!({ "events": stream.take(step.count, patience, quiet).await });
        if step.end {
            answer["ended"] = json!(stream.ends(patience).await);
        }
        self.capture(step, &answer);
        answer
    }

    fn capture(&mut self, step: &Step, answer: &Value) {
        for (name, path) in &step.capture {
            let value = pointer::follow(answer.get("body").unwrap_or(answer), path);
            let missing = || json!(format!("capture-{name}-failed"));
            self.variables.set(name, value.unwrap_or_else(missing));
        }
    }
}

fn holds(condition: &Value, answer: &Value) -> bool {
    if let Some(status) = condition.get("status") {
        return *status == answer["status"];
    }
    let found = pointer::follow(&answer["body"], condition["at"].as_str().unwrap());
    match condition.get("exists") {
        Some(exists) => *exists == json!(found.is_some()),
        None => found.as_ref() == condition.get("is"),
    }
}

fn check(step: &Step, want: &Value, answer: &Value, comparer: &mut Comparer<'_>) -> Vec<String> {
    let mut differences = Vec::new();
    if step.compare == Compare::None {
        return differences;
    }
    if want.get("status") != answer.get("status") {
        let told = answer.get("body").map(|body| format!(": {}", short(body))).unwrap_or_default();
        differences
            .push(format!("status: expected {}, got {}{told}", want["status"], answer["status"]));
    }
    if step.compare == Compare::Status || !differences.is_empty() {
        return differences;
    }
    let none = json!({});
    let headers = |side: &Value| side.get("headers").unwrap_or(&none).clone();
    differences.extend(comparer.compare(&headers(want), &headers(answer), "headers"));
    for part in ["body", "text", "ended"] {
        let path = if part == "body" { "$" } else { part };
        match (want.get(part), answer.get(part)) {
            (Some(want), None) => {
                differences.push(format!("{path}: missing, expected {}", short(want)));
            }
            (None, Some(got)) => {
                differences.push(format!("{path}: unexpected, got {}", short(got)));
            }
            (Some(want), Some(got)) if part == "body" => {
                let want = settle(want.clone(), step.compare);
                let got = settle(prepare(got.clone(), step), step.compare);
                differences.extend(comparer.compare(&want, &got, path));
            }
            (Some(want), Some(got)) => differences.extend(comparer.compare(want, got, path)),
            (None, None) => {}
        }
    }
    let events = |side: &Value| side["events"].as_array().cloned().unwrap_or_default();
    let got = events(answer).into_iter().map(|event| prepare(event, step)).collect();
    let (want, got) = (last_bookmarks(events(want)), last_bookmarks(got));
    differences.extend(comparer.compare(&Value::Array(want), &Value::Array(got), "events"));
    differences
}
