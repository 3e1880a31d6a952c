/**
 * Where a pod stands in its script at an instant, and when that changes next.
 *
 * Everything follows from the script and the instant at which the kubelet saw the pod first. So a kubelet that comes back
 * finds every pod where it should be, and the past can be told as well as the present.
 */
import { CRASH_LOOP, type PodScript, WAITING_REASONS } from "./PodScript.ts"

/**
 * One part of a pod's life.
 *
 * **Units** instants in milliseconds since 1970.
 */
export type Stage =
  /** No container runs yet. `reason` is what they wait for. */
  | { readonly _tag: "Waiting"; readonly reason: string }
  /** The init container at `index` runs. */
  | { readonly _tag: "Initializing"; readonly index: number; readonly sinceMs: number }
  /** `readyMs` is absent before readiness. `previous` is the run that ended before this one. */
  | {
      readonly _tag: "Running"
      readonly sinceMs: number
      readonly readyMs?: number
      readonly restarts: number
      readonly previous?: Run
    }
  /** The last run ended, and the next has not begun. */
  | { readonly _tag: "BackingOff"; readonly restarts: number; readonly last: Run; readonly delayMs: number }
  /** Nothing runs any more. */
  | { readonly _tag: "Over"; readonly run: Run; readonly restarts: number }

/** One run of the containers from start to end. */
export interface Run {
  readonly fromMs: number
  readonly toMs: number
}

export interface Moment {
  readonly stage: Stage
  /** When the next stage begins; absent when this is the last. */
  readonly untilMs?: number
}

/** What of a pod decides about its stages, besides its script. */
export interface Circumstances {
  /** When the kubelet saw the pod first. */
  readonly originMs: number
  /** Init containers that end, in their number. */
  readonly inits: number
  readonly restartPolicy: string
}

const FIRST_BACK_OFF_MS = 10_000
const LONGEST_BACK_OFF_MS = 300_000
/** From this restart on the pause no longer grows. */
const STEADY = 6

/**
 * How long the kubelet waits before the restart with that number: the first comes at once.
 *
 * **Source** Kubernetes, `pkg/kubelet/kuberuntime` (`doBackOff`): 10 s, doubled each time, 5 min at most.
 */
export const backOffMs = (restart: number): number =>
  restart <= 1 ? 0 : Math.min(LONGEST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** (restart - 2))

/** Finds the stage at an instant. */
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
    // A loop that has gone on for long: nothing changes that a test would wait for.
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

/** The last run that has begun, of those that follow each other with growing pauses. */
const cycleAt = (runForMs: number, startMs: number, nowMs: number) => {
  let number = 0
  let sinceMs = startMs
  for (;;) {
    const nextMs = sinceMs + runForMs + backOffMs(number + 1)
    if (nowMs < nextMs) return { number, sinceMs }
    if (number >= STEADY) {
      // All further cycles are of one length, so years of them are no work.
      const skipped = Math.floor((nowMs - sinceMs) / (nextMs - sinceMs))
      return { number: number + skipped, sinceMs: sinceMs + skipped * (nextMs - sinceMs) }
    }
    number++
    sinceMs = nextMs
  }
}

const run = (
  { readyDelayMs }: PodScript,
  begun: { readonly sinceMs: number; readonly restarts: number; readonly previous?: Run },
  endMs: number,
  nowMs: number
): Moment => {
  const readyMs = begun.sinceMs + readyDelayMs
  if (nowMs < readyMs) return upTo(Math.min(readyMs, endMs), { _tag: "Running", ...begun })
  return upTo(endMs, { _tag: "Running", ...begun, readyMs })
}

const upTo = (untilMs: number, stage: Stage): Moment => (untilMs === Infinity ? { stage } : { stage, untilMs })
