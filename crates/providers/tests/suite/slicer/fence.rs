//! A process that is not the leader any more changes nothing, whatever it was in the middle of.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use async_trait::async_trait;
use bytes::Bytes;
use http::{Method, Request, Response};
use jiff::Timestamp;
use plimsoll_model::Symbol;
use plimsoll_net::{Clock, Fence};
use plimsoll_provider::{Class, Home, Provider as _};
use plimsoll_providers::rest::Exchange;

use super::stage::{Stage, buy, machines, order, see};

/// Closes the fence with the request of this number that changes something about machines.
#[derive(Debug)]
struct Lapsing {
    inner: Arc<dyn Exchange>,
    fence: Fence,
    left: Arc<AtomicU32>,
    /// Requests that were sent after that.
    late: Arc<AtomicU32>,
}

#[async_trait]
impl Exchange for Lapsing {
    async fn exchange(&self, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
        if request.method() != Method::GET {
            if self.fence.check().is_err() {
                self.late.fetch_add(1, Ordering::SeqCst);
            }
            let is_machine = request.uri().path().contains("/nodes");
            if is_machine && self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
                self.fence.close();
            }
        }
        self.inner.exchange(request).await
    }
}

/// A fence that holds for an hour.
fn leading(clock: Clock) -> Fence {
    let fence = Fence::closed(clock);
    fence.extend(clock.now(), std::time::Duration::from_hours(1));
    fence
}

/// Hosts, and a provider whose fence closes with the request of this number.
fn lapsing_after(
    stage: &mut Stage,
    requests: u32,
) -> (plimsoll_providers::slicer::Slicer, Arc<AtomicU32>) {
    let fence = leading(stage.clock);
    stage.home = Home { fence: fence.clone(), ..Home::alone(stage.clock) };
    let (left, late) = (Arc::new(AtomicU32::new(requests)), Arc::new(AtomicU32::new(0)));
    let told = Arc::clone(&late);
    let provider = stage.provider_through(move |inner| {
        let (fence, left, late) = (fence.clone(), Arc::clone(&left), Arc::clone(&late));
        Arc::new(Lapsing { inner, fence, left, late })
    });
    stage.home = Home::alone(stage.clock);
    (provider, told)
}

#[tokio::test(start_paused = true)]
async fn no_machine_is_made_after_leadership_was_lost_in_the_middle_of_an_order() {
    for begun in 1..5 {
        let mut stage = Stage::usual();
        let (provider, late) = lapsing_after(&mut stage, begun);
        let error = provider.increase(&order("o-1", "api", 5)).await.unwrap_err();
        assert_eq!((error.class(), error.code()), (Class::Retry, "NotLeader"), "{error}");
        assert_eq!(stage.host().machines().len(), usize::try_from(begun).unwrap());
        // Asked again and again it does nothing.
        buy(&provider, "o-1", "api", 5).await.unwrap_err();
        buy(&provider, "o-2", "api", 1).await.unwrap_err();
        assert_eq!(late.load(Ordering::SeqCst), 0);
        assert_eq!(stage.host().machines().len(), usize::try_from(begun).unwrap());
        assert_eq!(see(&provider, "api").await.group.frozen, None, "it may look");
        // Who leads now goes on with the order.
        let next = stage.provider();
        assert_eq!(next.increase(&order("o-1", "api", 5)).await, Ok(5));
        assert_eq!(stage.host().machines().len(), 5);
    }
}

#[tokio::test(start_paused = true)]
async fn no_machine_is_deleted_after_leadership_was_lost_in_the_middle_of_a_deletion() {
    let mut stage = Stage::usual();
    buy(&stage.provider(), "o-1", "api", 5).await.unwrap();
    let (provider, late) = lapsing_after(&mut stage, 2);
    let ids: Vec<Box<str>> = (1..=5).map(|n| format!("slicer://api/api-{n}").into()).collect();
    let answers = provider.delete(Symbol::new("api"), &ids).await.unwrap();
    let done = answers.iter().filter(|answer| answer.outcome.is_ok()).count();
    assert_eq!((done, late.load(Ordering::SeqCst)), (2, 0));
    let stopped = answers.iter().filter_map(|answer| answer.outcome.as_ref().err());
    assert!(stopped.clone().all(|error| error.code() == "NotLeader"), "{answers:?}");
    assert_eq!(machines(&stage.provider(), "api").await.len(), 3);
    let all = provider.delete(Symbol::new("api"), &ids).await.unwrap();
    assert!(all.iter().all(|answer| answer.outcome.is_err()), "{all:?}");
    assert_eq!(machines(&stage.provider(), "api").await.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_fence_that_lapses_by_itself_stops_the_provider() {
    let mut stage = Stage::usual();
    let fence = Fence::closed(stage.clock);
    stage.home = Home { fence: fence.clone(), ..Home::alone(stage.clock) };
    let provider = stage.provider();
    buy(&provider, "o-1", "api", 1).await.unwrap_err();
    let before: Timestamp = stage.clock.now();
    fence.extend(before, std::time::Duration::from_secs(10));
    buy(&provider, "o-1", "api", 1).await.unwrap();
    // As a process that was stopped and goes on later.
    super::stage::pass(10).await;
    buy(&provider, "o-2", "api", 1).await.unwrap_err();
    assert_eq!(machines(&provider, "api").await, ["slicer://api/api-1"]);
    assert_eq!(stage.host().secret("k3s-token").as_deref(), Some("k3s-token"));
}
