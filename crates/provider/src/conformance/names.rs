//! Names: of groups, however odd, and of the nodes that machines became.

use super::{
    Doing, Knob, Machine, Role,
    bench::{Bench, Finding, Verdict, all_deleted, delete, ensure, pick, place, see, unexpected},
};
use crate::{NodeIdentity, Owner, Provider, Whose};

super::topic! { "names";
    odd_names_are_told_as_they_are:
        "A group's id comes back byte for byte, whatever script, space, slash, dot or length it has.",
    odd_names_can_be_ordered_in:
        "An order for an oddly named group reaches that group and no other, however alike their names are.",
    odd_names_can_be_deleted_in:
        "A deletion in an oddly named group works as in any.",
    odd_names_can_be_lowered:
        "Lowering the target of an oddly named group works as in any.",
    owner_of_an_own_node:
        "A node that one of the machines became is known with its group and machine.",
    owner_of_a_node_in_an_odd_group:
        "The same for machines of oddly named groups.",
    owner_of_a_new_node:
        "A machine that was bought a moment ago is known after the next refresh.",
    owner_of_a_foreign_node:
        "A node of a machine that no group has is nobody's, and never that of a machine that is gone: it must not be touched.",
    owner_of_a_strange_node:
        "A node that does not say who it is, or is of another infrastructure, is nobody's; one of a machine that never was belongs to no group.",
    owner_of_a_vanished_node:
        "A node whose machine is gone belongs to no group any more, from the next refresh on; whoever says that it is gone names the group and the machine.",
    nothing_is_gone_while_the_service_is_away:
        "A service that is away makes no machine gone: its node is the group's as before, or nobody can tell for the time being.",
    provider_has_a_name:
        "The provider says what it is called, and always the same.",
}

/// The groups with odd names, if there are any.
fn odd(bench: &Bench) -> Verdict<Vec<plimsoll_model::Symbol>> {
    bench.group(Role::Odd)?;
    Ok(bench.groups(Role::Odd))
}

async fn odd_names_are_told_as_they_are(bench: &Bench) -> Verdict {
    odd(bench)?;
    let inventory = bench.agrees(&*bench.provider).await?;
    for group in odd(bench)? {
        ensure!(inventory.group(group).is_some(), "{:?} is not in the inventory", group.as_str());
    }
    Ok(())
}

async fn odd_names_can_be_ordered_in(bench: &Bench) -> Verdict {
    odd(bench)?;
    for group in odd(bench)? {
        let mut others = Vec::new();
        for other in bench.testbed.groups().into_iter().filter(|other| other.id != group) {
            others.push((other.id, bench.settled(other.id).await));
        }
        let start = bench.settled(group).await;
        let order = bench.order(group, 1).await?;
        place(&*bench.provider, &order).await?;
        place(&*bench.provider, &order).await?;
        bench.expect(group, start, 1, "after an order of 1").await?;
        for (other, size) in others {
            bench.expect(other, size, 0, &format!("after an order for {group}")).await?;
        }
    }
    bench.agrees(&*bench.provider).await.map(drop)
}

async fn odd_names_can_be_deleted_in(bench: &Bench) -> Verdict {
    for group in odd(bench)? {
        let go: Vec<_> = bench.running(group, 2).await?.into_iter().take(1).collect();
        let start = bench.settled(group).await;
        all_deleted(&delete(&*bench.provider, group, &go).await?)?;
        bench.expect(group, start, -1, "after a deletion of 1").await?;
    }
    bench.agrees(&*bench.provider).await.map(drop)
}

async fn odd_names_can_be_lowered(bench: &Bench) -> Verdict {
    for group in odd(bench)? {
        bench.running(group, 1).await?;
        let target = bench.testbed.target(group).await;
        let told = bench.provider.lower_target(group, target).await;
        let told = told.map_err(|error| unexpected(&format!("lowering {group}"), &error))?;
        ensure!(told == target, "lowering {group} told {told}, the target is {target}");
    }
    Ok(())
}

/// What a node is.
#[derive(Clone, Copy, Debug)]
enum Is<'m> {
    /// This machine.
    Machine(&'m Machine),
    /// A machine of the provider's that is not there, if that is more than anybody can tell.
    Gone(Option<&'m Machine>),
    /// Nothing that the provider has to do with.
    Nobodys,
}

/// Whose a node is has to be answered with this.
async fn owner_is(provider: &dyn Provider, node: &NodeIdentity, expected: Is<'_>) -> Verdict {
    let name = &node.name;
    let found = provider.owner(node).await;
    let found = found.map_err(|error| unexpected(&format!("owner of {name}"), &error))?;
    match (&found, expected) {
        (Whose::Nobodys, Is::Nobodys | Is::Gone(_)) | (Whose::Gone(_), Is::Gone(None)) => Ok(()),
        (Whose::Machine(owner), Is::Machine(machine))
        | (Whose::Gone(owner), Is::Gone(Some(machine))) => {
            let Owner { group, instance } = owner;
            let own = machine.group == Some(*group);
            ensure!(own, "{name} is {machine:?}, and its owner is told as {group}");
            let same = instance.as_ref().is_none_or(|id| *id == machine.id);
            ensure!(same, "{name} is the machine {}, and is told as {instance:?}", machine.id);
            Ok(())
        }
        _ => Err(Finding::Broken(format!("{name} is {expected:?}, and is told as {found:?}"))),
    }
}

async fn all_owned(bench: &Bench, role: Role) -> Verdict {
    bench.group(role)?;
    for group in bench.groups(role) {
        bench.running(group, 2).await?;
    }
    see(&*bench.provider).await?;
    for group in bench.groups(role) {
        for machine in bench.staying(group).await {
            owner_is(&*bench.provider, &bench.testbed.node(&machine), Is::Machine(&machine))
                .await?;
        }
    }
    Ok(())
}

async fn owner_of_an_own_node(bench: &Bench) -> Verdict {
    all_owned(bench, Role::Plain).await?;
    all_owned(bench, Role::Second).await
}

async fn owner_of_a_node_in_an_odd_group(bench: &Bench) -> Verdict {
    all_owned(bench, Role::Odd).await
}

async fn owner_of_a_new_node(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let before = bench.staying(group).await;
    see(&*bench.provider).await?;
    place(&*bench.provider, &bench.order(group, 1).await?).await?;
    bench.testbed.settle().await;
    see(&*bench.provider).await?;
    let mut new = bench.staying(group).await;
    new.retain(|machine| before.iter().all(|old| old.id != machine.id));
    ensure!(new.len() == 1, "one machine was ordered, and these are new: {new:?}");
    for machine in &new {
        owner_is(&*bench.provider, &bench.testbed.node(machine), Is::Machine(machine)).await?;
    }
    Ok(())
}

async fn owner_of_a_foreign_node(bench: &Bench) -> Verdict {
    bench.running(bench.group(Role::Plain)?, 1).await?;
    let foreign = bench.foreign().await?;
    see(&*bench.provider).await?;
    owner_is(&*bench.provider, &bench.testbed.node(&foreign), Is::Nobodys).await
}

async fn owner_of_a_strange_node(bench: &Bench) -> Verdict {
    bench.running(bench.group(Role::Plain)?, 1).await?;
    see(&*bench.provider).await?;
    let nameless = NodeIdentity { name: "stranger".to_owned(), ..NodeIdentity::default() };
    let unknown = bench.testbed.unknown_machine().to_string();
    let strange = NodeIdentity { provider_id: unknown, ..nameless.clone() };
    let elsewhere =
        NodeIdentity { provider_id: "elsewhere:///zone/1".to_owned(), ..nameless.clone() };
    for node in [nameless, elsewhere, NodeIdentity::default()] {
        owner_is(&*bench.provider, &node, Is::Nobodys).await?;
    }
    owner_is(&*bench.provider, &strange, Is::Gone(None)).await
}

async fn owner_of_a_vanished_node(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let id = pick(&bench.running(group, 2).await?, 0)?;
    let machine = Machine { group: Some(group), id: id.clone(), doing: Doing::Running };
    let node = bench.testbed.node(&machine);
    see(&*bench.provider).await?;
    owner_is(&*bench.provider, &node, Is::Machine(&machine)).await?;
    all_deleted(&delete(&*bench.provider, group, &[id]).await?)?;
    bench.testbed.settle().await;
    see(&*bench.provider).await?;
    owner_is(&*bench.provider, &node, Is::Gone(Some(&machine))).await
}

async fn nothing_is_gone_while_the_service_is_away(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    bench.running(group, 2).await?;
    see(&*bench.provider).await?;
    bench.turn(Knob::Down).await?;
    // Whether this fails is another promise.
    let _ = bench.provider.refresh().await;
    for machine in bench.staying(group).await {
        let node = bench.testbed.node(&machine);
        for provider in [&bench.provider, &bench.restart().await] {
            let told = provider.owner(&node).await;
            let known = matches!(told, Ok(Whose::Machine(_)) | Err(_));
            ensure!(known, "{} is in {group}, and told as {told:?} in an outage", node.name);
        }
    }
    Ok(())
}

async fn provider_has_a_name(bench: &Bench) -> Verdict {
    let name = bench.provider.name().to_owned();
    ensure!(!name.trim().is_empty(), "the provider has no name");
    see(&*bench.provider).await?;
    let next = bench.restart().await;
    ensure!(next.name() == name, "the provider is called {name} and then {}", next.name());
    let (was, is) = (bench.provider.capabilities(), next.capabilities());
    ensure!(was == is, "the provider's capabilities are {was:?} and then {is:?}");
    Ok(())
}
