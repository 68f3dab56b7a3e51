//! A certificate authority of one's own, for what runs on one machine: the embedded cluster, emulators, tests.

use std::{fmt, net::IpAddr};

use jiff::{SignedDuration, Timestamp};
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, SanType,
};
use secrecy::{ExposeSecret as _, SecretString};
use thiserror::Error;

/// How long certificates hold: longer than any try-out, and short enough that nobody builds on one.
const LIFETIME: SignedDuration = SignedDuration::from_hours(24 * 365);

/// Clocks differ a little between machines.
const BACKDATED: SignedDuration = SignedDuration::from_mins(10);

/// Signs certificates that whoever trusts it accepts.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: String,
    now: Timestamp,
}

/// A certificate with its key, as PEM.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The certificate.
    pub certificate: String,
    /// Its private key.
    pub key: SecretString,
}

/// A certificate could not be made.
#[derive(Debug, Error)]
#[error("cannot make a certificate for {name}: {cause}")]
pub struct PkiError {
    name: String,
    cause: rcgen::Error,
}

// === impl Authority ===

impl Authority {
    /// A new authority whose certificates hold from `now` on.
    pub fn new(name: &str, now: Timestamp) -> Result<Self, PkiError> {
        let problem = |cause| PkiError { name: name.to_owned(), cause };
        let mut params = params(name, None, now).map_err(problem)?;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = KeyPair::generate().map_err(problem)?;
        let certificate = params.self_signed(&key).map_err(problem)?.pem();
        Ok(Self { issuer: Issuer::new(params, key), certificate, now })
    }

    /// What others have to trust, as PEM.
    pub fn certificate(&self) -> &str {
        &self.certificate
    }

    /// For a server that is reached under any of `hosts`: names or addresses.
    pub fn server(&self, hosts: &[&str]) -> Result<Identity, PkiError> {
        let name = hosts.first().copied().unwrap_or("server");
        self.sign(name, None, ExtendedKeyUsagePurpose::ServerAuth, hosts)
    }

    /// For a client that is known as `name`, a member of `organization`.
    pub fn client(&self, name: &str, organization: Option<&str>) -> Result<Identity, PkiError> {
        self.sign(name, organization, ExtendedKeyUsagePurpose::ClientAuth, &[])
    }

    fn sign(
        &self,
        name: &str,
        organization: Option<&str>,
        purpose: ExtendedKeyUsagePurpose,
        hosts: &[&str],
    ) -> Result<Identity, PkiError> {
        let problem = |cause| PkiError { name: name.to_owned(), cause };
        let mut params = params(name, organization, self.now).map_err(problem)?;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![purpose];
        params.subject_alt_names =
            hosts.iter().map(|host| host_name(host)).collect::<Result<_, _>>().map_err(problem)?;
        let key = KeyPair::generate().map_err(problem)?;
        let certificate = params.signed_by(&key, &self.issuer).map_err(problem)?.pem();
        Ok(Identity { certificate, key: key.serialize_pem().into() })
    }
}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authority").finish_non_exhaustive()
    }
}

// === impl Identity ===

impl Identity {
    /// The key as PEM, for writing it where its owner alone can read it.
    pub fn key_pem(&self) -> &str {
        self.key.expose_secret()
    }
}

fn params(
    name: &str,
    organization: Option<&str>,
    now: Timestamp,
) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new(Vec::new())?;
    let mut subject = DistinguishedName::new();
    subject.push(DnType::CommonName, name);
    if let Some(organization) = organization {
        subject.push(DnType::OrganizationName, organization);
    }
    params.distinguished_name = subject;
    params.not_before = moment(now.saturating_sub(BACKDATED).unwrap_or(Timestamp::MIN));
    params.not_after = moment(now.saturating_add(LIFETIME).unwrap_or(Timestamp::MAX));
    Ok(params)
}

/// rcgen speaks the words of another time library.
fn moment(at: Timestamp) -> time::OffsetDateTime {
    time::OffsetDateTime::from_unix_timestamp(at.as_second())
        .unwrap_or(time::OffsetDateTime::UNIX_EPOCH)
}

fn host_name(host: &str) -> Result<SanType, rcgen::Error> {
    Ok(match host.parse::<IpAddr>() {
        Ok(address) => SanType::IpAddress(address),
        Err(_) => SanType::DnsName(host.try_into()?),
    })
}
