/**
 * Defaults of each built-in kind.
 *
 * **Source** Kubernetes 1.36, the `defaults.go` of each API group; compared with its replies.
 */
import * as ApiServices from "../core/ApiServices.ts"
import {
  arrayAt,
  isArray,
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  put,
  textAt,
  textsAt,
  withDefaults,
  without
} from "../core/Json.ts"
import type { Surroundings } from "../core/Kernel.ts"
import type { Resource } from "../core/Resource.ts"
import * as CustomResourceDefinition from "../customkinds/CustomResourceDefinition.ts"
import * as PodDefaults from "./PodDefaults.ts"

type Fill = (object: JsonObject, surroundings: Surroundings) => JsonObject

/** Adds the defaults of an object on create and update. A second call changes nothing. */
export const fill = (resource: Resource, object: JsonObject, surroundings: Surroundings): JsonObject =>
  (resource.custom === undefined ? FILL.get(resource.kind)?.(object, surroundings) : undefined) ?? object

/** Initial status of a new object; `undefined` for a custom kind. A status that the client sent is dropped. */
export const firstStatus = (resource: Resource, object: JsonObject): JsonObject | undefined =>
  resource.custom === undefined ? (FIRST_STATUS.get(resource.kind)?.(object) ?? {}) : undefined

const spec = (object: JsonObject, change: (spec: JsonObject) => JsonObject): JsonObject => ({
  ...object,
  spec: change(objectAt(object, "spec"))
})

const templated = (value: JsonObject): JsonObject => ({
  ...value,
  template: PodDefaults.template(objectAt(value, "template"))
})

const rolling = (value: JsonObject, name: string, defaults: JsonObject): JsonObject => {
  const strategy = withDefaults(objectAt(value, name), { type: "RollingUpdate" })
  if (strategy["type"] !== "RollingUpdate") return { ...value, [name]: strategy }
  return {
    ...value,
    [name]: { ...strategy, rollingUpdate: withDefaults(objectAt(strategy, "rollingUpdate"), defaults) }
  }
}

const deployment: Fill = (object) =>
  spec(object, (value) =>
    withDefaults(rolling(templated(value), "strategy", { maxUnavailable: "25%", maxSurge: "25%" }), {
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600
    })
  )

const statefulSet: Fill = (object) =>
  spec(object, (value) =>
    withDefaults(rolling(templated(value), "updateStrategy", { partition: 0 }), {
      replicas: 1,
      serviceName: "",
      podManagementPolicy: "OrderedReady",
      revisionHistoryLimit: 10,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" }
    })
  )

const daemonSet: Fill = (object) => {
  const filled = spec(object, (value) =>
    withDefaults(rolling(templated(value), "updateStrategy", { maxUnavailable: 1, maxSurge: 0 }), {
      revisionHistoryLimit: 10
    })
  )
  const annotations = withDefaults(objectAt(filled, "metadata", "annotations"), { [TEMPLATE_GENERATION]: "1" })
  return put(filled, ["metadata", "annotations"], annotations)
}

/** Annotation with the number of the DaemonSet's template, a field of its first API version. */
export const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"

const replicaSet: Fill = (object) => spec(object, (value) => withDefaults(templated(value), { replicas: 1 }))

const jobSpec = (value: JsonObject): JsonObject => {
  const single = value["completions"] === undefined && value["parallelism"] === undefined
  return withDefaults(templated(value), {
    parallelism: 1,
    ...(single ? { completions: 1 } : {}),
    backoffLimit: 6,
    completionMode: "NonIndexed",
    suspend: false,
    podReplacementPolicy: "TerminatingOrFailed"
  })
}

/** A job selects pods by its own uid, so its selector and labels are set once it has a uid. */
const job: Fill = (object) => {
  const filled = spec(object, jobSpec)
  const uid = textAt(filled, "metadata", "uid")
  const value = objectAt(filled, "spec")
  if (value["manualSelector"] === true || isObject(value["selector"]) || uid === "") return filled
  const labels: JsonObject = {
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": textAt(filled, "metadata", "name"),
    "controller-uid": uid,
    "job-name": textAt(filled, "metadata", "name")
  }
  const labelled = put(filled, ["spec", "template", "metadata", "labels"], {
    ...objectAt(value, "template", "metadata", "labels"),
    ...labels
  })
  const ownLabels = put(labelled, ["metadata", "labels"], { ...objectAt(filled, "metadata", "labels"), ...labels })
  const selecting = put(ownLabels, ["spec", "selector"], { matchLabels: { "batch.kubernetes.io/controller-uid": uid } })
  return put(selecting, ["spec", "manualSelector"], false)
}

const cronJob: Fill = (object) =>
  spec(object, (value) => {
    const jobTemplate = objectAt(value, "jobTemplate")
    const inner = objectAt(jobTemplate, "spec")
    return withDefaults(
      {
        ...value,
        jobTemplate: { ...withDefaults(jobTemplate, { metadata: {} }), spec: templated(inner) }
      },
      { concurrencyPolicy: "Allow", suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 }
    )
  })

const service: Fill = (object, surroundings) =>
  spec(object, (original) => {
    const value = withDefaults(original, { type: "ClusterIP", sessionAffinity: "None" })
    const type = textAt(value, "type")
    if (type === "ExternalName") return value
    const exposed = type === "NodePort" || type === "LoadBalancer"
    const clusterIP = textAt(value, "clusterIP") || surroundings.serviceAddress()
    const { ports } = value
    const taken = new Set(arrayAt(value, "ports").map((port) => numberAt(port, "nodePort") ?? 0))
    const filledPorts = isArray(ports)
      ? ports.map((port) => {
          if (!isObject(port)) return port
          const filled = withDefaults(port, { protocol: "TCP", targetPort: port["port"] ?? 0 })
          if (!exposed || (numberAt(port, "nodePort") ?? 0) !== 0) return filled
          const nodePort = surroundings.nodePort(taken)
          taken.add(nodePort)
          return { ...filled, nodePort }
        })
      : undefined
    return withDefaults(
      {
        ...value,
        ...(filledPorts === undefined ? {} : { ports: filledPorts }),
        clusterIP
      },
      {
        clusterIPs: [clusterIP],
        // A headless service without a selector supports both address families.
        ...(clusterIP === "None" && !isObject(value["selector"])
          ? { ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "RequireDualStack" }
          : { ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" }),
        internalTrafficPolicy: "Cluster",
        ...(exposed ? { externalTrafficPolicy: "Cluster" } : {}),
        ...(type === "LoadBalancer" ? { allocateLoadBalancerNodePorts: true } : {})
      }
    )
  })

const namespace: Fill = (object) => {
  const labels = {
    ...textsAt(object, "metadata", "labels"),
    "kubernetes.io/metadata.name": textAt(object, "metadata", "name")
  }
  return put(object, ["metadata", "labels"], labels)
}

/** Removes maps that are empty. */
const withoutEmptyMaps = (object: JsonObject, ...names: ReadonlyArray<string>): JsonObject =>
  without(object, ...names.filter((name) => isObject(object[name]) && Object.keys(objectAt(object, name)).length === 0))

const configMap: Fill = (object) => withoutEmptyMaps(object, "data", "binaryData")

const secret: Fill = (object) => {
  const { stringData, ...fields } = object
  const rest = withoutEmptyMaps(fields["type"] === "" ? without(fields, "type") : fields, "data")
  const encoded = Object.entries(textsAt({ stringData: stringData ?? null }, "stringData")).map(
    ([key, text]) => [key, Buffer.from(text).toString("base64")] as const
  )
  const typed = withDefaults(rest, { type: "Opaque" })
  return encoded.length === 0
    ? typed
    : { ...typed, data: { ...objectAt(rest, "data"), ...Object.fromEntries(encoded) } }
}

const event: Fill = (object) =>
  withDefaults(object, {
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
    eventTime: null,
    reportingComponent: "",
    reportingInstance: ""
  })

const claim: Fill = (object) =>
  spec(object, (value) =>
    withDefaults(
      { ...value, resources: objectAt(value, "resources") },
      {
        volumeMode: "Filesystem"
      }
    )
  )

/** A node's allocatable resources default to its capacity. */
const node: Fill = (object) => {
  const filled = withDefaults(object, { spec: {} })
  const { status } = filled
  if (!isObject(status)) return filled
  const allocatable = isObject(status["capacity"])
    ? withDefaults(objectAt(status, "allocatable"), status["capacity"])
    : undefined
  return {
    ...filled,
    status: { ...status, ...(allocatable === undefined ? {} : { allocatable }) }
  }
}

const RBAC = "rbac.authorization.k8s.io"

/** A role without rules has `rules: null`, as on the real server. */
const role: Fill = (object) => (arrayAt(object, "rules").length === 0 ? { ...object, rules: null } : object)

const binding: Fill = (object) => {
  const subjects = arrayAt(object, "subjects").map((subject) =>
    isObject(subject) && USER_KINDS.has(textAt(subject, "kind")) ? ofRbac(subject) : subject
  )
  return {
    ...without(object, "subjects"),
    roleRef: ofRbac(objectAt(object, "roleRef")),
    ...(subjects.length === 0 ? {} : { subjects })
  }
}

const USER_KINDS = new Set(["User", "Group"])

const ofRbac = (reference: JsonObject): JsonObject =>
  textAt(reference, "apiGroup") === "" ? { ...reference, apiGroup: RBAC } : reference

const pod: Fill = (object) =>
  // Admission defaults apply only to a new pod; an existing pod has a status.
  isObject(object["status"])
    ? PodDefaults.withStatusDefaults(addressed(spec(object, PodDefaults.podSpec)))
    : PodDefaults.pod(object)

/** Keeps `podIP` and `podIPs` consistent. */
const addressed = (object: JsonObject): JsonObject => {
  const ip = textAt(object, "status", "podIP")
  const [first] = arrayAt(object, "status", "podIPs")
  const known = textAt(first, "ip")
  if (ip === known) return object
  return ip === "" ? put(object, ["status", "podIP"], known) : put(object, ["status", "podIPs"], [{ ip }])
}

const FILL = new Map<string, Fill>([
  ["Pod", pod],
  ["Deployment", deployment],
  ["StatefulSet", statefulSet],
  ["DaemonSet", daemonSet],
  ["ReplicaSet", replicaSet],
  ["Job", job],
  ["CronJob", cronJob],
  ["Service", service],
  ["Namespace", namespace],
  ["Node", node],
  ["Secret", secret],
  ["ConfigMap", configMap],
  ["Event", event],
  ["PersistentVolumeClaim", claim],
  ["CustomResourceDefinition", CustomResourceDefinition.fill],
  ["APIService", ApiServices.fill],
  ["Role", role],
  ["ClusterRole", role],
  ["RoleBinding", binding],
  ["ClusterRoleBinding", binding]
])

const NO_NODE_INFO = [
  "machineID",
  "systemUUID",
  "bootID",
  "kernelVersion",
  "osImage",
  "containerRuntimeVersion",
  "kubeletVersion",
  "kubeProxyVersion",
  "operatingSystem",
  "architecture"
]

/** A new node keeps the status that its kubelet sends. */
const nodeStatus = (object: JsonObject): JsonObject =>
  withDefaults(
    {
      ...objectAt(object, "status"),
      nodeInfo: withDefaults(
        objectAt(object, "status", "nodeInfo"),
        Object.fromEntries(NO_NODE_INFO.map((name) => [name, ""]))
      )
    },
    { daemonEndpoints: { kubeletEndpoint: { Port: 0 } } }
  )

const FIRST_STATUS = new Map<string, (object: JsonObject) => JsonObject>([
  ["CustomResourceDefinition", CustomResourceDefinition.firstStatus],
  ["APIService", ApiServices.firstStatus],
  ["Pod", PodDefaults.podStatus],
  ["Node", nodeStatus],
  ["Namespace", () => ({ phase: "Active" })],
  ["PersistentVolumeClaim", () => ({ phase: "Pending" })],
  ["Service", () => ({ loadBalancer: {} })],
  ["ReplicaSet", () => ({ replicas: 0 })],
  ["StatefulSet", () => ({ replicas: 0, availableReplicas: 0 })],
  [
    "DaemonSet",
    () => ({ currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 })
  ],
  ["PodDisruptionBudget", () => ({ disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 })]
])

/** Adds the fields that admission sets only when an object is created. */
export const admit = (resource: Resource, object: JsonObject): JsonObject => {
  if (resource.custom !== undefined) return object
  if (resource.kind === "Namespace") return put(object, ["spec", "finalizers"], ["kubernetes"])
  if (resource.kind !== "Node") return object
  const taints = arrayAt(object, "spec", "taints")
  const notReady: JsonObject = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }
  const known = taints.some(
    (taint) => textAt(taint, "key") === notReady["key"] && textAt(taint, "effect") === "NoSchedule"
  )
  return known ? object : put(object, ["spec", "taints"], [...taints, notReady])
}
