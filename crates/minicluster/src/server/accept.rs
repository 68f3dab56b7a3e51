//! Which form of an answer a client wants, from its `Accept` header.

use http::HeaderMap;
use jiff::Timestamp;

use crate::{ApiError, Kind, table::Printer};

use super::{
    query::Query,
    rows::{Include, Rows},
};

/// What the real server can answer with, for its message.
const SERVED: &str = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

/// The same for streams.
const STREAMED: &str =
    "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";

/// The group of Table and `PartialObjectMetadata`.
const META: &str = "meta.k8s.io";

/// The form of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Accepted {
    /// How it is written.
    pub(super) encoding: Encoding,
    /// As what.
    pub(super) shape: Shape,
    /// Which version of Table or `PartialObjectMetadata`.
    pub(super) version: MetaVersion,
    /// What the rows of a Table carry.
    pub(super) include: Include,
}

/// How an answer is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Encoding {
    /// JSON.
    #[default]
    Json,
    /// YAML.
    Yaml,
}

/// As what objects are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Shape {
    /// As they are.
    #[default]
    Object,
    /// As rows.
    Table,
    /// Their metadata alone.
    Metadata,
    /// A list of their metadata.
    MetadataList,
    /// Not an object but all that the server serves.
    Discovery,
}

/// The version of Table and `PartialObjectMetadata`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum MetaVersion {
    /// `meta.k8s.io/v1`.
    #[default]
    V1,
    /// `meta.k8s.io/v1beta1`.
    V1Beta1,
}

/// What an endpoint can answer with besides plain objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offer {
    /// Table and `PartialObjectMetadata`.
    Objects,
    /// A stream of the same.
    Stream,
    /// Aggregated discovery.
    Discovery,
    /// Nothing else.
    Plain,
}

/// One alternative of the header.
struct Clause<'h> {
    media_type: &'h str,
    parameters: Vec<(&'h str, &'h str)>,
    quality: f32,
}

// === impl Accepted ===

impl Accepted {
    /// The first alternative that can be served.
    pub(super) fn negotiate(headers: &HeaderMap, offer: Offer) -> Result<Self, ApiError> {
        let header = accept_header(headers);
        if header.is_empty() {
            return Ok(Self::default());
        }
        let mut clauses: Vec<Clause<'_>> = header.split(',').map(Clause::parse).collect();
        clauses.sort_by(|a, b| b.quality.total_cmp(&a.quality));
        if let Some(accepted) = clauses.iter().find_map(|clause| clause.served(offer)) {
            return Ok(accepted);
        }
        if clauses.iter().any(|clause| clause.media_type.ends_with("protobuf")) {
            return Err(not_acceptable(
                "this server does not write protobuf - accept application/json as well".to_owned(),
            ));
        }
        let types = if offer == Offer::Stream { STREAMED } else { SERVED };
        Err(not_acceptable(format!("only the following media types are accepted: {types}")))
    }
}

impl Accepted {
    /// With what the query says about tables.
    pub(super) fn with(mut self, query: &Query) -> Result<Self, ApiError> {
        if self.shape == Shape::Table {
            self.include = Include::parse(query)?;
        }
        Ok(self)
    }

    /// How rows are made for this client.
    pub(super) fn rows(self, kind: &Kind, now: Timestamp) -> Rows<'_> {
        let printer = Printer::of(kind);
        Rows { printer, version: self.version, include: self.include, now }
    }
}

/// The check that comes before all others for built-in kinds: is any alternative a media type that is known at all? It knows no
/// wildcards but `*/*`.
pub(super) fn check_known(headers: &HeaderMap) -> Result<(), ApiError> {
    let header = accept_header(headers);
    let known = header.is_empty()
        || header.split(',').map(Clause::parse).any(|clause| {
            let known = [
                "*/*",
                "application/json",
                "application/yaml",
                "application/vnd.kubernetes.protobuf",
            ];
            known.contains(&clause.media_type)
        });
    if known {
        return Ok(());
    }
    let message = format!("406: Not Acceptable\n\nAvailable representations: {SERVED}, {STREAMED}");
    Err(not_acceptable(message).about("", "", ""))
}

/// 406.
pub(super) fn not_acceptable(message: String) -> ApiError {
    ApiError::new(406, "NotAcceptable", message)
}

fn accept_header(headers: &HeaderMap) -> &str {
    headers
        .get(http::header::ACCEPT)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
        .trim()
}

// === impl Clause ===

impl<'h> Clause<'h> {
    fn parse(text: &'h str) -> Self {
        let mut parts = text.split(';').map(str::trim);
        let media_type = parts.next().unwrap_or_default();
        let parameters: Vec<(&str, &str)> = parts
            .filter_map(|part| part.split_once('='))
            .map(|(name, value)| (name.trim(), value.trim().trim_matches('"')))
            .collect();
        let quality = parameters
            .iter()
            .find(|(name, _)| *name == "q")
            .and_then(|(_, value)| value.parse().ok())
            .unwrap_or(1.0);
        Self { media_type, parameters, quality }
    }

    fn parameter(&self, name: &str) -> &'h str {
        let found = self.parameters.iter().find(|(key, _)| *key == name);
        found.map(|(_, value)| *value).unwrap_or_default()
    }

    fn served(&self, offer: Offer) -> Option<Accepted> {
        let encoding = match self.media_type {
            "*/*" | "application/*" | "application/json" => Encoding::Json,
            "application/yaml" if offer != Offer::Stream => Encoding::Yaml,
            _ => return None,
        };
        if !matches!(self.parameter("stream"), "" | "watch") {
            return None;
        }
        let transform = (self.parameter("as"), self.parameter("g"), self.parameter("v"));
        let (shape, version) = match (transform, offer) {
            (("", "", ""), _) => (Shape::Object, MetaVersion::V1),
            (("APIGroupDiscoveryList", "apidiscovery.k8s.io", "v2"), Offer::Discovery) => {
                (Shape::Discovery, MetaVersion::V1)
            }
            ((kind, META, version), Offer::Objects | Offer::Stream) => {
                let shape = match kind {
                    "Table" => Shape::Table,
                    "PartialObjectMetadata" => Shape::Metadata,
                    "PartialObjectMetadataList" => Shape::MetadataList,
                    _ => return None,
                };
                let version = match version {
                    "v1" => MetaVersion::V1,
                    "v1beta1" => MetaVersion::V1Beta1,
                    _ => return None,
                };
                (shape, version)
            }
            _ => return None,
        };
        Some(Accepted { encoding, shape, version, include: Include::default() })
    }
}

// === impl MetaVersion ===

impl MetaVersion {
    /// The `apiVersion`.
    pub(super) fn api_version(self) -> &'static str {
        match self {
            Self::V1 => "meta.k8s.io/v1",
            Self::V1Beta1 => "meta.k8s.io/v1beta1",
        }
    }
}

#[cfg(test)]
mod tests;
