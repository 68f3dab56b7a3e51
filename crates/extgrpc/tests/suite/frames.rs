//! Nonsense at the port.

use plimsoll_extgrpc::proto::external::{self as message, cloud_provider_server::SERVICE_NAME};
use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};
use prost::bytes::{Buf, BufMut, Bytes};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use tonic::{
    Code, Status,
    client::Grpc,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    codegen::http::uri::PathAndQuery,
};

use crate::fixture::Served;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const FRAMES: usize = 10_000;
const FRAMES_PER_CONNECTION: usize = 50;

/// Always the same, unless `PLIMSOLL_STORY_SEED` says otherwise.
fn random() -> TestRng {
    let story = std::env::var("PLIMSOLL_STORY_SEED").ok();
    let seed = story.map_or([7; 32], |story| {
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&story.parse::<u64>().unwrap().to_le_bytes());
        seed
    });
    TestRng::from_seed(RngAlgorithm::ChaCha, &seed)
}

fn some(rng: &mut TestRng, most: usize) -> Vec<u8> {
    let length = usize::try_from(rng.next_u64() % (most as u64 + 1)).unwrap();
    let mut bytes = vec![0; length];
    rng.fill_bytes(&mut bytes);
    bytes
}

/// A frame of any kind, mostly with a length that is true.
fn frame(rng: &mut TestRng) -> Vec<u8> {
    let payload = some(rng, 64);
    let mut length = u32::try_from(payload.len()).unwrap();
    if rng.next_u32().is_multiple_of(8) {
        length = rng.next_u32() >> 8;
    }
    let mut frame = length.to_be_bytes()[1..].to_vec();
    frame.push(u8::try_from(rng.next_u32() % 12).unwrap());
    frame.push(u8::try_from(rng.next_u32() % 256).unwrap());
    frame.extend((rng.next_u32() % 8).to_be_bytes());
    frame.extend(payload);
    frame
}

#[tokio::test]
async fn ten_thousand_random_frames_leave_it_serving() {
    let served = Served::start().await;
    let mut client = served.client().await;
    let mut rng = random();
    for connection in 0..FRAMES / FRAMES_PER_CONNECTION {
        let mut stream = TcpStream::connect(&served.address).await.unwrap();
        // Every other connection begins like HTTP/2, the others with anything.
        if connection % 2 == 0 {
            stream.write_all(PREFACE).await.unwrap();
            stream.write_all(&[0, 0, 0, 4, 0, 0, 0, 0, 0]).await.unwrap();
        }
        for _ in 0..FRAMES_PER_CONNECTION {
            if stream.write_all(&frame(&mut rng)).await.is_err() {
                break; // It has had enough.
            }
        }
        let _ = stream.shutdown().await;
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest).await;
        // The connection that was there before is not touched.
        if connection % 20 == 0 {
            client.node_groups(message::NodeGroupsRequest {}).await.unwrap();
        }
    }
    served.client().await.node_groups(message::NodeGroupsRequest {}).await.unwrap();
}

/// Sends bytes as they are.
#[derive(Debug, Default)]
struct Raw;

impl Codec for Raw {
    type Encode = Vec<u8>;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, item: Vec<u8>, into: &mut EncodeBuf<'_>) -> Result<(), Status> {
        into.put_slice(&item);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(from.copy_to_bytes(from.remaining())))
    }
}

#[tokio::test]
async fn a_malformed_message_is_answered_with_words() {
    let served = Served::start().await;
    let mut client = served.client().await;
    let mut grpc = Grpc::new(served.channel().await);
    let mut rng = random();
    let methods = [
        "NodeGroupForNode",
        "PricingNodePrice",
        "PricingPodPrice",
        "NodeGroupTargetSize",
        "NodeGroupIncreaseSize",
        "NodeGroupDeleteNodes",
        "NodeGroupDecreaseTargetSize",
        "NodeGroupNodes",
        "NodeGroupTemplateNodeInfo",
        "NodeGroupGetOptions",
    ];
    let mut malformed = 0;
    for round in 0..1_000 {
        let method = methods[round % methods.len()];
        let path = PathAndQuery::try_from(format!("/{SERVICE_NAME}/{method}")).unwrap();
        grpc.ready().await.unwrap();
        let bytes = some(&mut rng, 40);
        let outcome = grpc.unary(tonic::Request::new(bytes.clone()), path, Raw).await;
        if let Err(status) = outcome {
            assert!(!status.message().is_empty(), "{method} {bytes:?}: {status:?}");
            assert_ne!(status.code(), Code::Unknown, "{method} {bytes:?}: {status:?}");
            malformed += usize::from(status.code() == Code::Internal);
        }
    }
    assert!(malformed > 500, "only {malformed} messages could not be read");
    client.node_groups(message::NodeGroupsRequest {}).await.unwrap();
}

#[tokio::test]
async fn a_method_that_nobody_has_is_unimplemented() {
    let served = Served::start().await;
    served.client().await;
    let mut grpc = Grpc::new(served.channel().await);
    for path in [format!("/{SERVICE_NAME}/Nothing"), "/other.Service/NodeGroups".to_owned()] {
        grpc.ready().await.unwrap();
        let path = PathAndQuery::try_from(path).unwrap();
        let status = grpc.unary(tonic::Request::new(Vec::new()), path, Raw).await.unwrap_err();
        assert_eq!(status.code(), Code::Unimplemented);
    }
}
