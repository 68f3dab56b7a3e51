//! What `kubectl describe` tells.

use expect_test::{Expect, expect};

use super::{normal::normal, reading::cluster};

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
