//! What the upstream autoscaler of three versions sent to a server of ours, sent again: codes and meaning of the answers.
//!
//! Time is that of the recording, so that machines come up and go as they did then.

use std::{collections::BTreeMap, fmt, path::Path, sync::Arc, time::Duration};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use plimsoll_extgrpc::{Server, ServerSettings, proto::external as message};
use plimsoll_net::{Clock, Shutdown};
use plimsoll_provider::Home;
use plimsoll_providers::simulated::{Catalogue, Cloud, Simulated};
use prost::Message;
use serde::Deserialize;
use tokio::{net::TcpListener, sync::oneshot};

/// A line of a recording.
#[derive(Clone, Debug, Default, Deserialize)]
struct Line {
    seq: u64,
    ms: u64,
    same_as: Option<u64>,
    #[serde(default)]
    method: String,
    #[serde(default)]
    request: String,
    #[serde(default)]
    code: i32,
    response: Option<String>,
}

/// What a call was answered with.
#[derive(Clone, Debug)]
struct Answer {
    code: i32,
    reply: Vec<u8>,
}

/// The lines of a recording, those that repeat others filled in.
fn lines(file: &str) -> Vec<Line> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings/extgrpc").join(file);
    let mut known: BTreeMap<u64, Line> = BTreeMap::new();
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let line: Line = serde_json::from_str(line).unwrap();
        let line = match line.same_as {
            Some(first) => Line { seq: line.seq, ms: line.ms, ..known[&first].clone() },
            None => line,
        };
        known.insert(line.seq, line);
    }
    known.into_values().collect()
}

/// A server with the catalogue of the recordings, which has looked once.
async fn serve(shutdown: &Shutdown) -> String {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings/extgrpc/catalogue.yaml");
    let clock = Clock::system();
    let cloud = Cloud::new(Catalogue::load(&path).unwrap(), clock);
    let provider = Arc::new(Simulated::new(cloud, Home::alone(clock)));
    let settings = ServerSettings { grace: Duration::ZERO, ..ServerSettings::default() };
    let server = Arc::new(Server::new(provider, settings, clock));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (serving, shutdown) = (Arc::clone(&server), shutdown.clone());
    tokio::spawn(async move { serving.serve(listener, None, &shutdown).await });
    server.looked().await;
    address
}

/// Makes a call by hand: gRPC over HTTP/2, a length before the message. A failure has its status in the headers.
async fn call(client: &reqwest::Client, address: &str, line: &Line) -> Answer {
    let request = BASE64_STANDARD.decode(&line.request).unwrap();
    let mut body = vec![0];
    body.extend(u32::try_from(request.len()).unwrap().to_be_bytes());
    body.extend(request);
    let response = client
        .post(format!("http://{address}{}", line.method))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(body)
        .send()
        .await
        .unwrap();
    let status = response.headers().get("grpc-status");
    let code = status.map_or(0, |status| status.to_str().unwrap().parse().unwrap());
    let frame = response.bytes().await.unwrap();
    Answer { code, reply: frame.get(5..).unwrap_or_default().to_vec() }
}

fn decode<M: Message + Default>(bytes: &[u8]) -> M {
    M::decode(bytes).unwrap()
}

/// What was answered, and what is to be: as then, but for what has been put right since.
fn meaning(line: &Line, then: &[u8], now: &[u8]) -> [String; 2] {
    fn both<M: Message + Default + fmt::Debug>(then: &[u8], now: &[u8]) -> [String; 2] {
        [then, now].map(|bytes| format!("{:#?}", decode::<M>(bytes)))
    }
    let request = BASE64_STANDARD.decode(&line.request).unwrap();
    match line.method.rsplit('/').next().unwrap() {
        "NodeGroups" => both::<message::NodeGroupsResponse>(then, now),
        "NodeGroupNodes" => both::<message::NodeGroupNodesResponse>(then, now),
        "NodeGroupTargetSize" => both::<message::NodeGroupTargetSizeResponse>(then, now),
        "NodeGroupTemplateNodeInfo" => {
            both::<message::NodeGroupTemplateNodeInfoResponse>(then, now)
        }
        "PricingNodePrice" => both::<message::PricingNodePriceResponse>(then, now),
        "PricingPodPrice" => both::<message::PricingPodPriceResponse>(then, now),
        "GPULabel" => both::<message::GpuLabelResponse>(then, now),
        "GetAvailableGPUTypes" => both::<message::GetAvailableGpuTypesResponse>(then, now),
        // Only one group has settings of its own; the others leave the caller its flags.
        "NodeGroupGetOptions" => {
            let asked: message::NodeGroupAutoscalingOptionsRequest = decode(&request);
            let then = if asked.id == "gpu" { then } else { &[] };
            both::<message::NodeGroupAutoscalingOptionsResponse>(then, now)
        }
        // A node keeps its group when its machine is gone.
        "NodeGroupForNode" => {
            let [then, now] = [then, now].map(|bytes| {
                let reply: message::NodeGroupForNodeResponse = decode(bytes);
                reply.node_group.unwrap_or_default()
            });
            let asked: message::NodeGroupForNodeRequest = decode(&request);
            let asked = asked.node.unwrap_or_default().provider_id;
            if then.id.is_empty() && asked.starts_with(&format!("simulated://{}/", now.id)) {
                return [String::new(), String::new()];
            }
            [format!("{then:#?}"), format!("{now:#?}")]
        }
        "NodeGroupIncreaseSize"
        | "NodeGroupDecreaseTargetSize"
        | "NodeGroupDeleteNodes"
        | "Refresh"
        | "Cleanup" => [String::new(), format!("{}", String::from_utf8_lossy(now))],
        other => panic!("the recording has a method {other}"),
    }
}

async fn replay(file: &str) {
    // Time stands still while this task is there, until it is told to go on.
    let (_held, until) = oneshot::channel::<()>();
    tokio::task::spawn_blocking(move || until.blocking_recv());
    let shutdown = Shutdown::new();
    let address = serve(&shutdown).await;
    plimsoll_net::tls::install_default();
    let client = reqwest::Client::builder().http2_prior_knowledge().build().unwrap();
    let mut now = 0;
    for line in lines(file) {
        tokio::time::advance(Duration::from_millis(line.ms - now)).await;
        now = line.ms;
        let Line { seq, method, .. } = &line;
        let answer = call(&client, &address, &line).await;
        assert_eq!(answer.code, line.code, "{file}: call {seq}, {method}");
        let then = line.response.as_deref().unwrap_or_default();
        let then = BASE64_STANDARD.decode(then).unwrap();
        if answer.code == 0 {
            let [then, now] = meaning(&line, &then, &answer.reply);
            assert_eq!(now, then, "{file}: call {seq}, {method}");
        }
    }
    shutdown.trigger();
}

#[tokio::test(start_paused = true)]
async fn version_1_34_gets_the_answers_that_it_got() {
    replay("ca-1.34.5.jsonl").await;
}

#[tokio::test(start_paused = true)]
async fn version_1_36_gets_the_answers_that_it_got() {
    replay("ca-1.36.1.jsonl").await;
}

#[tokio::test(start_paused = true)]
async fn the_newest_version_gets_the_answers_that_it_got() {
    replay("ca-head.jsonl").await;
}
