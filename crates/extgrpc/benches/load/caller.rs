//! A caller that costs little: unary gRPC calls, one after the other, straight on an HTTP/2 connection.

use bytes::{BufMut as _, Bytes, BytesMut};
use h2::client::{self, SendRequest};
use http::{HeaderMap, Method, Request, Uri, uri::PathAndQuery};
use prost::Message;
use tokio::net::TcpStream;

/// The bytes before a message: whether it is compressed, and its length.
const PREFIX: usize = 5;

/// A connection of its own, and what asks on it.
pub(crate) struct Caller {
    sender: SendRequest<Bytes>,
    authority: String,
}

// === impl Caller ===

impl Caller {
    /// A new connection.
    pub(crate) async fn connect(address: &str) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let (sender, connection) = client::handshake(stream).await.unwrap();
        tokio::spawn(connection);
        Self { sender, authority: address.to_owned() }
    }

    /// Whether a call is answered with a message and the status OK.
    pub(crate) async fn ask(&mut self, method: &'static str, message: &impl Message) -> bool {
        self.answer(method, message).await.is_ok_and(|(length, status)| length > PREFIX && status)
    }

    async fn answer(
        &mut self,
        method: &'static str,
        message: &impl Message,
    ) -> Result<(usize, bool), h2::Error> {
        std::future::poll_fn(|context| self.sender.poll_ready(context)).await?;
        let (reply, mut body) = self.sender.send_request(self.request(method), false)?;
        body.send_data(framed(message), true)?;
        let mut reply = reply.await?.into_body();
        let mut length = 0;
        while let Some(data) = reply.data().await {
            let data = data?;
            length += data.len();
            reply.flow_control().release_capacity(data.len())?;
        }
        let trailers = reply.trailers().await?;
        Ok((length, trailers.as_ref().is_some_and(is_ok)))
    }

    fn request(&self, method: &'static str) -> Request<()> {
        let uri = Uri::builder()
            .scheme("http")
            .authority(self.authority.as_str())
            .path_and_query(PathAndQuery::from_static(method));
        Request::builder()
            .method(Method::POST)
            .uri(uri.build().unwrap())
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .body(())
            .unwrap()
    }
}

fn framed(message: &impl Message) -> Bytes {
    let length = message.encoded_len();
    let mut bytes = BytesMut::with_capacity(PREFIX + length);
    bytes.put_u8(0);
    bytes.put_u32(u32::try_from(length).unwrap());
    message.encode(&mut bytes).unwrap();
    bytes.freeze()
}

fn is_ok(trailers: &HeaderMap) -> bool {
    trailers.get("grpc-status").is_some_and(|status| status == "0")
}
