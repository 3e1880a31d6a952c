/**
 * Formats the figures of cost tables.
 */

/**
 * Prints an amount of money with a number of decimals.
 *
 * **Shape** an amount that would round to 0 is printed as less than the smallest amount. **Example** `12.30`, `<0.01`
 */
export const money = (amount: number, decimals = 2): string => {
  const least = 10 ** -decimals
  if (amount === 0) return amount.toFixed(decimals).replace("-", "")
  if (Math.abs(amount) >= least / 2) return amount.toFixed(decimals)
  return amount > 0 ? `<${least.toFixed(decimals)}` : `>-${least.toFixed(decimals)}`
}

/** Printed instead of a figure without samples. A zero would mean that there was no cost. */
export const NOT_KNOWN = "not known yet"

/** Prints a fraction as a percentage, rounded down. **Shape** only 1 is `100%`; between 0.99 and 1 is `>99%`. */
export const percent = (part: number): string => {
  const whole = Math.floor(part * 100 + 1e-9)
  return whole === 99 && part > 0.99 + 1e-9 ? ">99%" : `${whole}%`
}

/** Maximum relative change that is shown. A larger one is meaningless, because the earlier cost was close to 0. */
const MAX_CHANGE = 10

/**
 * Prints the change from an earlier amount, in money and in percent.
 *
 * **Shape** no percentage if the earlier amount is 0 or the change is more than {@link MAX_CHANGE}-fold. **Example** `+1.20 (+12%)`
 */
export const change = (now: number, before: number): string => {
  const difference = now - before
  const sign = difference > 0 ? "+" : ""
  const part = before === 0 ? Number.POSITIVE_INFINITY : difference / Math.abs(before)
  const percentage = Math.abs(part) > MAX_CHANGE ? "" : ` (${sign}${Math.round(part * 100)}%)`
  return `${sign}${money(difference)}${percentage}`
}

/** Prints a price with six significant digits. **Example** `0.031611` */
export const price = (amount: number): string => String(Number(amount.toPrecision(6)))

/** Prints a quantity with three decimals. */
export const quantity = (amount: number): string => amount.toFixed(3)

/**
 * Prints a length of time in its two largest units, rounded down.
 *
 * **Example** `6 d 23 h`, `2 h 5 min`, `0 min`
 */
export const span = (hours: number): string => {
  const minutes = Math.floor(hours * 60 + 1e-6)
  const [d, h, min] = [Math.floor(minutes / 1_440), Math.floor(minutes / 60) % 24, minutes % 60]
  const parts = d > 0 ? [[d, "d"] as const, [h, "h"] as const] : [[h, "h"] as const, [min, "min"] as const]
  const texts = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`)
  return texts.length === 0 ? "0 min" : texts.join(" ")
}

/** Prints an instant to the minute. **Example** `2026-03-08 10:20` */
export const minute = (instant: string): string => instant.slice(0, 16).replace("T", " ")

interface Window {
  readonly start: string
  readonly end: string
}

/** Prints a window, the currency of its costs, and the window that it is compared with. */
export const window = ({ end, start }: Window, currency: string, previous?: { readonly window: Window }): string => {
  const hours = (Date.parse(end) - Date.parse(start)) / 3_600_000
  const compared =
    previous === undefined
      ? ""
      : `, compared with ${minute(previous.window.start)} to ${minute(previous.window.end)} UTC`
  return `${minute(start)} to ${minute(end)} UTC (${span(hours)}), costs in ${currency}${compared}`
}
