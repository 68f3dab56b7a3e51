//! What objects of every kind have, and the pieces that several kinds share.

use crate::wire::{
    value::{List, Pairs, Text},
    wire,
};

wire! {
    /// `metadata`.
    struct Metadata<'a> {
        "name" => name: Text<'a>,
        "namespace" => namespace: Text<'a>,
        "uid" => uid: Text<'a>,
        "generation" => generation: Option<i64>,
        "labels" => labels: Pairs<'a, Text<'a>>,
        "annotations" => annotations: Pairs<'a, Text<'a>>,
        "ownerReferences" => owners: List<OwnerReference<'a>>,
        "creationTimestamp" => created: Text<'a>,
        "deletionTimestamp" => deleted: Text<'a>,
        "deletionGracePeriodSeconds" => grace: Option<i64>,
    }

    /// Who made the object.
    struct OwnerReference<'a> {
        "kind" => kind: Text<'a>,
        "name" => name: Text<'a>,
        "uid" => uid: Text<'a>,
        "controller" => controller: Option<bool>,
    }

    /// An object of which only the name is read, to speak of it in a message.
    struct NameOnly<'a> {
        "metadata" => metadata: Name<'a>,
    }

    /// The name of an object whose `metadata` may be wrong otherwise.
    struct Name<'a> {
        "name" => name: Text<'a>,
        "namespace" => namespace: Text<'a>,
    }

    /// A v1.Namespace.
    struct Namespace<'a> {
        "metadata" => metadata: Metadata<'a>,
    }

    /// A metav1.LabelSelector.
    struct LabelSelector<'a> {
        "matchLabels" => labels: Pairs<'a, Text<'a>>,
        "matchExpressions" => expressions: List<Expression<'a>>,
    }

    /// A requirement of a label selector or of a node selector.
    struct Expression<'a> {
        "key" => key: Text<'a>,
        "operator" => operator: Text<'a>,
        "values" => values: List<Text<'a>>,
    }

    /// A condition of a node or a pod.
    struct Condition<'a> {
        "type" => name: Text<'a>,
        "status" => status: Text<'a>,
        "reason" => reason: Text<'a>,
        "lastTransitionTime" => changed: Text<'a>,
    }
}
