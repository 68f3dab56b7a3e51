//! Failures on the wire: what a class of error is as a gRPC status, and back.
//!
//! | class                    | code                 |
//! |--------------------------|----------------------|
//! | `Retry`                  | `Unavailable`        |
//! | `OutOfCapacity`, `Quota` | `ResourceExhausted`  |
//! | `Auth`                   | `PermissionDenied`   |
//! | `NotFound`               | `NotFound`           |
//! | `Invalid`, `Unsupported` | `FailedPrecondition` |
//! | `Bug`                    | `Internal`           |
//!
//! `Unimplemented` is kept for the optional methods, where it means "never ask again". Class and code go along as metadata as well,
//! so that a client of this project gets back what the provider said.

use std::{error::Error as _, time::Duration};

use plimsoll_provider::{Class, Error};
use tonic::{
    Code, Status,
    metadata::{AsciiMetadataValue, MetadataMap},
};

/// Which class it was.
const CLASS: &str = "plimsoll-class";
/// The service's own code.
const CODE: &str = "plimsoll-code";
/// gRPC's own way to say how long to stay away.
const PUSHBACK: &str = "grpc-retry-pushback-ms";

/// Longer messages would burst the headers that carry them.
const LONGEST_MESSAGE: usize = 2_000;

/// What a provider's failure is on the wire.
pub(crate) fn write(error: &Error) -> Status {
    let code = match error.class() {
        Class::Retry => Code::Unavailable,
        Class::OutOfCapacity | Class::Quota => Code::ResourceExhausted,
        Class::Auth => Code::PermissionDenied,
        Class::NotFound => Code::NotFound,
        Class::Invalid | Class::Unsupported => Code::FailedPrecondition,
        Class::Bug => Code::Internal,
    };
    let mut metadata = MetadataMap::new();
    metadata.insert(CLASS, AsciiMetadataValue::from_static(error.class().name()));
    if let Ok(own) = AsciiMetadataValue::try_from(error.code()) {
        metadata.insert(CODE, own);
    }
    if let Some(pause) = error.retry_after() {
        let pause = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
        metadata.insert(PUSHBACK, AsciiMetadataValue::from(pause));
    }
    Status::with_metadata(code, shortened(error.to_string()), metadata)
}

/// What a failed call of `method` means. `place` says whom it was made to.
pub(crate) fn read(method: &'static str, place: &str, status: &Status) -> Error {
    let text = match status.message() {
        "" => status.code().description(),
        message => message,
    };
    let class = told(status).unwrap_or_else(|| guessed(method, status));
    let mut error = Error::new(class, shortened(format!("{place}: {method}: {text}")));
    if let Some(code) = text_of(status, CODE).filter(|code| *code != class.name()) {
        error = error.with_code(code);
    }
    if let Some(pause) = text_of(status, PUSHBACK).and_then(|pause| pause.parse().ok()) {
        error = error.with_retry_after(Duration::from_millis(pause));
    }
    error
}

/// The class that a server of this project names.
fn told(status: &Status) -> Option<Class> {
    let name = text_of(status, CLASS)?;
    Class::ALL.into_iter().find(|class| class.name() == name)
}

/// The class that goes with a code of any server.
fn guessed(method: &str, status: &Status) -> Class {
    match status.code() {
        // Without capacity there are no machines; who only asks has asked too often.
        Code::ResourceExhausted if method == "NodeGroupIncreaseSize" => Class::OutOfCapacity,
        Code::Unauthenticated | Code::PermissionDenied => Class::Auth,
        Code::NotFound => Class::NotFound,
        Code::InvalidArgument
        | Code::FailedPrecondition
        | Code::OutOfRange
        | Code::AlreadyExists => Class::Invalid,
        Code::Unimplemented => Class::Unsupported,
        // What came from the connection has a source; what has none is a reply that could not be read, or the server's own word.
        Code::Internal | Code::DataLoss if status.source().is_none() => Class::Bug,
        // Servers written in Go answer `Unknown` to whatever goes wrong.
        _ => Class::Retry,
    }
}

fn text_of<'s>(status: &'s Status, key: &str) -> Option<&'s str> {
    status.metadata().get(key)?.to_str().ok()
}

fn shortened(mut text: String) -> String {
    if text.len() > LONGEST_MESSAGE {
        let end = text.floor_char_boundary(LONGEST_MESSAGE);
        text.truncate(end);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use plimsoll_provider::{Class, Error, LONGEST_PAUSE};
    use tonic::Status;

    use super::{LONGEST_MESSAGE, PUSHBACK, read, write};

    #[test]
    fn a_class_comes_back_with_its_code_and_pause() {
        for class in Class::ALL {
            let error = Error::new(class, "sold out — 売り切れ")
                .with_code("ZONE_EXHAUSTED")
                .with_retry_after(Duration::from_millis(1_500));
            let expected = Error::new(class, "there: Refresh: sold out — 売り切れ")
                .with_code("ZONE_EXHAUSTED")
                .with_retry_after(Duration::from_millis(1_500));
            assert_eq!(read("Refresh", "there", &write(&error)), expected);
            let plain = Error::new(class, "why");
            let expected = Error::new(class, "there: Refresh: why");
            assert_eq!(read("Refresh", "there", &write(&plain)), expected);
        }
    }

    #[test]
    fn a_server_keeps_nobody_away_for_longer_than_a_service_may() {
        for asked in [LONGEST_PAUSE.as_millis() + 1, u128::from(u64::MAX)] {
            let mut status = Status::unavailable("later");
            status.metadata_mut().insert(PUSHBACK, asked.to_string().parse().unwrap());
            let error = read("Refresh", "there", &status);
            assert_eq!(error.retry_after(), Some(LONGEST_PAUSE), "{asked}");
        }
        let mut never = Status::unavailable("never");
        never.metadata_mut().insert(PUSHBACK, "-1".parse().unwrap());
        assert_eq!(read("Refresh", "there", &never).retry_after(), None);
    }

    #[test]
    fn a_long_message_is_cut_between_letters() {
        let error = Error::bug("ä".repeat(LONGEST_MESSAGE));
        assert!(write(&error).message().len() <= LONGEST_MESSAGE + '…'.len_utf8());
    }

    #[test]
    fn a_status_without_words_says_what_its_code_means() {
        let error = read("Refresh", "there", &Status::unimplemented(""));
        assert_eq!(error.class(), Class::Unsupported);
        assert!(error.to_string().len() > "there: Refresh: ".len(), "{error}");
    }
}
