/**
 * The source of container usage: sampled live, queried by the hour, or none.
 *
 * Adapters: `usage/MetricsApi` (sampled), `usage/Prometheus` (hourly). `requestsOnly` is the source without usage.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { Effect, Stream } from "effect"
import type { Egress, HourFacts, UsageSlices } from "../allocation/HourFacts.ts"
import type { UsageError } from "./UsageError.ts"
import type { Window } from "../hour/Window.ts"

/**
 * The usage of one container up to an instant.
 *
 * **Units** millicores, averaged over `windowMs` up to `atMs`; bytes of working set.
 */
export interface ContainerSample {
  readonly namespace: string
  readonly pod: string
  readonly container: string
  readonly atMs: number
  readonly windowMs: number
  readonly cpuMillis: number
  readonly memoryBytes: number
}

/** The usage of one container in one hour. */
export interface ContainerHour {
  readonly namespace: string
  readonly pod: string
  readonly container: string
  readonly slices: UsageSlices
}

/** The egress of one pod in one hour. */
export interface PodEgress {
  readonly namespace: string
  readonly pod: string
  readonly egress: Egress
}

export interface HourOfUsage {
  readonly containers: ReadonlyArray<ContainerHour>
  readonly egress: ReadonlyArray<PodEgress>
}

/**
 * A source that is sampled every `SamplerSettings.sampleSeconds`.
 *
 * Usage of a container without a sample is unknown, not zero. The source may return the same sample repeatedly until it has a
 * newer one.
 *
 * **Limits** one call at a time per cluster, with a timeout of `sampleTimeoutSeconds`.
 */
export interface Sampled {
  readonly _tag: "Sampled"
  readonly sample: (cluster: ClusterName) => Effect.Effect<ReadonlyArray<ContainerSample>, UsageError>
}

/**
 * A source that stores usage, queried after the end of each hour.
 *
 * **Shape** `hour` returns the usage of an hour once it is final, or fails. A failed call is repeated until `maxPendingHours`
 * have passed. `past` streams the hours of a window of which the source knows at least the nodes, oldest first, with all facts
 * that costs need. An hour that is missing from the stream stays open and is queried again. An unreadable hour is emitted as an
 * error, so that later hours still follow. The stream fails if no further hour can be read.
 */
export interface Hourly {
  readonly _tag: "Hourly"
  readonly hour: (cluster: ClusterName, startMs: number) => Effect.Effect<HourOfUsage, UsageError>
  readonly past: (cluster: ClusterName, window: Window) => Stream.Stream<HourFacts | UsageError, UsageError>
}

/**
 * No source. Only requests are charged, and no hour is covered.
 *
 * **Shape** `problem` is why the configured source cannot be used for this cluster; absent if none is configured.
 */
export interface RequestsOnly {
  readonly _tag: "RequestsOnly"
  readonly problem?: string
}

export type UsageSource = Sampled | Hourly | RequestsOnly

/** The source of clusters without usage. */
export const requestsOnly: RequestsOnly = { _tag: "RequestsOnly" }
