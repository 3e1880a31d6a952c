/**
 * What every part of one embedded cluster shares: its objects, its time and its chance.
 *
 * @since 0.1.0
 */
import { Clock, Effect, Random } from "effect"
import { AggregatedApis } from "./AggregatedApis.ts"
import * as CustomServing from "../customkinds/CustomServing.ts"
import type { Surroundings } from "../writes/Defaults.ts"
import { Registry } from "./Registry.ts"
import * as ServiceAllocation from "../writes/ServiceAllocation.ts"
import { Store } from "./Store.ts"
import * as TokenKeys from "./TokenKeys.ts"

export interface Kernel {
  readonly store: Store
  readonly registry: Registry
  /** What other servers serve under this one's roof. */
  readonly aggregated: AggregatedApis
  readonly tokens: TokenKeys.TokenKeys
  /** Who has signed tokens with the same keys before this server, the oldest last. */
  readonly pastIssuers: ReadonlyArray<string>
  /** Where the server listens; 0 until it does. */
  readonly place: { port: number }
  readonly surroundings: Surroundings
  /** Whether a controller removes what has lost its owner, in its own time; else it goes at once. */
  readonly collectsLater: boolean
  readonly nowMs: () => number
  /** A fresh uid, version 4 of RFC 9562. */
  readonly uid: () => string
  /** Five characters that end a generated name. */
  readonly suffix: () => string
}

/** No vowels and no look-alikes, so that no generated name reads as a word. */
const SUFFIX = "bcdfghjklmnpqrstvwxz2456789"

/** **Shape** `trust` is that of an earlier cluster whose tokens are still out. */
export const make = (
  historyCapacity: number,
  collectsLater = false,
  trust: Pick<Kernel, "pastIssuers" | "tokens"> = { tokens: TokenKeys.make(), pastIssuers: [] }
): Effect.Effect<Kernel> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const random = yield* Random.Random
    const store = new Store(historyCapacity)
    const registry = new Registry()
    CustomServing.follow(store, registry)
    const below = (limit: number) => Math.floor(random.nextDoubleUnsafe() * limit)
    const hex = (digits: number) =>
      below(16 ** digits)
        .toString(16)
        .padStart(digits, "0")
    return {
      store,
      registry,
      aggregated: new AggregatedApis(store),
      ...trust,
      place: { port: 0 },
      collectsLater,
      surroundings: {
        serviceAddress: () => ServiceAllocation.freeAddress(store),
        nodePort: (taken) => ServiceAllocation.freeNodePort(store, taken)
      },
      nowMs: () => clock.currentTimeMillisUnsafe(),
      uid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${"89ab"[below(4)]}${hex(3)}-${hex(8)}${hex(4)}`,
      suffix: () => Array.from({ length: 5 }, () => SUFFIX[below(SUFFIX.length)]).join("")
    }
  })

/** A time as objects carry it: UTC, whole seconds. */
export const timestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
