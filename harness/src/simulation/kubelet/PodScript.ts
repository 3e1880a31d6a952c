/** What becomes of a pod: its annotations, read into a script that the fake kubelet plays. */
import { Result, Schema } from "effect"
import { parseMs } from "./GoDuration.ts"
import type { PodView } from "./PodView.ts"

/** All annotations that this harness reads begin with it. */
export const PREFIX = "harness.quarterdeck.dev/"

/** The annotations of a pod that the fake kubelet reads. */
export const Annotation = {
  startDelay: `${PREFIX}start-delay`,
  initDuration: `${PREFIX}init-duration`,
  readyDelay: `${PREFIX}ready-delay`,
  runFor: `${PREFIX}run-for`,
  deleteDelay: `${PREFIX}delete-delay`,
  fail: `${PREFIX}fail`,
  exitCode: `${PREFIX}exit-code`,
  restarts: `${PREFIX}restarts`,
  startedAt: `${PREFIX}started-at`,
  container: `${PREFIX}container`
} as const

/** Reasons for which a container never starts; the pod stays Pending. */
export const WAITING_REASONS: ReadonlySet<string> = new Set([
  "ContainerCreating",
  "CreateContainerConfigError",
  "CreateContainerError",
  "ErrImageNeverPull",
  "ErrImagePull",
  "ImagePullBackOff",
  "InvalidImageName",
  "RunContainerError"
])
export const CRASH_LOOP = "CrashLoopBackOff"
const OUT_OF_MEMORY = "OOMKilled"

/**
 * A pod's life as data.
 *
 * **Units** milliseconds; `Infinity` is an instant that never comes.
 */
export interface PodScript {
  /** From the kubelet's first sight of the pod to its containers' start. */
  readonly startDelayMs: number
  /** How long each init container runs. */
  readonly initDurationMs: number
  /** From the containers' start to readiness. */
  readonly readyDelayMs: number
  /** From the containers' start to their end; absent when they run for good. */
  readonly runForMs?: number
  readonly deleteDelayMs: number
  /** The reason of the failure, absent when there is none. */
  readonly fail?: string
  readonly exitCode: number
  /** How often the containers had restarted before. */
  readonly restarts: number
  /** When the kubelet saw the pod first, instead of when it did. */
  readonly startedAtMs?: number
  /** The one container that the failure strikes; all when absent. */
  readonly container?: string
}

/** Why an annotation could not be read. */
export class InvalidAnnotation extends Schema.TaggedError<InvalidAnnotation>()("InvalidAnnotation", {
  annotation: Schema.String,
  value: Schema.String,
  /** What it must be, as a noun phrase. */
  expected: Schema.String
}) {
  override get message(): string {
    return `annotation ${this.annotation}: ${JSON.stringify(this.value)} is not ${this.expected}`
  }
}

/** What a pod does when its annotations say nothing. */
export interface Defaults {
  /** How long the containers of a Job's pod run. */
  readonly jobDurationMs: number
}

/** Reads a pod's annotations. */
export const read = (pod: PodView, defaults: Defaults): Result.Result<PodScript, InvalidAnnotation> => {
  const annotations = pod.metadata.annotations ?? {}
  const problems: Array<InvalidAnnotation> = []
  const given = <A>(annotation: string, expected: string, parse: (text: string) => A | undefined): A | undefined => {
    const value = annotations[annotation]
    if (value === undefined) return undefined
    const parsed = parse(value)
    if (parsed === undefined) problems.push(new InvalidAnnotation({ annotation, value, expected }))
    return parsed
  }
  const duration = (annotation: string) => given(annotation, "a duration such as 1m30s, or never", parseDelay)

  const fail = given(Annotation.fail, "a reason in one word, such as OOMKilled", (text) =>
    /^[A-Za-z]+$/.test(text) ? text : undefined
  )
  const exitCode = given(Annotation.exitCode, "a number from 0 to 255", (text) => parseCount(text, 255))
  const isJobs = (pod.metadata.ownerReferences ?? []).some(
    ({ kind, controller }) => kind === "Job" && controller === true
  )
  const startsNever = fail !== undefined && (WAITING_REASONS.has(fail) || fail === CRASH_LOOP)
  const ends = isJobs ? defaults.jobDurationMs : !startsNever && (fail ?? exitCode) !== undefined ? 0 : undefined
  const runForMs = duration(Annotation.runFor) ?? ends
  const startedAtMs = given(Annotation.startedAt, "an instant such as 2026-01-31T06:00:00Z", parseInstant)
  const container = given(Annotation.container, "the name of a container of this pod", (text) =>
    pod.spec.containers.some(({ name }) => name === text) ? text : undefined
  )
  const script: PodScript = {
    startDelayMs: duration(Annotation.startDelay) ?? 0,
    initDurationMs: duration(Annotation.initDuration) ?? 0,
    readyDelayMs: duration(Annotation.readyDelay) ?? 0,
    deleteDelayMs: duration(Annotation.deleteDelay) ?? 0,
    exitCode: exitCode ?? (fail === undefined ? 0 : fail === OUT_OF_MEMORY ? 137 : 1),
    restarts:
      given(Annotation.restarts, "a count", (text) => parseCount(text, 1_000_000)) ?? (fail === CRASH_LOOP ? 5 : 0),
    ...(runForMs === undefined || runForMs === Infinity ? {} : { runForMs }),
    ...(fail === undefined ? {} : { fail }),
    ...(startedAtMs === undefined ? {} : { startedAtMs }),
    ...(container === undefined ? {} : { container })
  }
  const [problem] = problems
  return problem === undefined ? Result.succeed(script) : Result.fail(problem)
}

const parseDelay = (text: string): number | undefined => (text === "never" ? Infinity : parseMs(text))

const parseCount = (text: string, largest: number): number | undefined =>
  /^[0-9]{1,9}$/.test(text) && Number(text) <= largest ? Number(text) : undefined

const parseInstant = (text: string): number | undefined => {
  const milliseconds = Date.parse(text)
  return /^[0-9]{4}-/.test(text) && Number.isFinite(milliseconds) ? milliseconds : undefined
}
