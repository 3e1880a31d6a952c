/**
 * State that every part of one embedded cluster shares: objects, clock, random values, keys.
 */
import { Clock, Effect, Random } from "effect"
import { AggregatedApis } from "./AggregatedApis.ts"
import type { JsonObject } from "./Json.ts"
import { Registry } from "./Registry.ts"
import { Store } from "./Store.ts"
import * as TokenKeys from "./TokenKeys.ts"

/** Allocates default values that must be unique in the cluster. */
export interface Surroundings {
  /** Allocates an unused address of the service range. */
  readonly serviceAddress: () => string
  /** Allocates an unused node port that is not in `taken`, the ports of the service itself. */
  readonly nodePort: (taken: ReadonlySet<number>) => number
}

/**
 * Returns the log of a pod's container, or `undefined` if the container has not started.
 *
 * **Shape** each line begins with its time in RFC 3339 and a space, as a kubelet stores it.
 */
export type PodLog = (pod: JsonObject, container: string) => string | undefined

export interface Kernel {
  readonly store: Store
  readonly registry: Registry
  /** APIs that other servers provide behind this one. */
  readonly aggregated: AggregatedApis
  readonly tokens: TokenKeys.TokenKeys
  /** Issuers of earlier servers that signed tokens with the same keys, oldest last. */
  readonly pastIssuers: ReadonlyArray<string>
  /** Port of the server; 0 until it listens. */
  readonly place: { port: number }
  readonly surroundings: Surroundings
  /** If true, a controller removes orphaned objects asynchronously; otherwise a deletion removes them at once. */
  readonly collectsLater: boolean
  readonly nowMs: () => number
  /** Source of the logs of pods without a log annotation. Absent if no program simulates a kubelet. */
  readonly podLog?: PodLog | undefined
  /** Makes a UUID, version 4 of RFC 9562. */
  readonly uid: () => string
  /** Makes the five characters that end a generated name. */
  readonly suffix: () => string
}

/** No vowels and no similar characters, so that generated names do not spell words. */
const SUFFIX = "bcdfghjklmnpqrstvwxz2456789"

/** Options that differ from cluster to cluster. */
export interface KernelOptions extends Pick<Kernel, "collectsLater" | "podLog"> {
  readonly historyCapacity: number
  /** Clock of the cluster's timestamps (default: the caller's clock). */
  readonly nowMs?: Kernel["nowMs"] | undefined
  /** Token keys and issuers of an earlier cluster whose tokens must stay valid. */
  readonly trust?: Pick<Kernel, "pastIssuers" | "tokens"> | undefined
  /** Makes the allocators of the cluster. */
  readonly surroundings: (store: Store) => Surroundings
}

/** Makes the kernel of a cluster without objects. */
export const make = ({
  collectsLater,
  historyCapacity,
  nowMs,
  podLog,
  surroundings,
  trust = { tokens: TokenKeys.make(), pastIssuers: [] }
}: KernelOptions): Effect.Effect<Kernel> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const random = yield* Random.Random
    const store = new Store(historyCapacity)
    const below = (limit: number) => Math.floor(random.nextDoubleUnsafe() * limit)
    const hex = (digits: number) =>
      below(16 ** digits)
        .toString(16)
        .padStart(digits, "0")
    return {
      store,
      registry: new Registry(),
      aggregated: new AggregatedApis(store),
      ...trust,
      place: { port: 0 },
      collectsLater,
      surroundings: surroundings(store),
      nowMs: nowMs ?? (() => clock.currentTimeMillisUnsafe()),
      podLog,
      uid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${"89ab"[below(4)]}${hex(3)}-${hex(8)}${hex(4)}`,
      suffix: () => Array.from({ length: 5 }, () => SUFFIX[below(SUFFIX.length)]).join("")
    }
  })

/** Prints a time in the format of objects: UTC, whole seconds. */
export const timestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
