/**
 * The sentence that describes the state of a workload and its reason.
 */
import type { Pod } from "../api/PodQueries.ts"
import type { Workload } from "../api/WorkloadQueries.ts"
import * as Quantity from "../format/Quantity.ts"

const FINISHED: ReadonlySet<string> = new Set(["Completed", "Succeeded"])

/** Returns true if a pod is not ready although it has not finished. */
export const isUnready = ({ containers, readyContainers, status }: Pod): boolean =>
  readyContainers < containers && !FINISHED.has(status)

/** Rank of a pod: pods with a reason first, then unready ones, then those with most restarts. */
const badness = (pod: Pod): number =>
  (isUnready(pod) ? (pod.waiting !== undefined || pod.lastTermination !== undefined ? 2 : 1) : 0) * 1e9 + pod.restarts

/** Sorts pods, the worst first. */
export const worstFirst = (pods: ReadonlyArray<Pod>): ReadonlyArray<Pod> =>
  pods.toSorted((a, b) => badness(b) - badness(a) || (a.name < b.name ? -1 : 1))

/** Prints how a container's last run ended. **Example** `OOMKilled (exit 137)` */
export const terminationText = ({ exitCode, reason, signal }: NonNullable<Pod["lastTermination"]>): string =>
  `${reason} (exit ${exitCode}${signal === undefined ? "" : `, signal ${signal}`})`

/** Reason for waiting after a crash. Not printed if the end of the last run is known, because that is more specific. */
const BACK_OFF = "CrashLoopBackOff"
const OUT_OF_MEMORY = "OOMKilled"

/** Prints what is wrong with a pod. **Example** `OOMKilled (exit 137), 7 restarts, last 2 min ago; memory limit 2 GiB` */
export const podText = (pod: Pod, nowMs: number): string => {
  const { lastRestartAt, lastTermination, memoryLimitBytes, restarts, status, waiting } = pod
  const ended = lastTermination === undefined ? undefined : terminationText(lastTermination)
  const causes = [waiting?.reason === BACK_OFF && ended !== undefined ? undefined : waiting?.reason, ended].filter(
    (cause) => cause !== undefined
  )
  const last = lastRestartAt === undefined ? "" : `, last ${Quantity.duration(nowMs - Date.parse(lastRestartAt))} ago`
  const isOutOfMemory = lastTermination?.reason === OUT_OF_MEMORY
  return [
    causes.length === 0 ? status : causes.join(", "),
    restarts === 0 ? "" : `, ${Quantity.counted(restarts, "restart")}${last}`,
    isOutOfMemory && memoryLimitBytes > 0 ? `; memory limit ${Quantity.bytes(memoryLimitBytes)}` : ""
  ].join("")
}

/**
 * Prints the state of a workload and its worst pod.
 *
 * **Example** `1 of 2 ready. search-w5fqv: OOMKilled (exit 137), 7 restarts, last 2 min ago; memory limit 2 GiB`
 */
export const answerOf = (
  { kind, reason, replicas, status }: Pick<Workload, "kind" | "reason" | "replicas" | "status">,
  pods: ReadonlyArray<Pod>,
  nowMs: number
): string => {
  const isTask = kind === "Job" || kind === "CronJob"
  const state = isTask ? `${status.charAt(0).toUpperCase()}${status.slice(1)}` : readyText(replicas)
  const [worst] = worstFirst(pods)
  const ofPod = worst !== undefined && isUnready(worst) ? `${worst.name}: ${podText(worst, nowMs)}` : undefined
  // The controller's reason, unless the text of the pod contains it.
  const ofWorkload = reason === undefined || ofPod?.includes(reason) === true ? undefined : reason
  const more = ofPod ?? ofWorkload
  return more === undefined ? `${state}.` : `${state}. ${more}`
}

const readyText = ({ desired, ready }: Workload["replicas"]): string =>
  `${Quantity.count(ready)} of ${Quantity.count(desired)} ready`
