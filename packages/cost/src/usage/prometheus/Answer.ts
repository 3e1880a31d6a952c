/**
 * Decodes responses of Prometheus' query API.
 *
 * **Source** Prometheus, "HTTP API", expression queries.
 */
import { Result } from "effect"

/** A value at an instant. **Units** milliseconds since the epoch. */
export interface Point {
  readonly atMs: number
  readonly value: number
}

/** One series. **Shape** points ascend in time; an instant query has one. NaN and infinities are left out. */
export interface Line {
  readonly labels: Readonly<Record<string, string>>
  readonly points: ReadonlyArray<Point>
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)

/**
 * Decodes a vector or matrix.
 *
 * **Errors** the server's error message, or a description of what is invalid. A partial response is refused, because missing
 * series would look like missing usage. VictoriaMetrics marks a partial response with `isPartial`; Prometheus and Thanos use
 * `warnings`. Warnings that are mere notes about the expression (`PromQL info`) are ignored.
 */
export const read = (value: unknown): Result.Result<ReadonlyArray<Line>, string> => {
  if (!isFields(value)) return NOT_PROMETHEUS
  const refusal = refusalOf(value)
  if (refusal !== undefined) return Result.fail(refusal)
  if (value["isPartial"] === true) return Result.fail("the answer is partial: part of its storage did not answer")
  const warning = warningOf(value)
  if (warning !== undefined) return Result.fail(`the answer is not whole: ${warning}`)
  const { data } = value
  if (value["status"] !== "success" || !isFields(data) || !isList(data["result"])) return NOT_PROMETHEUS
  const { resultType } = data
  if (resultType !== "vector" && resultType !== "matrix") return NOT_PROMETHEUS
  const lines: Array<Line> = []
  for (const entry of data["result"]) {
    const line = lineOf(entry, resultType)
    if (line === undefined) return NOT_PROMETHEUS
    lines.push(line)
  }
  return Result.succeed(lines)
}

/**
 * Returns the error message of a response. **Source** the fields `errorType` and `error`; Mimir's gateway sends other
 * fields.
 */
export const refusalOf = (value: unknown): string | undefined => {
  if (!isFields(value) || value["status"] === "success") return undefined
  const { error, errorType } = value
  if (typeof error !== "string") return undefined
  return typeof errorType === "string" ? `${errorType}: ${error}` : error
}

/** Prefix of notes about expressions. Older Prometheus versions list them among the warnings, newer ones in `infos`. */
const INFO = "PromQL info:"

const warningOf = ({ warnings }: Fields): string | undefined => {
  if (!isList(warnings)) return undefined
  return warnings.find((warning): warning is string => typeof warning === "string" && !warning.startsWith(INFO))
}

const NOT_PROMETHEUS = Result.fail("the answer is not one of Prometheus' query API")

const lineOf = (entry: unknown, resultType: "vector" | "matrix"): Line | undefined => {
  if (!isFields(entry) || !isLabels(entry["metric"])) return undefined
  const raw = resultType === "vector" ? [entry["value"]] : entry["values"]
  if (!isList(raw)) return undefined
  const points: Array<Point> = []
  for (const pair of raw) {
    if (!isList(pair)) return undefined
    const [seconds, text] = pair
    if (typeof seconds !== "number" || typeof text !== "string") return undefined
    const value = Number(text)
    // NaN and infinities are not measurements.
    if (text !== "" && Number.isFinite(value)) points.push({ atMs: Math.round(seconds * 1_000), value })
  }
  return { labels: entry["metric"], points }
}

const isLabels = (value: unknown): value is Readonly<Record<string, string>> => {
  if (!isFields(value)) return false
  for (const name in value) if (typeof value[name] !== "string") return false
  return true
}
