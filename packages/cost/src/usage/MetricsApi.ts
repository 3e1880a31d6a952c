/**
 * A usage source that reads `metrics.k8s.io` of each cluster.
 */
import type { ClusterError } from "@quarterdeck/cluster-fanout/ClusterError"
import { ClusterRegistry } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import { KubeApi } from "@quarterdeck/cluster-fanout/KubeApi"
import type { KubeObject, Resource } from "@quarterdeck/cluster-fanout/KubeObject"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Clock, Effect, Metric, Stream } from "effect"
import { UsageError } from "./UsageError.ts"
import type { ContainerSample, Sampled } from "./UsageSource.ts"
import * as PodMetrics from "./PodMetrics.ts"

const SOURCE = "metrics.k8s.io"

const PODS: Resource = { group: SOURCE, version: "v1beta1", plural: "pods", kind: "PodMetrics", namespaced: true }

/**
 * Maximum difference between a sample's timestamp and this process's clock, in either direction. **Units** milliseconds.
 *
 * metrics-server scrapes every 15 to 60 seconds. An older sample means that it has stopped or that a clock is wrong, so the
 * time of the usage is unknown.
 */
const MAX_DISTANCE_MS = 300_000

const leftOut = Metric.counter("quarterdeck_usage_entries_left_out_total", {
  description: "Container samples ignored because they were invalid, or too far from the current time",
  incremental: true
})

/**
 * Creates the source.
 *
 * **Shape** one sample per measured container. A timestamp ahead of this process's clock counts as now.
 * Invalid samples, and those more than five minutes off, are ignored and counted in
 * `quarterdeck_usage_entries_left_out_total`.
 *
 * **Errors** `UsageError` if the cluster is not registered, does not answer, or does not serve or allow `metrics.k8s.io`. Also
 * if all samples are more than five minutes off.
 *
 * **Limits** reads the whole list, as metrics-server does not page; `TransportLimits` of the cluster's calls.
 */
export const make: Effect.Effect<Sampled, never, KubeApi | ClusterRegistry> = Effect.gen(function* () {
  const api = yield* KubeApi
  const registry = yield* ClusterRegistry

  const sample = Effect.fn("MetricsApi.sample")(function* (name: ClusterName) {
    yield* Effect.annotateCurrentSpan({ cluster: name })
    const { clusters } = yield* registry.snapshot
    const cluster = clusters.find((candidate) => candidate.name === name)
    if (cluster === undefined) return yield* failed(name, "the cluster is not registered")

    const pods = yield* api.list(cluster, { resource: PODS }).pipe(
      Stream.runFold(
        (): Array<KubeObject> => [],
        (all, page) => {
          all.push(...page)
          return all
        }
      ),
      Effect.mapError((error) => failed(name, problemOf(error)))
    )
    const nowMs = yield* Clock.currentTimeMillis
    const taken = take(pods, nowMs)
    yield* count(name, "invalid", taken.invalid)
    yield* count(name, "distant", taken.distant)
    if (taken.samples.length === 0 && taken.distant > 0)
      return yield* failed(name, distantProblem(taken.newestMs, nowMs))
    return taken.samples
  })

  return { _tag: "Sampled", sample }
})

const failed = (cluster: ClusterName, problem: string): UsageError =>
  new UsageError({ cluster, source: SOURCE, problem })

const count = (cluster: ClusterName, reason: string, entries: number): Effect.Effect<void> =>
  entries === 0 ? Effect.void : Metric.update(Metric.withAttributes(leftOut, { cluster, reason }), entries)

interface Taken {
  readonly samples: ReadonlyArray<ContainerSample>
  readonly invalid: number
  readonly distant: number
  readonly newestMs: number
}

const take = (pods: ReadonlyArray<KubeObject>, nowMs: number): Taken => {
  const samples: Array<ContainerSample> = []
  let invalid = 0
  let distant = 0
  let newestMs = Number.NEGATIVE_INFINITY
  for (const object of pods) {
    const pod = PodMetrics.read(object)
    invalid += pod.invalid
    const [first] = pod.samples
    if (first === undefined) continue
    newestMs = Math.max(newestMs, first.atMs)
    if (Math.abs(nowMs - first.atMs) > MAX_DISTANCE_MS) {
      distant += pod.samples.length
      continue
    }
    const atMs = Math.min(first.atMs, nowMs)
    for (const sample of pod.samples) samples.push({ ...sample, atMs })
  }
  return { samples, invalid, distant, newestMs }
}

const distantProblem = (newestMs: number, nowMs: number): string =>
  `the newest sample is from ${new Date(newestMs).toISOString()}, but the time here is ${new Date(nowMs).toISOString()}: `
  + "metrics-server has stopped, or one of the clocks is wrong"

const problemOf = ({ reason }: ClusterError): string => {
  switch (reason._tag) {
    case "ClusterUnsupported":
      return "metrics.k8s.io is not served: install metrics-server, or configure another usage source for this cluster"
    case "ClusterForbids":
      return "the service's credential may not list pods of metrics.k8s.io: grant it get and list on them"
    case "ClusterAnswerInvalid":
      return reason.status === 503
        ? "metrics.k8s.io is registered but does not answer (503): check whether metrics-server runs"
        : reason.message
    default:
      return reason.message
  }
}
