//! What can go wrong, by what there is to do about it.

use std::{error, fmt, time::Duration};

use plimsoll_model::ErrorClass;

/// What a failure means to the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Try again later: the service was away, overloaded or too slow. **The call may have taken effect all the same**; repeating it
    /// is safe, and the next refresh tells.
    Retry,
    /// There is no such machine left. Nothing was bought; the group rests, others are tried.
    OutOfCapacity,
    /// The account may not have more. Nothing was bought; the group rests.
    Quota,
    /// The credentials are missing, wrong or not enough. A person has to act; the provider's groups are frozen.
    Auth,
    /// There is no such group or machine.
    NotFound,
    /// The request breaks a rule of the contract. Nothing was changed; asking again is no use while everything is as it is.
    Invalid,
    /// This provider cannot do that at all.
    Unsupported,
    /// The provider broke a promise: a reply that makes no sense. Report it; its groups are frozen.
    Bug,
}

/// No service keeps anybody away for longer than this, whatever it asks for.
pub const LONGEST_PAUSE: Duration = Duration::from_mins(10);

/// A failed call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    class: Class,
    message: String,
    /// The service's own code, such as `ZONE_RESOURCE_POOL_EXHAUSTED`.
    code: Option<Box<str>>,
    /// How long the service asked to be left alone.
    retry_after: Option<Duration>,
}

// === impl Class ===

impl Class {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Retry,
        Self::OutOfCapacity,
        Self::Quota,
        Self::Auth,
        Self::NotFound,
        Self::Invalid,
        Self::Unsupported,
        Self::Bug,
    ];

    /// For labels of metrics and for configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Retry => "Retry",
            Self::OutOfCapacity => "OutOfCapacity",
            Self::Quota => "Quota",
            Self::Auth => "Auth",
            Self::NotFound => "NotFound",
            Self::Invalid => "Invalid",
            Self::Unsupported => "Unsupported",
            Self::Bug => "Bug",
        }
    }

    /// How an instance that failed for this reason is counted.
    pub const fn of_instance(self) -> ErrorClass {
        match self {
            Self::OutOfCapacity | Self::Quota => ErrorClass::OutOfResources,
            _ => ErrorClass::Other,
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

// === impl Error ===

impl Error {
    /// A failure of this class. The message says what happened and where, in lower case, without a full stop and without secrets.
    pub fn new(class: Class, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), code: None, retry_after: None }
    }

    /// See [`Class::Retry`].
    pub fn retry(message: impl Into<String>) -> Self {
        Self::new(Class::Retry, message)
    }

    /// See [`Class::NotFound`].
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(Class::NotFound, message)
    }

    /// See [`Class::Invalid`].
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Class::Invalid, message)
    }

    /// See [`Class::Unsupported`].
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self::new(Class::Unsupported, message)
    }

    /// See [`Class::Bug`].
    pub fn bug(message: impl Into<String>) -> Self {
        Self::new(Class::Bug, message)
    }

    /// With the service's own code.
    #[must_use]
    pub fn with_code(mut self, code: impl Into<Box<str>>) -> Self {
        self.code = Some(code.into());
        self
    }

    /// With how long the service asked to be left alone, [`LONGEST_PAUSE`] at most.
    #[must_use]
    pub fn with_retry_after(mut self, pause: Duration) -> Self {
        self.retry_after = Some(pause.min(LONGEST_PAUSE));
        self
    }

    /// What it means to the caller.
    pub const fn class(&self) -> Class {
        self.class
    }

    /// The service's own code, else the class.
    pub fn code(&self) -> &str {
        self.code.as_deref().unwrap_or_else(|| self.class.name())
    }

    /// How long the service asked to be left alone.
    pub const fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl error::Error for Error {}
