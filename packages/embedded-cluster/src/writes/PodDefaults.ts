/**
 * Defaults of pods and pod templates.
 *
 * **Source** Kubernetes 1.36, `pkg/apis/core/v1/defaults.go` and the default admission plugins; compared with its
 * replies.
 */
import {
  arrayAt,
  EMPTY,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  objectAt,
  put,
  textAt,
  withDefaults
} from "../core/Json.ts"

/** Adds the defaults of the `spec` of a pod or template. */
export const podSpec = (spec: JsonObject): JsonObject => {
  const account = textAt(spec, "serviceAccountName") || textAt(spec, "serviceAccount")
  return withDefaults(
    {
      ...spec,
      ...mapped(spec, "containers", container),
      ...mapped(spec, "initContainers", container),
      ...mapped(spec, "volumes", volume),
      ...(account === "" ? {} : { serviceAccountName: account, serviceAccount: account })
    },
    {
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 30,
      dnsPolicy: "ClusterFirst",
      securityContext: {},
      schedulerName: "default-scheduler"
    }
  )
}

/** Adds the defaults of a workload's template. */
export const template = (value: JsonObject): JsonObject => ({
  ...withDefaults(value, { metadata: {} }),
  spec: podSpec(objectAt(value, "spec"))
})

/** Adds the defaults of a new pod, including those that a template does not get. */
export const pod = (object: JsonObject): JsonObject => {
  const filled = podSpec(objectAt(object, "spec"))
  const spec = withDefaults(
    {
      ...filled,
      ...mapped(filled, "containers", requestsFromLimits),
      ...mapped(filled, "initContainers", requestsFromLimits),
      tolerations: tolerations(filled)
    },
    { priority: 0, enableServiceLinks: true, preemptionPolicy: "PreemptLowerPriority" }
  )
  return { ...object, spec }
}

/** Initial status of a pod. */
export const podStatus = (object: JsonObject): JsonObject => ({
  phase: "Pending",
  ...(arrayAt(object, "spec", "schedulingGates").length === 0 ? {} : { conditions: [GATED] }),
  qosClass: qosClass(objectAt(object, "spec"))
})

/** Condition of a pod with scheduling gates. Schedulers ignore such pods, so the server sets it. */
const GATED: JsonObject = {
  type: "PodScheduled",
  status: "False",
  lastProbeTime: null,
  lastTransitionTime: null,
  reason: "SchedulingGated",
  message: "Scheduling is blocked due to non-empty scheduling gates"
}

const container = (value: JsonObject): JsonObject => {
  const image = textAt(value, "image")
  const probes = ["livenessProbe", "readinessProbe", "startupProbe"].flatMap((name) =>
    isObject(value[name]) ? [[name, probe(objectAt(value, name))] as const] : []
  )
  return withDefaults(
    {
      ...value,
      ...mapped(value, "ports", (port) => withDefaults(port, { protocol: "TCP" })),
      ...mapped(value, "env", environment),
      ...Object.fromEntries(probes),
      resources: objectAt(value, "resources")
    },
    {
      terminationMessagePath: "/dev/termination-log",
      terminationMessagePolicy: "File",
      imagePullPolicy: isLatest(image) ? "Always" : "IfNotPresent"
    }
  )
}

/** Returns whether an image is used by its `latest` tag, which is pulled every time. */
const isLatest = (image: string): boolean => {
  const last = image.slice(image.lastIndexOf("/") + 1)
  return !last.includes("@") && (!last.includes(":") || last.endsWith(":latest"))
}

const environment = (variable: JsonObject): JsonObject => {
  const source = objectAt(variable, "valueFrom")
  if (!isObject(source["fieldRef"])) return variable
  return {
    ...variable,
    valueFrom: { ...source, fieldRef: withDefaults(objectAt(source, "fieldRef"), { apiVersion: "v1" }) }
  }
}

const probe = (value: JsonObject): JsonObject => {
  const { httpGet } = value
  return withDefaults(
    isObject(httpGet) ? { ...value, httpGet: withDefaults(httpGet, { path: "/", scheme: "HTTP" }) } : value,
    { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }
  )
}

const DEFAULT_MODE: JsonObject = { defaultMode: 420 }
const VOLUME_SOURCES = new Map<string, JsonObject>([
  ["secret", DEFAULT_MODE],
  ["configMap", DEFAULT_MODE],
  ["projected", DEFAULT_MODE],
  ["downwardAPI", DEFAULT_MODE],
  ["hostPath", { type: "" }]
])

const volume = (value: JsonObject): JsonObject => {
  if (Object.keys(value).every((key) => key === "name")) return { ...value, emptyDir: {} }
  const sources = Object.entries(value).map(([key, source]) => {
    const defaults = VOLUME_SOURCES.get(key)
    return [key, defaults !== undefined && isObject(source) ? withDefaults(source, defaults) : source] as const
  })
  return Object.fromEntries(sources)
}

const requestsFromLimits = (value: JsonObject): JsonObject => {
  const resources = objectAt(value, "resources")
  if (!isObject(resources["limits"])) return value
  return {
    ...value,
    resources: { ...resources, requests: withDefaults(objectAt(resources, "requests"), resources["limits"]) }
  }
}

const UNREADY = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]

const tolerations = (spec: JsonObject): Json => {
  const declared = arrayAt(spec, "tolerations")
  const missing = UNREADY.filter(
    (key) =>
      !declared.some(
        (one) =>
          (textAt(one, "key") === key || textAt(one, "key") === "") && ["", "NoExecute"].includes(textAt(one, "effect"))
      )
  )
  return [
    ...declared,
    ...missing.map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }))
  ]
}

const COUNTED = ["cpu", "memory"]

const qosClass = (spec: JsonObject): string => {
  const all = [...arrayAt(spec, "containers"), ...arrayAt(spec, "initContainers")].map((one) =>
    objectAt(one, "resources")
  )
  const set = (resources: JsonObject, part: string) => COUNTED.filter((name) => textAt(resources, part, name) !== "")
  if (all.every((resources) => set(resources, "limits").length === 0 && set(resources, "requests").length === 0)) {
    return "BestEffort"
  }
  const guaranteed = all.every(
    (resources) =>
      set(resources, "limits").length === COUNTED.length
      && COUNTED.every((name) => textAt(resources, "limits", name) === textAt(resources, "requests", name))
  )
  return guaranteed ? "Guaranteed" : "Burstable"
}

/** Adds the defaults of a pod's status. */
export const withStatusDefaults = (object: JsonObject): JsonObject => {
  const status = objectAt(object, "status")
  return put(object, ["status"], {
    ...status,
    ...mapped(status, "conditions", (one) => withDefaults(one, UNTIMED)),
    ...Object.fromEntries(STATUSES.flatMap((name) => Object.entries(mapped(status, name, ofContainer))))
  })
}

const UNTIMED = { lastProbeTime: null, lastTransitionTime: null }
const STATUSES = ["initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"]

const ofContainer = (status: JsonObject): JsonObject =>
  withDefaults(status, { state: {}, lastState: {}, ready: false, restartCount: 0, image: "", imageID: "" })

const mapped = (object: JsonObject, name: string, change: (item: JsonObject) => JsonObject): JsonObject => {
  const list = object[name]
  return isArray(list) ? { [name]: list.map((item) => (isObject(item) ? change(item) : item)) } : EMPTY
}
