//! What a service answered, and what that means.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use http::{Response, StatusCode, header};
use jiff::{Timestamp, fmt::rfc2822};
use plimsoll_provider::{Class, Error};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Hidden;

/// Where services put their words for what went wrong.
const WORDS: [&str; 4] = ["error", "message", "detail", "error_description"];

/// A whole answer.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Who was asked what, for messages.
    place: String,
    status: StatusCode,
    retry_after: Option<Duration>,
    date: Option<Timestamp>,
    body: Bytes,
    hidden: Arc<Hidden>,
}

/// What a status means where the service gives it no meaning of its own.
pub fn class_of(status: StatusCode) -> Class {
    match status.as_u16() {
        401 | 403 | 407 => Class::Auth,
        402 => Class::Quota,
        404 | 410 => Class::NotFound,
        408 | 425 | 429 => Class::Retry,
        400..=499 => Class::Invalid,
        501 => Class::Unsupported,
        500..=599 => Class::Retry,
        _ => Class::Bug,
    }
}

// === impl Reply ===

impl Reply {
    pub(super) fn new(place: String, response: Response<Bytes>, hidden: Arc<Hidden>) -> Self {
        let seconds = response.headers().get(header::RETRY_AFTER);
        let seconds = seconds.and_then(|value| value.to_str().ok()?.trim().parse::<u64>().ok());
        let retry_after = seconds.map(Duration::from_secs);
        let date = response.headers().get(header::DATE);
        let date = date.and_then(|value| rfc2822::parse(value.to_str().ok()?).ok());
        let date = date.map(|date| date.timestamp());
        let status = response.status();
        Self { place, status, retry_after, date, body: response.into_body(), hidden }
    }

    /// Its status.
    pub const fn status(&self) -> StatusCode {
        self.status
    }

    /// The time by the service's clock, when it says so.
    pub const fn date(&self) -> Option<Timestamp> {
        self.date
    }

    /// What was sent with it.
    pub const fn body(&self) -> &Bytes {
        &self.body
    }

    /// The answer, when it is one; else what the status means in general.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        self.success()?;
        serde_json::from_slice(&self.body).map_err(|error| {
            let words = self.hidden.clean(&error.to_string());
            let place = &self.place;
            if error.is_eof() {
                return Error::retry(format!("{place}: the answer was cut short: {words}"))
                    .with_code("CutShort");
            }
            self.nonsense(&words)
        })
    }

    /// That the request was served, whatever was said beside that.
    pub fn success(&self) -> Result<(), Error> {
        if self.status.is_success() { Ok(()) } else { Err(self.error(class_of(self.status))) }
    }

    /// The failure that this answer tells of, in a class of the caller's choice.
    pub fn error(&self, class: Class) -> Error {
        let Self { place, status, .. } = self;
        let code = status.as_u16();
        let message = match self.words() {
            words if words.is_empty() => format!("{place}: {status}"),
            words => format!("{place}: {code}: {words}"),
        };
        let error = Error::new(class, message).with_code(code.to_string());
        match self.retry_after {
            Some(pause) => error.with_retry_after(pause),
            None => error,
        }
    }

    /// That the answer is none to the question.
    pub fn nonsense(&self, problem: &str) -> Error {
        let problem = self.hidden.clean(problem);
        Error::bug(format!("{}: the answer makes no sense: {problem}", self.place))
            .with_code("Nonsense")
    }

    /// The service's own words, as they may be told.
    pub fn words(&self) -> String {
        let document: Option<Value> = serde_json::from_slice(&self.body).ok();
        let said = document.as_ref().and_then(|document| {
            WORDS.iter().find_map(|key| match document.get(key)? {
                Value::String(words) => Some(words.clone()),
                other => other.get("message")?.as_str().map(str::to_owned),
            })
        });
        let said = said.unwrap_or_else(|| match document {
            Some(Value::String(words)) => words,
            Some(_) => String::new(),
            None => String::from_utf8_lossy(&self.body).into_owned(),
        });
        self.hidden.clean(&said)
    }
}
