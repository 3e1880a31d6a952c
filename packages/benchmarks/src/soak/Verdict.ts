/**
 * The results of a soak, and whether they meet its goals.
 */
import * as Measure from "../claim/Measure.ts"

/**
 * The results of a run.
 *
 * **Shape** `due`: the number of requests that were due. `heaps`: the measured heap sizes in bytes. `answers` and
 * `silences`: the probes of clusters that were up, see `Witness`. `held`: the share of the time in which such clusters were
 * silent.
 */
export interface Run {
  readonly asked: number
  readonly due: number
  readonly compared: number
  readonly wrong: number
  readonly heaps: ReadonlyArray<number>
  readonly answers: number
  readonly silences: number
  readonly held: number
}

const FLAT_WITHIN = 1.03
/** Minimum share of the due requests. Below it, the run did not have the intended load. */
const ASKED_OF = 0.95
/** Maximum share of the time in which busy clusters look absent. Above it, the run proves little. */
const HELD_WITHIN = 0.05

/** Returns the final heap divided by the initial heap, without the first fifth of the run. NaN without measurements. */
const growthOf = (heaps: ReadonlyArray<number>): number => {
  const settled = heaps.slice(Math.floor(heaps.length / 5))
  const third = Math.max(1, Math.floor(settled.length / 3))
  return Measure.median(settled.slice(-third)) / Measure.median(settled.slice(0, third))
}

export const lines = ({ answers, asked, compared, due, heaps, held, silences, wrong }: Run): ReadonlyArray<string> => [
  `${asked} asked of ${due} that were due, ${compared} outages compared, ${wrong} wrong (goal 0); heap after GC at the end ${growthOf(heaps).toFixed(3)} of that at the start (goal at most ${FLAT_WITHIN})`,
  `${silences} of ${answers + silences} probes by a thread of its own had no answer of a cluster that was up; ${(held * 100).toFixed(1)} % of the time a settled cluster might be called stale (goal at most ${HELD_WITHIN * 100} %)`
]

/** Returns why a run fails its goals, or `undefined`. */
export const problemOf = ({ answers, asked, due, heaps, held, wrong }: Run): string | undefined => {
  if (wrong > 0) return `${wrong} answers were wrong`
  if (asked < due * ASKED_OF) return `too few lists were answered: ${asked} of ${due}`
  const growth = growthOf(heaps)
  if (Number.isNaN(growth)) return "the heap was not measured"
  if (growth > FLAT_WITHIN) return "the heap grew"
  if (answers === 0) return "no probe of a cluster was answered"
  return held > HELD_WITHIN ? "the clusters were too busy to answer" : undefined
}
