/**
 * Times as the real server reads them, with the words in which it refuses what is none.
 *
 * **Source** Go, `time.Parse`; `metav1.Time` and `metav1.MicroTime` of Kubernetes 1.36.
 */

/** **Shape** `micros` is a time that always says its microseconds. */
export type Precision = "seconds" | "micros"

const FRONT = ["2006", "-", "01", "-", "02", "T", "15", ":", "04", ":", "05"]
const ZONE = "Z07:00"
const MICROS = ".000000"
const RANGES: ReadonlyArray<readonly [element: string, least: number, most: number, name: string]> = [
  ["01", 1, 12, "month"],
  ["02", 1, 31, "day"],
  ["15", 0, 23, "hour"],
  ["04", 0, 59, "minute"],
  ["05", 0, 59, "second"]
]

/** What is wrong with a time, if anything is. */
export const problem = (text: string, precision: Precision): string | undefined =>
  precision === "seconds" && isPlain(text) ? undefined : refusal(text, precision)

const SECONDS = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$/
const PLAIN = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?Z$/

/** Whether a text is a time of UTC, as most are: what it says is printed the same. */
const isPlain = (text: string): boolean => {
  const ms = PLAIN.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(ms) && text.startsWith(printed(ms))
}

/** Prints a time of UTC in whole seconds, without its zone. */
const printed = (ms: number): string => new Date(ms).toISOString().slice(0, -".000Z".length)

/** Reads a time piece by piece, and tells at which one it fails. */
const refusal = (text: string, precision: Precision): string | undefined => {
  const layout = `${FRONT.join("")}${precision === "micros" ? MICROS : ""}${ZONE}`
  const failed = (why: string) => `parsing time ${JSON.stringify(text)}${why}`
  const unlike = (rest: string, element: string) =>
    failed(` as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(element)}`)
  const read = new Map<string, number>()
  let rest = text
  for (const element of FRONT) {
    const digits = /^[0-9]/.test(element)
    const piece = rest.slice(0, element.length)
    const fits = digits ? piece.length === element.length && /^[0-9]+$/.test(piece) : piece === element
    if (!fits) return unlike(rest, element)
    if (digits) read.set(element, Number(piece))
    rest = rest.slice(element.length)
    const [, least = 0, most = 0, name = ""] = RANGES.find(([one]) => one === element) ?? []
    if (name !== "" && (Number(piece) < least || Number(piece) > most)) return failed(`: ${name} out of range`)
  }
  const fraction = (precision === "micros" ? /^\.[0-9]{6}/ : /^\.[0-9]+|^/).exec(rest)?.[0]
  if (fraction === undefined) return unlike(rest, MICROS)
  const zone = rest.slice(fraction.length)
  const end = /^(?:Z|[+-][0-9]{2}:[0-9]{2})/.exec(zone)?.[0]
  if (end === undefined) return unlike(zone, ZONE)
  if (zone !== end) return failed(`: extra text: ${JSON.stringify(zone.slice(end.length))}`)
  const [year = 0, month = 0, day = 0] = ["2006", "01", "02"].map((element) => read.get(element))
  const days = new Date(new Date(0).setUTCFullYear(year, month, 0)).getUTCDate()
  return day > days ? failed(": day out of range") : undefined
}

/** Prints a time as the server does: in UTC, in whole seconds or with its microseconds. **Shape** what is none stays. */
export const canonical = (text: string, precision: Precision): string => {
  if (precision === "seconds" && SECONDS.test(text)) return text
  const ms = problem(text, precision) === undefined ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) return text
  const micros = precision === "micros" ? /\.[0-9]{6}/.exec(text)?.[0] : undefined
  return `${printed(ms)}${micros ?? ""}Z`
}
