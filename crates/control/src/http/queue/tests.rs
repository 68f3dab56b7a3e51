use std::{sync::mpsc, thread};

use super::*;

#[tokio::test]
async fn work_is_done_on_another_thread() {
    let place = Queue::default().enter().unwrap();
    let at_work = place.compute(|| thread::current().id()).await.unwrap();
    assert_ne!(at_work, thread::current().id());
}

#[tokio::test]
async fn a_caller_that_leaves_keeps_its_place_until_its_work_has_ended() {
    let queue = Queue::default();
    let (begun, has_begun) = mpsc::channel();
    let (end, ended) = mpsc::channel::<()>();
    let place = queue.enter().unwrap();
    let caller = tokio::spawn(async move {
        let work = move || {
            begun.send(()).unwrap();
            // Ends when the other side is dropped.
            let _ = ended.recv();
        };
        let _ = place.compute(work).await;
    });
    spawn_blocking(move || has_begun.recv().unwrap()).await.unwrap();
    caller.abort();
    assert!(caller.await.unwrap_err().is_cancelled());
    assert_eq!(queue.places.available_permits(), PLACES - 1);
    assert_eq!(queue.turns.available_permits(), AT_WORK - 1);
    drop(end);
    let all = u32::try_from(PLACES).unwrap();
    drop(queue.places.acquire_many(all).await.unwrap());
    assert_eq!(queue.turns.available_permits(), AT_WORK);
}

#[tokio::test]
async fn work_that_fails_is_an_error_and_frees_its_place() {
    let queue = Queue::default();
    let place = queue.enter().unwrap();
    let failed = place.compute(|| assert_eq!(1, 2, "as intended")).await;
    assert_eq!(failed.unwrap_err().code, StatusCode::INTERNAL_SERVER_ERROR);
    drop(place);
    assert_eq!(queue.places.available_permits(), PLACES);
    assert_eq!(queue.turns.available_permits(), AT_WORK);
}
