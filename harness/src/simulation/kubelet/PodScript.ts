/** Parses a pod's annotations into a script for the fake kubelet. */
import { Result, Schema } from "effect"
import { parseMs } from "./GoDuration.ts"
import type { PodView } from "./PodView.ts"

/** Prefix of all annotations that the harness reads. */
export const PREFIX = "harness.quarterdeck.dev/"

/** Annotations of a pod that the fake kubelet reads. */
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

/** Failure reasons for which a container never starts. The pod stays Pending. */
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
 * The course of a pod's life.
 *
 * **Units** milliseconds. `Infinity` means never.
 */
export interface PodScript {
  /** From the kubelet's first sight of the pod to the start of its containers. */
  readonly startDelayMs: number
  /** Run time of each init container. */
  readonly initDurationMs: number
  /** Time from the start of the containers to readiness. */
  readonly readyDelayMs: number
  /** Time from the start of the containers to their end. Absent if they run indefinitely. */
  readonly runForMs?: number
  readonly deleteDelayMs: number
  /** Reason of the failure. Absent if the pod does not fail. */
  readonly fail?: string
  readonly exitCode: number
  /** Number of earlier restarts of the containers. */
  readonly restarts: number
  /** Overrides the time at which the kubelet first saw the pod. */
  readonly startedAtMs?: number
  /** Name of the only container that fails. Absent if all fail. */
  readonly container?: string
}

/** An annotation has an invalid value. */
export class InvalidAnnotation extends Schema.TaggedError<InvalidAnnotation>()("InvalidAnnotation", {
  annotation: Schema.String,
  value: Schema.String,
  /** The expected value, as a noun phrase. */
  expected: Schema.String
}) {
  override get message(): string {
    return `annotation ${this.annotation}: ${JSON.stringify(this.value)} is not ${this.expected}`
  }
}

/** Behaviour of a pod without annotations. */
export interface Defaults {
  /** Run time of the containers of a Job's pod. */
  readonly jobDurationMs: number
}

/** Parses a pod's annotations. */
export const read = (pod: PodView, defaults: Defaults): Result.Result<PodScript, InvalidAnnotation> => {
  const annotations = pod.metadata.annotations ?? {}
  const problems: Array<InvalidAnnotation> = []
  const parsedWith = <A>(
    annotation: string,
    expected: string,
    parse: (text: string) => A | undefined
  ): A | undefined => {
    const value = annotations[annotation]
    if (value === undefined) return undefined
    const parsed = parse(value)
    if (parsed === undefined) problems.push(new InvalidAnnotation({ annotation, value, expected }))
    return parsed
  }
  const duration = (annotation: string) => parsedWith(annotation, "a duration such as 1m30s, or never", parseDelay)

  const fail = parsedWith(Annotation.fail, "a reason in one word, such as OOMKilled", (text) =>
    /^[A-Za-z]+$/.test(text) ? text : undefined
  )
  const exitCode = parsedWith(Annotation.exitCode, "a number from 0 to 255", (text) => parseCount(text, 255))
  const isJobs = (pod.metadata.ownerReferences ?? []).some(
    ({ kind, controller }) => kind === "Job" && controller === true
  )
  const startsNever = fail !== undefined && (WAITING_REASONS.has(fail) || fail === CRASH_LOOP)
  const ends = isJobs ? defaults.jobDurationMs : !startsNever && (fail ?? exitCode) !== undefined ? 0 : undefined
  const runForMs = duration(Annotation.runFor) ?? ends
  const startedAtMs = parsedWith(Annotation.startedAt, "an instant such as 2026-01-31T06:00:00Z", parseInstant)
  const container = parsedWith(Annotation.container, "the name of a container of this pod", (text) =>
    pod.spec.containers.some(({ name }) => name === text) ? text : undefined
  )
  const script: PodScript = {
    startDelayMs: duration(Annotation.startDelay) ?? 0,
    initDurationMs: duration(Annotation.initDuration) ?? 0,
    readyDelayMs: duration(Annotation.readyDelay) ?? 0,
    deleteDelayMs: duration(Annotation.deleteDelay) ?? 0,
    exitCode: exitCode ?? (fail === undefined ? 0 : fail === OUT_OF_MEMORY ? 137 : 1),
    restarts:
      parsedWith(Annotation.restarts, "a count", (text) => parseCount(text, 1_000_000))
      ?? (fail === CRASH_LOOP ? 5 : 0),
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
