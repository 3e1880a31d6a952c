/**
 * Prints quantities by the user's locale, with their unit.
 */

/** Printed if a value is unknown. */
export const UNKNOWN = "–"

type Known<A> = A | null | undefined

const isUnknown = (value: Known<number>): value is null | undefined => value === null || value === undefined

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })
const short = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 })
const share = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 0 })
const atLeast = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1, roundingMode: "floor" })

export const count = (value: Known<number>): string => (isUnknown(value) ? UNKNOWN : whole.format(value))

/** Prints a count with its noun. **Example** `1 workload`, `10,000 workloads` */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${whole.format(value)} ${value === 1 ? one : many}`

/** Prints a fraction of one as a percentage. */
export const percent = (value: Known<number>): string => (isUnknown(value) ? UNKNOWN : share.format(value))

/** Prints a coverage. **Shape** rounded down, so that only full coverage prints as 100 %. **Example** `99.4%` */
export const coverage = (part: number): string => atLeast.format(part)

/** Prints three significant digits, or every digit before the decimal point if there are more. */
const brief = (value: number): string => (Math.abs(value) >= 1_000 ? whole.format(value) : short.format(value))

const CORE_MILLIS = 1_000

/** Prints CPU. **Units** thousandths of a core. **Example** `1.5 cores`, `250m` */
export const cpu = (millis: Known<number>): string => {
  if (isUnknown(millis)) return UNKNOWN
  if (millis !== 0 && Math.abs(millis) < CORE_MILLIS) return `${whole.format(millis)}m`
  const cores = millis / CORE_MILLIS
  return `${brief(cores)} ${cores === 1 ? "core" : "cores"}`
}

const BINARY = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] as const
const STEP = 1_024

/** Prints bytes. **Example** `512 MiB`, `1.5 GiB` */
export const bytes = (value: Known<number>): string => {
  if (isUnknown(value)) return UNKNOWN
  let size = value
  let unit = 0
  while (Math.abs(size) >= STEP && unit < BINARY.length - 1) {
    size /= STEP
    unit += 1
  }
  return `${brief(size)} ${BINARY[unit] ?? ""}`
}

const coins = new Map<string, readonly [usual: Intl.NumberFormat, tiny: Intl.NumberFormat]>()

const coinsOf = (currency: string) => {
  const known = coins.get(currency)
  if (known !== undefined) return known
  const style = { style: "currency", currency } as const
  const made = [
    new Intl.NumberFormat(undefined, style),
    new Intl.NumberFormat(undefined, { ...style, maximumSignificantDigits: 3 })
  ] as const
  coins.set(currency, made)
  return made
}

/** Smaller amounts are printed with three significant digits. */
const SMALL_CHANGE = 0.1

/** Prints money. **Shape** with the currency's decimals; amounts below 0.1 with three significant digits. */
export const money = (value: Known<number>, currency: string): string => {
  if (isUnknown(value)) return UNKNOWN
  const [usual, tiny] = coinsOf(currency)
  return (Math.abs(value) < SMALL_CHANGE && value !== 0 ? tiny : usual).format(value)
}

const changes = new Intl.NumberFormat(undefined, {
  style: "percent",
  maximumFractionDigits: 0,
  signDisplay: "exceptZero"
})

/** Prints the change from an earlier amount. **Example** `+12%`, `−3%` */
export const change = (now: number, before: number): string =>
  before === 0 ? UNKNOWN : changes.format(now / before - 1)

const unitOf = (unit: string, maximumFractionDigits = 0) =>
  new Intl.NumberFormat(undefined, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits })

const SECOND_MS = 1_000
const seconds = unitOf("second")
const UNITS = [
  [unitOf("day"), 86_400 * SECOND_MS],
  [unitOf("hour"), 3_600 * SECOND_MS],
  [unitOf("minute"), 60 * SECOND_MS],
  [seconds, SECOND_MS]
] as const

/** Prints a duration in its largest whole unit. **Example** `12 sec`, `3 min` */
export const duration = (ms: number): string => {
  const [format, length] = UNITS.find(([, length]) => ms >= length) ?? ([seconds, SECOND_MS] as const)
  return format.format(Math.floor(ms / length))
}

const millis = unitOf("millisecond")

/** Prints a latency. **Example** `12 ms` */
export const milliseconds = (ms: number): string => millis.format(ms)

const tenths = unitOf("hour", 1)

/** Prints hours. **Example** `3 hr`, `0.5 hr` */
export const hours = (value: Known<number>): string => (isUnknown(value) ? UNKNOWN : tenths.format(value))
