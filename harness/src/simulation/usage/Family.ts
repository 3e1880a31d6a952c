/**
 * Metrics as values over time, and their two text formats.
 *
 * A family knows the value of each of its series at any instant, so the same definition serves a scrape and a history.
 *
 * **Source** Prometheus, "Exposition formats" (text format 0.0.4); OpenMetrics 1.0.
 */

export type Labels = ReadonlyArray<readonly [name: string, value: string]>

/** One line of a metric over time. */
export interface Series {
  readonly labels: Labels
  /** The value at an instant; undefined where the series does not exist. */
  readonly at: (instantMs: number) => number | undefined
}

/** All series of one name. **Shape** the name of a counter ends in `_total` unless its exporter is older than the rule. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: "counter" | "gauge"
  /** Whether a scrape carries the instant of the measurement, as those of cAdvisor do. */
  readonly timed: boolean
  readonly series: () => Iterable<Series>
}

/** Prints a label set, with `extra` before the others. */
export const printLabels = (labels: Labels): string =>
  labels.length === 0 ? "" : `{${labels.map(([name, value]) => `${name}="${escapeValue(value)}"`).join(",")}}`

/** Lines of the text format for one scrape. */
export function* scrape(families: Iterable<Family>, instantMs: number): Generator<string> {
  for (const family of families) {
    let first = true
    for (const { at, labels } of family.series()) {
      const value = at(instantMs)
      if (value === undefined) continue
      if (first) yield `# HELP ${family.name} ${escapeHelp(family.help)}\n# TYPE ${family.name} ${family.type}\n`
      first = false
      yield `${family.name}${printLabels(labels)} ${printValue(value)}${family.timed ? ` ${instantMs}` : ""}\n`
    }
  }
}

/** When a history begins, ends, and how far apart its samples are; the end belongs to it. */
export interface Timing {
  readonly fromMs: number
  readonly toMs: number
  readonly stepMs: number
}

/**
 * Lines of OpenMetrics with a timestamp each, series after series, closed by `# EOF`.
 *
 * A family whose name does not end in `_total` is printed as a gauge, since OpenMetrics allows no other counter.
 */
export function* history(
  families: Iterable<Family>,
  { fromMs, stepMs, toMs }: Timing,
  extra: Labels
): Generator<string> {
  for (const family of families) {
    const counter = family.type === "counter" && family.name.endsWith(TOTAL)
    const title = counter ? family.name.slice(0, -TOTAL.length) : family.name
    let first = true
    for (const { at, labels } of family.series()) {
      const name = `${family.name}${printLabels([...extra, ...labels])}`
      for (let instantMs = fromMs; instantMs <= toMs; instantMs += stepMs) {
        const value = at(instantMs)
        if (value === undefined) continue
        if (first) yield `# TYPE ${title} ${counter ? "counter" : "gauge"}\n`
        first = false
        yield `${name} ${printValue(value)} ${instantMs / 1_000}\n`
      }
    }
  }
  yield "# EOF\n"
}

const TOTAL = "_total"

const escapeValue = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")

const escapeHelp = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")

const printValue = (value: number): string => {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf"
}
