//! Tokens that change while they are used.

use plimsoll_provider::{Class, Provider as _};

use super::stage::{INI, Stage, buy, pass, see};

#[tokio::test(start_paused = true)]
async fn the_clusters_token_is_in_a_secret_and_nowhere_else() {
    let stage = Stage::usual();
    let provider = stage.provider();
    assert_eq!(stage.host().secret("k3s-token"), None);
    buy(&provider, "o-1", "api", 1).await.unwrap();
    assert_eq!(stage.host().secret("k3s-token").as_deref(), Some("k3s-token"));
    // The name of the secret is the same as the token here, so another token shows what is in userdata.
    stage.write(&INI.replace("k3s-token = k3s-token", "k3s-token = K10-other-token"));
    buy(&stage.provider(), "o-2", "api", 1).await.unwrap();
    for machine in stage.host().machines() {
        assert!(!machine.userdata.contains("K10-other-token"), "{}", machine.userdata);
    }
}

#[tokio::test(start_paused = true)]
async fn a_rotated_token_of_the_cluster_reaches_new_machines() {
    let stage = Stage::usual();
    let provider = stage.provider();
    buy(&provider, "o-1", "api", 1).await.unwrap();
    pass(60).await;
    assert_eq!(stage.nodes.count(), 1);

    stage.host().set_k3s_token("rotated");
    buy(&provider, "o-2", "api", 1).await.unwrap();
    pass(60).await;
    assert_eq!(stage.nodes.count(), 1, "nobody joins with the old token");

    stage.write(&INI.replace("k3s-token = k3s-token", "k3s-token = rotated"));
    provider.refresh().await.unwrap();
    buy(&provider, "o-3", "api", 1).await.unwrap();
    assert_eq!(stage.host().secret("k3s-token").as_deref(), Some("rotated"));
    pass(60).await;
    assert_eq!(stage.nodes.count(), 2);

    // A restart finds a secret of whichever age, and does not trust it.
    stage.host().set_k3s_token("again");
    stage.write(&INI.replace("k3s-token = k3s-token", "k3s-token = again"));
    buy(&stage.provider(), "o-4", "api", 1).await.unwrap();
    pass(60).await;
    assert_eq!(stage.nodes.count(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_rotated_token_of_the_host_is_taken_from_the_file() {
    let stage = Stage::usual();
    let provider = stage.provider();
    buy(&provider, "o-1", "api", 1).await.unwrap();
    stage.host().set_token(Some("rotated"));
    let refused = provider.refresh().await.unwrap_err();
    assert_eq!(refused.class(), Class::Auth, "{refused}");
    // A file that is half written changes nothing.
    stage.write("[global]\nk3s-url");
    assert_eq!(provider.refresh().await.unwrap_err().class(), Class::Auth);
    stage.write(&INI.replace("host-token", "rotated"));
    assert_eq!(see(&provider, "api").await.group.target, 1);
}

#[tokio::test(start_paused = true)]
async fn bounds_are_taken_from_the_file_as_it_is() {
    let stage = Stage::usual();
    let provider = stage.provider();
    assert_eq!(see(&provider, "api").await.group.max, 8);
    stage.write(
        &INI.replace("[nodegroup \"arm\"]", "min-size = 1\nmax-size = 20\n[nodegroup \"arm\"]"),
    );
    let group = see(&provider, "api").await.group;
    assert_eq!((group.min, group.max), (1, 20));
}
