/** Hours as a sampler closes them. */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { Hour } from "../../src/hour/Hour.ts"
import type { ClusterSums } from "../../src/store/CostStore.ts"
import { columns, type Measure, measures } from "../../src/hour/Measure.ts"
import { IDLE, keyOf, type Series } from "../../src/hour/Series.ts"
import { DAY_MS, HOUR_MS, HOUR_SECONDS } from "../../src/hour/Units.ts"

export const prod = ClusterName.make("prod")
export const stage = ClusterName.make("stage")

/** The start of an hour. */
export const at = (text: string): number => Date.parse(`${text}:00Z`)

export const series = (name: string, rest: Partial<Series> = {}): Series => ({
  namespace: "shop",
  kind: "Deployment",
  name,
  uid: `uid-${name}`,
  labels: { app: name, tier: "web" },
  ...rest
})

/** Some names, one of which has several lives, and a node. */
export const someSeries = (): ReadonlyArray<Series> => [
  series("api"),
  series("api", { labels: { app: "api", version: "2" } }),
  series("api", { uid: "uid-api-again" }),
  series("db", { namespace: "data", kind: "StatefulSet" }),
  series("node-1", { namespace: "", kind: IDLE, uid: "", labels: {} })
]

/** The last of those that start alike. */
export const lastOfEach = (hours: ReadonlyArray<Hour>): ReadonlyArray<Hour> =>
  [...new Map(hours.map((one) => [one.startMs, one])).values()].toSorted((a, b) => a.startMs - b.startMs)

type Amounts = Partial<Record<Measure, number>>

/** Makes an hour from what each of its series had. */
export const hour = (
  startMs: number,
  amounts: ReadonlyArray<readonly [Series, Amounts]>,
  rest: Partial<Hour> = {}
): Hour => {
  const values = columns(amounts.length)
  for (const [place, [, amount]] of amounts.entries()) {
    for (const measure of measures) values[measure][place] = amount[measure] ?? 0
  }
  return {
    cluster: prod,
    startMs,
    knownSeconds: HOUR_SECONDS,
    series: amounts.map(([one]) => one),
    columns: values,
    rates: [],
    rateOf: new Int32Array(amounts.length).fill(-1),
    shares: [],
    ...rest
  }
}

/** An hour of one series that cost something. */
export const cost = (startMs: number, name: string, cpuCostNanos: number, rest: Partial<Hour> = {}): Hour =>
  hour(startMs, [[series(name), { cpuCostNanos, existedSeconds: HOUR_SECONDS }]], rest)

/** What sums say, by series, whatever their order. */
export const amountsOf = ({ columns, series }: Pick<ClusterSums, "series" | "columns">) =>
  Object.fromEntries(
    series
      .map((one, place): [string, Amounts] => [
        keyOf(one),
        Object.fromEntries(
          measures.flatMap((measure) => (columns[measure][place] === 0 ? [] : [[measure, columns[measure][place]]]))
        )
      ])
      .filter(([, amounts]) => Object.keys(amounts).length > 0)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
  )

/** Adds hours up the plain way. */
export const addedUp = (hours: ReadonlyArray<Hour>, startMs: number, endMs: number) => {
  const found = new Map<string, Map<Measure, number>>()
  let knownSeconds = 0
  for (const one of hours) {
    if (one.startMs < startMs || one.startMs >= endMs) continue
    knownSeconds += one.knownSeconds
    for (const [place, series] of one.series.entries()) {
      const key = keyOf(series)
      const sums = found.get(key) ?? new Map<Measure, number>()
      found.set(key, sums)
      for (const measure of measures) sums.set(measure, (sums.get(measure) ?? 0) + (one.columns[measure][place] ?? 0))
    }
  }
  const amounts = Object.fromEntries(
    [...found]
      .map(([key, sums]): [string, Amounts] => [key, Object.fromEntries([...sums].filter(([, sum]) => sum !== 0))])
      .filter(([, amounts]) => Object.keys(amounts).length > 0)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
  )
  return { knownSeconds, amounts }
}

/** Every hour from an instant on. */
export const hoursFrom = (startMs: number, count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, index) => startMs + index * HOUR_MS)

export const days = (count: number): number => count * DAY_MS
