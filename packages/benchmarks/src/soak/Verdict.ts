/**
 * What a soak came to, and whether it holds what it claims.
 */
import * as Measure from "../claim/Measure.ts"

/**
 * What was seen of a whole run.
 *
 * **Shape** `due`: how many lists should have been asked; `heaps` as they were measured, in bytes; `answers` and `silences` of the
 * probes of clusters that were up, see `Witness`; `held`: the part of the time in which those say nothing.
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
/** A run of fewer lists than this part of those that were due was one of another load. */
const ASKED_OF = 0.95
/** A run proves little whose clusters were too busy to be told from absent ones for longer than this part of it. */
const HELD_WITHIN = 0.05

/** Gives the heap at the end by that at the start, without the fifth in which it settles; not a number where none was measured. */
const growthOf = (heaps: ReadonlyArray<number>): number => {
  const settled = heaps.slice(Math.floor(heaps.length / 5))
  const third = Math.max(1, Math.floor(settled.length / 3))
  return Measure.median(settled.slice(-third)) / Measure.median(settled.slice(0, third))
}

/** Says it for who reads along. */
export const lines = ({ answers, asked, compared, due, heaps, held, silences, wrong }: Run): ReadonlyArray<string> => [
  `${asked} asked of ${due} that were due, ${compared} outages compared, ${wrong} wrong (goal 0); heap after GC at the end ${growthOf(heaps).toFixed(3)} of that at the start (goal at most ${FLAT_WITHIN})`,
  `${silences} of ${answers + silences} probes by a thread of its own had no answer of a cluster that was up; ${(held * 100).toFixed(1)} % of the time a settled cluster might be called stale (goal at most ${HELD_WITHIN * 100} %)`
]

/** Says why a run does not hold, if it does not. */
export const problemOf = ({ answers, asked, due, heaps, held, wrong }: Run): string | undefined => {
  if (wrong > 0) return `${wrong} answers were wrong`
  if (asked < due * ASKED_OF) return `too few lists were answered: ${asked} of ${due}`
  const growth = growthOf(heaps)
  if (Number.isNaN(growth)) return "the heap was not measured"
  if (growth > FLAT_WITHIN) return "the heap grew"
  if (answers === 0) return "no probe of a cluster was answered"
  return held > HELD_WITHIN ? "the clusters were too busy to answer" : undefined
}
