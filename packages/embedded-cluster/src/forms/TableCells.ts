/**
 * Building blocks of table columns.
 */
import type { Column } from "../core/Column.ts"
import { arrayAt, type Json, type JsonObject, objectAt, textAt, textsAt } from "../core/Json.ts"
import * as LabelSelector from "../core/LabelSelector.ts"

export const column = (
  name: string,
  cell: (object: JsonObject, nowMs: number) => Json,
  type: Column["type"] = "string",
  priority = 0
): Column => ({ name, type, format: "", priority, cell })

export const wide = (name: string, cell: (object: JsonObject, nowMs: number) => Json): Column =>
  column(name, cell, "string", 1)

export const named: Column = {
  name: "Name",
  type: "string",
  format: "name",
  priority: 0,
  cell: (object) => textAt(object, "metadata", "name")
}

/** Age of an object. */
export const aged: Column = column("Age", (object, nowMs) =>
  since(textAt(object, "metadata", "creationTimestamp"), nowMs)
)

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const YEAR = 365 * DAY

/** Prints the time since `time`; `<unknown>` if it is not a time. */
export const since = (time: string, nowMs: number): string => {
  const then = Date.parse(time)
  return Number.isNaN(then) ? "<unknown>" : humanDuration(nowMs - then)
}

/**
 * Prints a duration in its one or two largest units.
 *
 * **Source** Kubernetes, `k8s.io/apimachinery/pkg/util/duration`, `HumanDuration`.
 */
export const humanDuration = (ms: number): string => {
  const whole = (unit: number) => Math.trunc(ms / unit)
  const pair = (large: number, largeUnit: string, rest: number, restUnit: string) =>
    rest === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${rest}${restUnit}`
  if (ms < -SECOND) return "<invalid>"
  if (ms < 0) return "0s"
  if (ms < 2 * MINUTE) return `${whole(SECOND)}s`
  if (ms < 10 * MINUTE) return pair(whole(MINUTE), "m", whole(SECOND) % 60, "s")
  if (ms < 3 * HOUR) return `${whole(MINUTE)}m`
  if (ms < 8 * HOUR) return pair(whole(HOUR), "h", whole(MINUTE) % 60, "m")
  if (ms < 2 * DAY) return `${whole(HOUR)}h`
  if (ms < 8 * DAY) return pair(whole(DAY), "d", whole(HOUR) % 24, "h")
  if (ms < 2 * YEAR) return `${whole(DAY)}d`
  if (ms < 8 * YEAR) return pair(whole(YEAR), "y", whole(DAY) % 365, "d")
  return `${whole(YEAR)}y`
}

export const NONE = "<none>"

/** Reads a count under a path. Statuses omit counts that are 0. */
export const count = (object: JsonObject, ...path: ReadonlyArray<string>): number => {
  const [last, ...head] = path.toReversed()
  const value = last === undefined ? undefined : objectAt(object, ...head.toReversed())[last]
  return typeof value === "number" ? value : 0
}

export const containerNames = (...path: ReadonlyArray<string>): Column =>
  wide("Containers", (object) =>
    arrayAt(object, ...path, "containers")
      .map((one) => textAt(one, "name"))
      .join(",")
  )

export const images = (...path: ReadonlyArray<string>): Column =>
  wide("Images", (object) =>
    arrayAt(object, ...path, "containers")
      .map((one) => textAt(one, "image"))
      .join(",")
  )

/** Column of a workload's label selector. */
export const selector = (...path: ReadonlyArray<string>): Column =>
  wide("Selector", (object) => LabelSelector.print(LabelSelector.fromObject(objectAt(object, ...path))) || NONE)

/** Prints a map of labels, such as a service's selector. */
export const labelsText = (object: JsonObject, ...path: ReadonlyArray<string>): string =>
  Object.entries(textsAt(object, ...path))
    .map(([key, value]) => `${key}=${value}`)
    .toSorted()
    .join(",") || NONE
