//! Certificates: who is let in, and what happens when they are renewed.

use std::{fs, path::PathBuf, sync::Arc, time::Duration};

use jiff::Timestamp;
use plimsoll_extgrpc::{
    Address, CertificateFiles, CloudConfig, ExternalGrpc, ServerSettings,
    proto::external::{self as message, cloud_provider_client::CloudProviderClient},
};
use plimsoll_model::GroupOptions;
use plimsoll_net::{
    Clock,
    pki::{Authority, Identity},
    tls::ServerTls,
};
use plimsoll_provider::{Class, Home, Provider as _};
use tempfile::TempDir;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity as Shown};

use crate::fixture::{SETTINGS, Served};

/// A directory with the files of a server and of a client.
struct Files {
    directory: TempDir,
    authority: Authority,
}

impl Files {
    fn new() -> Self {
        let now = Clock::system().now();
        let files = Self { directory: tempfile::tempdir().unwrap(), authority: authority(now) };
        files.renew_server(&files.authority);
        files.renew_client(&files.authority);
        fs::write(files.path("ca.crt"), files.authority.certificate()).unwrap();
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn renew_server(&self, authority: &Authority) {
        self.write("server", &authority.server(&["localhost", "127.0.0.1"]).unwrap());
    }

    fn renew_client(&self, authority: &Authority) {
        self.write("client", &authority.client("autoscaler", None).unwrap());
    }

    fn write(&self, name: &str, identity: &Identity) {
        fs::write(self.path(&format!("{name}.crt")), &identity.certificate).unwrap();
        fs::write(self.path(&format!("{name}.key")), identity.key_pem()).unwrap();
    }

    fn server(&self) -> ServerTls {
        let (cert, key) = (self.path("server.crt"), self.path("server.key"));
        ServerTls::from_files(&cert, &key, Some(&self.path("ca.crt"))).unwrap()
    }

    fn provider(&self, address: &str) -> ExternalGrpc {
        let config = CloudConfig {
            address: Address::parse(address).unwrap(),
            tls: Some(CertificateFiles {
                key: self.path("client.key"),
                cert: self.path("client.crt"),
                cacert: self.path("ca.crt"),
            }),
            timeout: Duration::from_mins(1),
        };
        ExternalGrpc::new("loopback", config, GroupOptions::default(), Home::alone(Clock::system()))
    }

    /// A connection that trusts this authority and shows a certificate or none.
    fn endpoint(address: &str, trusted: &Authority, shown: Option<&Identity>) -> Endpoint {
        let mut tls = ClientTlsConfig::new()
            .domain_name("localhost")
            .ca_certificate(Certificate::from_pem(trusted.certificate()));
        if let Some(shown) = shown {
            tls = tls.identity(Shown::from_pem(&shown.certificate, shown.key_pem()));
        }
        let endpoint = Channel::from_shared(format!("https://{address}")).unwrap();
        endpoint.tls_config(tls).unwrap()
    }
}

fn authority(now: Timestamp) -> Authority {
    Authority::new("test authority", now).unwrap()
}

async fn answers(channel: Channel) -> bool {
    let mut client = CloudProviderClient::new(channel);
    client.cleanup(message::CleanupRequest {}).await.is_ok()
}

#[tokio::test]
async fn only_clients_of_the_authority_are_let_in() {
    let files = Files::new();
    let served = Served::with(Arc::default(), SETTINGS, Some(files.server())).await;
    let known = files.authority.client("autoscaler", None).unwrap();
    let stranger = authority(Clock::system().now()).client("stranger", None).unwrap();
    for (shown, expected) in [(Some(&known), true), (Some(&stranger), false), (None, false)] {
        let endpoint = Files::endpoint(&served.address, &files.authority, shown);
        assert_eq!(answers(endpoint.connect_lazy()).await, expected);
    }
    let plaintext = Channel::from_shared(format!("http://{}", served.address)).unwrap();
    assert!(!answers(plaintext.connect_lazy()).await);
}

#[tokio::test]
async fn a_renewed_certificate_is_taken_and_open_connections_go_on() {
    let files = Files::new();
    let settings = ServerSettings { reload_every: Duration::from_millis(5), ..SETTINGS };
    let served = Served::with(Arc::default(), settings, Some(files.server())).await;
    let shown = files.authority.client("autoscaler", None).unwrap();
    let before = Files::endpoint(&served.address, &files.authority, Some(&shown));
    let before = before.connect().await.unwrap();
    assert!(answers(before.clone()).await);

    // The server's next certificate is from an authority that only the second client trusts.
    let next = authority(Clock::system().now());
    files.renew_server(&next);
    loop {
        let after = Files::endpoint(&served.address, &next, Some(&shown));
        if answers(after.connect_lazy()).await {
            break;
        }
    }
    assert!(answers(before).await, "the open connection was dropped");
    let late = Files::endpoint(&served.address, &files.authority, Some(&shown));
    assert!(!answers(late.connect_lazy()).await, "the old certificate is still shown");
}

#[tokio::test]
async fn a_client_takes_renewed_certificates_when_it_connects_again() {
    let files = Files::new();
    let served = Served::with(Arc::default(), SETTINGS, Some(files.server())).await;
    let provider = files.provider(&served.address);
    assert_eq!(provider.refresh().await.unwrap().groups.len(), 2);
    served.shutdown.trigger();
    served.task.await.unwrap();
    let away = provider.refresh().await.unwrap_err();
    assert_eq!(away.class(), Class::Retry, "{away}");

    // Everything is renewed, the authority as well, and the server is back at the same port.
    let next = authority(Clock::system().now());
    files.renew_server(&next);
    files.renew_client(&next);
    fs::write(files.path("ca.crt"), next.certificate()).unwrap();
    let listener = tokio::net::TcpListener::bind(&served.address).await.unwrap();
    let server = plimsoll_extgrpc::Server::new(served.fake.clone(), SETTINGS, Clock::system());
    let tls = files.server();
    let shutdown = plimsoll_net::Shutdown::new();
    let task = tokio::spawn(async move { server.serve(listener, Some(tls), &shutdown).await });
    assert_eq!(provider.refresh().await.unwrap().groups.len(), 2);
    task.abort();
}
