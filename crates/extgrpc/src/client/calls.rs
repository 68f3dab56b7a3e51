//! One call after the other: the connection, the deadline, what a failure means.

use std::{
    error::Error as _,
    future::Future,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use plimsoll_net::Fence;
use plimsoll_provider::Error;
use tonic::{
    Code, Request, Response, Status,
    transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity},
};

use crate::{
    client::config::{Certificates, CloudConfig},
    proto::external::cloud_provider_client::CloudProviderClient,
    status,
};

/// A list of machines may be long.
const LARGEST_REPLY: usize = 256 << 20;

/// What a call is made with.
pub(crate) type Client = CloudProviderClient<Channel>;

/// The way to an external provider.
#[derive(Debug)]
pub(crate) struct Calls {
    config: CloudConfig,
    /// For messages.
    place: String,
    /// Made at the first call, and again after one that failed on the way: with the certificates of that time.
    connection: Mutex<Connection>,
    /// Asked before every call that changes something.
    fence: Fence,
    /// How many calls in a row nothing was heard of.
    unanswered: AtomicU32,
}

#[derive(Debug, Default)]
struct Connection {
    channel: Option<Channel>,
    /// How many have been made, so that only who used the current one throws it away.
    number: u64,
}

// === impl Calls ===

impl Calls {
    pub(crate) fn new(config: CloudConfig, fence: Fence) -> Self {
        let place = config.address.to_string();
        Self { config, place, connection: Mutex::default(), fence, unanswered: AtomicU32::new(0) }
    }

    /// Calls a method, once, within the deadline.
    pub(crate) async fn call<Q, R, F>(
        &self,
        method: &'static str,
        request: Request<Q>,
        send: impl FnOnce(Client, Request<Q>) -> F,
    ) -> Result<R, Error>
    where
        F: Future<Output = Result<Response<R>, Status>>,
    {
        let answer = self.try_call(request, send).await;
        answer.map_err(|status| self.error(method, &status))
    }

    /// Calls a method that changes something, once, if this process may. It is not sent once the fence has lapsed: then the error is
    /// `Retry` with the code `NotLeader`.
    pub(crate) async fn change<Q, R, F>(
        &self,
        method: &'static str,
        request: Request<Q>,
        send: impl FnOnce(Client, Request<Q>) -> F,
    ) -> Result<R, Error>
    where
        F: Future<Output = Result<Response<R>, Status>>,
    {
        self.fence.check()?;
        self.call(method, request, send).await
    }

    /// Calls a method, and gives back the status as it came.
    pub(crate) async fn try_call<Q, R, F>(
        &self,
        mut request: Request<Q>,
        send: impl FnOnce(Client, Request<Q>) -> F,
    ) -> Result<R, Status>
    where
        F: Future<Output = Result<Response<R>, Status>>,
    {
        let (channel, number) = self.channel()?;
        let client = Client::new(channel).max_decoding_message_size(LARGEST_REPLY);
        let patience = self.config.timeout;
        request.set_timeout(patience);
        let answer = match tokio::time::timeout(patience, send(client, request)).await {
            Ok(Ok(response)) => Ok(response.into_inner()),
            // The library's own timer calls it so.
            Ok(Err(status)) if is_timeout(&status) => Err(too_late(patience)),
            Ok(Err(status)) => Err(status),
            Err(_) => Err(too_late(patience)),
        };
        match answer.as_ref().err() {
            Some(status) if is_lost(status) => {
                self.unanswered.fetch_add(1, Ordering::Relaxed);
                self.hang_up(number);
            }
            _ => self.unanswered.store(0, Ordering::Relaxed),
        }
        answer
    }

    /// Whom calls are made to, for messages.
    pub(crate) fn place(&self) -> &str {
        &self.place
    }

    /// How long a call may take.
    pub(crate) fn timeout(&self) -> Duration {
        self.config.timeout
    }

    /// How many calls in a row nothing was heard of.
    pub(crate) fn unanswered(&self) -> u32 {
        self.unanswered.load(Ordering::Relaxed)
    }

    /// Which connection calls go over: each new one has a higher number.
    pub(crate) fn connection(&self) -> u64 {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner).number
    }

    /// What a failure of this method means.
    pub(crate) fn error(&self, method: &'static str, status: &Status) -> Error {
        status::read(method, &self.place, status)
    }

    fn channel(&self) -> Result<(Channel, u64), Status> {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(channel) = &connection.channel {
            return Ok((channel.clone(), connection.number));
        }
        let channel = connect(&self.config)?;
        connection.channel = Some(channel.clone());
        connection.number += 1;
        Ok((channel, connection.number))
    }

    /// The next call connects anew. Calls that are under way on the old connection go on.
    fn hang_up(&self, number: u64) {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        if connection.number == number {
            connection.channel = None;
        }
    }
}

/// A channel that connects at its first call.
fn connect(config: &CloudConfig) -> Result<Channel, Status> {
    let broken = |problem: String| Status::unavailable(problem);
    let scheme = if config.tls.is_some() { "https" } else { "http" };
    let mut endpoint = Endpoint::from_shared(config.address.uri(scheme))
        .map_err(|error| broken(error.to_string()))?
        .connect_timeout(config.timeout);
    if let Some(files) = &config.tls {
        let Certificates { authority, identity } =
            files.read().map_err(|(which, problem)| broken(format!("{which}: {problem}")))?;
        let tls = ClientTlsConfig::new()
            .domain_name(config.address.server_name())
            .ca_certificate(Certificate::from_pem(authority))
            .identity(Identity::from_pem(&identity.certificate, identity.key_pem()));
        endpoint = endpoint.tls_config(tls).map_err(|error| broken(error.to_string()))?;
    }
    Ok(config.address.channel(&endpoint))
}

fn is_timeout(status: &Status) -> bool {
    status.code() == Code::Cancelled && status.message() == "Timeout expired"
}

/// Whether the call failed on its way. What a server says by itself has no source; one that says that it is not available may be
/// behind a name that leads to others.
fn is_lost(status: &Status) -> bool {
    match status.code() {
        Code::DeadlineExceeded | Code::Unavailable => true,
        Code::Unknown => status.source().is_some(),
        _ => false,
    }
}

fn too_late(patience: Duration) -> Status {
    Status::deadline_exceeded(format!("no answer within {patience:?}"))
}
