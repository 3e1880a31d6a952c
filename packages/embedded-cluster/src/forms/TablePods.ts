/**
 * Table columns of pods. Their status and readiness are derived from many fields.
 *
 * **Source** Kubernetes 1.36, `printPod`.
 */
import type { Column } from "../core/Column.ts"
import { arrayAt, at, type Json, type JsonObject, numberAt, textAt } from "../core/Json.ts"
import { aged, column, humanDuration, named, NONE, wide } from "./TableCells.ts"

interface Summary {
  readonly reason: string
  readonly ready: number
  readonly total: number
  readonly restarts: number
  readonly lastRestart: number | undefined
}

export const pods: ReadonlyArray<Column> = [
  named,
  column("Ready", (pod) => {
    const { ready, total } = summarize(pod)
    return `${ready}/${total}`
  }),
  column("Status", (pod) => summarize(pod).reason),
  column("Restarts", (pod, nowMs) => {
    const { lastRestart, restarts } = summarize(pod)
    return restarts === 0 || lastRestart === undefined
      ? String(restarts)
      : `${restarts} (${humanDuration(nowMs - lastRestart)} ago)`
  }),
  aged,
  wide("IP", (pod) => textAt(arrayAt(pod, "status", "podIPs")[0], "ip") || textAt(pod, "status", "podIP") || NONE),
  wide("Node", (pod) => textAt(pod, "spec", "nodeName") || NONE),
  wide("Nominated Node", (pod) => textAt(pod, "status", "nominatedNodeName") || NONE),
  wide("Readiness Gates", (pod) => {
    const gates = arrayAt(pod, "spec", "readinessGates")
    const met = gates.filter((gate) => conditionStatus(pod, textAt(gate, "conditionType")) === "True")
    return gates.length === 0 ? NONE : `${met.length}/${gates.length}`
  })
]

const summarize = (pod: JsonObject): Summary => {
  const statuses = arrayAt(pod, "status", "containerStatuses")
  const initial = summarizeInit(pod)
  const blocker = conditionStatus(pod, "Initialized") === "True" ? undefined : initial.reason
  const main =
    blocker === undefined
      ? summarizeMain(pod, initial.reason ?? firstReason(pod), statuses)
      : { reason: blocker, ready: 0 }
  const counted = blocker === undefined ? [...initial.startedSidecars, ...statuses] : initial.started
  const restarts = counted.reduce<number>((sum, status) => sum + (numberAt(status, "restartCount") ?? 0), 0)
  const ends = counted
    .map((status) => Date.parse(textAt(status, "lastState", "terminated", "finishedAt")))
    .filter((time) => !Number.isNaN(time))
  return {
    reason: deletedReason(pod) ?? main.reason,
    ready: main.ready + initial.ready,
    total: arrayAt(pod, "spec", "containers").length + initial.sidecars,
    restarts,
    lastRestart: ends.length === 0 ? undefined : Math.max(...ends)
  }
}

const firstReason = (pod: JsonObject): string => {
  const gated = arrayAt(pod, "status", "conditions").some(
    (one) => textAt(one, "type") === "PodScheduled" && textAt(one, "reason") === "SchedulingGated"
  )
  if (gated) return "SchedulingGated"
  return textAt(pod, "status", "reason") || textAt(pod, "status", "phase")
}

const deletedReason = (pod: JsonObject): string | undefined => {
  if (at(pod, "metadata", "deletionTimestamp") === undefined) return undefined
  if (textAt(pod, "status", "reason") === "NodeLost") return "Unknown"
  const phase = textAt(pod, "status", "phase")
  return phase === "Succeeded" || phase === "Failed" ? undefined : "Terminating"
}

/** Summarizes the init containers, up to the first unfinished one, which determines the reason. */
const summarizeInit = (pod: JsonObject) => {
  const specs = arrayAt(pod, "spec", "initContainers")
  const started: Array<Json> = []
  const startedSidecars: Array<Json> = []
  let ready = 0
  const isSidecar = (name: string) =>
    specs.some((one) => textAt(one, "name") === name && textAt(one, "restartPolicy") === "Always")
  const sidecars = specs.filter((one) => textAt(one, "restartPolicy") === "Always").length
  for (const [index, status] of arrayAt(pod, "status", "initContainerStatuses").entries()) {
    started.push(status)
    const stays = isSidecar(textAt(status, "name"))
    if (stays) startedSidecars.push(status)
    const terminated = at(status, "state", "terminated")
    if (terminated !== undefined && numberAt(terminated, "exitCode") === 0) continue
    if (stays && at(status, "started") === true) {
      if (at(status, "ready") === true) ready += 1
      continue
    }
    const waiting = textAt(status, "state", "waiting", "reason")
    const reason =
      terminated !== undefined
        ? `Init:${endReason(terminated)}`
        : waiting !== "" && waiting !== "PodInitializing"
          ? `Init:${waiting}`
          : `Init:${index}/${specs.length}`
    return { reason, started, startedSidecars, ready, sidecars }
  }
  return { reason: undefined, started, startedSidecars, ready, sidecars }
}

const endReason = (terminated: Json): string => {
  const reason = textAt(terminated, "reason")
  if (reason !== "") return reason
  const signal = numberAt(terminated, "signal") ?? 0
  return signal === 0 ? `ExitCode:${numberAt(terminated, "exitCode") ?? 0}` : `Signal:${signal}`
}

const summarizeMain = (pod: JsonObject, first: string, statuses: ReadonlyArray<Json>) => {
  let reason = first
  let ready = 0
  let running = false
  for (const status of statuses.toReversed()) {
    const waiting = textAt(status, "state", "waiting", "reason")
    const terminated = at(status, "state", "terminated")
    if (waiting !== "") reason = waiting
    else if (terminated !== undefined) reason = endReason(terminated)
    else if (at(status, "ready") === true && at(status, "state", "running") !== undefined) {
      running = true
      ready += 1
    }
  }
  if (reason === "Completed" && running) reason = conditionStatus(pod, "Ready") === "True" ? "Running" : "NotReady"
  return { reason, ready }
}

const conditionStatus = (pod: JsonObject, type: string): string =>
  textAt(
    arrayAt(pod, "status", "conditions").find((one) => textAt(one, "type") === type),
    "status"
  )
