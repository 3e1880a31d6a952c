/**
 * Writes PromQL: literals, selectors, and the few shapes that the questions are made of.
 *
 * **Source** Prometheus, "Querying basics"; everything here is also MetricsQL.
 */

/** Which series are meant. **Shape** `=~` and `!~` take a whole-string regular expression of RE2. */
export interface Matcher {
  readonly label: string
  readonly operator: "=" | "!=" | "=~" | "!~"
  readonly value: string
}

export const is = (label: string, value: string): Matcher => ({ label, operator: "=", value })
export const isNot = (label: string, value: string): Matcher => ({ label, operator: "!=", value })
export const matches = (label: string, pattern: string): Matcher => ({ label, operator: "=~", value: pattern })

/** Writes a text as a literal. Half of a surrogate pair, which UTF-8 cannot say, becomes U+FFFD. */
export const literal = (text: string): string =>
  `"${text
    .toWellFormed()
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    // Neither control characters nor U+FFFD may stand in a query's text; the language names them by number.
    .replace(
      /[\u0000-\u001f\u007f\ufffd]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
    )}"`

/** Selects the series of a metric, of several when the name is left to a matcher on `__name__`. */
export const selector = (metric: string, matchers: ReadonlyArray<Matcher>): string =>
  `${metric}{${matchers.map(({ label, operator, value }) => `${label}${operator}${literal(value)}`).join(",")}}`

/** Gives the greatest value of each group. Takes series that are told twice, by two scrapes, as one. */
export const maxBy = (labels: ReadonlyArray<string>, expression: string): string =>
  `max by (${labels.join(",")}) (${expression})`

export const sumBy = (labels: ReadonlyArray<string>, expression: string): string =>
  `sum by (${labels.join(",")}) (${expression})`

/** Gives the least value of each group. */
export const minBy = (labels: ReadonlyArray<string>, expression: string): string =>
  `min by (${labels.join(",")}) (${expression})`

/** Joins vectors into one whose label `name` tells which a series came from. */
export const tagged = (name: string, parts: Readonly<Record<string, string>>): string =>
  Object.entries(parts)
    .map(([value, expression]) => `label_replace(${expression},${literal(name)},${literal(value)},"","")`)
    .join(" or ")

/**
 * Lengths of windows, each a millisecond short: a window is closed at both ends up to Prometheus 2 and at one end from 3
 * on, and so the sample at its beginning belongs to the window before in both.
 */
export const MINUTE = "59s999ms"
export const SLICE = "4m59s999ms"
export const HOUR = "59m59s999ms"

/** The mean, sum, … over the five minutes of a slice of what an expression says once a minute. */
export const minutely = (over: "avg_over_time" | "sum_over_time", expression: string): string =>
  `${over}((${expression})[4m59s:1m])`

/**
 * The instant of the newest sample of each series in the hour before. **Units** seconds since the epoch.
 *
 * **Limits** the oldest minute of the hour looks back beyond it: an instant up to five minutes before the hour may come.
 */
export const lastSeen = (series: string): string => `max_over_time(timestamp(${series})[59m59s:1m])`

/**
 * Tells, for each slice, in which of its minutes a vector of ones has a sample: a bit each.
 *
 * The bit of a minute is the number of minutes from the slice's beginning to the minute's end, modulo five; see
 * `Minutes.fromBits`.
 */
export const minuteBits = (expression: string): string =>
  minutely("sum_over_time", `(${expression}) * 2 ^ ((time() % 300) / 60)`)
