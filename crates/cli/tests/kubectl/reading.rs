//! `kubectl get` in all its forms, `describe`, `explain`, and what there is to get.

use std::collections::BTreeSet;

use expect_test::{Expect, expect};

use super::{cluster::Cluster, normal::normal};

/// A cluster of two nodes with a Deployment of two pods and a pod on its own, all of them running.
fn cluster() -> Cluster {
    let cluster = Cluster::start(2);
    cluster.ok("create deployment web --image=registry.example/app:1 --replicas=2");
    cluster.ok("rollout status deploy/web --timeout=20s");
    cluster.ok("run solo --image=registry.example/x --labels=app=solo,tier=back");
    cluster.ok("wait --for=condition=Ready pod/solo --timeout=20s");
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
fn descriptions_have_everything_in_them() {
    let cluster = cluster();
    let node = cluster.ok("get pod solo -o jsonpath={.spec.nodeName}");
    let check = |line: &str, expected: Expect| {
        let text = normal(&cluster.ok(line));
        expected.assert_eq(&text.replace(&node, "NODE"));
    };
    check(
        "describe pod solo",
        expect![[r"
        Name: solo
        Namespace: default
        Priority: 0
        Service Account: default
        Node: NODE/<ip>
        Start Time: <time>
        Labels: app=solo
                          tier=back
        Annotations: <none>
        Status: Running
        IP: <ip>
        IPs:
          IP: <ip>
        Containers:
          solo:
            Container ID: plimsoll://<uid>-solo-0
            Image: registry.example/x
            Image ID: plimsoll://registry.example/x
            Port: <none>
            Host Port: <none>
            State: Running
              Started: <time>
            Ready: True
            Restart Count: 0
            Environment: <none>
            Mounts:
              /var/run/secrets/kubernetes.io/serviceaccount from kube-api-access-<gen> (ro)
        Conditions:
          Type Status
          PodReadyToStartContainers True
          Initialized True
          Ready True
          ContainersReady True
          PodScheduled True
        Volumes:
          kube-api-access-<gen>:
            Type: Projected (a volume that contains injected data from multiple sources)
            TokenExpirationSeconds: 3607
            ConfigMapName: kube-root-ca.crt
            Optional: false
            DownwardAPI: true
        QoS Class: BestEffort
        Node-Selectors: <none>
        Tolerations: node.kubernetes.io/not-ready:NoExecute op=Exists for <age>
                                     node.kubernetes.io/unreachable:NoExecute op=Exists for <age>
        Events:
          Type Reason Age From Message
          --- --- --- --- ---
          Normal Scheduled <age> default-scheduler Successfully assigned default/solo to NODE
    "]],
    );
    check(
        &format!("describe node {node}"),
        expect![[r"
        Name: NODE
        Roles: <none>
        Labels: beta.kubernetes.io/arch=amd64
                            beta.kubernetes.io/os=linux
                            kubernetes.io/arch=amd64
                            kubernetes.io/hostname=NODE
                            kubernetes.io/os=linux
        Annotations: node.alpha.kubernetes.io/ttl: 0
        CreationTimestamp: <time>
        Taints: <none>
        Unschedulable: false
        Lease:
          HolderIdentity: NODE
          AcquireTime: <unset>
          RenewTime: <time>
        Conditions:
          Type Status LastHeartbeatTime LastTransitionTime Reason Message
          --- --- --- --- --- ---
          MemoryPressure False <time> <time> KubeletHasSufficientMemory kubelet has sufficient memory available
          DiskPressure False <time> <time> KubeletHasNoDiskPressure kubelet has no disk pressure
          PIDPressure False <time> <time> KubeletHasSufficientPID kubelet has sufficient PID available
          Ready True <time> <time> KubeletReady kubelet is posting ready status
        Addresses:
          InternalIP: <ip>
          Hostname: NODE
        Capacity:
          cpu: 4
          ephemeral-storage: 100Gi
          memory: 16Gi
          pods: 110
        Allocatable:
          cpu: 4
          ephemeral-storage: 100Gi
          memory: 16Gi
          pods: 110
        System Info:
          Machine ID: 00000000000000000000000000000001
          System UUID: <uid>
          Boot ID: <uid>
          Kernel Version: 6.12.0-plimsoll
          OS Image: Plimsoll
          Operating System: linux
          Architecture: amd64
          Container Runtime Version: plimsoll://1.0.0
          Kubelet Version: v1.36.4
        Non-terminated Pods: (2 in total)
          Namespace Name CPU Requests CPU Limits Memory Requests Memory Limits Age
          --- --- --- --- --- --- ---
          default solo 0 (0%) 0 (0%) 0 (0%) 0 (0%) <age>
          default web-<hash>-<gen> 0 (0%) 0 (0%) 0 (0%) 0 (0%) <age>
        Allocated resources:
          (Total limits may be over 100 percent, i.e., overcommitted.)
          Resource Requests Limits
          --- --- ---
          cpu 0 (0%) 0 (0%)
          memory 0 (0%) 0 (0%)
          ephemeral-storage 0 (0%) 0 (0%)
        Events:
          Type Reason Age From Message
          --- --- --- --- ---
          Normal RegisteredNode <age> node-controller Node NODE event: Registered Node NODE in Controller
    "]],
    );
    check(
        "describe deployment web",
        expect![[r"
        Name: web
        Namespace: default
        CreationTimestamp: <time>
        Labels: app=web
        Annotations: deployment.kubernetes.io/revision: 1
        Selector: app=web
        Replicas: 2 desired | 2 updated | 2 total | 2 available | 0 unavailable
        StrategyType: RollingUpdate
        MinReadySeconds: 0
        RollingUpdateStrategy: 25% max unavailable, 25% max surge
        Pod Template:
          Labels: app=web
          Containers:
           app:
            Image: registry.example/app:1
            Port: <none>
            Host Port: <none>
            Environment: <none>
            Mounts: <none>
          Volumes: <none>
          Node-Selectors: <none>
          Tolerations: <none>
        Conditions:
          Type Status Reason
          --- --- ---
          Available True MinimumReplicasAvailable
          Progressing True NewReplicaSetAvailable
        OldReplicaSets: <none>
        NewReplicaSet: web-<hash> (2/2 replicas created)
        Events:
          Type Reason Age From Message
          --- --- --- --- ---
          Normal ScalingReplicaSet <age> deployment-controller Scaled up replica set web-<hash> from 0 to 2
    "]],
    );
    check(
        "describe ns default",
        expect![[r"
        Name: default
        Labels: kubernetes.io/metadata.name=default
        Annotations: <none>
        Status: Active

        No resource quota.

        No LimitRange resource.
    "]],
    );
    expect![[r#"
        Error from server (NotFound): pods "nope" not found
    "#]]
    .assert_eq(&cluster.refused("describe pod nope"));
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
