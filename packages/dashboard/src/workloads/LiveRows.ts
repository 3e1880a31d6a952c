/**
 * A list that was read, with what a stream has told of it since.
 */
import type { Coverage } from "../api/Shapes.ts"
import type * as FollowedFeed from "../api/FollowedFeed.ts"
import { keyOf } from "../api/WorkloadFeed.ts"
import type { Workload } from "../api/WorkloadQueries.ts"

type Told = Pick<FollowedFeed.Told, "added" | "gone" | "rows">

/** What is shown. **Shape** rows keep their places, those in `gone` too, by their ids; `added` is how many are not among them. */
export interface LiveRows {
  readonly workloads: ReadonlyArray<Workload>
  readonly gone: ReadonlySet<string>
  readonly added: number
}

const NONE: ReadonlySet<string> = new Set()

/** Gives what is shown of rows that were read. */
export const of = (read: ReadonlyArray<Workload>, told: Told | undefined): LiveRows => {
  if (told === undefined) return { workloads: read, gone: NONE, added: 0 }
  const keys = new Set(read.map(keyOf))
  return {
    workloads: read.map((row) => told.rows.get(keyOf(row)) ?? row),
    gone: new Set(read.filter((row) => told.gone.has(keyOf(row))).map(({ id }) => id)),
    added: [...told.added].filter((key) => !keys.has(key)).length
  }
}

interface Moments {
  /** When the list was read, in milliseconds since the epoch. */
  readonly readAtMs: number
  /** Not before the list was read, nor before anything was told. */
  readonly shownAtMs: number
}

/**
 * Gives the coverages as they were when the list was shown.
 *
 * **Shape** a cluster that answers is as new as the last that came of the stream: it tells when one does not any more.
 */
export const coveragesOf = (
  read: ReadonlyArray<Coverage>,
  told: Pick<FollowedFeed.Told, "coverages" | "heardAtMs"> | undefined,
  { readAtMs, shownAtMs }: Moments
): ReadonlyArray<Coverage> =>
  read.map((coverage) => {
    const later = told?.coverages.get(coverage.name)
    if (told === undefined || later === undefined) {
      return { ...coverage, ageMs: coverage.ageMs + shownAtMs - readAtMs }
    }
    const atMs = later.coverage.status === "ok" ? told.heardAtMs : later.atMs
    return { ...later.coverage, ageMs: later.coverage.ageMs + shownAtMs - atMs }
  })
