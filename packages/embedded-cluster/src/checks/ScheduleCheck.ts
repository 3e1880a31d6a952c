/**
 * Validates the schedules of CronJobs as the real server does.
 *
 * **Source** `robfig/cron` v3, its standard parser; Kubernetes 1.36, `pkg/apis/batch/validation`.
 */

interface Bounds {
  readonly least: number
  readonly most: number
  /** Names of the values, starting with `least`. */
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

/** Rule for schedules, in error messages. */
export const RULE =
  'must be five fields such as "*/5 8-18 * * mon-fri", one of @yearly to @hourly, or @every and a duration'

/** Returns whether a text is a valid schedule. */
export const isSchedule = (text: string): boolean => {
  if (text.startsWith("@"))
    return DESCRIPTORS.has(text) || (text.startsWith(EVERY) && isDuration(text.slice(EVERY.length)))
  const fields = text.split(/\s+/).filter((field) => field !== "")
  return fields.length === FIELDS.length && FIELDS.every((bounds, place) => isField(fields[place] ?? "", bounds))
}

const isDuration = (text: string): boolean => /[0-9]/.test(text) && DURATION_REGEX.test(text)

const isField = (text: string, bounds: Bounds): boolean =>
  text
    .split(",")
    .filter((range) => range !== "")
    .every((range) => isRange(range, bounds))

const isRange = (text: string, bounds: Bounds): boolean => {
  const [range = "", stepText, ...slashes] = text.split("/")
  const [low = "", high, ...hyphens] = range.split("-")
  const all = low === "*" || low === "?"
  const start = all ? bounds.least : numberOf(low, bounds)
  const last = all ? bounds.most : high === undefined ? start : numberOf(high, bounds)
  const step = stepText === undefined ? 1 : Number(NATURAL_REGEX.exec(stepText)?.[0])
  const end = stepText !== undefined && high === undefined ? bounds.most : last
  const isPlain = slashes.length === 0 && (all || hyphens.length === 0)
  return isPlain && step > 0 && start >= bounds.least && end <= bounds.most && start <= end
}

const NATURAL_REGEX = /^[+]?[0-9]+$/

/** Reads a number or a name. Returns `NaN`, which fails every comparison, for any other text. */
const numberOf = (text: string, { least, words = [] }: Bounds): number => {
  const place = words.indexOf(text.toLowerCase())
  return place < 0 ? Number(NATURAL_REGEX.exec(text)?.[0]) : least + place
}
