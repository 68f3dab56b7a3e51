//! Host ports.

use plimsoll_model::HostPort;

use crate::{
    convert::requests::is_sidecar,
    problem::{At as _, Checked, Problem, each},
    wire::{
        container::{Container, Port},
        pod::PodSpec,
    },
};

const PROTOCOLS: [&str; 3] = ["TCP", "UDP", "SCTP"];

/// The ports of the node that a pod claims. Those of ordinary init containers do not count, they are gone before it runs.
pub(crate) fn host_ports(spec: &PodSpec<'_>) -> Checked<Box<[HostPort]>> {
    let on_host = spec.host_network == Some(true);
    let mut claimed = Vec::new();
    let mut claim = |container: &Container<'_>| -> Checked<()> {
        let ports: Vec<_> = each(&container.ports, "ports", |port| host_port(port, on_host))?;
        claimed.extend(ports.into_iter().flatten());
        Ok(())
    };
    let _: () = each(&spec.containers, "containers", &mut claim)?;
    let _: () = each(&spec.init_containers, "initContainers", |container| {
        if is_sidecar(container) { claim(container) } else { Ok(()) }
    })?;
    Ok(claimed.into_boxed_slice())
}

/// A pod in the host's network claims every port that its containers name; the API server has written that down in a stored
/// one.
fn host_port(port: &Port<'_>, on_host: bool) -> Checked<Option<HostPort>> {
    let inner = number(port.inner.unwrap_or_default(), 1, "containerPort")?;
    let outer = number(port.outer.unwrap_or_default(), 0, "hostPort")?;
    if !port.protocol.is_empty() && !PROTOCOLS.contains(&&*port.protocol) {
        let problem = Problem::unknown(&port.protocol, "a protocol", &PROTOCOLS);
        return Err(problem).at("protocol");
    }
    let claimed = if outer == 0 && on_host { inner } else { outer };
    Ok((claimed != 0).then(|| HostPort::new(&port.ip, &port.protocol, claimed)))
}

fn number(number: i64, least: u16, field: &str) -> Checked<u16> {
    let port = u16::try_from(number).ok().filter(|port| *port >= least);
    port.ok_or_else(|| Problem::new(format!("{number} is not a port, which are 1 to 65535")))
        .at(field)
}
