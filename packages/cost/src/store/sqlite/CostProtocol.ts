/**
 * What the store of costs and its worker thread say to each other.
 */
import type { DiskReserve } from "@quarterdeck/sqlite-thread"
import type { Laid } from "./TransferColumns.ts"

/**
 * Series of an hour that the store has not given ids yet.
 *
 * **Shape** their places; their digests one after the other, 16 characters each; their keys, a line
 * each. Two texts cross to the other thread at once, ten thousand hold the event loop up.
 */
export interface FreshSeries {
  readonly places: Int32Array
  readonly digests: string
  readonly texts: string
}

/**
 * An hour on its way to the file.
 *
 * **Shape** `ids` has a place for each series, of no matter where one is fresh; `charges` is JSON; `shares` holds five numbers each.
 */
export interface Closing extends Laid {
  readonly cluster: string
  readonly startMs: number
  readonly knownSeconds: number
  readonly ids: Int32Array
  readonly fresh: FreshSeries
  readonly charges: string
  readonly rateOf: Int32Array
  readonly shares: Float64Array
}

/** An hour on its way back. */
export interface ReadHour extends Omit<Closing, "cluster" | "fresh"> {}

/** Sums on their way back. */
export interface ReadSums extends Laid {
  readonly ids: Int32Array
  readonly knownSeconds: number
}

/** The extent of a cluster's history, in milliseconds since the epoch. */
interface ReadExtent {
  readonly cluster: string
  readonly fromMs: number
  readonly toMs: number
  readonly hoursFromMs?: number
}

/**
 * Recommendations on their way back.
 *
 * **Shape** `figures` has three for each key: thousandths of a core, bytes, hours of usage; a key's checkpoint ends at its
 * place of `ends`, and starts where the one before it ends. Those who ask without checkpoints get empty ones.
 */
export interface ReadRecommendations {
  readonly foldedToMs: number
  readonly keys: ReadonlyArray<string>
  readonly figures: Float64Array
  readonly checkpoints: Uint8Array<ArrayBuffer>
  readonly ends: Uint32Array
}

/** What an hour changed of a cluster's recommendations, on its way to the file. */
export interface SavedRecommendations extends ReadRecommendations {
  readonly cluster: string
  readonly ended: ReadonlyArray<string>
}

/**
 * What is wrong with the file, or was lost of it.
 */
export interface Finding {
  /** Empty for the file as a whole. */
  readonly cluster: string
  readonly what: "hour" | "day" | "series" | "file"
  /** Where an hour or a day starts, 0 otherwise. **Units** milliseconds since the epoch. */
  readonly startMs: number
  readonly problem: string
  /** Where what was lost counts now, once it is mended, in words. */
  readonly counts?: string
}

/**
 * What a look at the whole file found.
 */
export interface Checked {
  readonly hours: number
  readonly days: number
  readonly findings: ReadonlyArray<Finding>
}

export type Call =
  /** **Shape** Unless `sweeps`, series that no hour names stay in the file: removing them needs space on the disk. */
  | { readonly operation: "open"; readonly path: string; readonly isAlone: boolean; readonly sweeps: boolean }
  | { readonly operation: "end" }
  | { readonly operation: "close"; readonly closing: Closing }
  | { readonly operation: "rewrite"; readonly closings: ReadonlyArray<Closing> }
  | {
      readonly operation: "sums"
      readonly clusters: ReadonlyArray<string>
      readonly startMs: number
      readonly endMs: number
    }
  | { readonly operation: "hours"; readonly cluster: string; readonly startMs: number; readonly endMs: number }
  /** **Shape** `ids` rise. */
  | { readonly operation: "series"; readonly cluster: string; readonly ids: Int32Array }
  | { readonly operation: "extents" }
  | { readonly operation: "prune"; readonly hoursBeforeMs: number; readonly daysBeforeMs: number }
  | { readonly operation: "recommend"; readonly saved: SavedRecommendations }
  | { readonly operation: "recommendations"; readonly cluster: string; readonly withCheckpoints: boolean }
  | { readonly operation: "forgetRecommendations"; readonly cluster: string }
  | { readonly operation: "histories" }
  /** **Shape** key and record of each. */
  | { readonly operation: "saveHistories"; readonly records: ReadonlyArray<readonly [key: string, record: string]> }
  | { readonly operation: "check" }
  | { readonly operation: "repair" }

export type Operation = Call["operation"]

/**
 * What a call is answered with.
 *
 * **Shape** `ids` are those that the fresh series of each hour were given; `room` is the closed hour's own, for the next.
 */
export type Answer =
  | { readonly operation: "open" }
  | { readonly operation: "end" }
  | { readonly operation: "prune" }
  | { readonly operation: "close"; readonly ids: Int32Array; readonly room: Float64Array<ArrayBuffer> }
  | { readonly operation: "rewrite"; readonly ids: ReadonlyArray<Int32Array> }
  | { readonly operation: "sums"; readonly sums: ReadonlyArray<ReadSums> }
  | { readonly operation: "hours"; readonly hours: ReadonlyArray<ReadHour> }
  /** **Shape** `series` as `SeriesText` prints them, in the order of the ids. */
  | { readonly operation: "series"; readonly series: string }
  | { readonly operation: "extents"; readonly extents: ReadonlyArray<ReadExtent> }
  | { readonly operation: "recommend" }
  | { readonly operation: "recommendations"; readonly read: ReadRecommendations }
  | { readonly operation: "forgetRecommendations" }
  | { readonly operation: "histories"; readonly records: ReadonlyArray<string> }
  | { readonly operation: "saveHistories" }
  | { readonly operation: "check"; readonly checked: Checked }
  | { readonly operation: "repair"; readonly checked: Checked }

/** What a call came to. */
export type Outcome =
  | { readonly outcome: "done"; readonly answer: Answer }
  | { readonly outcome: "closed" | "forgotten"; readonly cluster: string; readonly startMs: number }
  | { readonly outcome: "unreadable"; readonly message: string }
  | DiskReserve.Failed
