/**
 * Computes the stage of a pod's script at a given time, and the time of the next change.
 *
 * The result depends only on the script and the time at which the kubelet first saw the pod. A restarted kubelet
 * therefore finds the right stage, and past stages can be computed too.
 */
import { CRASH_LOOP, type PodScript, WAITING_REASONS } from "./PodScript.ts"

/**
 * A stage of a pod's life.
 *
 * **Units** times in milliseconds since 1970.
 */
export type Stage =
  /** No container has started. `reason` is the waiting reason. */
  | { readonly _tag: "Waiting"; readonly reason: string }
  /** The init container at `index` is running. */
  | { readonly _tag: "Initializing"; readonly index: number; readonly sinceMs: number }
  /** `readyMs` is absent before readiness. `previous` is the run before this one. */
  | {
      readonly _tag: "Running"
      readonly sinceMs: number
      readonly readyMs?: number
      readonly restarts: number
      readonly previous?: Run
    }
  /** The last run has ended, and the next has not started. */
  | { readonly _tag: "BackingOff"; readonly restarts: number; readonly last: Run; readonly delayMs: number }
  /** All runs have ended. */
  | { readonly _tag: "Over"; readonly run: Run; readonly restarts: number }

/** A run of the containers from start to end. */
export interface Run {
  readonly fromMs: number
  readonly toMs: number
}

export interface Moment {
  readonly stage: Stage
  /** Start of the next stage. Absent for the last stage. */
  readonly untilMs?: number
}

/** The pod's properties that determine its stages, in addition to the script. */
export interface Circumstances {
  /** Time at which the kubelet first saw the pod. */
  readonly originMs: number
  /** Number of init containers, without sidecars. */
  readonly inits: number
  readonly restartPolicy: string
}

const FIRST_BACK_OFF_MS = 10_000
const LONGEST_BACK_OFF_MS = 300_000
/** From this restart on, the back-off is constant. */
const STEADY = 6

/**
 * Returns the back-off before a restart, by its number. The first restart has none.
 *
 * **Source** Kubernetes, `pkg/kubelet/kuberuntime` (`doBackOff`): 10 s, doubled each time, 5 min at most.
 */
export const backOffMs = (restart: number): number =>
  restart <= 1 ? 0 : Math.min(LONGEST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** (restart - 2))

/** Returns the stage at a given time. */
export const at = (script: PodScript, circumstances: Circumstances, nowMs: number): Moment => {
  const { inits, originMs } = circumstances
  if (script.fail !== undefined && WAITING_REASONS.has(script.fail)) {
    return { stage: { _tag: "Waiting", reason: script.fail } }
  }
  const createdMs = originMs + script.startDelayMs
  if (nowMs < createdMs) return upTo(createdMs, { _tag: "Waiting", reason: "ContainerCreating" })
  const startMs = createdMs + (inits === 0 ? 0 : inits * script.initDurationMs)
  if (nowMs < startMs) {
    const index = Math.min(inits - 1, Math.floor((nowMs - createdMs) / script.initDurationMs))
    const sinceMs = createdMs + (index === 0 ? 0 : index * script.initDurationMs)
    return upTo(sinceMs + script.initDurationMs, { _tag: "Initializing", index, sinceMs })
  }
  if (script.fail === CRASH_LOOP && script.runForMs === undefined) {
    // Without a run time, the crash loop shows as one back-off without end.
    const last = { fromMs: startMs, toMs: startMs }
    const delayMs = backOffMs(script.restarts + 1)
    return { stage: { _tag: "BackingOff", restarts: script.restarts, last, delayMs } }
  }
  return running(script, circumstances.restartPolicy, startMs, nowMs)
}

const running = (script: PodScript, policy: string, startMs: number, nowMs: number): Moment => {
  const { exitCode, restarts, runForMs } = script
  const past = restarts === 0 ? {} : { previous: { fromMs: startMs, toMs: startMs } }
  if (runForMs === undefined) return run(script, { sinceMs: startMs, restarts, ...past }, Infinity, nowMs)
  const restartsAgain = policy === "Always" || (policy === "OnFailure" && exitCode !== 0)
  if (!restartsAgain) {
    const over = { fromMs: startMs, toMs: startMs + runForMs }
    if (nowMs < over.toMs) return run(script, { sinceMs: startMs, restarts, ...past }, over.toMs, nowMs)
    return { stage: { _tag: "Over", run: over, restarts } }
  }
  const { number, sinceMs } = cycleAt(runForMs, startMs, nowMs)
  const endMs = sinceMs + runForMs
  if (nowMs < endMs) {
    const before = sinceMs - backOffMs(number)
    const previous = number === 0 ? past : { previous: { fromMs: before - runForMs, toMs: before } }
    return run(script, { sinceMs, restarts: restarts + number, ...previous }, endMs, nowMs)
  }
  const delayMs = backOffMs(number + 1)
  const last = { fromMs: sinceMs, toMs: endMs }
  return upTo(endMs + delayMs, { _tag: "BackingOff", restarts: restarts + number, last, delayMs })
}

/** Returns the last run that has started, among runs with growing back-off. */
const cycleAt = (runForMs: number, startMs: number, nowMs: number) => {
  let number = 0
  let sinceMs = startMs
  for (;;) {
    const nextMs = sinceMs + runForMs + backOffMs(number + 1)
    if (nowMs < nextMs) return { number, sinceMs }
    if (number >= STEADY) {
      // Later cycles have a constant length, so they are skipped by division.
      const skipped = Math.floor((nowMs - sinceMs) / (nextMs - sinceMs))
      return { number: number + skipped, sinceMs: sinceMs + skipped * (nextMs - sinceMs) }
    }
    number++
    sinceMs = nextMs
  }
}

const run = (
  { readyDelayMs }: PodScript,
  current: { readonly sinceMs: number; readonly restarts: number; readonly previous?: Run },
  endMs: number,
  nowMs: number
): Moment => {
  const readyMs = current.sinceMs + readyDelayMs
  if (nowMs < readyMs) return upTo(Math.min(readyMs, endMs), { _tag: "Running", ...current })
  return upTo(endMs, { _tag: "Running", ...current, readyMs })
}

const upTo = (untilMs: number, stage: Stage): Moment => (untilMs === Infinity ? { stage } : { stage, untilMs })
