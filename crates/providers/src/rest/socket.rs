//! Services of the network.

use std::error::Error as _;

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use http::{Request, Response};
use plimsoll_net::tls;
use reqwest::{Client, redirect};

use super::{Endpoint, Exchange, LONGEST_BODY, Patience, TimeLimit};

/// Whose certificates are believed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Those of the authorities that the system trusts.
    #[default]
    System,
    /// Those of these authorities (PEM), and no others.
    Only(String),
}

/// Connections to one service.
#[derive(Clone, Debug)]
pub struct Socket {
    client: Client,
}

// === impl Socket ===

impl Socket {
    /// Nothing is connected yet. The error says in words which certificates cannot be used.
    pub fn new(endpoint: &Endpoint, trust: &Trust, patience: Patience) -> Result<Self, String> {
        tls::install_default();
        let builder = Client::builder()
            .connect_timeout(patience.connect)
            .timeout(patience.request)
            // A token goes where it was meant to go.
            .redirect(redirect::Policy::none());
        let builder = match (endpoint.socket_path(), trust) {
            (Some(path), _) => builder.unix_socket(path.to_owned()).no_proxy(),
            (None, _) => builder,
        };
        let builder = match trust {
            // Without TLS nobody has to be trusted, and the system need not have authorities.
            _ if !endpoint.is_https() => builder.tls_certs_only([]),
            Trust::System => builder,
            Trust::Only(authorities) => {
                let config =
                    tls::client_config(authorities, None).map_err(|error| error.to_string())?;
                builder.tls_backend_preconfigured(config)
            }
        };
        let client = builder.build().map_err(|error| in_words(&error))?;
        Ok(Self { client })
    }
}

#[async_trait]
impl Exchange for Socket {
    async fn exchange(&self, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
        let limit = request.extensions().get::<TimeLimit>().copied();
        let mut request = reqwest::Request::try_from(request).map_err(|error| in_words(&error))?;
        if let Some(TimeLimit(limit)) = limit {
            *request.timeout_mut() = Some(limit);
        }
        let mut response = self.client.execute(request).await.map_err(|error| in_words(&error))?;
        let mut body = BytesMut::new();
        // A body that ends before its announced length is an error of the connection.
        while let Some(part) = response.chunk().await.map_err(|error| in_words(&error))? {
            if body.len().saturating_add(part.len()) > LONGEST_BODY {
                return Err(format!("the answer is longer than {LONGEST_BODY} bytes"));
            }
            body.extend_from_slice(&part);
        }
        let mut answer = Response::new(body.freeze());
        *answer.status_mut() = response.status();
        *answer.headers_mut() = std::mem::take(response.headers_mut());
        Ok(answer)
    }
}

/// The last cause says most; the URL is named by whoever asked.
fn in_words(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "no answer in time".to_owned();
    }
    let mut cause = error.source();
    while let Some(deeper) = cause.and_then(std::error::Error::source) {
        cause = Some(deeper);
    }
    cause.map_or_else(|| error.to_string(), ToString::to_string)
}
