/**
 * A change of many workloads that is on its way: what became of each, and what is still to be told.
 */
import { type BulkCall, type End, newKey, type Outcome } from "../api/BulkCall.ts"
import type { WorkloadName } from "../api/WorkloadQueries.ts"

/**
 * How far a call is. **Shape** `broken`: the server failed on its way; `lost`: its answer did not come, however often it was asked
 * for; `left`: its reader wanted to wait no longer; `refused`: nothing was done; `unknown`: the server cannot tell what it did.
 */
export type Phase = "running" | "ended" | "broken" | "lost" | "left" | "refused" | "unknown"

/**
 * A change of several workloads, and how far it is.
 *
 * **Shape** `outcomes` of this call and those before it, which it tries again in part; by {@link placeOf}.
 */
export interface BulkRun {
  readonly call: BulkCall
  readonly outcomes: ReadonlyMap<string, Outcome>
  readonly phase: Phase
}

/** What tells workloads apart. */
export const placeOf = ({ cluster, kind, name, namespace }: WorkloadName): string =>
  JSON.stringify([cluster, namespace, kind, name])

/** Begins a change. */
export const begin = (call: Omit<BulkCall, "key">): BulkRun => ({
  call: { ...call, key: newKey() },
  outcomes: new Map(),
  phase: "running"
})

export const told = (run: BulkRun, outcome: Outcome): BulkRun => ({
  ...run,
  outcomes: new Map(run.outcomes).set(placeOf(outcome), outcome)
})

export const ended = (run: BulkRun, { isWhole }: End): BulkRun => ({ ...run, phase: isWhole ? "ended" : "broken" })

export const at = (run: BulkRun, phase: Phase): BulkRun => ({ ...run, phase })

/** What became of a workload, or that it was not told. **Shape** `unknown` is never tried again unseen. */
export type Fate = "applied" | "refused" | "failed" | "unknown" | "underway" | "notTold"

const SILENT: Readonly<Record<Phase, Fate>> = {
  running: "underway",
  ended: "notTold",
  broken: "unknown",
  lost: "notTold",
  left: "notTold",
  refused: "notTold",
  unknown: "unknown"
}

export const fateOf = ({ outcomes, phase }: BulkRun, workload: WorkloadName): Fate => {
  const outcome = outcomes.get(placeOf(workload))
  if (outcome === undefined) return SILENT[phase]
  if (outcome.code === "outcome_unknown") return "unknown"
  return outcome.status === "dryRun" ? "notTold" : outcome.status
}

/** How many workloads there are of each fate. */
export const tallyOf = (run: BulkRun, workloads: ReadonlyArray<WorkloadName>): Readonly<Record<Fate, number>> => {
  const counts = { applied: 0, refused: 0, failed: 0, unknown: 0, underway: 0, notTold: 0 }
  for (const workload of workloads) counts[fateOf(run, workload)]++
  return counts
}

/** The same call once more, after its answer was lost or not waited for: under its own key nothing is done twice. */
export const resent = (run: BulkRun): BulkRun => ({ ...run, phase: "running" })

/**
 * Another call for the workloads whose cluster did not answer, with nothing done.
 *
 * **Shape** under a new key; `undefined` where there are none, or not all is told. What is done, refused or not known is left alone.
 */
export const retried = (run: BulkRun): BulkRun | undefined => {
  const workloads = run.call.workloads.filter((workload) => fateOf(run, workload) === "failed")
  if (run.phase !== "ended" || workloads.length === 0) return undefined
  const outcomes = new Map(run.outcomes)
  for (const workload of workloads) outcomes.delete(placeOf(workload))
  return { call: { ...run.call, workloads, key: newKey() }, outcomes, phase: "running" }
}
