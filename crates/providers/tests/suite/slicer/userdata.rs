//! What new machines run.

use std::fs;

use expect_test::{Expect, expect};
use plimsoll_providers::slicer::{Config, script};

const GLOBAL: &str = "[global]\nk3s-url = https://k3s.example:6443\nk3s-token = s3cret\n";

fn check(group: &str, expected: &Expect) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("cloud-config.ini");
    fs::write(
        directory.path().join("own.sh"),
        "#!/bin/sh\njoin {{k3s-url}} {{ token-file }} --pool={{group}}@{{cluster}} {{arguments}}\n",
    )
    .unwrap();
    fs::write(
        &file,
        format!("{GLOBAL}[nodegroup \"w1-medium\"]\nslicer-url = https://host\n{group}"),
    )
    .unwrap();
    let config = Config::load(&file).unwrap();
    let script = script(&config, &config.groups[0]);
    assert!(!script.contains("s3cret"), "{script}");
    expected.assert_eq(&script);
}

#[test]
fn a_machine_becomes_an_agent() {
    check(
        "",
        &expect![[r#"
            #!/bin/bash
            set -euo pipefail
            HOSTNAME="$(hostname)"
            export HOSTNAME
            K3S_TOKEN="$(cat /run/slicer/secrets/k3s-token)"
            export K3S_TOKEN
            export K3S_URL=https://k3s.example:6443
            curl -sfL https://get.k3s.io | sh -s - agent \
              --with-node-id \
              --node-label=slicer/hostgroup=w1-medium \
              --node-label=k3sup.dev/node-type=agent \
              --node-label="slicer/hostname=$HOSTNAME" \
              --kubelet-arg="provider-id=slicer://w1-medium/$HOSTNAME"
        "#]],
    );
}

#[test]
fn labels_taints_and_arguments_of_a_group() {
    check(
        "label = pool=web\nlabel = example.com/team\ntaint = gpu=yes:NoSchedule\ntaint = spare:NoExecute\nk3s-arg = --kubelet-arg=max-pods=50\nk3s-arg = \"--flag=it's $HOME\"\n",
        &expect![[r#"
            #!/bin/bash
            set -euo pipefail
            HOSTNAME="$(hostname)"
            export HOSTNAME
            K3S_TOKEN="$(cat /run/slicer/secrets/k3s-token)"
            export K3S_TOKEN
            export K3S_URL=https://k3s.example:6443
            curl -sfL https://get.k3s.io | sh -s - agent \
              --with-node-id \
              --node-label=slicer/hostgroup=w1-medium \
              --node-label=k3sup.dev/node-type=agent \
              --node-label=pool=web \
              --node-label=example.com/team= \
              --node-label="slicer/hostname=$HOSTNAME" \
              --node-taint=gpu=yes:NoSchedule \
              --node-taint=spare=:NoExecute \
              --kubelet-arg="provider-id=slicer://w1-medium/$HOSTNAME" \
              --kubelet-arg=max-pods=50 \
              '--flag=it'\''s $HOME'
        "#]],
    );
}

#[test]
fn a_template_of_the_users() {
    check(
        "userdata-file = own.sh\n",
        &expect![[r#"
            #!/bin/sh
            join https://k3s.example:6443 /run/slicer/secrets/k3s-token --pool=w1-medium@k3s.example --with-node-id --node-label=slicer/hostgroup=w1-medium --node-label=k3sup.dev/node-type=agent --node-label="slicer/hostname=$HOSTNAME" --kubelet-arg="provider-id=slicer://w1-medium/$HOSTNAME"
        "#]],
    );
}
