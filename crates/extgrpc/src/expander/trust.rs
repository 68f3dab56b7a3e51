//! Which certificate an expander may have: one from a trusted authority, or the trusted certificate itself.
//!
//! Who makes a certificate for one expander with a few words of `openssl` gets one that is marked as an authority's (`CA:TRUE`), and
//! gives the same file to both sides. Go takes such a certificate for a server's own; the library here does not by itself.

use std::{io, sync::Arc, time::Duration};

use http::Uri;
use hyper_util::rt::TokioIo;
use plimsoll_net::tls;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        verify_server_name,
    },
    crypto::ring,
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject as _},
    server::ParsedCertificate,
};
use tokio_rustls::TlsConnector;
use tonic::transport::{Channel, Endpoint};
use tower::service_fn;

use crate::address::Address;

/// Trusts what is from an authority, and a certificate that is trusted itself.
#[derive(Debug)]
struct OwnOrIssued {
    issued: Arc<WebPkiServerVerifier>,
    own: Vec<CertificateDer<'static>>,
}

/// How to speak to a server that has one of these certificates, or one from them.
pub(super) fn client_config(trusted: &str) -> Result<ClientConfig, String> {
    // It says what is wrong with a file.
    tls::client_config(trusted, None).map_err(|error| error.to_string())?;
    let own: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(trusted.as_bytes())
        .collect::<Result<_, _>>()
        .map_err(|error| error.to_string())?;
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(own.iter().cloned());
    let provider = Arc::new(ring::default_provider());
    let issued =
        WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
            .build()
            .map_err(|error| error.to_string())?;
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(OwnOrIssued { issued, own }))
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec()];
    Ok(config)
}

/// A channel that connects at its first call.
pub(super) fn channel(
    address: &Address,
    endpoint: &Endpoint,
    config: Arc<ClientConfig>,
    patience: Duration,
) -> Channel {
    let address = address.clone();
    endpoint.connect_with_connector_lazy(service_fn(move |_: Uri| {
        let (address, connector) = (address.clone(), TlsConnector::from(Arc::clone(&config)));
        async move {
            let name = ServerName::try_from(address.server_name().to_owned());
            let name = name.map_err(io::Error::other)?;
            let stream = address.connect(patience).await?;
            let connected = tokio::time::timeout(patience, connector.connect(name, stream));
            let stream =
                connected.await.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
            Ok::<_, io::Error>(TokioIo::new(stream))
        }
    }))
}

// === impl OwnOrIssued ===

impl ServerCertVerifier for OwnOrIssued {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verdict = self.issued.verify_server_cert(
            end_entity,
            intermediates,
            server_name,
            ocsp_response,
            now,
        );
        match verdict {
            Err(Error::InvalidCertificate(CertificateError::Other(problem)))
                if is_only_an_authority(&problem)
                    && self.own.iter().any(|own| own == end_entity) =>
            {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
                Ok(ServerCertVerified::assertion())
            }
            verdict => verdict,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.issued.verify_tls12_signature(message, cert, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.issued.verify_tls13_signature(message, cert, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.issued.supported_verify_schemes()
    }
}

/// Whether nothing is wrong but that the certificate is marked as an authority's. The library looks at the dates before it.
fn is_only_an_authority(problem: &rustls::OtherError) -> bool {
    format!("{problem:?}").contains("CaUsedAsEndEntity")
}
