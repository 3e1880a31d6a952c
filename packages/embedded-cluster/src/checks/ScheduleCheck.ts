/**
 * Refuses schedules of cron jobs that the real server refuses.
 *
 * **Source** `robfig/cron` v3, its standard parser; Kubernetes 1.36, `pkg/apis/batch/validation`.
 */
import { Result } from "effect"

interface Bounds {
  readonly least: number
  readonly most: number
  /** Words for the numbers from `least` on. */
  readonly words?: ReadonlyArray<string>
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

const FIELDS: ReadonlyArray<Bounds> = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, words: MONTHS },
  { least: 0, most: 6, words: DAYS }
]

const DESCRIPTORS = new Set(["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"])
const EVERY = "@every "
const DURATION_REGEX = /^[+-]?(?:[0-9]*\.?[0-9]*(?:ns|us|µs|ms|s|m|h))+$/

/** What is wrong with a schedule, if anything is. */
export const problem = (text: string): string | undefined => {
  if (text.startsWith("@")) return descriptorProblem(text)
  const fields = text.split(/\s+/).filter((field) => field !== "")
  if (fields.length !== FIELDS.length) return `expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`
  for (const [place, bounds] of FIELDS.entries()) {
    for (const range of (fields[place] ?? "").split(",").filter((one) => one !== "")) {
      const read = rangeOf(range, bounds)
      if (Result.isFailure(read)) return read.failure
    }
  }
  return undefined
}

const descriptorProblem = (text: string): string | undefined => {
  if (DESCRIPTORS.has(text)) return undefined
  if (!text.startsWith(EVERY)) return `unrecognized descriptor: ${text}`
  const duration = text.slice(EVERY.length)
  return /[0-9]/.test(duration) && DURATION_REGEX.test(duration)
    ? undefined
    : `failed to parse duration ${text}: time: invalid duration ${JSON.stringify(duration)}`
}

const rangeOf = (text: string, bounds: Bounds): Result.Result<void, string> =>
  Result.gen(function* () {
    const [range = "", stepText, ...slashes] = text.split("/")
    const [low = "", high, ...hyphens] = range.split("-")
    const all = low === "*" || low === "?"
    const start = all ? bounds.least : yield* numberOf(low, bounds)
    if (!all && hyphens.length > 0) return yield* Result.fail(`too many hyphens: ${text}`)
    const last = all ? bounds.most : high === undefined ? start : yield* numberOf(high, bounds)
    if (slashes.length > 0) return yield* Result.fail(`too many slashes: ${text}`)
    const step = stepText === undefined ? 1 : yield* natural(stepText)
    const end = stepText !== undefined && high === undefined ? bounds.most : last
    if (start < bounds.least)
      return yield* Result.fail(`beginning of range (${start}) below minimum (${bounds.least}): ${text}`)
    if (end > bounds.most) return yield* Result.fail(`end of range (${end}) above maximum (${bounds.most}): ${text}`)
    if (start > end) return yield* Result.fail(`beginning of range (${start}) beyond end of range (${end}): ${text}`)
    if (step === 0) return yield* Result.fail(`step of range should be a positive number: ${text}`)
  })

const numberOf = (text: string, { least, words = [] }: Bounds): Result.Result<number, string> => {
  const place = words.indexOf(text.toLowerCase())
  return place < 0 ? natural(text) : Result.succeed(least + place)
}

const natural = (text: string): Result.Result<number, string> => {
  if (!/^[+-]?[0-9]+$/.test(text))
    return Result.fail(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`
    )
  const number = Number(text)
  return number < 0 ? Result.fail(`negative number (${number}) not allowed: ${text}`) : Result.succeed(number)
}
