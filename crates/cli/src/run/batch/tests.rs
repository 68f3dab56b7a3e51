//! Deletions that wait for each other.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use plimsoll_model::Symbol;
use plimsoll_provider::{
    Capabilities, Deletion, Error, Inventory, NodeIdentity, Order, Provider, Whose,
};

use super::Batched;

/// Writes down what it is asked to delete, and knows no machine called `ghost`.
#[derive(Debug, Default)]
struct Written(Mutex<Vec<String>>);

#[async_trait]
impl Provider for Written {
    fn name(&self) -> &'static str {
        "written"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    async fn refresh(&self) -> Result<Inventory, Error> {
        Ok(Inventory::default())
    }

    async fn increase(&self, order: &Order) -> Result<u32, Error> {
        Ok(order.count)
    }

    async fn lower_target(&self, _: Symbol, target: u32) -> Result<u32, Error> {
        Ok(target)
    }

    async fn delete(&self, group: Symbol, instances: &[Box<str>]) -> Result<Vec<Deletion>, Error> {
        self.0.lock().unwrap().push(format!("{group}: {}", instances.join(" ")));
        let delete = |instance: &str| Deletion {
            instance: instance.into(),
            outcome: match instance {
                "ghost" => Err(Error::not_found("there is no ghost")),
                _ => Ok(()),
            },
        };
        Ok(instances.iter().map(|instance| delete(instance)).collect())
    }

    async fn owner(&self, _: &NodeIdentity) -> Result<Whose, Error> {
        Ok(Whose::Nobodys)
    }
}

async fn delete(batched: &Batched, group: &str, instance: &str) -> Result<(), Error> {
    let answers = batched.delete(group.into(), &[instance.into()]).await?;
    assert_eq!(answers.len(), 1);
    answers.into_iter().next().unwrap().outcome
}

#[tokio::test(start_paused = true)]
async fn deletions_within_the_interval_are_asked_for_at_once() {
    let written = Arc::new(Written::default());
    let batched = Batched::new(Arc::clone(&written) as Arc<dyn Provider>, Duration::from_secs(5));
    let second = async {
        tokio::time::sleep(Duration::from_secs(4)).await;
        delete(&batched, "a", "two").await
    };
    let late = async {
        tokio::time::sleep(Duration::from_secs(6)).await;
        delete(&batched, "a", "three").await
    };
    let answers = tokio::join!(
        delete(&batched, "a", "one"),
        second,
        late,
        delete(&batched, "b", "other"),
        delete(&batched, "b", "ghost"),
    );
    assert!(answers.0.is_ok() && answers.1.is_ok() && answers.2.is_ok() && answers.3.is_ok());
    assert!(answers.4.is_err(), "everybody gets their own answer");
    assert_eq!(*written.0.lock().unwrap(), ["a: one two", "b: other ghost", "a: three"]);
}

#[tokio::test(start_paused = true)]
async fn who_stops_waiting_leaves_the_others_their_answer() {
    let written = Arc::new(Written::default());
    let batched = Batched::new(Arc::clone(&written) as Arc<dyn Provider>, Duration::from_secs(5));
    let impatient = tokio::time::timeout(Duration::from_secs(1), delete(&batched, "a", "one"));
    let (gone, stays) = tokio::join!(impatient, delete(&batched, "a", "two"));
    assert!(gone.is_err());
    assert!(stays.is_ok());
    assert_eq!(*written.0.lock().unwrap(), ["a: one two"]);
}
