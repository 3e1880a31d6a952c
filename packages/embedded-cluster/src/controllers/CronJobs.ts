/**
 * Starts the jobs of cron jobs when their time has come, and keeps as many finished ones as asked.
 *
 * **Source** Kubernetes, `pkg/controller/cronjob`.
 */
import { Result } from "effect"
import { at, type Json, type JsonObject, numberAt, objectAt, textAt } from "../core/Json.ts"
import { timestamp } from "../core/Kernel.ts"
import * as Resources from "../core/Resources.ts"
import type { Stored } from "../core/Stored.ts"
import { type Controller, living, ownKey, type Turn } from "./Controller.ts"
import { controllerReference, remove, tryCreate, writeStatus } from "./ControllerWrites.ts"
import * as CronSchedule from "./CronSchedule.ts"
import { isOver } from "./Jobs.ts"
import { controlled, controlledBy } from "./OwnedPods.ts"
import { conditionOf, objectOf, timeOf } from "./Views.ts"

/** How many missed times are looked at; further back nothing is made up for. */
const MISSED_TIMES = 100

export const cronJobs: Controller = {
  name: "cronjob",
  watches: [{ resource: Resources.cronJobs, keys: ownKey }, controlledBy(Resources.cronJobs, Resources.jobs)],
  reconcile: (turn, key) => {
    const stored = living(turn, Resources.cronJobs, key)
    if (stored === undefined) return
    const object = objectOf(stored)
    if (at(object, "metadata", "deletionTimestamp") !== undefined) return
    const jobs = controlled(turn, Resources.jobs, stored)
    forget(turn, object, jobs)
    const started = at(object, "spec", "suspend") === true ? undefined : begin(turn, stored, jobs)
    tell(turn, stored, started)
  }
}

/** Starts what is due; gives the time that it was due at. */
const begin = (turn: Turn, stored: Stored, jobs: ReadonlyArray<Stored>): string | undefined => {
  const object = objectOf(stored)
  const schedule = CronSchedule.parse(textAt(object, "spec", "schedule"), textAt(object, "spec", "timeZone") || "UTC")
  // A schedule that cannot be read never comes; the real controller says so in an event.
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
  // One that exists already was started for this very time.
  if (Result.isFailure(outcome) && outcome.failure.code !== 409) {
    turn.failed(outcome.failure)
    return undefined
  }
  return timestamp(due)
}

const latestDue = (schedule: CronSchedule.CronSchedule, sinceMs: number, nowMs: number): number | undefined => {
  let due: number | undefined
  let next = schedule.next(sinceMs)
  for (let seen = 0; next <= nowMs; seen++) {
    due = next
    // After a long absence it goes on from now, as far as one period back can tell.
    next =
      seen < MISSED_TIMES ? schedule.next(next) : Math.max(schedule.next(next), schedule.next(nowMs - (next - sinceMs)))
    if (seen > MISSED_TIMES * 2) break
  }
  return due
}

/** Removes finished jobs beyond the history that is kept, oldest first. */
const forget = (turn: Turn, object: JsonObject, jobs: ReadonlyArray<Stored>): void => {
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

const tell = (turn: Turn, stored: Stored, started: string | undefined): void => {
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
    // A reference carries the version it was made at; it is no news when only that moved on.
    ...(active.length === 0
      ? {}
      : { active: names(before["active"]) === names([...active]) ? (before["active"] ?? []) : active }),
    ...(lastSchedule === "" ? {} : { lastScheduleTime: lastSchedule }),
    ...(lastSuccessful === "" ? {} : { lastSuccessfulTime: lastSuccessful })
  })
}
