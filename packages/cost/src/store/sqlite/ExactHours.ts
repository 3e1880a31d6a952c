/**
 * Marks the exact hours in the estimated part of a history. An older program wrote that part. A newer one rewrote some of its
 * hours, which are exact.
 */
import * as Calendar from "./Calendar.ts"
import { type Cluster, type History, isForgotten } from "./CostHistory.ts"

/** Consecutive exact hours. **Units** milliseconds since the epoch. */
interface Run {
  readonly startMs: number
  readonly endMs: number
}

/** Marks written hours of a day as exact. Hours after the estimated part need no mark. */
export const note = (history: History, cluster: Cluster, day: number, steps: Iterable<number>): void => {
  const was = cluster.exact.get(day) ?? 0
  let mask = was
  for (const step of steps) if (Calendar.startOf(day, step) < cluster.estimatedToMs) mask |= 1 << step
  put(history, cluster, day, was, mask)
}

/** Removes the mark of an hour, after the amounts of an estimated hour were added to it. */
export const unnote = (history: History, cluster: Cluster, day: number, step: number): void => {
  const was = cluster.exact.get(day) ?? 0
  put(history, cluster, day, was, was & ~(1 << step))
}

const put = ({ rows }: History, cluster: Cluster, day: number, was: number, mask: number): void => {
  if (mask === was) return
  rows.putExact(cluster.id, day, mask)
  cluster.exact.set(day, mask)
}

/** Removes the marks of all days before `day`. */
export const forgetBefore = ({ rows }: History, cluster: Cluster, day: number): void => {
  rows.removeExactBefore(cluster.id, day)
  for (const noted of [...cluster.exact.keys()]) if (noted < day) cluster.exact.delete(noted)
}

/** Returns true if an hour is marked as exact. */
export const has = ({ exact }: Cluster, day: number, step: number): boolean =>
  (((exact.get(day) ?? 0) >>> step) & 1) === 1

/**
 * Lists the exact hours of a window, ascending.
 *
 * **Shape** A day that is kept only as a daily total is exact if all of its hours were.
 */
export const within = (cluster: Cluster, startMs: number, endMs: number): ReadonlyArray<Run> => {
  const runs: Array<Run> = []
  for (const day of [...cluster.exact.keys()].toSorted((a, b) => a - b)) {
    for (const { first, last } of blocksOf(cluster, day)) {
      const run = {
        startMs: Math.max(startMs, Calendar.startOf(day, first)),
        endMs: Math.min(endMs, Calendar.startOf(day, last))
      }
      if (run.startMs >= run.endMs) continue
      const before = runs.at(-1)
      if (before?.endMs === run.startMs) runs.splice(-1, 1, { startMs: before.startMs, endMs: run.endMs })
      else runs.push(run)
    }
  }
  return runs
}

/** Lists the runs of consecutive exact hours of a day. */
const blocksOf = (cluster: Cluster, day: number): ReadonlyArray<{ readonly first: number; readonly last: number }> => {
  const mask = cluster.exact.get(day) ?? 0
  if (isForgotten(cluster, day)) {
    const isWhole = ((cluster.closed.get(day) ?? 0) & ~mask) === 0
    return isWhole ? [{ first: 0, last: 24 }] : []
  }
  const blocks: Array<{ first: number; last: number }> = []
  for (const step of Calendar.stepsOf(mask)) {
    const block = blocks.at(-1)
    if (block?.last === step) block.last = step + 1
    else blocks.push({ first: step, last: step + 1 })
  }
  return blocks
}
