/**
 * What every part of one embedded cluster shares: its objects, its time and its chance.
 */
import { Clock, Effect, Random } from "effect"
import { AggregatedApis } from "./AggregatedApis.ts"
import { Registry } from "./Registry.ts"
import { Store } from "./Store.ts"
import * as TokenKeys from "./TokenKeys.ts"

/** What a default may need to know of the cluster. */
export interface Surroundings {
  /** Gives an address of the service range, or a node port, that nobody else has. */
  readonly serviceAddress: () => string
  /** Gives a port beside those that the service has already. */
  readonly nodePort: (taken: ReadonlySet<number>) => number
}

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

/** What differs from cluster to cluster. */
export interface KernelOptions extends Pick<Kernel, "collectsLater"> {
  readonly historyCapacity: number
  /** What an earlier cluster has signed tokens with that are still out. */
  readonly trust?: Pick<Kernel, "pastIssuers" | "tokens"> | undefined
  /** What the server gives to objects that leave it open. */
  readonly surroundings: (store: Store) => Surroundings
}

/** Makes the kernel of a cluster without objects. */
export const make = ({
  collectsLater,
  historyCapacity,
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
      nowMs: () => clock.currentTimeMillisUnsafe(),
      uid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${"89ab"[below(4)]}${hex(3)}-${hex(8)}${hex(4)}`,
      suffix: () => Array.from({ length: 5 }, () => SUFFIX[below(SUFFIX.length)]).join("")
    }
  })

/** A time as objects carry it: UTC, whole seconds. */
export const timestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
