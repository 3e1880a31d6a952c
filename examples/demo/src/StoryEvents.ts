/**
 * What the clusters of the demo tell of their pods: events, as kubelets report them, and logs.
 */
import type { KubeObject, Seed } from "@quarterdeck/harness"
import type { Tale } from "./Story.ts"

const MINUTE_MS = 60_000

/** How long ago something was seen first, and last. **Units** minutes. */
interface Happening {
  readonly pod: string
  readonly namespace: string
  readonly type: "Normal" | "Warning"
  readonly reason: string
  readonly message: string
  readonly count: number
  readonly minutes: readonly [first: number, last: number]
}

/** Events of the pods that do not come up, and of the beginnings of those of the story. */
export const of = (
  plan: Seed.ClusterPlan,
  living: ReadonlyArray<Tale>,
  now: string
): ReadonlyArray<KubeObject.KubeObject> => {
  const crashing = plan.workloads.flatMap((workload) =>
    workload.pods
      .filter(({ state }) => state === "crashing")
      .map(({ name }): Happening => {
        const container = workload.template.name
        return {
          pod: name,
          namespace: workload.namespace,
          type: "Warning",
          reason: "BackOff",
          message: `Back-off restarting failed container ${container} in pod ${name}_${workload.namespace}`,
          count: 7,
          minutes: [25, 1]
        }
      })
  )
  const begun = living.flatMap(({ name, namespace, replicas }) =>
    Array.from({ length: replicas }, (_, at): Happening => {
      const pod = `${name}-${at}`
      const message = `Started container ${name}`
      return { pod, namespace, type: "Normal", reason: "Started", message, count: 1, minutes: [12 + at, 12 + at] }
    })
  )
  return [...crashing, ...begun].map((happening) => eventOf(happening, now))
}

const eventOf = ({ count, message, minutes, namespace, pod, reason, type }: Happening, now: string) => {
  const before = (ago: number) => new Date(Date.parse(now) - ago * MINUTE_MS).toISOString().replace(/\.\d+Z$/, "Z")
  const [first, last] = minutes
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `${pod}.${reason.toLowerCase()}`, namespace },
    involvedObject: { apiVersion: "v1", kind: "Pod", namespace, name: pod },
    type,
    reason,
    message,
    count,
    firstTimestamp: before(first),
    lastTimestamp: before(last),
    source: { component: "kubelet" }
  }
}

/** The annotation by which an embedded cluster knows what a container has written. */
export const logOf = (container: string, pod: string, now: string): Readonly<Record<string, string>> => {
  const lines = ["listening on :8080", `connected to the queue as ${pod}`, "took 42 jobs, 0 failed"]
  return { [`log.harness.quarterdeck.dev/${container}`]: lines.map((line) => `${now} ${line}\n`).join("") }
}
