/**
 * Starts the jobs of CronJobs when they are due, and deletes finished jobs beyond the history limits.
 *
 * **Source** Kubernetes, `pkg/controller/cronjob`.
 */
import { Result } from "effect"
import { at, type Json, type JsonObject, numberAt, objectAt, textAt } from "../core/Json.ts"
import { timestamp } from "../core/Kernel.ts"
import * as Resources from "../core/Resources.ts"
import type { Stored } from "../core/Stored.ts"
import { type Controller, existing, ownKey, type Turn } from "./Controller.ts"
import { controllerReference, remove, tryCreate, writeStatus } from "./ControllerWrites.ts"
import * as CronSchedule from "./CronSchedule.ts"
import { isOver } from "./Jobs.ts"
import { controlled, controlledBy } from "./OwnedPods.ts"
import { conditionOf, objectOf, timeOf } from "./Views.ts"

/** Maximum number of missed times that are examined one by one. Older ones are skipped. */
const MISSED_TIMES = 100

export const cronJobs: Controller = {
  name: "cronjob",
  watches: [{ resource: Resources.cronJobs, keys: ownKey }, controlledBy(Resources.cronJobs, Resources.jobs)],
  reconcile: (turn, key) => {
    const stored = existing(turn, Resources.cronJobs, key)
    if (stored === undefined) return
    const object = objectOf(stored)
    if (at(object, "metadata", "deletionTimestamp") !== undefined) return
    const jobs = controlled(turn, Resources.jobs, stored)
    pruneHistory(turn, object, jobs)
    const started = at(object, "spec", "suspend") === true ? undefined : startDue(turn, stored, jobs)
    updateStatus(turn, stored, started)
  }
}

/** Starts the job that is due. Returns the time it was due at. */
const startDue = (turn: Turn, stored: Stored, jobs: ReadonlyArray<Stored>): string | undefined => {
  const object = objectOf(stored)
  const schedule = CronSchedule.parse(textAt(object, "spec", "schedule"), textAt(object, "spec", "timeZone") || "UTC")
  // An invalid schedule never runs. The real controller reports it in an event.
  if (Result.isFailure(schedule)) return undefined
  const nowMs = turn.kernel.nowMs()
  const sinceMs =
    timeOf(textAt(object, "status", "lastScheduleTime")) || timeOf(textAt(object, "metadata", "creationTimestamp"))
  const due = latestDue(schedule.success, sinceMs, nowMs)
  turn.after(schedule.success.next(nowMs) - nowMs)
  if (due === undefined) return undefined
  const deadline = numberAt(object, "spec", "startingDeadlineSeconds")
  if (deadline !== undefined && nowMs > due + deadline * 1_000) return undefined
  const active = jobs.filter((job) => !isOver(objectOf(job)))
  const policy = textAt(object, "spec", "concurrencyPolicy")
  if (policy === "Forbid" && active.length > 0) return undefined
  if (policy === "Replace") for (const job of active) remove(turn, Resources.jobs, job, { propagation: "Background" })
  const template = objectAt(object, "spec", "jobTemplate")
  const metadata = objectAt(template, "metadata")
  const outcome = tryCreate(turn, Resources.jobs, stored.namespace, {
    metadata: {
      ...metadata,
      name: `${stored.name}-${Math.floor(due / 60_000)}`,
      annotations: {
        ...objectAt(metadata, "annotations"),
        "batch.kubernetes.io/cronjob-scheduled-timestamp": timestamp(due)
      },
      ownerReferences: [controllerReference(Resources.cronJobs, stored)]
    },
    spec: objectAt(template, "spec")
  })
  // 409: the job of this time was already started.
  if (Result.isFailure(outcome) && outcome.failure.code !== 409) {
    turn.failed(outcome.failure)
    return undefined
  }
  return timestamp(due)
}

const latestDue = (schedule: CronSchedule.CronSchedule, sinceMs: number, nowMs: number): number | undefined => {
  let due: number | undefined
  let next = schedule.next(sinceMs)
  for (let examined = 0; next <= nowMs; examined++) {
    due = next
    // After a long gap, skip ahead to at most one interval before now.
    next =
      examined < MISSED_TIMES
        ? schedule.next(next)
        : Math.max(schedule.next(next), schedule.next(nowMs - (next - sinceMs)))
    if (examined > MISSED_TIMES * 2) break
  }
  return due
}

/** Deletes finished jobs beyond the history limits, oldest first. */
const pruneHistory = (turn: Turn, object: JsonObject, jobs: ReadonlyArray<Stored>): void => {
  for (const [type, name, fallback] of HISTORY) {
    const limit = numberAt(object, "spec", name) ?? fallback
    const ended = jobs
      .filter((job) => textAt(conditionOf(objectOf(job), type), "status") === "True")
      .toSorted((left, right) => startOf(left) - startOf(right))
    for (const job of ended.slice(0, Math.max(0, ended.length - limit)))
      remove(turn, Resources.jobs, job, { propagation: "Background" })
  }
}

const HISTORY = [
  ["Complete", "successfulJobsHistoryLimit", 3],
  ["Failed", "failedJobsHistoryLimit", 1]
] as const

const startOf = (job: Stored): number => timeOf(textAt(objectOf(job), "status", "startTime"))

const updateStatus = (turn: Turn, stored: Stored, started: string | undefined): void => {
  const { store } = turn.kernel
  const current = store.get(Resources.cronJobs, stored.key) ?? stored
  const before = objectAt(objectOf(current), "status")
  const jobs = controlled(turn, Resources.jobs, stored)
  const active: ReadonlyArray<Json> = jobs
    .filter((job) => !isOver(objectOf(job)))
    .map((job) => ({
      kind: "Job",
      apiVersion: "batch/v1",
      namespace: job.namespace,
      name: job.name,
      uid: job.uid,
      resourceVersion: String(job.revision)
    }))
  const names = (list: Json | undefined) =>
    Array.isArray(list) ? list.map((one: Json) => textAt(one, "uid")).join() : ""
  const completed =
    jobs
      .map((job) => textAt(objectOf(job), "status", "completionTime"))
      .toSorted()
      .at(-1) ?? ""
  const lastSuccessful = [textAt(before, "lastSuccessfulTime"), completed].toSorted().at(-1) ?? ""
  const lastSchedule = started ?? textAt(before, "lastScheduleTime")
  writeStatus(turn, Resources.cronJobs, current, {
    // A reference to a job contains the job's version when it was made. While the same jobs run, references stay as they are.
    ...(active.length === 0
      ? {}
      : { active: names(before["active"]) === names([...active]) ? (before["active"] ?? []) : active }),
    ...(lastSchedule === "" ? {} : { lastScheduleTime: lastSchedule }),
    ...(lastSuccessful === "" ? {} : { lastSuccessfulTime: lastSuccessful })
  })
}
