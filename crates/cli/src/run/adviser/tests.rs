//! An expander of the user's, asked over gRPC.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use plimsoll_control::engine::{Adviser as _, Seen};
use plimsoll_extgrpc::{
    GrpcExpander,
    proto::expander::{
        BestOptionsRequest, BestOptionsResponse, Option as Choice,
        expander_server::{Expander, ExpanderServer},
    },
};
use plimsoll_manifest::scenario;
use plimsoll_model::{Alternative, PodName, Question, World};
use plimsoll_net::{Shutdown, listen};
use tokio::net::TcpListener;
use tonic::{Request, Response, Status, service::Routes};

use super::Service;

const WORLD: &str = "
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

/// Prefers the last one, and keeps the question.
#[derive(Clone, Debug, Default)]
struct Last(Arc<Mutex<Option<BestOptionsRequest>>>);

#[tonic::async_trait]
impl Expander for Last {
    async fn best_options(
        &self,
        request: Request<BestOptionsRequest>,
    ) -> Result<Response<BestOptionsResponse>, Status> {
        let request = request.into_inner();
        let best = request.options.last().map(|option| option.node_group_id.clone());
        *self.0.lock().unwrap() = Some(request);
        let node_group_id = best.ok_or_else(|| Status::invalid_argument("no options"))?;
        let options = vec![Choice { node_group_id, ..Choice::default() }];
        Ok(Response::new(BestOptionsResponse { options }))
    }
}

fn seen(world: &World) -> Seen {
    Seen {
        nodes: Vec::new(),
        groups: world.groups.clone(),
        pending: world.pods.clone(),
        pods: world.pods.len(),
        pod_uids: BTreeMap::new(),
        node_uids: BTreeMap::new(),
        unreadable: Vec::new(),
        used: BTreeMap::default(),
    }
}

#[tokio::test]
async fn the_service_is_told_of_pods_and_templates_and_its_choice_counts() {
    let last = Last::default();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let routes = Routes::new(ExpanderServer::new(last.clone())).prepare();
    tokio::spawn(async move {
        let never = Shutdown::new();
        listen::serve(listener, None, routes, &never, Duration::ZERO).await;
    });
    let world = scenario::read(WORLD).unwrap();
    let pods = vec![PodName { namespace: "shop".into(), name: "web".into() }];
    let alternative =
        |group: &str| Alternative { group: group.into(), nodes: 1, pods: pods.clone() };
    let question = Question { alternatives: vec![alternative("a"), alternative("b")] };
    let service = Service(GrpcExpander::new(&address, None).unwrap());
    assert_eq!(service.advise(&question, &seen(&world)).await, ["b".into()]);

    let asked = last.0.lock().unwrap().take().unwrap();
    assert_eq!(asked.options.len(), 2);
    assert_eq!(asked.options[0].node_group_id, "a");
    assert_eq!(asked.options[0].node_count, 1);
    assert_eq!(asked.options[0].pod.len(), 1);
    assert_eq!(asked.node_map.keys().collect::<Vec<_>>(), ["a", "b"]);
}
