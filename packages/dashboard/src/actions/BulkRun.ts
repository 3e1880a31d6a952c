/**
 * The state of a bulk action: the outcome of each workload, and the phase of the call.
 */
import { type BulkCall, type End, newKey, type Outcome } from "../api/BulkCall.ts"
import type { WorkloadName } from "../api/WorkloadQueries.ts"

/**
 * Phase of a call.
 *
 * **Shape** `broken`: the server failed before the last outcome. `lost`: no answer, even after retries. `left`: the user
 * stopped watching. `refused`: no workload was changed. `unknown`: the server cannot report the outcomes.
 */
export type Phase = "running" | "ended" | "broken" | "lost" | "left" | "refused" | "unknown"

/**
 * A bulk action and its state.
 *
 * **Shape** `outcomes` by {@link placeOf}, of this call and of earlier calls that it retries in part.
 */
export interface BulkRun {
  readonly call: BulkCall
  readonly outcomes: ReadonlyMap<string, Outcome>
  readonly phase: Phase
}

/** Returns the key of a workload. */
export const placeOf = ({ cluster, kind, name, namespace }: WorkloadName): string =>
  JSON.stringify([cluster, namespace, kind, name])

/** Starts a bulk action under a new idempotency key. */
export const begin = (call: Omit<BulkCall, "key">): BulkRun => ({
  call: { ...call, key: newKey() },
  outcomes: new Map(),
  phase: "running"
})

export const withOutcome = (run: BulkRun, outcome: Outcome): BulkRun => ({
  ...run,
  outcomes: new Map(run.outcomes).set(placeOf(outcome), outcome)
})

export const ended = (run: BulkRun, { isWhole }: End): BulkRun => ({ ...run, phase: isWhole ? "ended" : "broken" })

export const at = (run: BulkRun, phase: Phase): BulkRun => ({ ...run, phase })

/** State of one workload. `unreported`: the call ended without its outcome. */
export type Fate = "applied" | "refused" | "failed" | "unknown" | "underway" | "unreported"

const WITHOUT_OUTCOME: Readonly<Record<Phase, Fate>> = {
  running: "underway",
  ended: "unreported",
  broken: "unknown",
  lost: "unreported",
  left: "unreported",
  refused: "unreported",
  unknown: "unknown"
}

export const fateOf = ({ outcomes, phase }: BulkRun, workload: WorkloadName): Fate => {
  const outcome = outcomes.get(placeOf(workload))
  if (outcome === undefined) return WITHOUT_OUTCOME[phase]
  if (outcome.code === "outcome_unknown") return "unknown"
  return outcome.status === "dryRun" ? "unreported" : outcome.status
}

/** Counts the workloads of each fate. */
export const tallyOf = (run: BulkRun, workloads: ReadonlyArray<WorkloadName>): Readonly<Record<Fate, number>> => {
  const counts = { applied: 0, refused: 0, failed: 0, unknown: 0, underway: 0, unreported: 0 }
  for (const workload of workloads) counts[fateOf(run, workload)]++
  return counts
}

/** Sends the same call again after a lost answer or an early stop of watching. The idempotency key prevents a second effect. */
export const resent = (run: BulkRun): BulkRun => ({ ...run, phase: "running" })

/**
 * Makes a call for the workloads that failed because their cluster did not answer.
 *
 * **Shape** under a new key; `undefined` if none failed or the call has not ended. Applied, refused and unknown workloads
 * are not retried.
 */
export const retried = (run: BulkRun): BulkRun | undefined => {
  const workloads = run.call.workloads.filter((workload) => fateOf(run, workload) === "failed")
  if (run.phase !== "ended" || workloads.length === 0) return undefined
  const outcomes = new Map(run.outcomes)
  for (const workload of workloads) outcomes.delete(placeOf(workload))
  return { call: { ...run.call, workloads, key: newKey() }, outcomes, phase: "running" }
}
