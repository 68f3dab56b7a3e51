//! An emulated host behind a real socket, as a testbed of the conformance suite.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use plimsoll_model::Symbol;
use plimsoll_net::{Clock, Shutdown};
use plimsoll_provider::{
    Class, Home, NodeIdentity, Provider,
    conformance::{Doing, Knob, Machine, NoSuchKnob, Role, TestGroup, Testbed},
};
use plimsoll_providers::slicer::{
    Slicer,
    emulator::{Emulator, Fate, HostSettings, MachineView, Reach},
};
use tempfile::TempDir;
use tokio::net::TcpListener;

const TOKEN: &str = "host-token-4f1c";
const K3S_TOKEN: &str = "K10join-token::server:99aa";

/// Names that hosts can have, and that are easily mixed up: machines are called like their group with a number.
const GROUPS: [(&str, Role, u32); 10] = [
    ("plain", Role::Plain, 100),
    ("second", Role::Second, 100),
    ("empty", Role::Empty, 10),
    ("few", Role::Small, 5),
    ("plain-1", Role::Odd, 10),
    ("plain-1-1", Role::Odd, 10),
    ("Plain", Role::Odd, 10),
    ("pla_in.x", Role::Odd, 10),
    ("1", Role::Odd, 10),
    ("a-host-group-whose-name-is-as-long-as-its-machines-allowx", Role::Odd, 10),
];

/// A fresh host, for one check.
pub(super) struct SlicerTestbed {
    emulator: Emulator,
    address: String,
    directory: TempDir,
    bounds: Mutex<BTreeMap<&'static str, (u32, u32)>>,
    /// Ends the host with the check.
    shutdown: Shutdown,
}

impl SlicerTestbed {
    pub(super) async fn new() -> Self {
        let mut host = format!("token: {TOKEN}\nk3sToken: '{K3S_TOKEN}'\ngroups:\n");
        for (name, ..) in GROUPS {
            writeln!(host, "- {{name: '{name}', cpus: 2, ram: 4Gi, boot: 5ms}}").unwrap();
        }
        let settings = HostSettings::read("host.yaml", &host).unwrap();
        let emulator = Emulator::new(settings, Clock::system());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let shutdown = Shutdown::new();
        let (serving, stop) = (emulator.clone(), shutdown.clone());
        tokio::spawn(async move { serving.serve(listener, &stop).await });
        let bounds = GROUPS.map(|(name, _, max)| (name, (0, max)));
        let bed = Self {
            emulator,
            address,
            directory: tempfile::tempdir().unwrap(),
            bounds: Mutex::new(BTreeMap::from(bounds)),
            shutdown,
        };
        bed.write();
        bed
    }

    fn file(&self) -> PathBuf {
        self.directory.path().join("cloud-config.ini")
    }

    fn write(&self) {
        let mut text =
            format!("[global]\nk3s-url = https://k3s.example:6443\nk3s-token = {K3S_TOKEN}\n");
        let bounds = self.bounds.lock().unwrap();
        for (name, ..) in GROUPS {
            let (min, max) = bounds[name];
            let address = &self.address;
            write!(
                text,
                "[nodegroup \"{name}\"]\nslicer-url = {address}\nslicer-token = {TOKEN}\n\
                 min-size = {min}\nmax-size = {max}\nprice = 0.02\n"
            )
            .unwrap();
        }
        fs::write(self.file(), text).unwrap();
    }
}

impl Drop for SlicerTestbed {
    fn drop(&mut self) {
        self.shutdown.trigger();
    }
}

/// The group and the name of a machine by its id.
fn parts(id: &str) -> (&str, &str) {
    id.strip_prefix("slicer://").and_then(|rest| rest.split_once('/')).unwrap()
}

fn machine(view: &MachineView) -> Machine {
    let is_own = view.tags.iter().any(|tag| tag == "plimsoll-cluster=k3s.example");
    Machine {
        id: format!("slicer://{}/{}", view.group, view.hostname).into(),
        group: is_own.then(|| Symbol::new(&view.group)),
        doing: if view.status == "Stopped" { Doing::Failed } else { Doing::Running },
    }
}

#[async_trait]
impl Testbed for SlicerTestbed {
    async fn connect(&self) -> Arc<dyn Provider> {
        Arc::new(Slicer::open("slicer", self.file(), Home::alone(Clock::system())).unwrap())
    }

    fn groups(&self) -> Vec<TestGroup> {
        let group = |(name, role, _)| TestGroup { id: Symbol::new(name), role };
        GROUPS.into_iter().map(group).collect()
    }

    async fn machines(&self) -> Vec<Machine> {
        self.emulator.machines().iter().map(machine).collect()
    }

    async fn target(&self, group: Symbol) -> u32 {
        let machines = self.machines().await;
        let own = machines.iter().filter(|machine| machine.group == Some(group));
        u32::try_from(own.count()).unwrap()
    }

    async fn turn(&self, knob: Knob) -> Result<(), NoSuchKnob> {
        let host = &self.emulator;
        match &knob {
            Knob::Down => host.set_reach(Reach::Down),
            Knob::Up => host.set_reach(Reach::Up),
            Knob::Slow(latency) => host.set_latency(*latency),
            Knob::Fail {
                after,
                requests,
                class: class @ (Class::Auth | Class::Retry | Class::Quota),
            } => {
                host.fail_requests(*after, *requests, *class);
            }
            Knob::LoseReplies(requests) => host.lose_replies(*requests),
            Knob::Truncate { after } => host.cut_list(*after),
            Knob::Quota(machines) => host.set_trial_left(*machines),
            Knob::FailMachines { group, machines, class: Class::Bug } => {
                let fates = vec![Fate::Ends; usize::try_from(*machines).unwrap()];
                host.set_fates(group.as_str(), &fates);
            }
            Knob::Protect(id) => assert!(host.protect(parts(id).1)),
            Knob::AddForeign => {
                host.add("plain", &["plimsoll-cluster=elsewhere"], "").unwrap();
            }
            Knob::RemoveMachine(id) => assert!(host.remove(parts(id).1)),
            Knob::SetBounds { group, min, max } => {
                let name = GROUPS.iter().find(|(name, ..)| *name == group.as_str()).unwrap().0;
                self.bounds.lock().unwrap().insert(name, (*min, *max));
                self.write();
            }
            Knob::ClockSkew(ahead) => host.set_clock_skew(*ahead),
            // A host has no pages, keeps no orders and does not say how much room it has.
            _ => return Err(knob.missing()),
        }
        Ok(())
    }

    async fn settle(&self) {
        self.emulator.settle().await;
    }

    /// A node of k3s that knows nothing of provider ids: it has labels, and a name that nobody can compare.
    fn node(&self, machine: &Machine) -> NodeIdentity {
        let (group, hostname) = parts(&machine.id);
        let labels = [("slicer/hostgroup", group), ("slicer/hostname", hostname)];
        let name = format!("{hostname}-0a1b2c3d");
        NodeIdentity {
            provider_id: format!("k3s://{name}"),
            name,
            labels: labels.map(|(key, value)| (key.to_owned(), value.to_owned())).into(),
            ..NodeIdentity::default()
        }
    }

    fn unknown_machine(&self) -> Box<str> {
        "slicer://plain/plain-9999".into()
    }

    fn secrets(&self) -> Vec<String> {
        vec![TOKEN.to_owned(), K3S_TOKEN.to_owned()]
    }
}
