//! A cluster for one recording: with everything that the recording needs, and nothing that it must not have.

use plimsoll_minicluster::{
    Api,
    api::{WatchEvent, WatchQuery, WriteOptions},
    server::{Access, Anonymous, Authorization, Server},
};
use plimsoll_net::Clock;
use serde_json::json;

use super::exchange::Client;

const TOKEN: &str = "admin-token-of-the-recordings";

/// Starts a cluster in the current runtime. It ends with the runtime.
pub(crate) fn start(needs: &[String]) -> Client {
    let needs = |need: &str| needs.iter().any(|other| other == need);
    let anonymous = if needs("anonymous-off") { Anonymous::Refused } else { Anonymous::Allowed };
    let api = Api::new(Clock::system());
    if needs("history-trimmed") {
        api.compact(api.revision());
    }
    if needs("fast-compaction") {
        let api = api.clone();
        tokio::spawn(compact_often(api));
    }
    tokio::spawn(give_service_accounts(api.clone()));
    let mut access = Access::new(TOKEN.into(), anonymous);
    access.authorization = Authorization::Roles;
    let server = Server::new(api, access);
    Client { server, token: TOKEN.to_owned() }
}

/// Forgets history as a real server with `--etcd-compaction-interval=5s` does.
async fn compact_often(api: Api) {
    loop {
        let revision = api.revision();
        tokio::time::sleep(std::time::Duration::from_secs(5)).await;
        api.compact(revision);
    }
}

/// Gives each namespace the service account that pods run as, as a controller of the real cluster does.
async fn give_service_accounts(api: Api) {
    let namespaces = api.kind("", "v1", "namespaces").unwrap();
    let accounts = api.kind("", "v1", "serviceaccounts").unwrap();
    let mut watch = api.watch(&namespaces, &WatchQuery::default()).unwrap();
    while let Some(event) = watch.next().await {
        if let WatchEvent::Added(namespace) = event {
            let account = json!({ "metadata": { "name": "default" } });
            let options = WriteOptions::manager("controllers");
            // It may be there already, and the namespace may be gone again.
            let _ = api.create(&accounts, &namespace.key.name, account, &options);
        }
    }
}
