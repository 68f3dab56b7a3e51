//! How hosts are asked: how long for an answer, how much at once, and what counts as one.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use http::{Method, Request, Response};
use plimsoll_model::Symbol;
use plimsoll_provider::{Class, Provider as _};
use plimsoll_providers::{
    rest::{Exchange, TimeLimit},
    slicer::{Config, emulator::Dialect},
};

use super::stage::{HOST, INI, Stage, buy, machines, order, pass, see};

/// A request: what it does, whether it is about a machine, and how long it is waited for.
type Asked = (Method, bool, Option<Duration>);

/// Watches what is asked of a host.
#[derive(Debug)]
struct Watching {
    inner: Arc<dyn Exchange>,
    limits: Arc<Mutex<Vec<Asked>>>,
    /// Machines that are being made, and how many there were at most.
    open: Arc<AtomicU32>,
    most: Arc<AtomicU32>,
}

#[async_trait]
impl Exchange for Watching {
    async fn exchange(&self, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
        let limit = request.extensions().get::<TimeLimit>().map(|limit| limit.0);
        let of_machine = request.uri().path().contains("/nodes");
        self.limits.lock().unwrap().push((request.method().clone(), of_machine, limit));
        if request.method() != Method::POST || !of_machine {
            return self.inner.exchange(request).await;
        }
        let open = self.open.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(open, Ordering::SeqCst);
        let answer = self.inner.exchange(request).await;
        self.open.fetch_sub(1, Ordering::SeqCst);
        answer
    }
}

/// How many machines were being made at once, at most, where two groups of a host get three each.
async fn most_at_once(ini: &str) -> u32 {
    let stage = Stage::new(&[("one.example", HOST)], ini);
    stage.host().set_latency(Duration::from_secs(1));
    let most = Arc::new(AtomicU32::new(0));
    let (told, open) = (Arc::clone(&most), Arc::new(AtomicU32::new(0)));
    let provider = stage.provider_through(move |inner| {
        let (open, most) = (Arc::clone(&open), Arc::clone(&most));
        Arc::new(Watching { inner, limits: Arc::default(), open, most })
    });
    let (one, other) =
        tokio::join!(buy(&provider, "o-1", "api", 3), buy(&provider, "o-2", "arm", 3));
    one.and(other).unwrap();
    assert_eq!(stage.host().machines().len(), 6);
    told.load(Ordering::SeqCst)
}

#[tokio::test(start_paused = true)]
async fn a_host_makes_one_machine_at_a_time_unless_the_file_says_more() {
    assert_eq!(most_at_once(INI).await, 1);
    let told = INI.replace("[global]", "[global]\nparallel-creations = 3");
    assert_eq!(most_at_once(&told).await, 3);
}

#[tokio::test(start_paused = true)]
async fn what_takes_long_has_more_time_than_what_does_not() {
    let stage = Stage::usual();
    let limits = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&limits);
    let provider = stage.provider_through(move |inner| {
        let limits = Arc::clone(&limits);
        Arc::new(Watching { inner, limits, open: Arc::default(), most: Arc::default() })
    });
    buy(&provider, "o-1", "api", 1).await.unwrap();
    provider.delete(Symbol::new("api"), &["slicer://api/api-1".into()]).await.unwrap();
    for (method, of_machine, limit) in told.lock().unwrap().iter() {
        match (method.as_str(), *of_machine) {
            // An image takes up to ninety seconds to be unpacked.
            ("POST", true) => assert!(limit.unwrap() > Duration::from_secs(90)),
            ("DELETE", true) => assert!(limit.unwrap() >= Duration::from_mins(1)),
            _ => assert_eq!(*limit, None, "{method}"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_deletion_that_fails_in_words_is_a_failure_whatever_its_status() {
    let stage = Stage::usual();
    let provider = stage.provider();
    buy(&provider, "o-1", "api", 2).await.unwrap();
    stage.host().keep_deleted(1);
    let ids = ["slicer://api/api-1".into()];
    let failed = provider.delete(Symbol::new("api"), &ids).await.unwrap_err();
    assert_eq!((failed.class(), failed.code()), (Class::Retry, "DeletionFailed"));
    assert!(failed.to_string().contains("the VM is busy"), "{failed}");
    assert_eq!(machines(&provider, "api").await, ["slicer://api/api-1", "slicer://api/api-2"]);
    // One of two is told for itself.
    stage.host().keep_deleted(1);
    let ids = ["slicer://api/api-1".into(), "slicer://api/api-2".into()];
    let deleted = provider.delete(Symbol::new("api"), &ids).await.unwrap();
    let failed = deleted.iter().filter(|deletion| deletion.outcome.is_err()).count();
    assert_eq!((failed, machines(&provider, "api").await.len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_host_that_takes_no_secrets_makes_machines_all_the_same() {
    let stage = Stage::usual();
    let provider = stage.provider();
    stage.host().set_dialect(Dialect { secrets: false, ..Dialect::default() });
    stage.host().put_secret("k3s-token", "k3s-token");
    assert_eq!(provider.increase(&order("o-1", "api", 2)).await, Ok(2));
    pass(60).await;
    assert_eq!(stage.nodes.count(), 2);
    // A host that is brought up to date is given the token again.
    stage.host().set_dialect(Dialect::default());
    stage.host().set_k3s_token("rotated");
    stage.write(&INI.replace("k3s-token = k3s-token", "k3s-token = rotated"));
    provider.refresh().await.unwrap();
    buy(&provider, "o-2", "api", 1).await.unwrap();
    pass(60).await;
    assert_eq!(stage.nodes.count(), 3);
}

#[tokio::test(start_paused = true)]
async fn gpus_are_told_with_their_label_and_types() {
    let named = INI.replace("[nodegroup \"gpu\"]", "[nodegroup \"gpu\"]\ngpu-type = rtx-4090");
    for (ini, kind) in [(INI, "nvidia"), (&*named, "rtx-4090")] {
        let stage = Stage::new(&[("one.example", HOST)], ini);
        let provider = stage.provider();
        let inventory = provider.refresh().await.unwrap();
        assert_eq!(&*inventory.gpu_label, "slicer/gpu");
        assert_eq!(inventory.gpu_types, [kind.into()]);
        buy(&provider, "o-1", "gpu", 1).await.unwrap();
        buy(&provider, "o-2", "api", 1).await.unwrap();
        pass(60).await;
        for node in stage.nodes.all() {
            let labels = &node["metadata"]["labels"];
            let expected = (labels["slicer/hostgroup"] == "gpu").then_some(kind);
            assert_eq!(labels["slicer/gpu"].as_str(), expected);
        }
    }
    let without = INI.split("[nodegroup \"gpu\"]").next().unwrap();
    let stage = Stage::new(&[("one.example", HOST)], without);
    let inventory = stage.provider().refresh().await.unwrap();
    assert!(inventory.gpu_label.is_empty() && inventory.gpu_types.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_minimum_that_is_not_in_the_file_is_0_and_the_file_is_remarked_on() {
    let stage = Stage::usual();
    assert_eq!(see(&stage.provider(), "api").await.group.min, 0);
    let remarks = Config::load(&stage.file()).unwrap().remarks;
    assert_eq!(remarks.len(), 3);
    assert!(remarks[0].contains("\"api\" has no min-size"), "{remarks:?}");
    stage.write(&INI.replace("[global]", "[global]\ndefault-min-size = 0"));
    assert_eq!(Config::load(&stage.file()).unwrap().remarks, [""; 0]);
    stage.write(&INI.replace("slicer-url", "min-size = 0\nslicer-url"));
    assert_eq!(Config::load(&stage.file()).unwrap().remarks, [""; 0]);
}
