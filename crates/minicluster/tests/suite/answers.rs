//! What the server answers, where no recording says it.

use std::time::Duration;

use axum::body::Body;
use http::{Request, Response};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tokio::time::sleep;
use tower::ServiceExt as _;

use plimsoll_minicluster::{
    Api,
    api::WriteOptions,
    server::{Access, Anonymous, Authorization, Server, User},
};
use plimsoll_net::Clock;

const TOKEN: &str = "a-token";

fn server() -> Server {
    let mut access = Access::new(TOKEN.into(), Anonymous::Allowed);
    access.authorization = Authorization::Roles;
    Server::new(Api::new(Clock::system()), access)
}

async fn send(server: &Server, request: Request<Body>) -> Response<Body> {
    server.clone().oneshot(request).await.unwrap()
}

async fn post(server: &Server, path: &str, headers: &[(&str, &str)], body: &Value) -> (u16, Value) {
    let mut request = Request::post(path)
        .header("Authorization", format!("Bearer {TOKEN}"))
        .header("Content-Type", "application/json");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = send(server, request.body(Body::from(body.to_string())).unwrap()).await;
    let status = response.status().as_u16();
    let whole = response.into_body().collect().await.unwrap().to_bytes();
    (status, serde_json::from_slice(&whole).unwrap())
}

#[tokio::test]
async fn a_long_list_is_sent_in_pieces() {
    const COUNT: usize = 1000;
    const LARGEST: usize = 80 * 1024;
    let server = server().trusting(User::admin());
    let kind = server.api().kind("", "v1", "configmaps").unwrap();
    for index in 0..COUNT {
        let object = json!({ "metadata": { "name": format!("c{index}") }, "data": { "k": "v".repeat(1000) } });
        server.api().create(&kind, "default", object, &WriteOptions::default()).unwrap();
    }
    for accept in [
        "application/json",
        "application/json;as=Table;v=v1;g=meta.k8s.io",
        "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    ] {
        let request = Request::get("/api/v1/configmaps?fieldSelector=metadata.namespace%3Ddefault")
            .header("Accept", accept)
            .body(Body::empty())
            .unwrap();
        let mut body = send(&server, request).await.into_body();
        let mut whole = Vec::new();
        while let Some(frame) = body.frame().await {
            let piece = frame.unwrap().into_data().unwrap();
            assert!(piece.len() < LARGEST, "{} bytes in one piece", piece.len());
            whole.extend_from_slice(&piece);
        }
        let list: Value = serde_json::from_slice(&whole).unwrap();
        let items = list.get("items").or_else(|| list.get("rows")).unwrap();
        assert_eq!(items.as_array().unwrap().len(), COUNT);
    }
}

#[tokio::test]
async fn who_may_act_as_others_is_taken_for_them() {
    let server = server();
    let whoami = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    let (_, answer) = post(&server, whoami, &[("Impersonate-User", "jane")], &json!({})).await;
    let jane = json!({ "username": "jane", "groups": ["system:authenticated"] });
    assert_eq!(answer["status"]["userInfo"], jane);
    let account = [("Impersonate-User", "system:serviceaccount:default:robot")];
    let (_, answer) = post(&server, whoami, &account, &json!({})).await;
    assert_eq!(answer["status"]["userInfo"]["groups"][1], "system:serviceaccounts:default");
    let (status, answer) =
        post(&server, "/api/v1/namespaces/default/configmaps", &account, &json!({})).await;
    let refused = "configmaps is forbidden: User \"system:serviceaccount:default:robot\" cannot create resource \
                   \"configmaps\" in API group \"\" in the namespace \"default\"";
    assert_eq!((status, answer["message"].as_str()), (403, Some(refused)));
    // Who does not say who he is may not act as others.
    let request = Request::get("/api/v1/namespaces")
        .header("Impersonate-User", "jane")
        .body(Body::empty())
        .unwrap();
    assert_eq!(send(&server, request).await.status(), 403);
}

#[tokio::test]
async fn reviews_tell_what_roles_allow() {
    let server = server();
    let roles = "/apis/rbac.authorization.k8s.io/v1";
    let rules =
        json!([{ "apiGroups": ["apps"], "resources": ["*/scale"], "verbs": ["get", "update"] }]);
    let role = json!({ "metadata": { "name": "scaler" }, "rules": rules });
    post(&server, &format!("{roles}/clusterroles"), &[], &role).await;
    let binding = json!({
        "metadata": { "name": "scalers" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "scaler" },
        "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "ops" }],
    });
    post(&server, &format!("{roles}/clusterrolebindings"), &[], &binding).await;
    let may = async |user: &str, groups: &[&str], resource: &str, subresource: &str| {
        let wish = json!({
            "verb": "update", "group": "apps", "resource": resource, "subresource": subresource, "namespace": "x",
        });
        let spec = json!({ "user": user, "groups": groups, "resourceAttributes": wish });
        let path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
        post(&server, path, &[], &json!({ "spec": spec })).await.1["status"]["allowed"] == true
    };
    assert!(may("jane", &["ops"], "deployments", "scale").await);
    assert!(!may("jane", &["ops"], "deployments", "").await);
    assert!(!may("ops", &["dev"], "deployments", "scale").await);
    assert!(may("root", &["system:masters"], "anything", "").await);
    let path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
    let as_jane = [("Impersonate-User", "jane"), ("Impersonate-Group", "ops")];
    let (_, answer) = post(&server, path, &as_jane, &json!({ "spec": { "namespace": "x" } })).await;
    // After her own, what everybody may ask about himself.
    let told = &answer["status"]["resourceRules"];
    assert_eq!(told[0], rules[0]);
    assert_eq!(told[1]["resources"], json!(["selfsubjectreviews"]));
    assert_eq!(told.as_array().map(Vec::len), Some(3));
}

#[tokio::test(start_paused = true)]
async fn a_token_of_a_service_account_is_worth_something_until_it_expires() {
    let server = server();
    let accounts = "/api/v1/namespaces/default/serviceaccounts";
    post(&server, accounts, &[], &json!({ "metadata": { "name": "robot" } })).await;
    let ask = async |seconds: u64| {
        let request = json!({ "spec": { "expirationSeconds": seconds } });
        post(&server, &format!("{accounts}/robot/token"), &[], &request).await
    };
    let review = async |token: &Value| {
        let path = "/apis/authentication.k8s.io/v1/tokenreviews";
        post(&server, path, &[], &json!({ "spec": { "token": token } })).await.1["status"].clone()
    };
    assert_eq!(ask(599).await.0, 422);
    let (status, answer) = ask(600).await;
    assert_eq!(status, 201);
    let token = &answer["status"]["token"];
    let user = &review(token).await["user"];
    assert_eq!(user["username"], "system:serviceaccount:default:robot");
    sleep(Duration::from_secs(601)).await;
    assert_ne!(review(token).await["authenticated"], true);
}
