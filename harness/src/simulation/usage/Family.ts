/**
 * Metrics as functions of time, and their two text formats.
 *
 * A family returns the value of each series at any instant, so one definition serves scrapes and histories.
 *
 * **Source** Prometheus, "Exposition formats" (text format 0.0.4); OpenMetrics 1.0.
 */

export type Labels = ReadonlyArray<readonly [name: string, value: string]>

/** One series of a metric. */
export interface Series {
  readonly labels: Labels
  /** Returns the value at an instant. Undefined if the series does not exist then. */
  readonly at: (instantMs: number) => number | undefined
}

/**
 * All series of one name. **Shape** a counter's name ends in `_total`, unless its exporter is older than that
 * convention.
 */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: "counter" | "gauge"
  /** True if a scrape includes the timestamp of the measurement, as with cAdvisor. */
  readonly timed: boolean
  readonly series: () => Iterable<Series>
}

/** Formats a label set. */
export const printLabels = (labels: Labels): string =>
  labels.length === 0 ? "" : `{${labels.map(([name, value]) => `${name}="${escapeValue(value)}"`).join(",")}}`

/** Yields the lines of the text format for one scrape. */
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

/** Start, end and step of a history. The end is included. */
export interface Timing {
  readonly fromMs: number
  readonly toMs: number
  readonly stepMs: number
}

/**
 * Yields lines of OpenMetrics with timestamps, series by series, and a final `# EOF`.
 *
 * A counter whose name does not end in `_total` is printed as a gauge, because OpenMetrics does not allow it as a
 * counter.
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
