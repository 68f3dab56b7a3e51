//! TLS for servers and clients: rustls with ring, certificates that may be renewed while the server runs.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rustls::{
    ClientConfig, RootCertStore, ServerConfig,
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
    server::WebPkiClientVerifier,
    version::{TLS12, TLS13},
};
use secrecy::ExposeSecret as _;
use thiserror::Error;
use tracing::{info, warn};

use crate::{Shutdown, pki::Identity};

/// What a server presents, and whom it lets in. Clones share the same certificates, also after a reload.
#[derive(Clone, Debug)]
pub struct ServerTls {
    current: Arc<Mutex<Arc<ServerConfig>>>,
    /// Where the certificates came from, if they may change there.
    files: Option<Arc<Files>>,
}

/// Whether clients have to show a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clients<'p> {
    /// Nobody is asked.
    Anonymous,
    /// Who shows one has to be signed by this authority (PEM); who shows none is let in.
    Known(&'p str),
    /// Only those that this authority (PEM) signed are let in.
    Required(&'p str),
}

/// Certificates cannot be used.
#[derive(Debug, Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("cannot read {path}: {cause}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// What was read is no certificate or key.
    #[error("{place} has no usable {what}: {problem}")]
    Unusable {
        /// The file, or what the text is.
        place: String,
        /// A certificate or a key.
        what: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// Certificate and key do not go together, or the authority is not one.
    #[error("these certificates cannot be used: {0}")]
    Refused(String),
}

#[derive(Debug)]
struct Files {
    certificate: PathBuf,
    key: PathBuf,
    clients: Option<PathBuf>,
    /// What was last read, so that a reload happens only when something changed.
    seen: Mutex<Vec<Vec<u8>>>,
}

// === impl ServerTls ===

impl ServerTls {
    /// From certificates in memory, which do not change.
    pub fn from_pem(identity: &Identity, clients: Clients<'_>) -> Result<Self, TlsError> {
        let certificate = ("the certificate".to_owned(), identity.certificate.as_bytes());
        let key = ("the key".to_owned(), identity.key.expose_secret().as_bytes());
        let config = server_config(&certificate, &key, clients)?;
        Ok(Self { current: Arc::new(Mutex::new(Arc::new(config))), files: None })
    }

    /// From files. With `clients`, only those that this authority signed are let in.
    pub fn from_files(
        certificate: &Path,
        key: &Path,
        clients: Option<&Path>,
    ) -> Result<Self, TlsError> {
        let files = Files {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
            clients: clients.map(Path::to_owned),
            seen: Mutex::default(),
        };
        let contents = files.read()?;
        let config = files.config(&contents)?;
        *files.seen.lock().unwrap_or_else(PoisonError::into_inner) = contents;
        let current = Arc::new(Mutex::new(Arc::new(config)));
        Ok(Self { current, files: Some(Arc::new(files)) })
    }

    /// What the next connection is served with.
    pub fn config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.current.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the files again. New connections get what is in them now; those that are open go on. Answers whether something had
    /// changed; when it cannot be used, what was there before stays.
    pub fn reload(&self) -> Result<bool, TlsError> {
        let Some(files) = &self.files else { return Ok(false) };
        let contents = files.read()?;
        let mut seen = files.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if *seen == contents {
            return Ok(false);
        }
        let config = Arc::new(files.config(&contents)?);
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = config;
        *seen = contents;
        Ok(true)
    }

    /// Looks for renewed certificates every so often, until `shutdown`.
    pub async fn follow(&self, every: Duration, shutdown: &Shutdown) {
        loop {
            tokio::select! {
                () = shutdown.wait() => return,
                () = tokio::time::sleep(every) => {}
            }
            match self.reload() {
                Ok(true) => info!("took renewed certificates"),
                Ok(false) => {}
                // Certificate and key are two files: between the two writes they do not match.
                Err(error) => warn!(%error, "kept the certificates as they were"),
            }
        }
    }
}

/// A client that trusts only `authority` (PEM), and shows `identity` to who asks.
pub fn client_config(
    authority: &str,
    identity: Option<&Identity>,
) -> Result<ClientConfig, TlsError> {
    let roots = roots("the authority's certificate", authority.as_bytes())?;
    let builder = ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&TLS13, &TLS12])
        .map_err(|error| TlsError::Refused(error.to_string()))?
        .with_root_certificates(roots);
    let Some(identity) = identity else { return Ok(builder.with_no_client_auth()) };
    let chain = certificates("the client's certificate", identity.certificate.as_bytes())?;
    let key = private_key("the client's key", identity.key.expose_secret().as_bytes())?;
    builder.with_client_auth_cert(chain, key).map_err(|error| TlsError::Refused(error.to_string()))
}

/// Makes ring the process's cryptography, for libraries that look for a default. May be called any number of times.
pub fn install_default() {
    // An error says that there is one already, and there is no other in the build.
    let _ = ring::default_provider().install_default();
}

// === impl Files ===

impl Files {
    fn read(&self) -> Result<Vec<Vec<u8>>, TlsError> {
        [Some(&self.certificate), Some(&self.key), self.clients.as_ref()]
            .into_iter()
            .flatten()
            .map(|path| {
                fs::read(path).map_err(|cause| TlsError::Unreadable { path: path.clone(), cause })
            })
            .collect()
    }

    fn config(&self, contents: &[Vec<u8>]) -> Result<ServerConfig, TlsError> {
        let [certificate, key, clients @ ..] = contents else {
            return Err(TlsError::Refused("a certificate or its key is missing".to_owned()));
        };
        let named = |path: &Path| path.display().to_string();
        let authority = match (clients, &self.clients) {
            ([clients, ..], Some(path)) => Some(std::str::from_utf8(clients).map_err(|error| {
                let problem = error.to_string();
                TlsError::Unusable { place: named(path), what: "certificate", problem }
            })?),
            _ => None,
        };
        let clients = authority.map_or(Clients::Anonymous, Clients::Required);
        let certificate = (named(&self.certificate), certificate.as_slice());
        let key = (named(&self.key), key.as_slice());
        server_config(&certificate, &key, clients)
    }
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

fn server_config(
    (certificate_place, certificate): &(String, &[u8]),
    (key_place, key): &(String, &[u8]),
    clients: Clients<'_>,
) -> Result<ServerConfig, TlsError> {
    let refuse = |error: rustls::Error| TlsError::Refused(error.to_string());
    let builder = ServerConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&TLS13, &TLS12])
        .map_err(refuse)?;
    let verifier = |authority: &str| {
        let roots = Arc::new(roots("the clients' authority", authority.as_bytes())?);
        Ok::<_, TlsError>(WebPkiClientVerifier::builder_with_provider(roots, provider()))
    };
    let build_error =
        |error: rustls::server::VerifierBuilderError| TlsError::Refused(error.to_string());
    let builder = match clients {
        Clients::Anonymous => builder.with_no_client_auth(),
        Clients::Known(authority) => {
            let verifier = verifier(authority)?.allow_unauthenticated();
            builder.with_client_cert_verifier(verifier.build().map_err(build_error)?)
        }
        Clients::Required(authority) => {
            builder.with_client_cert_verifier(verifier(authority)?.build().map_err(build_error)?)
        }
    };
    let chain = certificates(certificate_place, certificate)?;
    let key = private_key(key_place, key)?;
    let mut config = builder.with_single_cert(chain, key).map_err(refuse)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

fn roots(place: &str, pem: &[u8]) -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(place, pem)? {
        roots.add(certificate).map_err(|error| TlsError::Refused(format!("{place}: {error}")))?;
    }
    Ok(roots)
}

fn certificates(place: &str, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let unusable = |problem: String| {
        let place = place.to_owned();
        TlsError::Unusable { place, what: "certificate", problem }
    };
    let chain: Vec<_> = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<_, _>>()
        .map_err(|error| unusable(error.to_string()))?;
    if chain.is_empty() {
        return Err(unusable("no CERTIFICATE section found".to_owned()));
    }
    Ok(chain)
}

fn private_key(place: &str, pem: &[u8]) -> Result<PrivateKeyDer<'static>, TlsError> {
    PrivateKeyDer::from_pem_slice(pem).map_err(|error| TlsError::Unusable {
        place: place.to_owned(),
        what: "key",
        problem: error.to_string(),
    })
}
