//! A kubeconfig that says how to reach this server.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use plimsoll_net::pki::Identity;
use serde_json::json;

/// The name of the cluster, the user and the context.
const NAME: &str = "plimsoll";

/// How a client proves who it is.
#[derive(Clone, Copy, Debug)]
pub enum Credentials<'c> {
    /// By a certificate.
    Certificate(&'c Identity),
    /// By a token.
    Token(&'c str),
}

/// A kubeconfig for a server at `url`, with all certificates in it. It contains secrets: write it where its owner alone can read
/// it.
///
/// `authority` is the certificate (PEM) that the server's own is signed by; none for a server without TLS.
pub fn kubeconfig(url: &str, authority: Option<&str>, credentials: Credentials<'_>) -> String {
    let mut cluster = json!({ "server": url });
    if let Some(authority) = authority {
        cluster["certificate-authority-data"] = json!(STANDARD.encode(authority));
    }
    let user = match credentials {
        Credentials::Certificate(identity) => json!({
            "client-certificate-data": STANDARD.encode(&identity.certificate),
            "client-key-data": STANDARD.encode(identity.key_pem()),
        }),
        Credentials::Token(token) => json!({ "token": token }),
    };
    let config = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{ "name": NAME, "cluster": cluster }],
        "users": [{ "name": NAME, "user": user }],
        "contexts": [{ "name": NAME, "context": { "cluster": NAME, "user": NAME } }],
        "current-context": NAME,
    });
    // Each value on one line, as everybody else writes them, for those who look for one with grep.
    let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
    // JSON is YAML; the alternative is only for a library that disagrees.
    serde_saphyr::to_string_with_options(&config, options).unwrap_or_else(|_| config.to_string())
}
