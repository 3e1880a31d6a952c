/**
 * Names of Kubernetes kinds that kubectl accepts: kind, plural or short name.
 */

/** Built-in kinds. **Source** `kubectl api-resources`. */
const RESOURCES: ReadonlyArray<{
  readonly kind: string
  readonly plural: string
  readonly short?: string
  readonly group?: string
}> = [
  { kind: "Deployment", plural: "deployments", short: "deploy", group: "apps" },
  { kind: "StatefulSet", plural: "statefulsets", short: "sts", group: "apps" },
  { kind: "DaemonSet", plural: "daemonsets", short: "ds", group: "apps" },
  { kind: "ReplicaSet", plural: "replicasets", short: "rs", group: "apps" },
  { kind: "Job", plural: "jobs", group: "batch" },
  { kind: "CronJob", plural: "cronjobs", short: "cj", group: "batch" },
  { kind: "Pod", plural: "pods", short: "po" },
  { kind: "ReplicationController", plural: "replicationcontrollers", short: "rc" },
  { kind: "Node", plural: "nodes", short: "no" },
  { kind: "Namespace", plural: "namespaces", short: "ns" },
  { kind: "Service", plural: "services", short: "svc" },
  { kind: "PersistentVolumeClaim", plural: "persistentvolumeclaims", short: "pvc" },
  { kind: "PersistentVolume", plural: "persistentvolumes", short: "pv" },
  { kind: "HorizontalPodAutoscaler", plural: "horizontalpodautoscalers", short: "hpa", group: "autoscaling" },
  { kind: "Ingress", plural: "ingresses", short: "ing", group: "networking.k8s.io" }
]

const KIND_BY_NAME = new Map(
  RESOURCES.flatMap(({ group, kind, plural, short }) => {
    const names = [kind.toLowerCase(), plural, ...(short === undefined ? [] : [short])]
    const withGroup = group === undefined ? [] : [kind.toLowerCase(), plural].map((name) => `${name}.${group}`)
    return [...names, ...withGroup].map((name) => [name, kind] as const)
  })
)

/**
 * Resolves a name to a kind.
 *
 * **Shape** kind, plural or short name, case-insensitive. Any other text may be a custom kind and is returned unchanged.
 *
 * **Example** `deploy`, `Deployments` and `deployments.apps` are `Deployment`, `jobs.batch.volcano.sh` is
 * `Job.batch.volcano.sh`
 */
export const parse = (text: string): string => {
  const known = KIND_BY_NAME.get(text.toLowerCase())
  const dot = text.indexOf(".")
  if (known !== undefined || dot < 0) return known ?? text
  // A custom kind may start with the name of a built-in kind, which is then normalized.
  const builtin = KIND_BY_NAME.get(text.slice(0, dot).toLowerCase())
  return builtin === undefined ? text : `${builtin}${text.slice(dot).toLowerCase()}`
}

/** Normalizes the kind in the path of an object. **Example** `deploy/web` is `Deployment/web` */
export const pathOf = (text: string): string => {
  const slash = text.indexOf("/")
  return slash < 0 ? text : `${parse(text.slice(0, slash))}${text.slice(slash)}`
}
