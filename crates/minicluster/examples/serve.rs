//! Serves an empty cluster with its controllers on a port, for work with kubectl and with anything else that speaks HTTP.
//!
//! `cargo run -p plimsoll-minicluster --example serve -- 6443` serves TLS on 6443 and plain HTTP on 6444, and writes
//! `kubeconfig`, `ca.crt`, `admin.crt`, `admin.key` and `token` into `target/serve`.

use std::{error::Error, fs, path::Path, time::Duration};

use plimsoll_minicluster::{
    Api, controllers,
    server::{Access, Anonymous, Certificates, Server},
};
use plimsoll_net::{Clock, Shutdown, listen::serve};
use tokio::net::TcpListener;

const GRACE: Duration = Duration::from_secs(1);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let port: u16 = std::env::args().nth(1).map_or(Ok(6443), |port| port.parse())?;
    let clock = Clock::system();
    let certificates = Certificates::new(&[], clock.now())?;
    let token = uuid::Uuid::new_v4().to_string();

    let directory = Path::new("target/serve");
    fs::create_dir_all(directory)?;
    let url = format!("https://127.0.0.1:{port}");
    fs::write(directory.join("kubeconfig"), certificates.kubeconfig(&url))?;
    fs::write(directory.join("ca.crt"), certificates.authority().certificate())?;
    fs::write(directory.join("admin.crt"), &certificates.admin().certificate)?;
    fs::write(directory.join("admin.key"), certificates.admin().key_pem())?;
    fs::write(directory.join("token"), &token)?;

    let server = Server::new(Api::new(clock), Access::new(token.into(), Anonymous::Allowed));
    let secure = TcpListener::bind(("127.0.0.1", port)).await?;
    let plain = TcpListener::bind(("127.0.0.1", port.saturating_add(1))).await?;
    let shutdown = Shutdown::new();
    controllers::start(server.api(), &shutdown);
    let ((), (), stopped) = tokio::join!(
        serve(secure, Some(certificates.server()), server.clone(), &shutdown, GRACE),
        serve(plain, None, server, &shutdown, GRACE),
        shutdown.on_signal(),
    );
    stopped?;
    Ok(())
}
