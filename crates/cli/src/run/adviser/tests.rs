//! An expander of the user's, asked over gRPC.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::{BufMut as _, Bytes, BytesMut};
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use plimsoll_control::engine::{Adviser as _, Seen};
use plimsoll_extgrpc::{
    GrpcExpander,
    proto::expander::{BestOptionsRequest, BestOptionsResponse, Option as Choice},
};
use plimsoll_manifest::scenario;
use plimsoll_model::{Alternative, PodName, Question, World};
use plimsoll_net::{Shutdown, listen};
use prost::Message as _;
use tokio::net::TcpListener;
use tower::service_fn;

use super::Service;

/// The question that was asked.
pub(in crate::run) type Asked = Arc<Mutex<Option<BestOptionsRequest>>>;

pub(in crate::run) const WORLD: &str = "
now: '2026-01-01T12:00:00Z'
groups:
- {id: a, min: 0, max: 9, template: {status: {capacity: {cpu: 4, memory: 8Gi, pods: 110}}}}
- {id: b, min: 0, max: 9, template: {status: {capacity: {cpu: 8, memory: 8Gi, pods: 110}}}}
objects:
- apiVersion: v1
  kind: Pod
  metadata: {name: web, namespace: shop, labels: {app: web}}
  spec: {containers: [{name: main, image: i, resources: {requests: {cpu: 250m}}}]}
";

/// Prefers the last of the options, and keeps the question. A message of gRPC is a byte, four bytes of length, and protobuf.
pub(in crate::run) async fn prefer_the_last(
    request: Request<Incoming>,
    asked: Asked,
) -> Result<Response<impl http_body_util::BodyExt<Data = Bytes, Error = Infallible>>, Infallible> {
    let body = request.into_body().collect().await.unwrap().to_bytes();
    let question = BestOptionsRequest::decode(body.slice(5..)).unwrap();
    let best = question.options.last().unwrap().node_group_id.clone();
    *asked.lock().unwrap() = Some(question);
    let choice = Choice { node_group_id: best, ..Choice::default() };
    let answer = BestOptionsResponse { options: vec![choice] }.encode_to_vec();
    let mut frame = BytesMut::new();
    frame.put_u8(0);
    frame.put_u32(answer.len().try_into().unwrap());
    frame.put_slice(&answer);
    let status = HeaderMap::from_iter([(
        http::HeaderName::from_static("grpc-status"),
        HeaderValue::from_static("0"),
    )]);
    let body = Full::new(frame.freeze()).with_trailers(async move { Some(Ok(status)) });
    let response = Response::builder().header("content-type", "application/grpc").body(body);
    Ok(response.unwrap())
}

pub(in crate::run) fn seen(world: &World) -> Seen {
    Seen {
        nodes: Vec::new(),
        groups: world.groups.clone(),
        pending: world.pods.clone(),
        pods: world.pods.len(),
        pod_uids: BTreeMap::new(),
        node_uids: BTreeMap::new(),
        unreadable: Vec::new(),
        requested: BTreeMap::new(),
    }
}

#[tokio::test]
async fn the_service_is_told_of_pods_and_templates_and_its_choice_counts() {
    let asked = Asked::default();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let kept = Arc::clone(&asked);
    let expander = service_fn(move |request| prefer_the_last(request, Arc::clone(&kept)));
    tokio::spawn(async move {
        let never = Shutdown::new();
        listen::serve(listener, None, expander, &never, Duration::ZERO).await;
    });
    let world = scenario::read(WORLD).unwrap();
    let pods = vec![PodName { namespace: "shop".into(), name: "web".into() }];
    let alternative =
        |group: &str| Alternative { group: group.into(), nodes: 1, pods: pods.clone() };
    let question = Question { alternatives: vec![alternative("a"), alternative("b")] };
    let service = Service(GrpcExpander::new(&address, None).unwrap());
    assert_eq!(service.advise(&question, &seen(&world)).await, Some(vec!["b".into()]));

    let asked = asked.lock().unwrap().take().unwrap();
    assert_eq!(asked.options.len(), 2);
    assert_eq!(asked.options[0].node_group_id, "a");
    assert_eq!(asked.options[0].node_count, 1);
    assert_eq!(asked.options[0].pod.len(), 1);
    assert_eq!(asked.node_map.keys().collect::<Vec<_>>(), ["a", "b"]);
}
