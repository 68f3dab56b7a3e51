//! Machines: made once, known again, and told as they are.

use expect_test::expect;
use http::Method;
use jiff::SignedDuration;
use plimsoll_model::{Quantity, Symbol, resource};
use plimsoll_provider::{Class, Provider as _, Whose};
use plimsoll_providers::{
    rest::{Ask, Endpoint, Local, Rest},
    slicer::emulator::{Dialect, Fate},
};

use super::stage::{INI, Stage, buy, identity, machines, order, pass, see};

#[tokio::test(start_paused = true)]
async fn a_machine_carries_its_cluster_and_order_and_is_known_by_them_after_a_crash() {
    let stage = Stage::usual();
    stage.host().lose_replies(3);
    assert_eq!(buy(&stage.provider(), "o-1", "api", 3).await.unwrap_err().class(), Class::Retry);
    let after = stage.provider();
    for _ in 0..4 {
        let _ = buy(&after, "o-1", "api", 3).await;
    }
    let made = stage.host().machines();
    let tags: Vec<_> = made.iter().map(|machine| machine.tags.join(" ")).collect();
    assert_eq!(tags, ["plimsoll-cluster=k3s.example plimsoll-order=o-1 plimsoll-order-size=3"; 3]);
    // Placed once more after yet another crash, nothing happens.
    buy(&stage.provider(), "o-1", "api", 3).await.unwrap();
    assert_eq!(stage.host().machines().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn what_was_made_twice_is_given_back() {
    let stage = Stage::usual();
    stage.host().set_latency(std::time::Duration::from_millis(50));
    // Two that do not know of each other, as when one was thought to be dead.
    let (one, other) = (stage.provider(), stage.provider());
    let (first, second) = tokio::join!(buy(&one, "o-1", "api", 3), buy(&other, "o-1", "api", 3));
    first.and(second).unwrap();
    let names: Vec<_> =
        stage.host().machines().into_iter().map(|machine| machine.hostname).collect();
    assert_eq!(names.iter().map(|name| &**name).collect::<Vec<_>>(), ["api-1", "api-2", "api-3"]);
}

#[tokio::test(start_paused = true)]
async fn what_could_be_had_of_an_order_is_kept() {
    let stage = Stage::usual();
    let provider = stage.provider();
    stage.host().set_trial_left(2);
    // Asked again it says the same, and makes no more of what may be had by then.
    for left in [2, 3] {
        stage.host().set_trial_left(left);
        assert_eq!(provider.increase(&order("o-1", "api", 5)).await, Ok(2));
        assert_eq!(see(&provider, "api").await.group.target, 2);
    }
    stage.host().set_trial_left(0);
    let nothing = buy(&provider, "o-2", "api", 1).await.unwrap_err();
    assert_eq!(nothing.class(), Class::Quota, "{nothing}");
    assert_eq!(see(&provider, "api").await.group.target, 2);
}

#[tokio::test(start_paused = true)]
async fn nodes_are_known_by_their_labels_whatever_their_name() {
    let stage = Stage::usual();
    let provider = stage.provider();
    buy(&provider, "o-1", "api", 2).await.unwrap();
    pass(60).await;
    provider.refresh().await.unwrap();
    let nodes = stage.nodes.all();
    assert_eq!(nodes.len(), 2);
    for node in nodes {
        let mut node = identity(&node);
        let id = node.provider_id.clone();
        assert!(node.name.starts_with("api-") && node.name.len() == "api-1-01234567".len());
        let by_id = provider.owner(&node).await.unwrap().machine().unwrap();
        assert_eq!(by_id.instance.as_deref(), Some(&*id));
        // As a k3s node is that was made by upstream's provider.
        node.provider_id = format!("k3s://{}", node.name);
        assert_eq!(provider.owner(&node).await.unwrap(), Whose::Machine(by_id));
        node.labels.insert("slicer/hostname".to_owned(), "api-9".to_owned());
        let Whose::Gone(owner) = provider.owner(&node).await.unwrap() else {
            panic!("a machine that the host does not have is gone");
        };
        assert_eq!(owner.instance.as_deref(), Some("slicer://api/api-9"));
        node.labels.insert("slicer/hostgroup".to_owned(), "unheard-of".to_owned());
        assert_eq!(provider.owner(&node).await.unwrap(), Whose::Nobodys);
    }
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_ends_by_itself_is_noticed() {
    let ephemeral = INI.replace("[nodegroup \"arm\"]", "persistent = no\n[nodegroup \"arm\"]");
    let stage = Stage::new(&[("one.example", super::stage::HOST)], &ephemeral);
    let provider = stage.provider();
    buy(&provider, "o-1", "api", 2).await.unwrap();
    buy(&provider, "o-2", "arm", 2).await.unwrap();
    pass(30).await;
    assert_eq!(stage.nodes.count(), 4);
    assert!(stage.host().end("api-1") && stage.host().end("arm-1"));
    assert_eq!(machines(&provider, "api").await, ["slicer://api/api-2"]);
    // One whose disk is kept is there, and will not come back by itself.
    assert_eq!(
        machines(&provider, "arm").await,
        ["slicer://arm/arm-1 Stopped", "slicer://arm/arm-2"]
    );
    pass(1).await;
    assert_eq!(stage.nodes.count(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_is_paused_is_there() {
    let stage = Stage::usual();
    let provider = stage.provider();
    buy(&provider, "o-1", "api", 2).await.unwrap();
    let exchange = std::sync::Arc::new(Local::new(stage.host().router()));
    let rest = Rest::new(exchange, Endpoint::parse("https://one.example").unwrap(), "test");
    let rest = rest.with_token("host-token".into());
    let reply = rest.send(Ask::new(Method::POST, ["vm", "api-1", "pause"])).await.unwrap();
    assert_eq!(reply.status().as_u16(), 200);
    assert_eq!(machines(&provider, "api").await, ["slicer://api/api-1", "slicer://api/api-2"]);
    assert_eq!(see(&provider, "api").await.group.target, 2);
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_never_joins_is_told_with_its_age_by_our_clock() {
    let stage = Stage::usual();
    let provider = stage.provider();
    stage.host().set_fates("api", &[Fate::NeverJoins]);
    // The host's clock is three days behind, and still nobody thinks that its machines are three days old.
    stage.host().set_clock_skew(SignedDuration::from_hours(-72));
    let ordered = stage.clock.now();
    buy(&provider, "o-1", "api", 2).await.unwrap();
    pass(600).await;
    assert_eq!(stage.nodes.count(), 1);
    for instance in see(&provider, "api").await.group.instances {
        let off = instance.created.unwrap().duration_since(ordered).abs();
        assert!(off < SignedDuration::from_secs(5), "{off}");
    }
    stage.host().set_clock_skew(SignedDuration::from_hours(72));
    for instance in see(&provider, "api").await.group.instances {
        assert!(instance.created.unwrap() <= stage.clock.now());
    }
}

#[tokio::test(start_paused = true)]
async fn templates_are_what_the_nodes_will_be() {
    let ini = INI.replace(
        "[nodegroup \"arm\"]",
        "label = pool=web\nlabel = team\ntaint = a=b:NoSchedule\ntaint = c:NoExecute\nk3s-arg = --kubelet-arg=max-pods=50\nk3s-arg = --kubelet-arg=kube-reserved=memory=256Mi\nstorage-size = 25G\n[nodegroup \"arm\"]",
    );
    let stage = Stage::new(&[("one.example", super::stage::HOST)], &ini);
    let provider = stage.provider();
    let shown = |state: &plimsoll_provider::GroupState| {
        let node = state.group.template.clone().unwrap();
        let labels: Vec<_> =
            node.labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let taints: Vec<_> = node.taints.iter().map(ToString::to_string).collect();
        let amount = |name| node.allocatable.get(Symbol::new(name));
        format!(
            "{} cpu={} memory={} storage={} pods={} gpu={}\n  {}\n  {}\n",
            node.name,
            amount(resource::CPU),
            amount(resource::MEMORY),
            amount(resource::EPHEMERAL_STORAGE),
            amount(resource::PODS),
            amount("nvidia.com/gpu"),
            labels.join(" "),
            taints.join(" ")
        )
    };
    let told: String = provider.refresh().await.unwrap().groups.iter().map(shown).collect();
    expect![[r"
        api cpu=2000 memory=3701557167 storage=21600000000 pods=50 gpu=0
          beta.kubernetes.io/arch=amd64 beta.kubernetes.io/instance-type=k3s beta.kubernetes.io/os=linux k3sup.dev/node-type=agent kubernetes.io/arch=amd64 kubernetes.io/os=linux node.kubernetes.io/instance-type=k3s pool=web slicer/hostgroup=api team=
          a=b:NoSchedule c:NoExecute
        arm cpu=4000 memory=8179060573 storage=9277129360 pods=110 gpu=0
          beta.kubernetes.io/arch=arm64 beta.kubernetes.io/instance-type=k3s beta.kubernetes.io/os=linux k3sup.dev/node-type=agent kubernetes.io/arch=arm64 kubernetes.io/os=linux node.kubernetes.io/instance-type=k3s slicer/hostgroup=arm
          
        gpu cpu=8000 memory=33433468273 storage=9277129360 pods=110 gpu=2
          beta.kubernetes.io/arch=amd64 beta.kubernetes.io/instance-type=k3s beta.kubernetes.io/os=linux k3sup.dev/node-type=agent kubernetes.io/arch=amd64 kubernetes.io/os=linux node.kubernetes.io/instance-type=k3s slicer/gpu=nvidia slicer/hostgroup=gpu
          
    "]]
    .assert_eq(&told);

    // And they are that.
    buy(&provider, "o-1", "api", 1).await.unwrap();
    pass(60).await;
    let node = stage.nodes.all().remove(0);
    let template = see(&provider, "api").await.group.template.unwrap();
    for (key, value) in template.labels.iter() {
        assert_eq!(node["metadata"]["labels"][key.as_str()], value.as_str(), "{key}");
    }
    assert_eq!(node["spec"]["taints"].as_array().unwrap().len(), 2);
    assert_eq!(node["status"]["allocatable"]["pods"], "50");
}

#[tokio::test(start_paused = true)]
async fn no_more_is_promised_than_a_kubelet_reports() {
    let reserving = INI.replace(
        "[nodegroup \"arm\"]",
        "k3s-arg = --kubelet-arg=kube-reserved=memory=512Mi\nstorage-size = 25G\n[nodegroup \"arm\"]",
    );
    let stage = Stage::new(&[("one.example", super::stage::HOST)], &reserving);
    let provider = stage.provider();
    for group in ["api", "arm", "gpu"] {
        buy(&provider, &format!("o-{group}"), group, 1).await.unwrap();
    }
    pass(60).await;
    for node in stage.nodes.all() {
        let group = node["metadata"]["labels"]["slicer/hostgroup"].as_str().unwrap();
        let template = see(&provider, group).await.group.template.unwrap();
        for (kind, promised) in
            [("allocatable", &template.allocatable), ("capacity", &template.capacity)]
        {
            for (name, amount) in promised.iter() {
                let told = node["status"][kind][name.as_str()].as_str().unwrap();
                let told = Quantity::parse(told).unwrap();
                let told = if name.as_str() == resource::CPU { told.milli() } else { told.value() };
                assert!(amount <= told.unwrap(), "{group}: {kind} {name}: {amount}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn all_releases_of_the_service_are_understood() {
    let dialects = [
        Dialect { ram_in_gb: true, ..Dialect::default() },
        Dialect { sparse: true, ..Dialect::default() },
        Dialect { created: false, ..Dialect::default() },
        Dialect { null_lists: true, ..Dialect::default() },
    ];
    for dialect in dialects {
        let stage = Stage::usual();
        let provider = stage.provider();
        stage.host().set_dialect(dialect);
        assert_eq!(machines(&provider, "api").await, [""; 0], "{dialect:?}");
        buy(&provider, "o-1", "api", 2).await.unwrap();
        let group = see(&provider, "api").await.group;
        assert_eq!(group.target, 2, "{dialect:?}");
        let memory = group.template.unwrap().allocatable.get(Symbol::new(resource::MEMORY));
        assert_eq!(memory, 3_969_992_623, "{dialect:?}");
        assert!(group.instances.iter().all(|instance| instance.created.is_some()));
        assert!(stage.host().end("api-1"));
        assert_eq!(
            machines(&provider, "api").await,
            ["slicer://api/api-1 Stopped", "slicer://api/api-2"],
            "{dialect:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_deletion_that_had_to_wait_too_long_is_not_done_later() {
    let stage = Stage::usual();
    let provider = std::sync::Arc::new(stage.provider());
    buy(&provider, "o-1", "api", 1).await.unwrap();
    stage.host().set_latency(std::time::Duration::from_secs(10));
    let ordering = tokio::spawn({
        let provider = std::sync::Arc::clone(&provider);
        async move { buy(&provider, "o-2", "api", 2).await }
    });
    pass(1).await;
    let ids = ["slicer://api/api-1".into()];
    let refused = provider.delete(Symbol::new("api"), &ids).await.unwrap_err();
    assert_eq!((refused.class(), refused.code()), (Class::Retry, "Busy"));
    ordering.await.unwrap().unwrap();
    pass(600).await;
    assert_eq!(machines(&provider, "api").await.len(), 3);
}
