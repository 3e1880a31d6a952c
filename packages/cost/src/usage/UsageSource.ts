/**
 * The port behind what containers use: sampled as it happens, asked for an hour at a time, or not known at all.
 *
 * Adapters: `usage/MetricsApi` (sampled), `usage/Prometheus` (hourly), `usage/None`.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { Effect, Stream } from "effect"
import type { Egress, HourFacts, UsageSlices } from "../allocation/HourFacts.ts"
import type { UsageError } from "./UsageError.ts"
import type { Window } from "../hour/Window.ts"

/**
 * The usage of one container up to an instant.
 *
 * **Units** thousandths of a core over `windowMs` up to `atMs`, bytes of working set.
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

/** What a source knows of the hour of one container. */
export interface ContainerHour {
  readonly namespace: string
  readonly pod: string
  readonly container: string
  readonly slices: UsageSlices
}

/** What left a pod within an hour. */
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
 * A source that is asked every `SamplerSettings.sampleSeconds`.
 *
 * A container that is not among the samples was not measured, which is not the same as nothing used. The same sample
 * may be given again until there is a newer one.
 *
 * **Limits** asked once at a time for each cluster; an answer counts within `sampleTimeoutSeconds`.
 */
export interface Sampled {
  readonly _tag: "Sampled"
  readonly sample: (cluster: ClusterName) => Effect.Effect<ReadonlyArray<ContainerSample>, UsageError>
}

/**
 * A source with a memory, asked once an hour is over.
 *
 * **Shape** `hour` gives the hour as far as it is known for good, or fails: it is asked again until `maxPendingHours` have
 * gone by. `past` gives each hour of a window of which the source knows at least the nodes, oldest first, with all that
 * it knows: what costs before this program ran are computed from. An hour that it does not give stays open and is asked for
 * again. One that it could not read is given as the reason, so that it does not keep those after it from coming; the stream
 * fails when nothing more can be told.
 */
export interface Hourly {
  readonly _tag: "Hourly"
  readonly hour: (cluster: ClusterName, startMs: number) => Effect.Effect<HourOfUsage, UsageError>
  readonly past: (cluster: ClusterName, window: Window) => Stream.Stream<HourFacts | UsageError, UsageError>
}

/**
 * No source: requests alone are charged, and no hour is covered.
 *
 * **Shape** `problem` says why the source that the settings name cannot be used for this cluster; absent where none is named.
 */
export interface RequestsOnly {
  readonly _tag: "RequestsOnly"
  readonly problem?: string
}

export type UsageSource = Sampled | Hourly | RequestsOnly
