#!/usr/bin/env python3
"""Writes types.tsv: the types of the built-in kinds, from a checkout of Kubernetes.

Usage: generate.py KUBERNETES API APIMACHINERY APIEXTENSIONS > types.tsv

KUBERNETES is a checkout of k8s.io/kubernetes, the others of the modules k8s.io/api, k8s.io/apimachinery and
k8s.io/apiextensions-apiserver of the same release (they may be the directories under staging/src of a git checkout).

The published OpenAPI says what fields there are. It does not say what the server writes for a field that nobody set, nor the
field's number on the wire; the struct tags of the Go sources say both.
"""

import glob
import json
import os
import re
import sys

# The kinds that are served, and what is sent to and from them. Each brings what it refers to.
ROOTS = """
core.v1: Namespace Node Pod ConfigMap Secret Event Service ServiceAccount PersistentVolume PersistentVolumeClaim
core.v1: ReplicationController Binding PodTemplate Endpoints LimitRange ResourceQuota
apps.v1: Deployment ReplicaSet DaemonSet StatefulSet ControllerRevision
batch.v1: Job CronJob
policy.v1: PodDisruptionBudget Eviction
scheduling.v1: PriorityClass
coordination.v1: Lease
storage.v1: StorageClass CSINode CSIDriver CSIStorageCapacity VolumeAttachment
events.v1: Event
rbac.v1: Role RoleBinding ClusterRole ClusterRoleBinding
resource.v1: ResourceSlice ResourceClaim ResourceClaimTemplate DeviceClass
autoscaling.v1: Scale
authentication.v1: TokenRequest TokenReview SelfSubjectReview
authorization.v1: SubjectAccessReview SelfSubjectAccessReview LocalSubjectAccessReview SelfSubjectRulesReview
"""
OTHER_ROOTS = [
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
    "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions",
    "io.k8s.apimachinery.pkg.apis.meta.v1.Status",
    "io.k8s.apimachinery.pkg.apis.meta.v1.Patch",
    "io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent",
]

KEPT = [
    "type", "format", "required", "enum", "default", "x-kubernetes-list-type", "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type", "x-kubernetes-patch-strategy", "x-kubernetes-patch-merge-key",
    "x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields", "oneOf",
]

FIELD = re.compile(r"^\s*(?:(\w+)\s+)?([\w.\[\]*]+)\s+`(.*)`")


def schemas(root):
    found = {}
    for path in sorted(glob.glob(os.path.join(root, "api/openapi-spec/v3/*.json"))):
        with open(path) as file:
            found.update(json.load(file).get("components", {}).get("schemas", {}))
    return found


def structs(modules):
    """{package: {struct: [(json name, Go type, options, wire number)]}}, embedded structs as (None, type, ..)."""
    found = {}
    for prefix, base in zip(("io.k8s.api.", "io.k8s.apimachinery.", "io.k8s.apiextensions-apiserver."), modules):
        for path in glob.glob(os.path.join(base, "**/*.go"), recursive=True):
            name = os.path.basename(path)
            if not (name.startswith("types") or name in ("micro_time.go", "time.go", "intstr.go")) or name.endswith("_test.go"):
                continue
            package = prefix + os.path.relpath(os.path.dirname(path), base).replace("/", ".")
            current = None
            with open(path) as file:
                for line in file:
                    if start := re.match(r"^type (\w+) struct \{", line):
                        current = found.setdefault(package, {}).setdefault(start.group(1), [])
                    elif line.startswith("}"):
                        current = None
                    elif alias := re.match(r"^type (\w+) ([\w.\[\]*]+)$", line.strip()):
                        found.setdefault(package, {})[alias.group(1)] = alias.group(2)
                    elif current is not None and (field := FIELD.match(line)):
                        tag = re.search(r'json:"([^"]*)"', field.group(3))
                        if not tag:
                            continue
                        wire = re.search(r'protobuf:"\w+,(\d+),', field.group(3))
                        options = tag.group(1).split(",")
                        inline = not options[0]
                        current.append((
                            None if inline else options[0],
                            field.group(2),
                            options[1:],
                            int(wire.group(1)) if wire else None,
                        ))
    return found


def flattened(package, name, packages):
    fields = {}
    for json_name, go_type, options, number in packages.get(package, {}).get(name, []):
        if json_name is not None:
            fields[json_name] = (go_type, options, number)
            continue
        inner = go_type.lstrip("*")
        if inner == "metav1.TypeMeta" or inner == "TypeMeta":
            continue
        for key, value in flattened(package, inner, packages).items():
            # A struct that is embedded without being inlined on the wire has its fields inside a message of its own.
            go, opts, wire = value
            fields.setdefault(key, (go, opts, f"{number}.{wire}" if number and wire else wire))
    return fields


def zero(schema, go):
    """What Go does with a field that is not set: `omit` (zero values are left out), `keep` (the zero value is written),
    `null` (null is written), or None for pointers that are left out when nil and kept as given otherwise."""
    go_type, options, _ = go
    omits = "omitempty" in options or "omitzero" in options
    if go_type.startswith("*"):
        return None if omits else "null"
    if go_type.startswith("[]") or go_type.startswith("map[") or schema.get("type") == "array" or "additionalProperties" in schema:
        return "omit" if omits else "null"
    if "$ref" in schema:
        target = schema["$ref"].rsplit(".", 1)[1]
        if target in ("Time", "MicroTime"):
            return "omit" if "omitzero" in options else "null"
        return "omit" if "omitzero" in options else "keep"
    return "omit" if omits else "keep"


def compact(schema):
    if "allOf" in schema:
        schema = {**{k: v for k, v in schema.items() if k != "allOf"}, **schema["allOf"][0]}
    out = {}
    if "$ref" in schema:
        out["$ref"] = schema["$ref"].rsplit("/", 1)[1]
    for key in KEPT:
        if key in schema:
            out[key] = schema[key]
    for key in ("items", "additionalProperties"):
        if key in schema:
            out[key] = compact(schema[key])
    return out


def references(schema):
    if "$ref" in schema:
        yield schema["$ref"]
    for key in ("items", "additionalProperties"):
        if key in schema:
            yield from references(schema[key])
    for field in schema.get("properties", {}).values():
        yield from references(field)


def definition(name, schema, packages):
    out = compact(schema)
    package, _, short = name.rpartition(".")
    fields = flattened(package, short, packages)
    properties = {}
    for key, field in schema.get("properties", {}).items():
        entry = compact(field)
        if key in fields:
            rule = zero(entry, fields[key])
            if rule:
                entry["go"] = rule
            if fields[key][2] is not None:
                entry["wire"] = fields[key][2]
        elif key not in ("apiVersion", "kind"):
            print(f"{name}.{key}: not found in the sources", file=sys.stderr)
        properties[key] = entry
    if properties:
        out["properties"] = properties
    return out


def main():
    root = sys.argv[1]
    published = schemas(root)
    packages = structs(sys.argv[2:5])
    wanted = list(OTHER_ROOTS)
    for line in ROOTS.split("\n"):
        if line.strip():
            package, kinds = line.split(":")
            wanted += [f"io.k8s.api.{package}.{kind}" for kind in kinds.split()]
    wanted += [name + "List" for name in wanted if name + "List" in published]
    done = {}
    while wanted:
        name = wanted.pop()
        if name in done:
            continue
        done[name] = definition(name, published[name], packages)
        wanted.extend(references(done[name]))
    for name in sorted(done):
        kinds = published[name].get("x-kubernetes-group-version-kind", [])
        # Options are kinds of every group; their own is enough.
        if len(kinds) > 5:
            kinds = [kind for kind in kinds if kind["group"] == "" and kind["version"] == "v1"]
        shown = ",".join(f"{k['group']}/{k['version']}/{k['kind']}" for k in kinds)
        print(f"{name}\t{shown}\t{json.dumps(done[name], separators=(',', ':'))}")


main()
