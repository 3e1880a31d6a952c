/** Events of the demo's pods, as kubelets report them, and their logs. */
import type { KubeObject, Seed } from "@quarterdeck/harness"
import type { Tale } from "./Story.ts"

const MINUTE_MS = 60_000

/** An event. **Units** `minutes` before now. */
interface PodEvent {
  readonly pod: string
  readonly namespace: string
  readonly type: "Normal" | "Warning"
  readonly reason: string
  readonly message: string
  readonly count: number
  readonly minutes: readonly [first: number, last: number]
}

/** Returns the events of crashing pods, and start events of the story's pods. */
export const of = (
  plan: Seed.ClusterPlan,
  living: ReadonlyArray<Tale>,
  now: string
): ReadonlyArray<KubeObject.KubeObject> => {
  const crashing = plan.workloads.flatMap((workload) =>
    workload.pods
      .filter(({ state }) => state === "crashing")
      .map(({ name }): PodEvent => {
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
    Array.from({ length: replicas }, (_, at): PodEvent => {
      const pod = `${name}-${at}`
      const message = `Started container ${name}`
      return { pod, namespace, type: "Normal", reason: "Started", message, count: 1, minutes: [12 + at, 12 + at] }
    })
  )
  return [...crashing, ...begun].map((event) => eventOf(event, now))
}

const eventOf = ({ count, message, minutes, namespace, pod, reason, type }: PodEvent, now: string) => {
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

/** Returns the annotation from which an embedded cluster serves a container's log. */
export const logOf = (container: string, pod: string, now: string): Readonly<Record<string, string>> => {
  const lines = ["listening on :8080", `connected to the queue as ${pod}`, "took 42 jobs, 0 failed"]
  return { [`log.harness.quarterdeck.dev/${container}`]: lines.map((line) => `${now} ${line}\n`).join("") }
}
