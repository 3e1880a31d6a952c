/**
 * Table columns of the kinds that own pods.
 *
 * **Source** Kubernetes 1.36, `printers.go`.
 */
import type { Column } from "../core/Column.ts"
import { arrayAt, at, type JsonObject, numberAt, textAt } from "../core/Json.ts"
import {
  aged,
  column,
  containerNames,
  count,
  humanDuration,
  images,
  labelsText,
  named,
  NONE,
  selector,
  since
} from "./TableCells.ts"
import { pods } from "./TablePods.ts"

const TEMPLATE = ["spec", "template", "spec"]
const integer = (name: string, ...path: ReadonlyArray<string>): Column =>
  column(name, (object) => count(object, ...path), "integer")

const deployments: ReadonlyArray<Column> = [
  named,
  column("Ready", (object) => `${count(object, "status", "readyReplicas")}/${count(object, "spec", "replicas")}`),
  column("Up-to-date", (object) => count(object, "status", "updatedReplicas")),
  column("Available", (object) => count(object, "status", "availableReplicas")),
  aged,
  containerNames(...TEMPLATE),
  images(...TEMPLATE),
  selector("spec", "selector")
]

const replicaSets: ReadonlyArray<Column> = [
  named,
  integer("Desired", "spec", "replicas"),
  integer("Current", "status", "replicas"),
  integer("Ready", "status", "readyReplicas"),
  aged,
  containerNames(...TEMPLATE),
  images(...TEMPLATE),
  selector("spec", "selector")
]

const statefulSets: ReadonlyArray<Column> = [
  named,
  column("Ready", (object) => `${count(object, "status", "readyReplicas")}/${count(object, "spec", "replicas")}`),
  aged,
  containerNames(...TEMPLATE),
  images(...TEMPLATE)
]

const daemonSets: ReadonlyArray<Column> = [
  named,
  integer("Desired", "status", "desiredNumberScheduled"),
  integer("Current", "status", "currentNumberScheduled"),
  integer("Ready", "status", "numberReady"),
  integer("Up-to-date", "status", "updatedNumberScheduled"),
  integer("Available", "status", "numberAvailable"),
  column("Node Selector", (object) => labelsText(object, ...TEMPLATE, "nodeSelector")),
  aged,
  containerNames(...TEMPLATE),
  images(...TEMPLATE),
  selector("spec", "selector")
]

const jobStatus = (job: JsonObject): string => {
  const holds = (type: string) =>
    arrayAt(job, "status", "conditions").some((one) => textAt(one, "type") === type && textAt(one, "status") === "True")
  if (holds("Complete")) return "Complete"
  if (holds("Failed")) return "Failed"
  if (at(job, "metadata", "deletionTimestamp") !== undefined) return "Terminating"
  if (holds("Suspended")) return "Suspended"
  if (holds("FailureTarget")) return "FailureTarget"
  if (holds("SuccessCriteriaMet")) return "SuccessCriteriaMet"
  return "Running"
}

const completions = (job: JsonObject): string => {
  const succeeded = count(job, "status", "succeeded")
  const wanted = numberAt(job, "spec", "completions")
  if (wanted !== undefined) return `${succeeded}/${wanted}`
  const parallelism = numberAt(job, "spec", "parallelism") ?? 0
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

const jobDuration = (job: JsonObject, nowMs: number): string => {
  const start = Date.parse(textAt(job, "status", "startTime"))
  if (Number.isNaN(start)) return ""
  const end = Date.parse(textAt(job, "status", "completionTime"))
  return humanDuration((Number.isNaN(end) ? nowMs : end) - start)
}

const jobs: ReadonlyArray<Column> = [
  named,
  column("Status", jobStatus),
  column("Completions", completions),
  column("Duration", jobDuration),
  aged,
  containerNames(...TEMPLATE),
  images(...TEMPLATE),
  selector("spec", "selector")
]

const JOB_TEMPLATE = ["spec", "jobTemplate", "spec", "template", "spec"]

const cronJobs: ReadonlyArray<Column> = [
  named,
  column("Schedule", (object) => textAt(object, "spec", "schedule")),
  column("Timezone", (object) => textAt(object, "spec", "timeZone") || NONE),
  column("Suspend", (object) => (at(object, "spec", "suspend") === true ? "True" : "False"), "boolean"),
  column("Active", (object) => arrayAt(object, "status", "active").length, "integer"),
  column("Last Schedule", (object, nowMs) => {
    const last = textAt(object, "status", "lastScheduleTime")
    return last === "" ? NONE : since(last, nowMs)
  }),
  aged,
  containerNames(...JOB_TEMPLATE),
  images(...JOB_TEMPLATE),
  selector("spec", "jobTemplate", "spec", "selector")
]

export const workloadColumns: ReadonlyArray<readonly [string, ReadonlyArray<Column>]> = [
  ["Pod", pods],
  ["Deployment", deployments],
  ["ReplicaSet", replicaSets],
  ["StatefulSet", statefulSets],
  ["DaemonSet", daemonSets],
  ["Job", jobs],
  ["CronJob", cronJobs]
]
