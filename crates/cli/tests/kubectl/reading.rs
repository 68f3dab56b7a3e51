//! `kubectl get` in all its forms, `explain`, and what there is to get.

use std::collections::BTreeSet;

use expect_test::{Expect, expect};

use super::{cluster::Cluster, normal::normal};

/// A cluster of two nodes with a Deployment of two pods and a pod on its own, all of them running.
pub(super) fn cluster() -> Cluster {
    let cluster = Cluster::start(2);
    cluster.ok("create deployment web --image=registry.example/app:1 --replicas=2");
    cluster.ok("rollout status deploy/web --timeout=120s");
    cluster.ok("run solo --image=registry.example/x --labels=app=solo,tier=back");
    cluster.ok("wait --for=condition=Ready pod/solo --timeout=120s");
    cluster
}

#[test]
fn objects_are_shown_in_every_form() {
    let cluster = cluster();
    let node = cluster.ok("get pod solo -o jsonpath={.spec.nodeName}");
    let check = |line: &str, expected: Expect| {
        expected.assert_eq(&normal(&cluster.ok(line)).replace(&node, "NODE"));
    };
    check(
        "get pods",
        expect![[r"
            NAME READY STATUS RESTARTS AGE
            solo 1/1 Running 0 <age>
            web-<hash>-<gen> 1/1 Running 0 <age>
            web-<hash>-<gen> 1/1 Running 0 <age>
        "]],
    );
    check(
        "get pods solo -o wide",
        expect![[r"
        NAME READY STATUS RESTARTS AGE IP NODE NOMINATED NODE READINESS GATES
        solo 1/1 Running 0 <age> <ip> NODE <none> <none>
    "]],
    );
    check(
        "get pods -o name -l app=web",
        expect![[r"
        pod/web-<hash>-<gen>
        pod/web-<hash>-<gen>
    "]],
    );
    check(
        "get pods -l app,tier!=back -o name",
        expect![[r"
        pod/web-<hash>-<gen>
        pod/web-<hash>-<gen>
    "]],
    );
    check(
        "get pods -l app=solo --show-labels",
        expect![[r"
        NAME READY STATUS RESTARTS AGE LABELS
        solo 1/1 Running 0 <age> app=solo,tier=back
    "]],
    );
    check(
        "get pods -L tier,app solo",
        expect![[r"
        NAME READY STATUS RESTARTS AGE TIER APP
        solo 1/1 Running 0 <age> back solo
    "]],
    );
    check(
        "get pods -A --field-selector=metadata.name=solo",
        expect![[r"
        NAMESPACE NAME READY STATUS RESTARTS AGE
        default solo 1/1 Running 0 <age>
    "]],
    );
    check("get pods --field-selector=status.phase!=Running", expect![[""]]);
    check(
        "get deploy,rs",
        expect![[r"
        NAME READY UP-TO-DATE AVAILABLE AGE
        deployment.apps/web 2/2 2 2 <age>

        NAME DESIRED CURRENT READY AGE
        replicaset.apps/web-<hash> 2 2 2 <age>
    "]],
    );
    check(
        "get deploy/web pod/solo",
        expect![[r"
        NAME READY UP-TO-DATE AVAILABLE AGE
        deployment.apps/web 2/2 2 2 <age>

        NAME READY STATUS RESTARTS AGE
        pod/solo 1/1 Running 0 <age>
    "]],
    );
    check(
        "get pods solo -o jsonpath={.status.phase}/{.spec.containers[*].image}",
        expect![[r"
        Running/registry.example/x
    "]],
    );
    check(
        "get pods -o custom-columns=N:.metadata.name,P:.status.phase --no-headers",
        expect![[r"
            solo Running
            web-<hash>-<gen> Running
            web-<hash>-<gen> Running
        "]],
    );
    check(
        "get pods --sort-by=.metadata.name -o name",
        expect![[r"
        pod/solo
        pod/web-<hash>-<gen>
        pod/web-<hash>-<gen>
    "]],
    );
    check(
        "get pods --chunk-size=1 -o name",
        expect![[r"
        pod/solo
        pod/web-<hash>-<gen>
        pod/web-<hash>-<gen>
    "]],
    );
    expect![[r"
        node-0 Ready <none> <age> v1.36.4
        node-1 Ready <none> <age> v1.36.4
    "]]
    .assert_eq(&normal(&cluster.ok("get nodes --no-headers")));
    check(
        "get ns",
        expect![[r"
        NAME STATUS AGE
        default Active <age>
        kube-node-lease Active <age>
        kube-public Active <age>
        kube-system Active <age>
    "]],
    );
    check("get pods -n kube-system", expect![[""]]);
    expect![[r#"
        Error from server (NotFound): pods "nope" not found
    "#]]
    .assert_eq(&cluster.refused("get pods solo nope"));
    assert_eq!(cluster.ok("get pods nope --ignore-not-found"), "");
    let yaml = cluster.ok("get pod solo -o yaml");
    assert!(yaml.contains("\n  phase: Running\n"), "{yaml}");
    let json: serde_json::Value = serde_json::from_str(&cluster.ok("get pods -o json")).unwrap();
    assert_eq!(json["items"].as_array().unwrap().len(), 3);
}

#[test]
fn a_watch_tells_what_happens() {
    let cluster = cluster();
    let mut watch = cluster.spawn("get pods -l app=solo -w --no-headers -o custom-columns=N:.metadata.name,X:.metadata.labels.x");
    assert_eq!(normal(&watch.line()), "solo <none>\n");
    cluster.ok("label pod solo x=1");
    assert_eq!(normal(&watch.line()), "solo 1\n");
    // Two objects of the same kind come in the order in which they came to be.
    cluster.ok("run more --image=registry.example/x --labels=app=solo");
    assert_eq!(normal(&watch.line()), "more <none>\n");
}

#[test]
fn events_tell_what_was_done() {
    let cluster = cluster();
    let told = normal(&cluster.ok("get events --no-headers"));
    let told = told.replace("node-0", "NODE").replace("node-1", "NODE");
    let lines: BTreeSet<&str> = told.lines().collect();
    expect![[r"
        <age> Normal RegisteredNode node/NODE Node NODE event: Registered Node NODE in Controller
        <age> Normal ScalingReplicaSet deployment/web Scaled up replica set web-<hash> from 0 to 2
        <age> Normal Scheduled pod/solo Successfully assigned default/solo to NODE
        <age> Normal Scheduled pod/web-<hash>-<gen> Successfully assigned default/web-<hash>-<gen> to NODE
        <age> Normal SuccessfulCreate replicaset/web-<hash> Created pod: web-<hash>-<gen>"]]
    .assert_eq(&Vec::from_iter(lines).join("\n"));
    assert!(cluster.ok("events --for=pod/solo").contains("Successfully assigned default/solo"));
}

#[test]
fn what_there_is_to_get_is_told() {
    let cluster = Cluster::start(0);
    let check = |line: &str, expected: Expect| expected.assert_eq(&normal(&cluster.ok(line)));
    check(
        "api-versions",
        expect![[r"
        apiextensions.k8s.io/v1
        apps/v1
        batch/v1
        coordination.k8s.io/v1
        events.k8s.io/v1
        policy/v1
        rbac.authorization.k8s.io/v1
        resource.k8s.io/v1
        scheduling.k8s.io/v1
        storage.k8s.io/v1
        v1
    "]],
    );
    check(
        "api-resources --no-headers",
        expect![[r"
        configmaps cm v1 true ConfigMap
        events ev v1 true Event
        limitranges limits v1 true LimitRange
        namespaces ns v1 false Namespace
        nodes no v1 false Node
        persistentvolumeclaims pvc v1 true PersistentVolumeClaim
        persistentvolumes pv v1 false PersistentVolume
        pods po v1 true Pod
        podtemplates v1 true PodTemplate
        replicationcontrollers rc v1 true ReplicationController
        resourcequotas quota v1 true ResourceQuota
        secrets v1 true Secret
        serviceaccounts sa v1 true ServiceAccount
        services svc v1 true Service
        customresourcedefinitions crd,crds apiextensions.k8s.io/v1 false CustomResourceDefinition
        controllerrevisions apps/v1 true ControllerRevision
        daemonsets ds apps/v1 true DaemonSet
        deployments deploy apps/v1 true Deployment
        replicasets rs apps/v1 true ReplicaSet
        statefulsets sts apps/v1 true StatefulSet
        jobs batch/v1 true Job
        leases coordination.k8s.io/v1 true Lease
        events ev events.k8s.io/v1 true Event
        poddisruptionbudgets pdb policy/v1 true PodDisruptionBudget
        clusterrolebindings rbac.authorization.k8s.io/v1 false ClusterRoleBinding
        clusterroles rbac.authorization.k8s.io/v1 false ClusterRole
        rolebindings rbac.authorization.k8s.io/v1 true RoleBinding
        roles rbac.authorization.k8s.io/v1 true Role
        deviceclasses resource.k8s.io/v1 false DeviceClass
        resourceclaims resource.k8s.io/v1 true ResourceClaim
        resourceclaimtemplates resource.k8s.io/v1 true ResourceClaimTemplate
        resourceslices resource.k8s.io/v1 false ResourceSlice
        priorityclasses pc scheduling.k8s.io/v1 false PriorityClass
        csidrivers storage.k8s.io/v1 false CSIDriver
        csinodes storage.k8s.io/v1 false CSINode
        csistoragecapacities storage.k8s.io/v1 true CSIStorageCapacity
        storageclasses sc storage.k8s.io/v1 false StorageClass
        volumeattachments storage.k8s.io/v1 false VolumeAttachment
    "]],
    );
    check(
        "api-resources --namespaced=true -o name --api-group=apps",
        expect![[r"
        controllerrevisions.apps
        daemonsets.apps
        deployments.apps
        replicasets.apps
        statefulsets.apps
    "]],
    );
    check(
        "api-resources --verbs=list,patch --namespaced=false -o name --api-group=",
        expect![[r"
            namespaces
            nodes
            persistentvolumes
        "]],
    );
    check(
        "explain pod.spec.nodeName",
        expect![[r"
        KIND: Pod
        VERSION: v1

        FIELD: nodeName <string>


        DESCRIPTION:
            <empty>
    "]],
    );
    check(
        "explain deployments.spec.strategy",
        expect![[r"
        GROUP: apps
        KIND: Deployment
        VERSION: v1

        FIELD: strategy <DeploymentStrategy>


        DESCRIPTION:
            <empty>
        FIELDS:
          rollingUpdate	<RollingUpdateDeployment>
            <no description>

          type	<string>
            <no description>
    "]],
    );
    expect![[r#"
        the server doesn't have a resource type "nonsense"
    "#]]
    .assert_eq(&cluster.refused("explain nonsense"));
}
