/**
 * The kinds of workloads as people write them, which kubectl takes too.
 */

/** **Source** `kubectl api-resources`. */
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
  { kind: "ReplicationController", plural: "replicationcontrollers", short: "rc" }
]

const KIND_BY_NAME = new Map(
  RESOURCES.flatMap(({ group, kind, plural, short }) => {
    const names = [kind.toLowerCase(), plural, ...(short === undefined ? [] : [short])]
    const withGroup = group === undefined ? [] : [kind.toLowerCase(), plural].map((name) => `${name}.${group}`)
    return [...names, ...withGroup].map((name) => [name, kind] as const)
  })
)

/**
 * Gives the kind that a name means.
 *
 * **Shape** kind, plural or short name, in any case; any other text is given back as it is: it may be a custom kind.
 *
 * **Example** `deploy`, `Deployments` and `deployments.apps` are `Deployment`
 */
export const parse = (text: string): string => KIND_BY_NAME.get(text.toLowerCase()) ?? text
