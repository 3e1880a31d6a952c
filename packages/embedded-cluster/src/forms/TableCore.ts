/**
 * Table columns of nodes, namespaces, services and other kinds that are not workloads.
 *
 * **Source** Kubernetes 1.36, `printers.go`.
 */
import type { Column } from "../core/Column.ts"
import { arrayAt, at, type Json, type JsonObject, numberAt, objectAt, textAt } from "../core/Json.ts"
import { aged, column, count, labelsText, named, NONE, since, wide } from "./TableCells.ts"

const UNKNOWN = "<unknown>"

const nodeStatus = (node: JsonObject): string => {
  const ready = arrayAt(node, "status", "conditions").find((one) => textAt(one, "type") === "Ready")
  const state = ready === undefined ? "Unknown" : textAt(ready, "status") === "True" ? "Ready" : "NotReady"
  return at(node, "spec", "unschedulable") === true ? `${state},SchedulingDisabled` : state
}

const ROLE = "node-role.kubernetes.io/"

const nodeRoles = (node: JsonObject): string => {
  const roles = Object.entries(objectAt(node, "metadata", "labels")).flatMap(([key, value]) => {
    if (key.startsWith(ROLE) && key.length > ROLE.length) return [key.slice(ROLE.length)]
    return key === "kubernetes.io/role" && typeof value === "string" && value !== "" ? [value] : []
  })
  return [...new Set(roles)].toSorted().join(",") || NONE
}

const address =
  (type: string) =>
  (node: JsonObject): string =>
    textAt(
      arrayAt(node, "status", "addresses").find((one) => textAt(one, "type") === type),
      "address"
    ) || NONE

const nodeInfo =
  (name: string, none: string) =>
  (node: JsonObject): string =>
    textAt(node, "status", "nodeInfo", name) || none

const nodes: ReadonlyArray<Column> = [
  named,
  column("Status", nodeStatus),
  column("Roles", nodeRoles),
  aged,
  column("Version", nodeInfo("kubeletVersion", "")),
  wide("Internal-IP", address("InternalIP")),
  wide("External-IP", address("ExternalIP")),
  wide("OS-Image", nodeInfo("osImage", UNKNOWN)),
  wide("Kernel-Version", nodeInfo("kernelVersion", UNKNOWN)),
  wide("Container-Runtime", nodeInfo("containerRuntimeVersion", UNKNOWN))
]

const externalAddress = (service: JsonObject): string => {
  const external = arrayAt(service, "spec", "externalIPs").filter((one) => typeof one === "string")
  const type = textAt(service, "spec", "type")
  if (type === "ExternalName") return textAt(service, "spec", "externalName")
  const balanced = arrayAt(service, "status", "loadBalancer", "ingress").map(
    (one) => textAt(one, "ip") || textAt(one, "hostname")
  )
  const all = [...balanced, ...external]
  if (all.length > 0) return all.join(",")
  return type === "LoadBalancer" ? "<pending>" : NONE
}

const ports = (service: JsonObject): string =>
  arrayAt(service, "spec", "ports")
    .map((port) => {
      const nodePort = numberAt(port, "nodePort")
      const number = numberAt(port, "port") ?? 0
      return `${nodePort === undefined ? number : `${number}:${nodePort}`}/${textAt(port, "protocol")}`
    })
    .join(",") || NONE

const services: ReadonlyArray<Column> = [
  named,
  column("Type", (service) => textAt(service, "spec", "type")),
  column("Cluster-IP", (service) => textAt(service, "spec", "clusterIP") || NONE),
  column("External-IP", externalAddress),
  column("Port(s)", ports),
  aged,
  wide("Selector", (service) => labelsText(service, "spec", "selector"))
]

const entries = (object: JsonObject, ...names: ReadonlyArray<string>): number =>
  names.reduce((sum, name) => sum + Object.keys(objectAt(object, name)).length, 0)

const MODES = new Map([
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"]
])

const claims: ReadonlyArray<Column> = [
  named,
  column("Status", (claim) =>
    at(claim, "metadata", "deletionTimestamp") === undefined ? textAt(claim, "status", "phase") : "Terminating"
  ),
  column("Volume", (claim) => textAt(claim, "spec", "volumeName")),
  column("Capacity", (claim) =>
    textAt(claim, "spec", "volumeName") === "" ? "" : textAt(claim, "status", "capacity", "storage")
  ),
  column("Access Modes", (claim) =>
    textAt(claim, "spec", "volumeName") === ""
      ? ""
      : arrayAt(claim, "status", "accessModes")
          .map((mode) => MODES.get(typeof mode === "string" ? mode : "") ?? "")
          .join(",")
  ),
  column("StorageClass", (claim) => textAt(claim, "spec", "storageClassName")),
  column("VolumeAttributesClass", (claim) => textAt(claim, "spec", "volumeAttributesClassName") || "<unset>"),
  aged,
  wide("VolumeMode", (claim) => textAt(claim, "spec", "volumeMode") || "<unset>")
]

const eventTime = (event: JsonObject, name: string): string => textAt(event, name) || textAt(event, "eventTime")

const lastSeen = (event: JsonObject): string =>
  textAt(event, "series", "lastObservedTime") || eventTime(event, "lastTimestamp")

const events: ReadonlyArray<Column> = [
  column("Last Seen", (event, nowMs) => since(lastSeen(event), nowMs)),
  column("Type", (event) => textAt(event, "type")),
  column("Reason", (event) => textAt(event, "reason")),
  column("Object", (event) => {
    const kind = textAt(event, "involvedObject", "kind").toLowerCase()
    const name = textAt(event, "involvedObject", "name")
    return name === "" ? kind : `${kind}/${name}`
  }),
  wide("Subobject", (event) => textAt(event, "involvedObject", "fieldPath")),
  wide("Source", (event) => {
    const host = textAt(event, "source", "host") || textAt(event, "reportingInstance")
    const component = textAt(event, "source", "component") || textAt(event, "reportingComponent")
    return host === "" ? component : `${component}, ${host}`
  }),
  column("Message", (event) => textAt(event, "message").trim()),
  wide("First Seen", (event, nowMs) => since(eventTime(event, "firstTimestamp"), nowMs)),
  wide("Count", (event) => numberAt(event, "series", "count") ?? numberAt(event, "count") ?? 1),
  { ...named, priority: 1 }
]

const subjects =
  (kind: string) =>
  (binding: JsonObject): string =>
    arrayAt(binding, "subjects")
      .filter((subject) => textAt(subject, "kind") === kind)
      .map((subject) =>
        kind === "ServiceAccount"
          ? `${textAt(subject, "namespace")}/${textAt(subject, "name")}`
          : textAt(subject, "name")
      )
      .join(", ")

const bindings: ReadonlyArray<Column> = [
  named,
  column("Role", (binding) => `${textAt(binding, "roleRef", "kind")}/${textAt(binding, "roleRef", "name")}`),
  aged,
  wide("Users", subjects("User")),
  wide("Groups", subjects("Group")),
  wide("ServiceAccounts", subjects("ServiceAccount"))
]

const minOrNot = (object: JsonObject, name: string): Json => {
  const value = at(object, "spec", name)
  return typeof value === "string" || typeof value === "number" ? String(value) : "N/A"
}

const apiServices: ReadonlyArray<Column> = [
  named,
  column("Service", (object) => {
    const service = objectAt(object, "spec", "service")
    return textAt(service, "name") === "" ? "Local" : `${textAt(service, "namespace")}/${textAt(service, "name")}`
  }),
  column("Available", (object) => {
    const available = arrayAt(object, "status", "conditions").find((one) => textAt(one, "type") === "Available")
    const status = textAt(available, "status") || "Unknown"
    return status === "True" ? status : `${status} (${textAt(available, "reason")})`
  }),
  aged
]

export const coreColumns: ReadonlyArray<readonly [string, ReadonlyArray<Column>]> = [
  ["Node", nodes],
  ["Namespace", [named, column("Status", (namespace) => textAt(namespace, "status", "phase")), aged]],
  ["Service", services],
  ["ConfigMap", [named, column("Data", (object) => entries(object, "data", "binaryData")), aged]],
  [
    "Secret",
    [
      named,
      column("Type", (secret) => textAt(secret, "type")),
      column("Data", (secret) => entries(secret, "data")),
      aged
    ]
  ],
  ["ServiceAccount", [named, aged]],
  ["PersistentVolumeClaim", claims],
  ["Event", events],
  ["APIService", apiServices],
  ["Lease", [named, column("Holder", (lease) => textAt(lease, "spec", "holderIdentity")), aged]],
  ["RoleBinding", bindings],
  ["ClusterRoleBinding", bindings],
  [
    "PodDisruptionBudget",
    [
      named,
      column("Min Available", (budget) => minOrNot(budget, "minAvailable")),
      column("Max Unavailable", (budget) => minOrNot(budget, "maxUnavailable")),
      column("Allowed Disruptions", (budget) => count(budget, "status", "disruptionsAllowed"), "integer"),
      aged
    ]
  ]
]
