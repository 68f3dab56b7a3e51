//! A cluster for one recording: with everything that the recording needs, and nothing that it must not have.

use plimsoll_minicluster::{
    Api,
    controllers::{self, Controller},
    scheduler,
    server::{Access, Anonymous, Authorization, Server},
};
use plimsoll_net::{Clock, Shutdown};

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
    if needs("controllers") {
        controllers::start(&api, &Shutdown::new());
    } else if !needs("no-controllers") {
        controllers::start_some(&api, &[Controller::ServiceAccount], &Shutdown::new());
    }
    if needs("scheduler") {
        scheduler::start(&api, &Shutdown::new());
    }
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
