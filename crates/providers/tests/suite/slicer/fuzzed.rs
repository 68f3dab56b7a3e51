//! Replies that were damaged on their way: an error, or what was sent, and never fewer machines.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use plimsoll_model::Symbol;
use plimsoll_provider::{Class, Provider as _};
use plimsoll_providers::rest::Exchange;
use proptest::prelude::*;

use super::stage::{Stage, buy, order};

/// What is done to the bytes of a reply.
#[derive(Clone, Debug)]
enum Damage {
    /// It ends here.
    Cut(prop::sample::Index),
    /// A byte is another one.
    Replace(prop::sample::Index, u8),
    /// A byte more.
    Insert(prop::sample::Index, u8),
    /// It is something else altogether.
    Instead(&'static str),
}

/// Damages replies while it is told to.
#[derive(Debug)]
struct Damaging {
    inner: Arc<dyn Exchange>,
    damage: Arc<Mutex<Option<Damage>>>,
}

#[async_trait]
impl Exchange for Damaging {
    async fn exchange(&self, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
        let response = self.inner.exchange(request).await?;
        let damage = self.damage.lock().unwrap().clone();
        Ok(response.map(|body| damage.map_or_else(|| body.clone(), |damage| damage.apply(&body))))
    }
}

impl Damage {
    fn apply(&self, body: &[u8]) -> Bytes {
        let mut bytes = body.to_vec();
        match self {
            Self::Cut(place) => bytes.truncate(place.index(body.len().max(1))),
            Self::Replace(place, with) if !body.is_empty() => {
                bytes[place.index(body.len())] = *with;
            }
            Self::Insert(place, with) => bytes.insert(place.index(body.len() + 1), *with),
            Self::Instead(text) => bytes = text.as_bytes().to_vec(),
            Self::Replace(..) => {}
        }
        bytes.into()
    }
}

fn damages() -> impl Strategy<Value = Damage> {
    let place = any::<prop::sample::Index>;
    let byte = || prop_oneof![any::<u8>(), prop::sample::select(br#"[]{}",:\ 019ntf"#.to_vec())];
    prop_oneof![
        place().prop_map(Damage::Cut),
        (place(), byte()).prop_map(|(place, byte)| Damage::Replace(place, byte)),
        (place(), byte()).prop_map(|(place, byte)| Damage::Insert(place, byte)),
        prop::sample::select(vec!["", "{}", "[", "0", "\"\"", "[null]", "[{}]", "<html>", "[[]]"])
            .prop_map(Damage::Instead),
    ]
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_reply_hides_no_machine(damage in damages()) {
        runtime().block_on(async {
            let stage = Stage::usual();
            let between = Arc::new(Mutex::new(None));
            let shared = Arc::clone(&between);
            let provider = stage.provider_through(move |inner| {
                Arc::new(Damaging { inner, damage: Arc::clone(&shared) })
            });
            buy(&provider, "o-1", "api", 3).await.unwrap();
            buy(&provider, "o-2", "gpu", 2).await.unwrap();
            *between.lock().unwrap() = Some(damage);
            match provider.refresh().await {
                Err(error) => prop_assert!(
                    matches!(error.class(), Class::Retry | Class::Bug), "{}", error
                ),
                Ok(inventory) => {
                    // A name that changed by a letter is another machine, or nobody's; but a list is as long as it was, or its
                    // group is left alone.
                    for (name, count) in [("api", 3), ("gpu", 2)] {
                        let group = &inventory.group(Symbol::new(name)).unwrap().group;
                        prop_assert!(
                            group.frozen.is_some() || group.instances.len() + 1 >= count,
                            "{} has {} machines", name, group.instances.len()
                        );
                    }
                }
            }
            // Whatever calls make of it, they end.
            let _ = provider.increase(&order("o-3", "api", 1)).await;
            let _ = provider.lower_target(Symbol::new("api"), 0).await;
            let _ = provider.delete(Symbol::new("api"), &["slicer://api/api-9".into()]).await;
            prop_assert!(stage.host().machines().len() >= 5);
            Ok(())
        })?;
    }

    #[test]
    fn a_reply_that_was_cut_is_never_an_answer(place in any::<prop::sample::Index>()) {
        runtime().block_on(async {
            let stage = Stage::usual();
            let between = Arc::new(Mutex::new(None));
            let shared = Arc::clone(&between);
            let provider = stage.provider_through(move |inner| {
                Arc::new(Damaging { inner, damage: Arc::clone(&shared) })
            });
            buy(&provider, "o-1", "api", 3).await.unwrap();
            *between.lock().unwrap() = Some(Damage::Cut(place));
            prop_assert!(provider.refresh().await.is_err());
            Ok(())
        })?;
    }
}
