//! The certificates of a cluster: its authority, its server, its administrator.

use jiff::Timestamp;
use plimsoll_net::{
    pki::{Authority, Identity, PkiError},
    tls::{Clients, ServerTls, TlsError},
};
use thiserror::Error;

use super::kubeconfig::{Credentials, kubeconfig};

/// Names under which the server of a cluster is always reached.
const HOSTS: [&str; 4] = ["127.0.0.1", "localhost", "kubernetes", "kubernetes.default.svc"];

/// Who may do everything.
const ADMIN: &str = "admin";
const MASTERS: &str = "system:masters";

/// The certificates of a cluster.
#[derive(Debug)]
pub struct Certificates {
    authority: Authority,
    admin: Identity,
    server: ServerTls,
}

/// The certificates of a cluster could not be made.
#[derive(Debug, Error)]
pub enum CertificatesError {
    /// One could not be signed.
    #[error(transparent)]
    Pki(#[from] PkiError),
    /// The server cannot use its own.
    #[error(transparent)]
    Tls(#[from] TlsError),
}

// === impl Certificates ===

impl Certificates {
    /// New certificates that hold from `now` on. The server is reached under the usual names of this machine, and under `hosts`.
    pub fn new(hosts: &[&str], now: Timestamp) -> Result<Self, CertificatesError> {
        let authority = Authority::new("plimsoll-minicluster", now)?;
        let admin = authority.client(ADMIN, Some(MASTERS))?;
        let hosts: Vec<&str> = HOSTS.iter().chain(hosts).copied().collect();
        let clients = Clients::Known(authority.certificate());
        let server = ServerTls::from_pem(&authority.server(&hosts)?, clients)?;
        Ok(Self { authority, admin, server })
    }

    /// What the server listens with: clients may show a certificate, and are then known by it.
    pub fn server(&self) -> ServerTls {
        self.server.clone()
    }

    /// Who signs.
    pub fn authority(&self) -> &Authority {
        &self.authority
    }

    /// The administrator.
    pub fn admin(&self) -> &Identity {
        &self.admin
    }

    /// A kubeconfig for the administrator. It contains a secret: write it where its owner alone can read it.
    pub fn kubeconfig(&self, url: &str) -> String {
        let credentials = Credentials::Certificate(&self.admin);
        kubeconfig(url, Some(self.authority.certificate()), credentials)
    }
}
