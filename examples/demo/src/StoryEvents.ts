/** Events of the demo's failing pods, as kubelets report them. */
import { type ApiError, FakeKubelet, type FleetCluster, type KubeObject } from "@quarterdeck/harness"
import { Effect } from "effect"

const MINUTE_MS = 60_000

/** An event. **Units** `minutes` before now. */
interface PodEvent {
  readonly type: "Normal" | "Warning"
  readonly reason: string
  readonly message: string
  readonly count: number
  readonly minutes: readonly [first: number, last: number]
}

/** Creates the events of the pods that crash or whose image is missing. */
export const put = Effect.fnUntraced(function* (
  { api }: Pick<FleetCluster.FleetCluster, "api">,
  nowMs: number
): Effect.fn.Return<void, ApiError.ApiError> {
  const { items } = yield* api.list({ apiVersion: "v1", kind: "Pod" })
  for (const pod of items) {
    for (const event of eventsOf(pod)) yield* api.create(eventOf(pod, event, nowMs))
  }
})

const eventsOf = ({ metadata }: KubeObject.KubeObject): ReadonlyArray<PodEvent> => {
  const { annotations = {}, name = "", namespace = "" } = metadata
  const container = metadata.labels?.["app.kubernetes.io/name"] ?? ""
  switch (annotations[FakeKubelet.Annotation.fail]) {
    case "CrashLoopBackOff":
      return [
        { type: "Normal", reason: "Started", message: `Started container ${container}`, count: 8, minutes: [25, 4] },
        {
          type: "Warning",
          reason: "BackOff",
          message: `Back-off restarting failed container ${container} in pod ${name}_${namespace}`,
          count: 7,
          minutes: [25, 1]
        }
      ]
    case "ImagePullBackOff":
      return [
        {
          type: "Warning",
          reason: "Failed",
          message: `Failed to pull the image of container ${container}: not found`,
          count: 5,
          minutes: [4, 1]
        }
      ]
    default:
      return []
  }
}

const eventOf = (
  { metadata: { name = "", namespace = "" } }: KubeObject.KubeObject,
  { count, message, minutes, reason, type }: PodEvent,
  nowMs: number
): KubeObject.KubeObject => {
  const before = (ago: number) => new Date(nowMs - ago * MINUTE_MS).toISOString().replace(/\.\d+Z$/, "Z")
  const [first, last] = minutes
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `${name}.${reason.toLowerCase()}`, namespace },
    involvedObject: { apiVersion: "v1", kind: "Pod", namespace, name },
    type,
    reason,
    message,
    count,
    firstTimestamp: before(first),
    lastTimestamp: before(last),
    source: { component: "kubelet" }
  }
}
