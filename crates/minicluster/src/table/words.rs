//! What columns say about themselves: the words of the API on the fields that they show, as the real server has them.
//!
//! Named after the type and the field.

pub(super) const CLUSTER_ROLE_BINDING_ROLE_REF: &str = "\
     RoleRef can only reference a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must \
     return an error.";

pub(super) const CONFIG_MAP_DATA: &str = "\
     Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'. Values with \
     non-UTF-8 byte sequences must use the BinaryData field. The keys stored in Data must not overlap with the keys in the \
     BinaryData field, this is enforced during validation process.";

pub(super) const CONTROLLER_REVISION_REVISION: &str = "\
     Revision indicates the revision of the state represented by Data.";

pub(super) const CSI_DRIVER_SPEC_ATTACH_REQUIRED: &str = "\
     attachRequired indicates this CSI volume driver requires an attach operation (because it implements the CSI \
     ControllerPublishVolume() method), and that the Kubernetes attach detach controller should call the attach volume interface \
     which checks the volumeattachment status and waits until the volume is attached before proceeding to mounting. The CSI \
     external-attacher coordinates with CSI volume driver and updates the volumeattachment status when the attach operation is \
     complete. If the value is specified to false, the attach operation will be skipped. Otherwise the attach operation will be \
     called.\n\nThis field is immutable.";

pub(super) const CSI_DRIVER_SPEC_POD_INFO_ON_MOUNT: &str = "\
     podInfoOnMount indicates this CSI volume driver requires additional pod information (like podName, podUID, etc.) during \
     mount operations, if set to true. If set to false, pod information will not be passed on mount. Default is false.\n\nThe \
     CSI driver specifies podInfoOnMount as part of driver deployment. If true, Kubelet will pass pod information as \
     VolumeContext in the CSI NodePublishVolume() calls. The CSI driver is responsible for parsing and validating the \
     information passed in as VolumeContext.\n\nThe following VolumeContext will be passed if podInfoOnMount is set to true. \
     This list might grow, but the prefix will be used. \"csi.storage.k8s.io/pod.name\": pod.Name \
     \"csi.storage.k8s.io/pod.namespace\": pod.Namespace \"csi.storage.k8s.io/pod.uid\": string(pod.UID) \
     \"csi.storage.k8s.io/ephemeral\": \"true\" if the volume is an ephemeral inline volume\n                                \
     defined by a CSIVolumeSource, otherwise \"false\"\n\n\"csi.storage.k8s.io/ephemeral\" is a new feature in Kubernetes 1.16. \
     It is only required for drivers which support both the \"Persistent\" and \"Ephemeral\" VolumeLifecycleMode. Other drivers \
     can leave pod info disabled and/or ignore this field. As Kubernetes 1.15 doesn't support this field, drivers can only \
     support one mode when deployed on such a cluster and the deployment determines which mode that is, for example via a \
     command line parameter of the driver.\n\nThis field was immutable in Kubernetes < 1.29 and now is mutable.";

pub(super) const CSI_DRIVER_SPEC_REQUIRES_REPUBLISH: &str = "\
     requiresRepublish indicates the CSI driver wants `NodePublishVolume` being periodically called to reflect any possible \
     change in the mounted volume. This field defaults to false.\n\nNote: After a successful initial NodePublishVolume call, \
     subsequent calls to NodePublishVolume should only update the contents of the volume. New mount points will not be seen by a \
     running container.";

pub(super) const CSI_DRIVER_SPEC_STORAGE_CAPACITY: &str = "\
     storageCapacity indicates that the CSI volume driver wants pod scheduling to consider the storage capacity that the driver \
     deployment will report by creating CSIStorageCapacity objects with capacity information, if set to true.\n\nThe check can \
     be enabled immediately when deploying a driver. In that case, provisioning new volumes with late binding will pause until \
     the driver deployment has published some suitable CSIStorageCapacity object.\n\nAlternatively, the driver can be deployed \
     with the field unset or false and it can be flipped later when storage capacity information has been published.\n\nThis \
     field was immutable in Kubernetes <= 1.22 and now is mutable.";

pub(super) const CSI_DRIVER_SPEC_TOKEN_REQUESTS: &str = "\
     tokenRequests indicates the CSI driver needs pods' service account tokens it is mounting volume for to do necessary \
     authentication. Kubelet will pass the tokens in VolumeContext in the CSI NodePublishVolume calls. The CSI driver should \
     parse and validate the following VolumeContext: \"csi.storage.k8s.io/serviceAccount.tokens\": {\n  \"<audience>\": {\n    \
     \"token\": <token>,\n    \"expirationTimestamp\": <expiration timestamp in RFC3339>,\n  },\n  ...\n}\n\nNote: Audience in \
     each TokenRequest should be different and at most one token is empty string. To receive a new token after expiry, \
     RequiresRepublish can be used to trigger NodePublishVolume periodically.";

pub(super) const CSI_DRIVER_SPEC_VOLUME_LIFECYCLE_MODES: &str = "\
     volumeLifecycleModes defines what kind of volumes this CSI volume driver supports. The default if the list is empty is \
     \"Persistent\", which is the usage defined by the CSI specification and implemented in Kubernetes via the usual PV/PVC \
     mechanism.\n\nThe other mode is \"Ephemeral\". In this mode, volumes are defined inline inside the pod spec with \
     CSIVolumeSource and their lifecycle is tied to the lifecycle of that pod. A driver has to be aware of this because it is \
     only going to get a NodePublishVolume call for such a volume.\n\nFor more information about implementing this mode, see \
     https://kubernetes-csi.github.io/docs/ephemeral-local-volumes.html A driver can support one or more of these modes and more \
     modes may be added in the future.\n\nThis field is beta. This field is immutable.";

pub(super) const CSI_STORAGE_CAPACITY_CAPACITY: &str = "\
     capacity is the value reported by the CSI driver in its GetCapacityResponse for a GetCapacityRequest with topology and \
     parameters that match the previous fields.\n\nThe semantic is currently (CSI spec 1.2) defined as: The available capacity, \
     in bytes, of the storage that can be used to provision volumes. If not set, that information is currently unavailable.";

pub(super) const CSI_STORAGE_CAPACITY_STORAGE_CLASS_NAME: &str = "\
     storageClassName represents the name of the StorageClass that the reported capacity applies to. It must meet the same \
     requirements as the name of a StorageClass object (non-empty, DNS subdomain). If that object no longer exists, the \
     CSIStorageCapacity object is obsolete and should be removed by its creator. This field is immutable.";

pub(super) const DAEMON_SET_SPEC_SELECTOR: &str = "\
     A label query over pods that are managed by the daemon set. Must match in order to be controlled. It must match the pod \
     template's labels. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors";

pub(super) const DAEMON_SET_STATUS_CURRENT_NUMBER_SCHEDULED: &str = "\
     The number of nodes that are running at least 1 daemon pod and are supposed to run the daemon pod. More info: \
     https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/";

pub(super) const DAEMON_SET_STATUS_DESIRED_NUMBER_SCHEDULED: &str = "\
     The total number of nodes that should be running the daemon pod (including nodes correctly running the daemon pod). More \
     info: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/";

pub(super) const DAEMON_SET_STATUS_NUMBER_AVAILABLE: &str = "\
     The number of nodes that should be running the daemon pod and have one or more of the daemon pod running and available \
     (ready for at least spec.minReadySeconds)";

pub(super) const DAEMON_SET_STATUS_NUMBER_READY: &str = "\
     numberReady is the number of nodes that should be running the daemon pod and have one or more of the daemon pod running \
     with a Ready Condition.";

pub(super) const DAEMON_SET_STATUS_UPDATED_NUMBER_SCHEDULED: &str = "\
     The total number of nodes that are running updated daemon pod";

pub(super) const DEPLOYMENT_SPEC_SELECTOR: &str = "\
     Label selector for pods. Existing ReplicaSets whose pods are selected by this will be the ones affected by this deployment. \
     It must match the pod template's labels.";

pub(super) const DEPLOYMENT_STATUS_AVAILABLE_REPLICAS: &str = "\
     Total number of available non-terminating pods (ready for at least minReadySeconds) targeted by this deployment.";

pub(super) const DEPLOYMENT_STATUS_UPDATED_REPLICAS: &str = "\
     Total number of non-terminating pods targeted by this deployment that have the desired template spec.";

pub(super) const EVENT_FIRST_TIMESTAMP: &str = "\
     The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)";

pub(super) const EVENT_LAST_TIMESTAMP: &str = "\
     The time at which the most recent occurrence of this event was recorded.";

pub(super) const EVENT_MESSAGE: &str = "\
     A human-readable description of the status of this operation.";

pub(super) const EVENT_REASON: &str = "\
     This should be a short, machine understandable string that gives the reason for the transition into the object's current \
     status.";

pub(super) const EVENT_SOURCE: &str = "\
     The component reporting this event. Should be a short machine understandable string.";

pub(super) const EVENT_TYPE: &str = "\
     Type of this event (Normal, Warning), new types could be added in the future";

pub(super) const JOB_SPEC_SELECTOR: &str = "\
     A label query over pods that should match the pod count. Normally, the system sets this field for you. More info: \
     https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors";

pub(super) const JOB_STATUS_SUCCEEDED: &str = "\
     The number of pods which reached phase Succeeded. The value increases monotonically for a given spec. However, it may \
     decrease in reaction to scale down of elastic indexed jobs.";

pub(super) const LEASE_SPEC_HOLDER_IDENTITY: &str = "\
     holderIdentity contains the identity of the holder of a current lease. If Coordinated Leader Election is used, the holder \
     identity must be equal to the elected LeaseCandidate.metadata.name field.";

pub(super) const NODE_STATUS_ADDRESSES: &str = "\
     List of addresses reachable to the node. Queried from cloud provider, if available. More info: \
     https://kubernetes.io/docs/reference/node/node-status/#addresses Note: This field is declared as mergeable, but the merge \
     key is not sufficiently unique, which can cause data corruption when it is merged. Callers should instead use a \
     full-replacement patch. See https://pr.k8s.io/79391 for an example. Consumers should assume that addresses can change \
     during the lifetime of a Node. However, there are some exceptions where this may not be possible, such as Pods that inherit \
     a Node's address in its own status or consumers of the downward API (status.hostIP).";

pub(super) const NODE_SYSTEM_INFO_CONTAINER_RUNTIME_VERSION: &str = "\
     ContainerRuntime Version reported by the node through runtime remote API (e.g. containerd://1.4.2).";

pub(super) const NODE_SYSTEM_INFO_KERNEL_VERSION: &str = "\
     Kernel Version reported by the node from 'uname -r' (e.g. 3.16.0-0.bpo.4-amd64).";

pub(super) const NODE_SYSTEM_INFO_OS_IMAGE: &str = "\
     OS Image reported by the node from /etc/os-release (e.g. Debian GNU/Linux 7 (wheezy)).";

pub(super) const OBJECT_META_CREATION_TIMESTAMP: &str = "\
     CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set \
     in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and \
     is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: \
     https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

pub(super) const OBJECT_META_NAME: &str = "\
     Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to \
     request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and \
     configuration definition. Cannot be updated. More info: \
     https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";

pub(super) const OBJECT_REFERENCE_FIELD_PATH: &str = "\
     If referring to a piece of an object instead of an entire object, this string should contain a valid JSON/Go field access \
     statement, such as desiredState.manifest.containers[2]. For example, if the object reference is to a container within a \
     pod, this would take on a value like: \"spec.containers{name}\" (where \"name\" refers to the name of the container that \
     triggered the event) or if no container name is specified \"spec.containers[2]\" (container with index 2 in this pod). This \
     syntax is chosen only to have some well-defined way of referencing a part of an object.";

pub(super) const PERSISTENT_VOLUME_CLAIM_SPEC_VOLUME_MODE: &str = "\
     volumeMode defines what type of volume is required by the claim. Value of Filesystem is implied when not included in claim \
     spec.";

pub(super) const PERSISTENT_VOLUME_CLAIM_SPEC_VOLUME_NAME: &str = "\
     volumeName is the binding reference to the PersistentVolume backing this claim.";

pub(super) const PERSISTENT_VOLUME_CLAIM_STATUS_ACCESS_MODES: &str = "\
     accessModes contains the actual access modes the volume backing the PVC has. More info: \
     https://kubernetes.io/docs/concepts/storage/persistent-volumes#access-modes-1";

pub(super) const PERSISTENT_VOLUME_CLAIM_STATUS_CAPACITY: &str = "\
     capacity represents the actual resources of the underlying volume.";

pub(super) const PERSISTENT_VOLUME_SPEC_ACCESS_MODES: &str = "\
     accessModes contains all ways the volume can be mounted. More info: \
     https://kubernetes.io/docs/concepts/storage/persistent-volumes#access-modes";

pub(super) const PERSISTENT_VOLUME_SPEC_CAPACITY: &str = "\
     capacity is the description of the persistent volume's resources and capacity. More info: \
     https://kubernetes.io/docs/concepts/storage/persistent-volumes#capacity";

pub(super) const PERSISTENT_VOLUME_SPEC_CLAIM_REF: &str = "\
     claimRef is part of a bi-directional binding between PersistentVolume and PersistentVolumeClaim. Expected to be non-nil \
     when bound. claim.VolumeName is the authoritative bind between PV and PVC. More info: \
     https://kubernetes.io/docs/concepts/storage/persistent-volumes#binding";

pub(super) const PERSISTENT_VOLUME_SPEC_PERSISTENT_VOLUME_RECLAIM_POLICY: &str = "\
     persistentVolumeReclaimPolicy defines what happens to a persistent volume when released from its claim. Valid options are \
     Retain (default for manually created PersistentVolumes), Delete (default for dynamically provisioned PersistentVolumes), \
     and Recycle (deprecated). Recycle must be supported by the volume plugin underlying this PersistentVolume. More info: \
     https://kubernetes.io/docs/concepts/storage/persistent-volumes#reclaiming";

pub(super) const PERSISTENT_VOLUME_SPEC_VOLUME_MODE: &str = "\
     volumeMode defines if a volume is intended to be used with a formatted filesystem or to remain in raw block state. Value of \
     Filesystem is implied when not included in spec.";

pub(super) const PERSISTENT_VOLUME_STATUS_PHASE: &str = "\
     phase indicates if a volume is available, bound to a claim, or released by a claim. More info: \
     https://kubernetes.io/docs/concepts/storage/persistent-volumes#phase";

pub(super) const PERSISTENT_VOLUME_STATUS_REASON: &str = "\
     reason is a brief CamelCase string that describes any failure and is meant for machine parsing and tidy display in the CLI.";

pub(super) const POD_SPEC_NODE_NAME: &str = "\
     NodeName indicates in which node this pod is scheduled. If empty, this pod is a candidate for scheduling by the scheduler \
     defined in schedulerName. Once this field is set, the kubelet for this node becomes responsible for the lifecycle of this \
     pod. This field should not be used to express a desire for the pod to be scheduled on a specific node. \
     https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#nodename";

pub(super) const POD_SPEC_NODE_SELECTOR: &str = "\
     NodeSelector is a selector which must be true for the pod to fit on a node. Selector which must match a node's labels for \
     the pod to be scheduled on that node. More info: https://kubernetes.io/docs/concepts/configuration/assign-pod-node/";

pub(super) const POD_SPEC_READINESS_GATES: &str = "\
     If specified, all readiness gates will be evaluated for pod readiness. A pod is ready when all its containers are ready AND \
     all conditions specified in the readiness gates have status equal to \"True\" More info: \
     https://git.k8s.io/enhancements/keps/sig-network/580-pod-readiness-gates";

pub(super) const POD_STATUS_NOMINATED_NODE_NAME: &str = "\
     nominatedNodeName is set only when this pod preempts other pods on the node, but it cannot be scheduled right away as \
     preemption victims receive their graceful termination periods. This field does not guarantee that the pod will be scheduled \
     on this node. Scheduler may decide to place the pod elsewhere if other nodes become available sooner. Scheduler may also \
     decide to give the resources on this node to a higher priority pod that is created after preemption. As a result, this \
     field may be different than PodSpec.nodeName when the pod is scheduled.";

pub(super) const POD_STATUS_POD_IP: &str = "\
     podIP address allocated to the pod. Routable at least within the cluster. Empty if not yet allocated.";

pub(super) const PRIORITY_CLASS_GLOBAL_DEFAULT: &str = "\
     globalDefault specifies whether this PriorityClass should be considered as the default priority for pods that do not have \
     any priority class. Only one PriorityClass can be marked as `globalDefault`. However, if more than one PriorityClasses \
     exists with their `globalDefault` field set to true, the smallest value of such global default PriorityClasses will be used \
     as the default priority.";

pub(super) const PRIORITY_CLASS_PREEMPTION_POLICY: &str = "\
     preemptionPolicy is the Policy for preempting pods with lower priority. One of Never, PreemptLowerPriority. Defaults to \
     PreemptLowerPriority if unset.";

pub(super) const PRIORITY_CLASS_VALUE: &str = "\
     value represents the integer value of this priority class. This is the actual priority that pods receive when they have the \
     name of this class in their pod spec.";

pub(super) const REPLICATION_CONTROLLER_SPEC_REPLICAS: &str = "\
     Replicas is the number of desired replicas. This is a pointer to distinguish between explicit zero and unspecified. \
     Defaults to 1. More info: \
     https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller#what-is-a-replicationcontroller";

pub(super) const REPLICATION_CONTROLLER_SPEC_SELECTOR: &str = "\
     Selector is a label query over pods that should match the Replicas count. If Selector is empty, it is defaulted to the \
     labels present on the Pod template. Label keys and values that must match in order to be controlled by this replication \
     controller, if empty defaulted to labels on Pod template. More info: \
     https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors";

pub(super) const REPLICATION_CONTROLLER_STATUS_READY_REPLICAS: &str = "\
     The number of ready replicas for this replication controller.";

pub(super) const REPLICATION_CONTROLLER_STATUS_REPLICAS: &str = "\
     Replicas is the most recently observed number of replicas. More info: \
     https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller#what-is-a-replicationcontroller";

pub(super) const REPLICA_SET_SPEC_REPLICAS: &str = "\
     Replicas is the number of desired pods. This is a pointer to distinguish between explicit zero and unspecified. Defaults to \
     1. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicaset";

pub(super) const REPLICA_SET_SPEC_SELECTOR: &str = "\
     Selector is a label query over pods that should match the replica count. Label keys and values that must match in order to \
     be controlled by this replica set. It must match the pod template's labels. More info: \
     https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors";

pub(super) const REPLICA_SET_STATUS_READY_REPLICAS: &str = "\
     The number of non-terminating pods targeted by this ReplicaSet with a Ready Condition.";

pub(super) const REPLICA_SET_STATUS_REPLICAS: &str = "\
     Replicas is the most recently observed number of non-terminating pods. More info: \
     https://kubernetes.io/docs/concepts/workloads/controllers/replicaset";

pub(super) const RESOURCE_POOL_NAME: &str = "\
     Name is used to identify the pool. For node-local devices, this is often the node name, but this is not required.\n\nIt \
     must not be longer than 253 characters and must consist of one or more DNS sub-domains separated by slashes. This field is \
     immutable.";

pub(super) const RESOURCE_SLICE_SPEC_DRIVER: &str = "\
     Driver identifies the DRA driver providing the capacity information. A field selector can be used to list only \
     ResourceSlice objects with a certain driver name.\n\nMust be a DNS subdomain and should end with a DNS domain owned by the \
     vendor of the driver. It should use only lower case characters. This field is immutable.";

pub(super) const RESOURCE_SLICE_SPEC_NODE_NAME: &str = "\
     NodeName identifies the node which provides the resources in this pool. A field selector can be used to list only \
     ResourceSlice objects belonging to a certain node.\n\nThis field can be used to limit access from nodes to ResourceSlices \
     with the same node name. It also indicates to autoscalers that adding new nodes of the same type as some old node might \
     also make new resources available.\n\nExactly one of NodeName, NodeSelector, AllNodes, and PerDeviceNodeSelection must be \
     set. This field is immutable.";

pub(super) const ROLE_BINDING_ROLE_REF: &str = "\
     RoleRef can reference a Role in the current namespace or a ClusterRole in the global namespace. If the RoleRef cannot be \
     resolved, the Authorizer must return an error.";

pub(super) const SCALE_SPEC_REPLICAS: &str = "\
     replicas is the desired number of instances for the scaled object.";

pub(super) const SCALE_STATUS_REPLICAS: &str = "\
     replicas is the actual number of observed instances of the scaled object.";

pub(super) const SECRET_DATA: &str = "\
     Data contains the secret data. Each key must consist of alphanumeric characters, '-', '_' or '.'. The serialized form of \
     the secret data is a base64 encoded string, representing the arbitrary (possibly non-string) data value here. Described in \
     https://tools.ietf.org/html/rfc4648#section-4";

pub(super) const SECRET_TYPE: &str = "\
     Used to facilitate programmatic handling of secret data. More info: \
     https://kubernetes.io/docs/concepts/configuration/secret/#secret-types";

pub(super) const SERVICE_SPEC_CLUSTER_IP: &str = "\
     clusterIP is the IP address of the service and is usually assigned randomly. If an address is specified manually, is \
     in-range (as per system configuration), and is not in use, it will be allocated to the service; otherwise creation of the \
     service will fail. This field may not be changed through updates unless the type field is also being changed to \
     ExternalName (which requires this field to be blank) or the type field is being changed from ExternalName (in which case \
     this field may optionally be specified, as describe above).  Valid values are \"None\", empty string (\"\"), or a valid IP \
     address. Setting this to \"None\" makes a \"headless service\" (no virtual IP), which is useful when direct endpoint \
     connections are preferred and proxying is not required.  Only applies to types ClusterIP, NodePort, and LoadBalancer. If \
     this field is specified when creating a Service of type ExternalName, creation will fail. This field will be wiped when \
     updating a Service to type ExternalName. More info: \
     https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies";

pub(super) const SERVICE_SPEC_EXTERNAL_IPS: &str = "\
     externalIPs is a list of IP addresses for which nodes in the cluster will also accept traffic for this service.  These IPs \
     are not managed by Kubernetes.  The user is responsible for ensuring that traffic arrives at a node with this IP.  A common \
     example is external load-balancers that are not part of the Kubernetes system.";

pub(super) const SERVICE_SPEC_PORTS: &str = "\
     The list of ports that are exposed by this service. More info: \
     https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies";

pub(super) const SERVICE_SPEC_SELECTOR: &str = "\
     Route service traffic to pods with label keys and values matching this selector. If empty or not present, the service is \
     assumed to have an external process managing its endpoints, which Kubernetes will not modify. Only applies to types \
     ClusterIP, NodePort, and LoadBalancer. Ignored if type is ExternalName. More info: \
     https://kubernetes.io/docs/concepts/services-networking/service/";

pub(super) const SERVICE_SPEC_TYPE: &str = "\
     type determines how the Service is exposed. Defaults to ClusterIP. Valid options are ExternalName, ClusterIP, NodePort, and \
     LoadBalancer. \"ClusterIP\" allocates a cluster-internal IP address for load-balancing to endpoints. Endpoints are \
     determined by the selector or if that is not specified, by manual construction of an Endpoints object or EndpointSlice \
     objects. If clusterIP is \"None\", no virtual IP is allocated and the endpoints are published as a set of endpoints rather \
     than a virtual IP. \"NodePort\" builds on ClusterIP and allocates a port on every node which routes to the same endpoints \
     as the clusterIP. \"LoadBalancer\" builds on NodePort and creates an external load-balancer (if supported in the current \
     cloud) which routes to the same endpoints as the clusterIP. \"ExternalName\" aliases this service to the specified \
     externalName. Several other fields do not apply to ExternalName services. More info: \
     https://kubernetes.io/docs/concepts/services-networking/service/#publishing-services-service-types";

pub(super) const STORAGE_CLASS_ALLOW_VOLUME_EXPANSION: &str = "\
     allowVolumeExpansion shows whether the storage class allow volume expand.";

pub(super) const STORAGE_CLASS_RECLAIM_POLICY: &str = "\
     reclaimPolicy controls the reclaimPolicy for dynamically provisioned PersistentVolumes of this storage class. Defaults to \
     Delete.";

pub(super) const STORAGE_CLASS_VOLUME_BINDING_MODE: &str = "\
     volumeBindingMode indicates how PersistentVolumeClaims should be provisioned and bound.  When unset, VolumeBindingImmediate \
     is used. This field is only honored by servers that enable the VolumeScheduling feature.";

pub(super) const VOLUME_ATTACHMENT_SOURCE_PERSISTENT_VOLUME_NAME: &str = "\
     persistentVolumeName represents the name of the persistent volume to attach.";

pub(super) const VOLUME_ATTACHMENT_SPEC_ATTACHER: &str = "\
     attacher indicates the name of the volume driver that MUST handle this request. This is the name returned by \
     GetPluginName().";

pub(super) const VOLUME_ATTACHMENT_SPEC_NODE_NAME: &str = "\
     nodeName represents the node that the volume should be attached to.";

pub(super) const VOLUME_ATTACHMENT_STATUS_ATTACHED: &str = "\
     attached indicates the volume is successfully attached. This field must only be set by the entity completing the attach \
     operation, i.e. the external-attacher.";
