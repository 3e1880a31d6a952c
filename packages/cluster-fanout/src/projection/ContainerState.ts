/**
 * Describes one container of a pod, the one in the worst state: why it waits, and how its last run ended.
 */
import { mask } from "../kube/Masking.ts"
import { type Fields, fields, list, text } from "./Field.ts"
import type { Interner } from "./Interner.ts"
import * as PodTrouble from "./PodTrouble.ts"
import type { PodRow, Termination, Waiting } from "./Row.ts"
import * as RowLimit from "./RowLimit.ts"

/** State of one container. **Shape** messages are masked and shortened. */
export type ContainerState = Pick<PodRow, "waiting" | "lastTermination">

/** A container with the severity of its state. **Shape** lower ranks are worse. */
interface Ranked {
  readonly rank: number
  readonly container: Fields
}

/**
 * Reads the state of the container in the worst state: one that waits for another reason than its start, else one whose
 * last run failed, else one that starts, else one that has ended.
 *
 * **Shape** the first of several that are equally bad; containers come before init containers. `undefined` if no
 * container waits or has ended. An init container that succeeded does not count.
 */
export const worstOf = (status: Fields, interner: Interner): ContainerState | undefined => {
  let worst: Ranked | undefined
  for (const field of ["containerStatuses", "initContainerStatuses"]) {
    for (const entry of list(status[field])) {
      const container = fields(entry)
      const rank = rankOf(container, field === "initContainerStatuses")
      if (rank !== undefined && (worst === undefined || rank < worst.rank)) worst = { rank, container }
    }
  }
  return worst === undefined ? undefined : describe(worst.container, interner)
}

/**
 * Greater than the rank of any reason: containers that wait come before those that failed, that start or that have
 * ended.
 */
const STEP = 100
/** Reasons of a container that starts. Such a container is in a better state than one whose last run failed. */
const STARTING: ReadonlySet<string> = new Set(["ContainerCreating", "PodInitializing"])

const rankOf = (container: Fields, isInit: boolean): number | undefined => {
  const state = fields(container["state"])
  const reason = text(fields(state["waiting"])["reason"])
  const ended = terminatedOf(container)
  if (reason !== undefined && !STARTING.has(reason)) return PodTrouble.rankOf(reason)
  if (ended !== undefined && ended["exitCode"] !== 0) return STEP + (state["running"] === undefined ? 0 : 1)
  if (reason !== undefined) return STEP + 2
  return ended === undefined || isInit ? undefined : STEP + 3
}

/** Returns the end of a container's last run. */
const terminatedOf = (container: Fields): Fields | undefined => {
  const ended = fields(container["state"])["terminated"] ?? fields(container["lastState"])["terminated"]
  return ended === undefined || ended === null ? undefined : fields(ended)
}

const describe = (container: Fields, interner: Interner): ContainerState => {
  const waiting = waitingOf(fields(container["state"])["waiting"], interner)
  const lastTermination = terminationOf(terminatedOf(container), interner)
  return {
    ...(waiting === undefined ? {} : { waiting }),
    ...(lastTermination === undefined ? {} : { lastTermination })
  }
}

const waitingOf = (waiting: unknown, interner: Interner): Waiting | undefined => {
  const { message, reason } = fields(waiting)
  return typeof reason === "string" && reason !== ""
    ? { reason: interner.text(RowLimit.word(reason)), message: mask(text(message) ?? "") }
    : undefined
}

/** Kubelets write the zero time when they do not know the end of a run. Such a run is left out. */
const terminationOf = (ended: Fields | undefined, interner: Interner): Termination | undefined => {
  const finishedAt = PodTrouble.instant(text(ended?.["finishedAt"]))
  if (ended === undefined || finishedAt === "" || Date.parse(finishedAt) <= 0) return undefined
  const { exitCode, message, reason, signal } = ended
  const said = mask(text(message) ?? "")
  return {
    reason: interner.text(RowLimit.word(text(reason) ?? "")),
    exitCode: integer(exitCode),
    ...(integer(signal) === 0 ? {} : { signal: integer(signal) }),
    finishedAt,
    ...(said === "" ? {} : { message: said })
  }
}

const integer = (value: unknown): number => (typeof value === "number" && Number.isSafeInteger(value) ? value : 0)
