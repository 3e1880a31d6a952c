/**
 * Merges a list that was read with the snapshot of its stream.
 */
import type { Coverage, StatusCounts, WorkloadStatus } from "../api/Shapes.ts"
import type * as FollowedFeed from "../api/FollowedFeed.ts"
import { keyOf } from "../api/WorkloadFeed.ts"
import type { Workload } from "../api/WorkloadQueries.ts"

type FeedSnapshot = Pick<FollowedFeed.FeedSnapshot, "added" | "gone" | "rows">

/** The shown rows, in a stable order. **Shape** `gone`: ids of removed rows. `added`: number of new rows that are not shown. */
export interface LiveRows {
  readonly workloads: ReadonlyArray<Workload>
  readonly gone: ReadonlySet<string>
  readonly added: number
}

const NONE: ReadonlySet<string> = new Set()

/** Returns the rows with their latest state. */
export const of = (read: ReadonlyArray<Workload>, snapshot: FeedSnapshot | undefined): LiveRows => {
  if (snapshot === undefined) return { workloads: read, gone: NONE, added: 0 }
  const keys = new Set(read.map(keyOf))
  return {
    workloads: read.map((row) => snapshot.rows.get(keyOf(row)) ?? row),
    gone: new Set(read.filter((row) => snapshot.gone.has(keyOf(row))).map(({ id }) => id)),
    added: [...snapshot.added].filter((key) => !keys.has(key)).length
  }
}

/**
 * Returns the number of workloads of each status. **Shape** the stream has the present numbers of the statuses that it delivers.
 */
export const countsOf = (
  read: StatusCounts | undefined,
  snapshot: Pick<FollowedFeed.FeedSnapshot, "rows"> | undefined,
  delivered: ReadonlyArray<WorkloadStatus>
): StatusCounts | undefined => {
  if (read === undefined || snapshot === undefined) return read
  const counts: Record<WorkloadStatus, number> = { ...read }
  for (const status of delivered) counts[status] = 0
  for (const { status } of snapshot.rows.values()) counts[status] += 1
  return counts
}

interface Moments {
  /** Time when the list was read, in milliseconds since the epoch. */
  readonly readAtMs: number
  /** Time of the shown state: when the list was read, or when the stream last sent something, if that is later. */
  readonly shownAtMs: number
}

/**
 * Returns the coverages with their age at the shown time.
 *
 * **Shape** a cluster with status `ok` is as fresh as the stream's last message, because the stream reports any other status.
 */
export const coveragesOf = (
  read: ReadonlyArray<Coverage>,
  snapshot: Pick<FollowedFeed.FeedSnapshot, "coverages" | "receivedAtMs"> | undefined,
  { readAtMs, shownAtMs }: Moments
): ReadonlyArray<Coverage> =>
  read.map((coverage) => {
    const later = snapshot?.coverages.get(coverage.name)
    if (snapshot === undefined || later === undefined) {
      return { ...coverage, ageMs: coverage.ageMs + shownAtMs - readAtMs }
    }
    const atMs = later.coverage.status === "ok" ? snapshot.receivedAtMs : later.atMs
    return { ...later.coverage, ageMs: later.coverage.ageMs + shownAtMs - atMs }
  })
