/**
 * Computes the status columns of `kubectl get pods`.
 *
 * **Source** Kubernetes 1.36, `pkg/printers/internalversion`, `printPod`.
 */
import { type Fields, fields, isConditionTrue, list, text } from "./Field.ts"

/**
 * Status columns of a pod, as `kubectl get pods` shows them.
 *
 * **Shape** `status` is the STATUS column, `readyContainers` the first number of READY, `restarts` the number of
 * RESTARTS. During initialisation `restarts` counts init containers, later containers and sidecars.
 *
 * **Units** `lastRestartSeconds` since the epoch; 0 without a restart.
 */
export interface PodStatus {
  readonly status: string
  readonly readyContainers: number
  readonly restarts: number
  readonly lastRestartSeconds: number
}

/** Running totals over containers. */
interface Tally {
  readyContainers: number
  restarts: number
  lastRestartSeconds: number
}

const none = (): Tally => ({ readyContainers: 0, restarts: 0, lastRestartSeconds: 0 })

/** Reads the status columns of a pod. */
export const fromPod = (isDeleted: boolean, spec: Fields, status: Fields): PodStatus => {
  const sidecars = none()
  const initial = none()
  const waits = initialising(spec, status, initial, sidecars)
  const isInitialising = waits !== undefined && !isConditionTrue(status, "Initialized")
  const tally = isInitialising ? initial : sidecars
  const reason = isInitialising ? waits : running(status, waits ?? firstReason(status), tally)
  return {
    status: (isDeleted ? deleted(status) : undefined) ?? reason,
    readyContainers: tally.readyContainers,
    restarts: tally.restarts,
    lastRestartSeconds: tally.restarts === 0 ? 0 : tally.lastRestartSeconds
  }
}

const firstReason = (status: Fields): string => {
  const isGated = list(status["conditions"]).some((entry) => {
    const { reason, type } = fields(entry)
    return type === "PodScheduled" && reason === "SchedulingGated"
  })
  return isGated ? "SchedulingGated" : (filled(status["reason"]) ?? text(status["phase"]) ?? "Pending")
}

/** Returns the status of a deleted pod, if deletion changes it. */
const deleted = ({ phase, reason }: Fields): string | undefined => {
  if (reason === "NodeLost") return "Unknown"
  return phase === "Succeeded" || phase === "Failed" ? undefined : "Terminating"
}

/** Reads the init containers up to the first unfinished one, and returns that container's waiting reason. */
const initialising = (spec: Fields, status: Fields, all: Tally, sidecars: Tally): string | undefined => {
  const specs = list(spec["initContainers"])
  const statuses = list(status["initContainerStatuses"])
  for (const [place, entry] of statuses.entries()) {
    const container = fields(entry)
    const isSidecar = specs.some((spec) => fields(spec)["name"] === container["name"] && isRestartable(fields(spec)))
    countRestarts(container, all)
    if (isSidecar) countRestarts(container, sidecars)
    const { terminated, waiting } = fields(container["state"])
    const ended = terminated === undefined ? undefined : fields(terminated)
    if (ended !== undefined && exitCodeOf(ended) === 0) continue
    if (isSidecar && container["started"] === true) {
      if (container["ready"] === true) {
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

/** Reads the main containers. The first container with a reason of its own decides the result. */
const running = (status: Fields, before: string, tally: Tally): string => {
  let reason = before
  let isRunning = false
  for (const entry of list(status["containerStatuses"]).toReversed()) {
    const container = fields(entry)
    countRestarts(container, tally)
    const { running: runs, terminated, waiting } = fields(container["state"])
    const cause = filled(fields(waiting)["reason"])
    if (cause !== undefined) reason = cause
    else if (terminated !== undefined) reason = endOf(fields(terminated))
    else if (container["ready"] === true && runs !== undefined) {
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
