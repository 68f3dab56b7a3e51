//! A host that is away for ten minutes, through everything that stands around a provider.

use std::{sync::Arc, time::Duration};

use plimsoll_model::{GroupOptions, Symbol};
use plimsoll_net::Shutdown;
use plimsoll_provider::{Class, Fleet, Limits, Provider, Steady, Upkeep};
use plimsoll_providers::slicer::emulator::Reach;

use super::stage::{Stage, order, pass};

#[tokio::test(start_paused = true)]
async fn while_the_host_is_away_for_ten_minutes_nothing_is_lost_and_nothing_bought_twice() {
    let stage = Stage::usual();
    let steady = Steady::new(Arc::new(stage.provider()), Limits::default());
    let fleet = Fleet::new(vec![Arc::new(steady)], stage.clock, Upkeep::default()).unwrap();
    let fleet = Arc::new(fleet);
    let running = Arc::clone(&fleet);
    tokio::spawn(async move { running.run(&Shutdown::new()).await });
    fleet.refresh().await.unwrap();
    fleet.increase(&order("o-1", "api", 3)).await.unwrap();
    pass(60).await;
    let api = || {
        let inventory = fleet.inventory(&GroupOptions::default());
        inventory.group(Symbol::new("api")).unwrap().group.clone()
    };
    assert_eq!((api().target, api().frozen), (3, None));

    stage.host().set_reach(Reach::Down);
    for minute in 1..=10 {
        pass(60).await;
        let group = api();
        assert_eq!((group.target, group.instances.len()), (3, 3), "minute {minute}");
        assert!(group.frozen.is_some(), "minute {minute}");
        let failed = fleet.increase(&order("o-2", "api", 2)).await.unwrap_err();
        assert_eq!(failed.class(), Class::Retry, "minute {minute}: {failed}");
    }

    stage.host().set_reach(Reach::Up);
    pass(60).await;
    assert_eq!((api().target, api().frozen), (3, None));
    fleet.increase(&order("o-2", "api", 2)).await.unwrap();
    tokio::time::timeout(Duration::from_secs(5), fleet.refresh()).await.unwrap().unwrap();
    assert_eq!(api().target, 5);
    assert_eq!(stage.host().machines().len(), 5);
}
