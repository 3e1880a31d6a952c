/**
 * Tells how a pod stands in the words and numbers of `kubectl get pods`.
 *
 * **Source** Kubernetes 1.36, `pkg/printers/internalversion`, `printPod`.
 */
import { type Fields, fields, isConditionTrue, list, text } from "./Field.ts"

/**
 * How a pod stands, as `kubectl get pods` shows it.
 *
 * **Shape** `status` is the STATUS column, `readyContainers` the first number of READY, `restarts` that of RESTARTS: of
 * the init containers while they run, else of the others and the sidecars.
 *
 * **Units** `lastRestartSeconds` since the epoch; 0 where there was none.
 */
export interface PodStatus {
  readonly status: string
  readonly readyContainers: number
  readonly restarts: number
  readonly lastRestartSeconds: number
}

/** What is counted while containers are looked at. */
interface Tally {
  readyContainers: number
  restarts: number
  lastRestartSeconds: number
}

const none = (): Tally => ({ readyContainers: 0, restarts: 0, lastRestartSeconds: 0 })

/** Reads how a pod stands. */
export const fromPod = (isDeleted: boolean, spec: Fields, status: Fields): PodStatus => {
  const sidecars = none()
  const initial = none()
  const waits = initialising(spec, status, initial, sidecars)
  const isInitialising = waits !== undefined && !isConditionTrue(status, "Initialized")
  const told = isInitialising ? initial : sidecars
  const reason = isInitialising ? waits : running(status, waits ?? firstReason(status), told)
  return {
    status: (isDeleted ? deleted(status) : undefined) ?? reason,
    readyContainers: told.readyContainers,
    restarts: told.restarts,
    lastRestartSeconds: told.restarts === 0 ? 0 : told.lastRestartSeconds
  }
}

const firstReason = (status: Fields): string => {
  const isGated = list(status["conditions"]).some((entry) => {
    const { reason, type } = fields(entry)
    return type === "PodScheduled" && reason === "SchedulingGated"
  })
  return isGated ? "SchedulingGated" : (filled(status["reason"]) ?? text(status["phase"]) ?? "Pending")
}

/** Says what deletion makes of a pod, if it changes its words. */
const deleted = ({ phase, reason }: Fields): string | undefined => {
  if (reason === "NodeLost") return "Unknown"
  return phase === "Succeeded" || phase === "Failed" ? undefined : "Terminating"
}

/** Looks at the init containers up to the one that has not done its part, and says what that one waits for. */
const initialising = (spec: Fields, status: Fields, all: Tally, sidecars: Tally): string | undefined => {
  const specs = list(spec["initContainers"])
  const statuses = list(status["initContainerStatuses"])
  for (const [place, entry] of statuses.entries()) {
    const one = fields(entry)
    const isSidecar = specs.some((each) => fields(each)["name"] === one["name"] && isRestartable(fields(each)))
    countRestarts(one, all)
    if (isSidecar) countRestarts(one, sidecars)
    const { terminated, waiting } = fields(one["state"])
    const ended = terminated === undefined ? undefined : fields(terminated)
    if (ended !== undefined && exitCodeOf(ended) === 0) continue
    if (isSidecar && one["started"] === true) {
      if (one["ready"] === true) {
        all.readyContainers++
        sidecars.readyContainers++
      }
      continue
    }
    if (ended !== undefined) return `Init:${endOf(ended)}`
    const cause = filled(fields(waiting)["reason"])
    return cause !== undefined && cause !== "PodInitializing" ? `Init:${cause}` : `Init:${place}/${specs.length}`
  }
  return undefined
}

const isRestartable = (container: Fields): boolean => container["restartPolicy"] === "Always"

/** Looks at the containers themselves; the first that has something to say has the last word. */
const running = (status: Fields, before: string, tally: Tally): string => {
  let reason = before
  let isRunning = false
  for (const entry of list(status["containerStatuses"]).toReversed()) {
    const one = fields(entry)
    countRestarts(one, tally)
    const { running: runs, terminated, waiting } = fields(one["state"])
    const cause = filled(fields(waiting)["reason"])
    if (cause !== undefined) reason = cause
    else if (terminated !== undefined) reason = endOf(fields(terminated))
    else if (one["ready"] === true && runs !== undefined) {
      isRunning = true
      tally.readyContainers++
    }
  }
  if (reason !== "Completed" || !isRunning) return reason
  return isConditionTrue(status, "Ready") ? "Running" : "NotReady"
}

const endOf = (terminated: Fields): string => {
  const reason = filled(terminated["reason"])
  if (reason !== undefined) return reason
  const signal = integer(terminated["signal"])
  return signal === 0 ? `ExitCode:${exitCodeOf(terminated)}` : `Signal:${signal}`
}

const countRestarts = (container: Fields, tally: Tally): void => {
  tally.restarts += integer(container["restartCount"])
  const { finishedAt } = fields(fields(container["lastState"])["terminated"])
  const ms = typeof finishedAt === "string" ? Date.parse(finishedAt) : 0
  if (ms > tally.lastRestartSeconds * 1_000) tally.lastRestartSeconds = Math.floor(ms / 1_000)
}

const exitCodeOf = (terminated: Fields): number => integer(terminated["exitCode"])

const integer = (value: unknown): number => (typeof value === "number" && Number.isSafeInteger(value) ? value : 0)

const filled = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)
