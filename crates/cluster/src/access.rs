//! Who may read what, by the word of the API server: whose a bearer token is, and whether its owner may get a path.
//!
//! Answers are kept for a short time, and only a few questions are asked a second: requests of strangers must not use up what the
//! autoscaler may ask of the API server.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use k8s_openapi::api::{
    authentication::v1::{TokenReview, TokenReviewSpec, UserInfo},
    authorization::v1::{NonResourceAttributes, SubjectAccessReview, SubjectAccessReviewSpec},
};
use kube::{Api, Client, api::PostParams};
use thiserror::Error;
use tokio::time::Instant;

/// How long an answer holds. A token that was revoked is good for this much longer.
const KEPT_FOR: Duration = Duration::from_secs(10);

/// How many answers are kept; callers that send a new token with each request do not fill the memory.
const MOST_KEPT: usize = 256;

/// How many tokens are checked in a window. Each costs two requests to the API server.
const CHECKS: u32 = 10;

/// The length of that window.
const WINDOW: Duration = Duration::from_secs(1);

/// Checks bearer tokens. Clones share what they know.
#[derive(Clone)]
pub struct Access {
    client: Client,
    state: Arc<Mutex<State>>,
}

/// What the API server says of a token and a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The owner of the token may get the path.
    Allowed,
    /// The API server does not accept the token.
    Unauthenticated,
    /// The owner of the token may not get the path.
    Forbidden {
        /// The owner.
        user: String,
    },
}

/// A token could not be checked.
#[derive(Debug, Error)]
pub enum AccessError {
    /// Too many tokens are being checked already; the caller may try again in a second.
    #[error("too many bearer tokens are being checked")]
    Busy,
    /// The API server refused the question, or did not answer it. Without the rights to create `TokenReviews` and
    /// `SubjectAccessReviews` no caller can be authorised.
    #[error("cannot check the bearer token with a {review}: {cause}")]
    Unanswered {
        /// The kind of question.
        review: &'static str,
        /// Why there is no answer.
        cause: Box<kube::Error>,
    },
}

/// What was asked lately.
struct State {
    answers: HashMap<Question, Answer>,
    /// When the current window began.
    window: Instant,
    /// How many tokens were checked in it.
    checks: u32,
}

/// Whether the owner of a token may get a path.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Question {
    token: String,
    path: String,
}

struct Answer {
    verdict: Verdict,
    until: Instant,
}

// === impl Access ===

impl Access {
    /// Asks over this connection.
    pub fn new(client: Client) -> Self {
        let state = State { answers: HashMap::new(), window: Instant::now(), checks: 0 };
        Self { client, state: Arc::new(Mutex::new(state)) }
    }

    /// Whether the owner of this token may get this path, which is a non-resource URL such as `/status`.
    pub async fn may_get(&self, token: &str, path: &str) -> Result<Verdict, AccessError> {
        let question = Question { token: token.to_owned(), path: path.to_owned() };
        if let Some(verdict) = self.state().begin(&question, Instant::now())? {
            return Ok(verdict);
        }
        let verdict = match self.owner(token).await? {
            Some(owner) => self.verdict(owner, path).await?,
            None => Verdict::Unauthenticated,
        };
        self.state().keep(question, verdict.clone(), Instant::now());
        Ok(verdict)
    }

    /// Whose token this is; `None` for one that is not accepted.
    async fn owner(&self, token: &str) -> Result<Option<UserInfo>, AccessError> {
        let review = TokenReview {
            spec: TokenReviewSpec { token: token.to_owned(), audiences: None },
            ..TokenReview::default()
        };
        let answer = Api::all(self.client.clone()).create(&PostParams::default(), &review).await;
        let answer: TokenReview = answer.map_err(|cause| unanswered("TokenReview", cause))?;
        let status = answer.status.unwrap_or_default();
        let owner = status.user.filter(|_| status.authenticated == Some(true));
        Ok(owner.filter(|owner| owner.username.as_ref().is_some_and(|name| !name.is_empty())))
    }

    async fn verdict(&self, owner: UserInfo, path: &str) -> Result<Verdict, AccessError> {
        let UserInfo { username, groups, uid, extra } = owner;
        let user = username.unwrap_or_default();
        let review = SubjectAccessReview {
            spec: SubjectAccessReviewSpec {
                user: Some(user.clone()),
                groups,
                uid,
                extra,
                non_resource_attributes: Some(NonResourceAttributes {
                    path: Some(path.to_owned()),
                    verb: Some("get".to_owned()),
                }),
                ..SubjectAccessReviewSpec::default()
            },
            ..SubjectAccessReview::default()
        };
        let answer = Api::all(self.client.clone()).create(&PostParams::default(), &review).await;
        let answer: SubjectAccessReview =
            answer.map_err(|cause| unanswered("SubjectAccessReview", cause))?;
        let is_allowed = answer.status.is_some_and(|status| status.allowed);
        Ok(if is_allowed { Verdict::Allowed } else { Verdict::Forbidden { user } })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The answers are kept by token.
        f.debug_struct("Access").finish_non_exhaustive()
    }
}

// === impl State ===

impl State {
    /// The answer that is kept, or `None` and a place in the window.
    fn begin(&mut self, question: &Question, now: Instant) -> Result<Option<Verdict>, AccessError> {
        if let Some(answer) = self.answers.get(question).filter(|answer| now < answer.until) {
            return Ok(Some(answer.verdict.clone()));
        }
        if now.duration_since(self.window) >= WINDOW {
            (self.window, self.checks) = (now, 0);
        }
        if self.checks >= CHECKS {
            return Err(AccessError::Busy);
        }
        self.checks += 1;
        Ok(None)
    }

    fn keep(&mut self, question: Question, verdict: Verdict, now: Instant) {
        self.answers.retain(|_, answer| now < answer.until);
        if self.answers.len() < MOST_KEPT {
            self.answers.insert(question, Answer { verdict, until: now + KEPT_FOR });
        }
    }
}

fn unanswered(review: &'static str, cause: kube::Error) -> AccessError {
    AccessError::Unanswered { review, cause: Box::new(cause) }
}

#[cfg(test)]
mod tests;
