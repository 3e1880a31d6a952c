/**
 * Messages between the cost store and its worker thread.
 */
import type { DiskReserve } from "@quarterdeck/sqlite-thread"
import type { Laid } from "./TransferColumns.ts"

/**
 * Series of an hour that have no ids yet.
 *
 * **Shape** `places` has the index of each series in the hour. `digests` are concatenated, 16 characters each. `texts` has one
 * key per line. Copying two strings to the other thread is fast; copying ten thousand would block the event loop.
 */
export interface FreshSeries {
  readonly places: Int32Array
  readonly digests: string
  readonly texts: string
}

/**
 * An hour that is sent to the worker thread.
 *
 * **Shape** `ids` has one id per series. The ids of fresh series are ignored. `charges` is JSON. `shares` has five numbers per
 * share.
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

export interface ReadHour extends Omit<Closing, "cluster" | "fresh"> {}

export interface ReadSums extends Laid {
  readonly ids: Int32Array
  readonly knownSeconds: number
}

/** Extent of a cluster's history. **Units** milliseconds since the epoch. */
interface ReadExtent {
  readonly cluster: string
  readonly fromMs: number
  readonly toMs: number
  readonly hoursFromMs?: number
}

/**
 * Recommendations that were read.
 *
 * **Shape** `figures` has three numbers per key: millicores, bytes, hours of usage. `ends` has the end offset of each
 * checkpoint in `checkpoints`. Checkpoints are empty unless they were requested.
 */
export interface ReadRecommendations {
  readonly foldedToMs: number
  readonly keys: ReadonlyArray<string>
  readonly figures: Float64Array
  readonly checkpoints: Uint8Array<ArrayBuffer>
  readonly ends: Uint32Array
}

/** The changes that one hour makes to a cluster's recommendations. */
export interface SavedRecommendations extends ReadRecommendations {
  readonly cluster: string
  readonly ended: ReadonlyArray<string>
}

/** A damaged or lost part of the file. */
export interface Finding {
  /** Empty if the finding concerns the whole file. */
  readonly cluster: string
  readonly what: "hour" | "day" | "series" | "file"
  /** Start of the damaged hour or day; 0 for a series or the file. **Units** milliseconds since the epoch. */
  readonly startMs: number
  readonly problem: string
  /** Description of where the lost amounts count after a repair. */
  readonly counts?: string
}

/** Result of a check of the whole file. */
export interface Checked {
  readonly hours: number
  readonly days: number
  readonly findings: ReadonlyArray<Finding>
}

export type Call =
  /** **Shape** `sweeps` removes series that no stored hour or day names, which needs space on the disk. */
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
  /** **Shape** `ids` are ascending. */
  | { readonly operation: "series"; readonly cluster: string; readonly ids: Int32Array }
  | { readonly operation: "extents" }
  | { readonly operation: "prune"; readonly hoursBeforeMs: number; readonly daysBeforeMs: number }
  | { readonly operation: "recommend"; readonly saved: SavedRecommendations }
  | { readonly operation: "recommendations"; readonly cluster: string; readonly withCheckpoints: boolean }
  | { readonly operation: "forgetRecommendations"; readonly cluster: string }
  | { readonly operation: "histories" }
  | { readonly operation: "saveHistories"; readonly records: ReadonlyArray<readonly [key: string, record: string]> }
  | { readonly operation: "check" }
  | { readonly operation: "repair" }

export type Operation = Call["operation"]

/**
 * Answer to a call.
 *
 * **Shape** `ids` are the new ids of the fresh series of each hour. `room` is the buffer of the closed hour, for reuse.
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

export type Outcome =
  | { readonly outcome: "done"; readonly answer: Answer }
  | { readonly outcome: "closed" | "forgotten"; readonly cluster: string; readonly startMs: number }
  | { readonly outcome: "unreadable"; readonly message: string }
  | DiskReserve.Failed
