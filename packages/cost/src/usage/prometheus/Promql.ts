/**
 * Builds PromQL expressions: literals, selectors and aggregations.
 *
 * **Source** Prometheus, "Querying basics". All expressions are valid MetricsQL too.
 */

/** A label matcher. **Shape** `=~` and `!~` take an RE2 regular expression that must match the whole value. */
export interface Matcher {
  readonly label: string
  readonly operator: "=" | "!=" | "=~" | "!~"
  readonly value: string
}

export const is = (label: string, value: string): Matcher => ({ label, operator: "=", value })
export const isNot = (label: string, value: string): Matcher => ({ label, operator: "!=", value })
export const matches = (label: string, pattern: string): Matcher => ({ label, operator: "=~", value: pattern })

/** Formats a string literal. A lone surrogate, which UTF-8 cannot encode, becomes U+FFFD. */
export const literal = (text: string): string =>
  `"${text
    .toWellFormed()
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    // Control characters and U+FFFD are not allowed in a query, so they are escaped.
    .replace(
      /[\u0000-\u001f\u007f\ufffd]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
    )}"`

/** Selects the series of a metric. With an empty `metric`, a matcher on `__name__` can select several. */
export const selector = (metric: string, matchers: ReadonlyArray<Matcher>): string =>
  `${metric}{${matchers.map(({ label, operator, value }) => `${label}${operator}${literal(value)}`).join(",")}}`

/** Returns the maximum of each group. Series that were scraped twice therefore count once. */
export const maxBy = (labels: ReadonlyArray<string>, expression: string): string =>
  `max by (${labels.join(",")}) (${expression})`

export const sumBy = (labels: ReadonlyArray<string>, expression: string): string =>
  `sum by (${labels.join(",")}) (${expression})`

export const minBy = (labels: ReadonlyArray<string>, expression: string): string =>
  `min by (${labels.join(",")}) (${expression})`

/** Merges vectors into one. Label `name` states which vector a series came from. */
export const tagged = (name: string, parts: Readonly<Record<string, string>>): string =>
  Object.entries(parts)
    .map(([value, expression]) => `label_replace(${expression},${literal(name)},${literal(value)},"","")`)
    .join(" or ")

/**
 * Lengths of range windows, each a millisecond short. Windows include both ends up to Prometheus 2, but not the start from
 * Prometheus 3 on. With these lengths, a sample at the start belongs only to the previous window in both.
 */
export const MINUTE = "59s999ms"
export const SLICE = "4m59s999ms"
export const HOUR = "59m59s999ms"

/** Aggregates the minutely values of an expression over a five-minute slice. */
export const minutely = (over: "avg_over_time" | "sum_over_time", expression: string): string =>
  `${over}((${expression})[4m59s:1m])`

/**
 * Returns the time of each series' newest sample in the hour before the evaluation. **Units** seconds since the epoch.
 *
 * **Limits** samples of the five minutes before the hour may count too.
 */
export const lastSeen = (series: string): string => `max_over_time(timestamp(${series})[59m59s:1m])`

/**
 * Encodes the minutes of a slice in which a vector of ones has a sample, one bit per minute.
 *
 * The bit is the number of minutes from the start of the slice to the end of the minute, modulo five. Decode with
 * `MinuteMask.addBits`.
 */
export const minuteBits = (expression: string): string =>
  minutely("sum_over_time", `(${expression}) * 2 ^ ((time() % 300) / 60)`)
