/** Prometheus on series by hand, and how to compare what is read from it. */
import { assert } from "@effect/vitest"
import * as Name from "@quarterdeck/targeting/ClusterName"
import { Effect, Stream } from "effect"
import type { UsageSlices } from "../../src/allocation/HourFacts.ts"
import { HOUR_MS } from "../../src/hour/Units.ts"
import { UsageError } from "../../src/usage/UsageError.ts"
import type { Hourly } from "../../src/usage/UsageSource.ts"
import * as Prometheus from "../../src/usage/Prometheus.ts"
import * as Exposition from "./Exposition.ts"
import * as RealPrometheus from "./RealPrometheus.ts"

export const EU = Name.ClusterName.make("eu")
/** A whole hour, long over. */
export const HOUR = Date.parse("2026-03-02T10:00:00Z")
export const MINUTE_MS = 60_000
export const MIB = 2 ** 20
export const at = (minutes: number): number => HOUR + minutes * MINUTE_MS

export const seconds = ({ fromMs, toMs }: UsageSlices): number =>
  Array.from(fromMs, (from, index) => ((toMs[index] ?? from) - from) / 1_000).reduce((sum, one) => sum + one, 0)

/** The mean of a column of slices over an interval. */
export const meanOf = (
  slices: UsageSlices,
  column: ArrayLike<number>,
  fromMs = HOUR,
  toMs = HOUR + HOUR_MS
): number => {
  let [sum, length] = [0, 0]
  for (let index = 0; index < slices.fromMs.length; index++) {
    const from = Math.max(fromMs, slices.fromMs[index] ?? 0)
    const to = Math.min(toMs, slices.toMs[index] ?? 0)
    if (from >= to) continue
    sum += (column[index] ?? 0) * (to - from)
    length += to - from
  }
  return sum / length
}

export const near = (actual: number, expected: number, share = 0.01) =>
  assert.isAtMost(Math.abs(actual - expected), share * Math.abs(expected) + 1e-9, `${actual} is not ${expected}`)

export const node: Exposition.Told = {
  name: "kube_node_info",
  labels: { node: "n1", provider_id: "aws:///eu-central-1a/i-1", system_uuid: "m-1" },
  at: () => 1
}

export const outage = (told: Exposition.Told, fromMs: number, toMs: number): Exposition.Told => ({
  ...told,
  at: (atMs) => (fromMs <= atMs && atMs < toMs ? undefined : told.at(atMs))
})

/** Starts a Prometheus with handwritten series, from 20 minutes before the hour to 20 after it. */
export const told = (series: ReadonlyArray<Exposition.Told>, stepMs = 15_000, offsetMs = 7_000) =>
  RealPrometheus.start([Exposition.tell(series, { fromMs: at(-20) + offsetMs, toMs: at(80), stepMs })])

export const source = (url: string) => Prometheus.make({ url })

/** Takes the hours of the past; one that cannot be read fails. */
export const readPast = (past: ReturnType<Hourly["past"]>) =>
  past.pipe(
    Stream.mapEffect((hour) => (hour instanceof UsageError ? Effect.fail(hour) : Effect.succeed(hour))),
    Stream.runCollect
  )

/** The hours of the past around the hour. */
export const pastOf = Effect.fnUntraced(function* (url: string, beforeHours = 0, afterHours = 1) {
  const window = { startMs: HOUR - beforeHours * HOUR_MS, endMs: HOUR + afterHours * HOUR_MS }
  return yield* readPast((yield* source(url)).past(EU, window))
})
