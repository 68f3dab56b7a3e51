//! The table of a large cluster: kinds of nodes, not every node.

use std::fmt::Write as _;

use expect_test::expect;

use crate::check;

/// Nodes with this much cpu each, every fifth of them tainted, and a pod that asks for 4.
fn cluster(cpus: impl IntoIterator<Item = String>) -> String {
    let mut text = "{kind: Pod, metadata: {name: web}, spec: {containers: \
                    [{resources: {requests: {cpu: 4}}}]}}\n"
        .to_owned();
    for (number, cpu) in cpus.into_iter().enumerate() {
        let taints = if number % 5 == 4 { "{key: gpu, effect: NoSchedule}" } else { "" };
        writeln!(
            text,
            "---\n{{kind: Node, metadata: {{name: n{number}}}, spec: {{taints: [{taints}]}}, \
             status: {{allocatable: {{cpu: {cpu}, pods: 9}}}}}}"
        )
        .unwrap();
    }
    text
}

#[test]
fn alike_nodes_stand_in_one_row() {
    let cpus = (0..1000).map(|number| if number == 7 { "8" } else { "2" }.to_owned());
    check(
        &["--file", "-"],
        &cluster(cpus),
        &expect![[r"
        -

        default/web: 1 of 1000 nodes takes it
          799 nodes  NodeResourcesFit: insufficient cpu: asks 4, free 2
                     n0, n1, n2, n3 and 795 more
          200 nodes  TaintToleration: taint gpu:NoSchedule is not tolerated
                     NodeResourcesFit: insufficient cpu: asks 4, free 2
                     n4, n9, n14, n19 and 196 more
          n7         fits
    "]],
    );
}

#[test]
fn nodes_that_differ_in_amounts_only_have_an_example() {
    let cpus = (0..100).map(|number| format!("{}m", 1000 + 50 * number));
    check(
        &["--file", "-"],
        &cluster(cpus),
        &expect![[r"
        -

        default/web: 32 of 100 nodes take it
          48 nodes  NodeResourcesFit
                    for example n0: insufficient cpu: asks 4, free 1
                    n0, n1, n2, n3 and 44 more
          12 nodes  TaintToleration, NodeResourcesFit
                    for example n4: taint gpu:NoSchedule is not tolerated; insufficient cpu: asks 4, free 1200m
                    n4, n9, n14, n19 and 8 more
          32 nodes  fits
                    n60, n61, n62, n63 and 28 more
          8 nodes   TaintToleration
                    for example n64: taint gpu:NoSchedule is not tolerated
                    n64, n69, n74, n79 and 4 more
    "]],
    );
}
