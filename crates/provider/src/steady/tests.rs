use std::{sync::Arc, sync::Mutex, time::Duration};

use tokio::time::Instant;

use super::{Call, Limits, Observer, Steady, bucket::Bucket};
use crate::{
    Class, Error, Provider as _,
    scripted::{Act, Scripted},
};

/// Without a rate limit in the way of the clock.
fn limits() -> Limits {
    Limits { rate: 1e9, ..Limits::default() }
}

fn away() -> Error {
    Error::retry("the service is away")
}

#[tokio::test(start_paused = true)]
async fn what_may_pass_is_tried_again_and_what_may_not_is_not() {
    let tries = |class: Class| async move {
        let service = Scripted::new("s", &[]);
        service.fail(2, &Error::new(class, "no"));
        let outcome = Steady::new(service.clone(), limits()).refresh().await;
        (service.calls().len(), outcome.is_ok())
    };
    assert_eq!(tries(Class::Retry).await, (3, true));
    for class in Class::ALL.into_iter().filter(|class| *class != Class::Retry) {
        assert_eq!(tries(class).await, (1, false), "{class}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_answer_is_what_the_caller_gets() {
    let service = Scripted::new("s", &[]);
    service.fail(3, &away());
    let outcome = Steady::new(service.clone(), limits()).refresh().await;
    assert_eq!(outcome.unwrap_err(), away());
    assert_eq!(service.calls().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn pauses_double_and_respect_what_the_service_asks_for() {
    let service = Scripted::new("s", &[]);
    let steady = Steady::new(service.clone(), Limits { attempts: 4, trip_after: 100, ..limits() });
    for _ in 0..50 {
        service.fail(3, &away());
        let begun = Instant::now();
        steady.refresh().await.unwrap();
        // 200, 400 and 800 ms, each between half and all of it.
        let took = begun.elapsed();
        assert!((700..=1400).contains(&took.as_millis()), "{took:?}");
    }
    service.fail(1, &away().with_retry_after(Duration::from_secs(90)));
    let begun = Instant::now();
    steady.refresh().await.unwrap();
    assert!(begun.elapsed() >= Duration::from_secs(90));
}

#[tokio::test(start_paused = true)]
async fn silence_has_an_end() {
    let service = Scripted::new("quiet", &[]);
    for _ in 0..3 {
        service.then(Act::Hang);
    }
    let error = Steady::new(service.clone(), limits()).refresh().await.unwrap_err();
    assert_eq!(error.class(), Class::Retry);
    assert_eq!(error.to_string(), "quiet did not answer refresh within 30 s");
}

#[tokio::test(start_paused = true)]
async fn who_fails_again_and_again_is_left_alone_and_then_tried_once() {
    let service = Scripted::new("s", &[]);
    let once = Limits { attempts: 1, ..limits() };
    let steady = Steady::new(service.clone(), once);
    service.fail(5, &away());
    for _ in 0..5 {
        steady.refresh().await.unwrap_err();
    }
    assert_eq!(service.calls().len(), 5);

    let refused = steady.refresh().await.unwrap_err();
    assert_eq!(refused.to_string(), "s is left alone after 5 failures: the service is away");
    assert_eq!(refused.class(), Class::Retry);
    assert!(service.calls().is_empty());

    // The rest is over: one call finds out that nothing is better, the next is refused again.
    tokio::time::advance(once.rest).await;
    service.fail(1, &away());
    steady.refresh().await.unwrap_err();
    steady.refresh().await.unwrap_err();
    assert_eq!(service.calls().len(), 1);

    tokio::time::advance(once.rest).await;
    steady.refresh().await.unwrap();
    steady.refresh().await.unwrap();
    assert_eq!(service.calls().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn only_one_tries_whether_the_service_is_back() {
    let service = Scripted::new("s", &[]);
    let once = Limits { attempts: 1, trip_after: 1, ..limits() };
    let steady = Arc::new(Steady::new(service.clone(), once));
    service.fail(1, &away());
    steady.refresh().await.unwrap_err();
    tokio::time::advance(once.rest).await;
    service.calls();

    let gate = Arc::new(tokio::sync::Notify::new());
    service.then(Act::Wait(gate.clone()));
    let probe = tokio::spawn({
        let steady = steady.clone();
        async move { steady.refresh().await.is_ok() }
    });
    tokio::task::yield_now().await;
    steady.refresh().await.unwrap_err();
    assert_eq!(service.calls(), ["refresh"]);
    gate.notify_one();
    assert!(probe.await.unwrap());
    steady.refresh().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn refusals_are_answers_and_do_not_trip_the_breaker() {
    let service = Scripted::new("s", &[]);
    let steady = Steady::new(service.clone(), Limits { trip_after: 2, ..limits() });
    for class in [Class::OutOfCapacity, Class::Quota, Class::NotFound, Class::Invalid] {
        service.fail(1, &Error::new(class, "no"));
        assert_eq!(steady.refresh().await.unwrap_err().class(), class);
    }
    steady.refresh().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn calls_keep_to_the_rate() {
    let service = Scripted::new("s", &[]);
    let steady = Steady::new(service, Limits { rate: 10.0, burst: 5, ..Limits::default() });
    let begun = Instant::now();
    for _ in 0..25 {
        steady.refresh().await.unwrap();
    }
    // Five at once, then ten a second.
    let took = begun.elapsed().as_secs_f64();
    assert!((2.0..2.1).contains(&took), "{took}");
}

#[tokio::test(start_paused = true)]
async fn a_bucket_fills_to_its_size_and_no_further() {
    let now = Instant::now();
    let mut bucket = Bucket::new(1.0, 3, now);
    let waits = |bucket: &mut Bucket, at: Instant| -> Vec<u64> {
        (0..5).map(|_| bucket.take(at).as_secs()).collect()
    };
    assert_eq!(waits(&mut bucket, now), [0, 0, 0, 1, 2]);
    assert_eq!(waits(&mut bucket, now + Duration::from_hours(1)), [0, 0, 0, 1, 2]);
    assert_eq!(Bucket::new(0.0, 0, now).take(now), Duration::ZERO);
}

#[derive(Debug, Default)]
struct Log(Mutex<Vec<String>>);

impl Observer for Log {
    fn observe(&self, call: &Call<'_>) {
        let Call { provider, method, outcome, attempts, .. } = call;
        self.0.lock().unwrap().push(format!("{provider} {method} {outcome:?} {attempts}"));
    }
}

#[tokio::test(start_paused = true)]
async fn every_call_is_told_once() {
    let service = Scripted::new("s", &[]);
    let log = Arc::new(Log::default());
    let limits = Limits { trip_after: 3, ..limits() };
    let steady = Steady::new(service.clone(), limits).observed_by(log.clone());
    service.fail(1, &away());
    steady.refresh().await.unwrap();
    service.fail(3, &away());
    steady.refresh().await.unwrap_err();
    steady.refresh().await.unwrap_err();
    let told = log.0.lock().unwrap().join("\n");
    assert_eq!(told, "s refresh Ok(()) 2\ns refresh Err(Retry) 3\ns refresh Err(Retry) 0");
}

/// Deletes a machine that is there.
async fn delete(steady: &Steady) -> Result<(), Error> {
    steady.delete("g".into(), &["i-1".into()]).await.map(drop)
}

#[tokio::test(start_paused = true)]
async fn a_deletion_is_tried_once_because_its_caller_looks_again_before_the_next() {
    let service = Scripted::new("s", &["g"]);
    let steady = Steady::new(service.clone(), limits());
    service.fail(1, &away());
    let begun = Instant::now();
    assert_eq!(delete(&steady).await, Err(away()));
    assert_eq!((service.calls().len(), begun.elapsed()), (1, Duration::ZERO));
    delete(&steady).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_deletion_does_not_wait_for_its_turn() {
    let service = Scripted::new("s", &["g"]);
    let steady = Steady::new(service.clone(), Limits { rate: 0.1, burst: 1, ..Limits::default() });
    delete(&steady).await.unwrap();
    service.calls();
    let begun = Instant::now();
    for _ in 0..20 {
        let refused = delete(&steady).await.unwrap_err();
        assert_eq!((refused.class(), refused.code()), (Class::Retry, "RateLimited"));
        assert_eq!(refused.retry_after(), Some(Duration::from_secs(10)), "no turn is taken");
    }
    assert_eq!((service.calls().len(), begun.elapsed()), (0, Duration::ZERO));
    tokio::time::advance(Duration::from_secs(10)).await;
    delete(&steady).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_this_process_held_back_is_neither_tried_again_nor_held_against_the_service() {
    let service = Scripted::new("s", &[]);
    let steady = Steady::new(service.clone(), Limits { trip_after: 2, ..limits() });
    for error in [Error::from(plimsoll_net::Lapsed), Error::unidentified()] {
        service.fail(3, &error);
        for _ in 0..3 {
            assert_eq!(steady.refresh().await.unwrap_err(), error);
        }
        assert_eq!(service.calls().len(), 3);
    }
    steady.refresh().await.unwrap();
}
