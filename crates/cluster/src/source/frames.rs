//! What an open watch tells: a line an event.

use std::io;

use futures::{
    AsyncBufReadExt as _, StreamExt as _,
    future::ready,
    stream::{self, BoxStream},
};
use http::{HeaderValue, header::ACCEPT_ENCODING};
use kube::{
    Client,
    api::WatchParams,
    core::{Request, Status},
};
use serde::{Deserialize, de::Error as _};
use serde_json::value::RawValue;

use super::Object;

/// One event.
#[derive(Debug)]
pub(super) enum Frame {
    /// An object is there, new or changed.
    Put(Object),
    /// An object is gone.
    Gone(Object),
    /// Everything up to this version has been told.
    Bookmark(String),
    /// The watch cannot go on.
    Error(Box<Status>),
}

/// The frames of a watch. It ends where the API server ends it.
pub(super) type Frames = BoxStream<'static, Result<Frame, kube::Error>>;

/// A line as it is told. The order of its two members does not matter.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type")]
    event: &'a str,
    #[serde(borrow)]
    object: &'a RawValue,
}

#[derive(Deserialize)]
struct Bookmark {
    metadata: Mark,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Mark {
    resource_version: String,
}

/// Opens a watch from this version on.
pub(super) async fn open(
    client: &Client,
    requests: &Request,
    parameters: &WatchParams,
    version: &str,
) -> Result<Frames, kube::Error> {
    let mut request = requests.watch(parameters, version).map_err(kube::Error::BuildRequest)?;
    // Newer API servers compress every event by itself, which the client does not take apart.
    request.headers_mut().insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    let lines = client.request_stream(request).await?.lines();
    let frames = lines.take_while(|line| ready(!is_cut_off(line))).flat_map(|line| {
        let frame = match line {
            Ok(line) => read(&line).transpose(),
            Err(error) => Some(Err(kube::Error::ReadEvents(error))),
        };
        stream::iter(frame)
    });
    Ok(frames.boxed())
}

/// Reads a line; `None` for the beginning of one whose rest was cut off with the connection.
fn read(line: &str) -> Result<Option<Frame>, kube::Error> {
    let read = serde_json::from_str::<Line<'_>>(line).and_then(|Line { event, object }| {
        let object = object.get();
        Ok(match event {
            "ADDED" | "MODIFIED" => Frame::Put(serde_json::from_str(object)?),
            "DELETED" => Frame::Gone(serde_json::from_str(object)?),
            "BOOKMARK" => {
                let Bookmark { metadata } = serde_json::from_str(object)?;
                Frame::Bookmark(metadata.resource_version)
            }
            "ERROR" => Frame::Error(serde_json::from_str(object)?),
            other => {
                let problem = format!("a watch told an event of the type {other:?}");
                return Err(serde_json::Error::custom(problem));
            }
        })
    });
    match read {
        Ok(frame) => Ok(Some(frame)),
        Err(error) if error.is_eof() => Ok(None),
        // An answer that is no event, but says what is wrong.
        Err(error) => match serde_json::from_str::<Status>(line) {
            Ok(status) if status.code != 0 => Err(kube::Error::Api(status.boxed())),
            _ => Err(kube::Error::SerdeError(error)),
        },
    }
}

/// Whether the connection ended in the middle of an answer, as it does after a while: the watch is taken up again.
fn is_cut_off(line: &io::Result<String>) -> bool {
    let Err(error) = line else { return false };
    let is_early = |error: &io::Error| error.kind() == io::ErrorKind::UnexpectedEof;
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if error.downcast_ref::<io::Error>().is_some_and(is_early)
            || error.to_string().contains("unexpected EOF during chunk")
        {
            return true;
        }
        cause = error.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{Frame, read};

    #[test]
    fn members_of_a_line_may_come_in_any_order() {
        let object = r#"{"metadata": {"name": "a", "resourceVersion": "7"}, "spec": {"x": 1}}"#;
        let lines = [
            format!(r#"{{"type": "ADDED", "object": {object}}}"#),
            format!(r#"{{"object": {object}, "type": "ADDED"}}"#),
        ];
        for line in lines {
            let Ok(Some(Frame::Put(read))) = read(&line) else { panic!("{line}") };
            assert_eq!((read.name(), read.version(), read.text()), ("a", Some("7"), object));
        }
    }

    #[test]
    fn what_is_no_event_is_an_error_and_what_was_cut_off_is_nothing() {
        assert!(matches!(read(r#"{"type": "ADDED", "object": {"meta"#), Ok(None)));
        let status = r#"{"kind": "Status", "code": 503, "message": "no"}"#;
        assert!(matches!(read(status), Err(kube::Error::Api(status)) if status.code == 503));
        let strange = [
            r#"{"type": "DREAMED", "object": {}}"#,
            r#"{"type": "ADDED", "object": {"metadata": {}}}"#,
            "[]",
        ];
        for line in strange {
            assert!(matches!(read(line), Err(kube::Error::SerdeError(_))), "{line}");
        }
    }
}
