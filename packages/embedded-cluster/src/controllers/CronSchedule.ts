/**
 * Schedules of CronJobs: five fields, or a descriptor such as `@daily`, in a time zone.
 *
 * **Source** Kubernetes, "CronJob"; `robfig/cron` v3 for the descriptors.
 */
import { Cron, Result } from "effect"

const DESCRIPTORS = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"]
])

export interface CronSchedule {
  /** Returns the first scheduled time after an instant, in milliseconds. */
  readonly next: (afterMs: number) => number
}

const EVERY = /^@every ((?:[0-9]+(?:\.[0-9]+)?(?:ms|s|m|h))+)$/
const UNIT_MS = new Map([
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000]
])

/**
 * Parses a schedule.
 *
 * **Shape** the default time zone is UTC. **Errors** a description of the problem.
 */
export const parse = (text: string, timeZone = "UTC"): Result.Result<CronSchedule, string> => {
  const trimmed = text.trim()
  const every = EVERY.exec(trimmed)?.[1]
  if (every !== undefined) {
    const parts = [...every.matchAll(/([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)/g)]
    const period = parts.reduce((total, [, number, unit = ""]) => total + Number(number) * (UNIT_MS.get(unit) ?? 0), 0)
    // The period is at least one second, and times are whole seconds.
    const periodMs = Math.max(1, Math.floor(period / 1_000)) * 1_000
    return Result.succeed({ next: (afterMs) => Math.floor(afterMs / 1_000) * 1_000 + periodMs })
  }
  const fields = (DESCRIPTORS.get(trimmed) ?? trimmed).replaceAll("?", "*")
  if (fields.split(/\s+/).length !== FIELDS)
    return Result.fail(`expected exactly 5 fields, found ${fields.split(/\s+/).length}: [${text}]`)
  return Cron.parse(fields, timeZone).pipe(
    Result.mapError((error) => error.message),
    Result.map((cron) => ({ next: (afterMs) => Cron.next(cron, afterMs).getTime() }))
  )
}

const FIELDS = 5
