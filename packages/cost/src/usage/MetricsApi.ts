/**
 * Usage as clusters tell it themselves, by `metrics.k8s.io`.
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
 * How far a sample's instant may lie from this machine's clock, either way. **Units** milliseconds.
 *
 * metrics-server looks every 15 to 60 seconds and tells of windows as long: what is older has stopped, or the cluster's
 * clock is wrong, and either way nobody can say when it was.
 */
const MAX_DISTANCE_MS = 300_000

const leftOut = Metric.counter("quarterdeck_usage_entries_left_out_total", {
  description: "Samples of containers that made no sense, or were measured at another time than now",
  incremental: true
})

/**
 * Makes the source that asks each cluster.
 *
 * **Shape** one sample of every container that runs and has been measured. The instant of a sample is the cluster's: one
 * that lies ahead of this machine's clock counts as of now, and one more than five minutes off, either way, is left out.
 * Entries that make no sense are left out too; both are counted in `quarterdeck_usage_entries_left_out_total`.
 *
 * **Errors** `UsageError`: the cluster is not registered, does not answer, does not serve `metrics.k8s.io`, does not allow
 * it, or tells nothing but what is more than five minutes off.
 *
 * **Limits** the whole list at once, as metrics-server gives it; `TransportLimits` of the cluster's calls.
 */
export const make: Effect.Effect<Sampled, never, KubeApi | ClusterRegistry> = Effect.gen(function* () {
  const api = yield* KubeApi
  const registry = yield* ClusterRegistry

  const sample = Effect.fn("MetricsApi.sample")(function* (name: ClusterName) {
    yield* Effect.annotateCurrentSpan({ cluster: name })
    const { clusters } = yield* registry.snapshot
    const cluster = clusters.find((one) => one.name === name)
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
  `the newest sample says ${new Date(newestMs).toISOString()}, and here it is ${new Date(nowMs).toISOString()}: `
  + "metrics-server has stopped, or one of the clocks is wrong"

const problemOf = ({ reason }: ClusterError): string => {
  switch (reason._tag) {
    case "ClusterUnsupported":
      return "metrics.k8s.io is not served: install metrics-server, or set another source of usage for this cluster"
    case "ClusterForbids":
      return "the service's credential may not list pods of metrics.k8s.io: grant it get and list on them"
    case "ClusterAnswerInvalid":
      return reason.status === 503
        ? "metrics.k8s.io is registered but does not answer (503): see whether metrics-server runs"
        : reason.message
    default:
      return reason.message
  }
}
