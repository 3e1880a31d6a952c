import { PodProjection } from "@quarterdeck/cluster-fanout"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { fromSpans } from "../../src/allocation/Intervals.ts"
import { build } from "../../src/allocation/HourBuilder.ts"
import { HOUR_MS } from "../../src/hour/Units.ts"
import { JournalEntry, restore, take } from "../../src/sampler/JournalEntry.ts"
import { OpenHour } from "../../src/sampler/OpenHour.ts"
import { ObservationSpans } from "../../src/sampler/ObservationSpans.ts"
import { at } from "./objects.ts"
import { a } from "./sampling.ts"

const START = at("10:00:00")
const MINUTE = 60_000

/** A run as a container's status tells of it: `finishedAtMs` is 0 while it goes on. */
const record = (
  name: string,
  ...runs: ReadonlyArray<readonly [startedAtMs: number, finishedAtMs: number]>
): PodProjection.PodRecord => ({
  uid: name,
  cluster: a,
  namespace: "shop",
  name,
  labels: { app: "web" },
  createdAt: "",
  startedAt: "",
  node: "n1",
  phase: "Running",
  status: "Running",
  readyContainers: 1,
  restarts: 0,
  lastRestartSeconds: 0,
  ready: true,
  terminating: false,
  trouble: undefined,
  containerState: undefined,
  hasResourceClaims: false,
  images: [],
  owner: undefined,
  row: undefined,
  cpuRequestMillis: 100,
  memoryRequestBytes: 1_024,
  cpuLimitMillis: 0,
  memoryLimitBytes: 0,
  containers: [{ name: "main", role: "main", cpuRequestMillis: 100, memoryRequestBytes: 1_024, gpus: 0 }],
  containerRuns: runs.flatMap(([startedAtMs, finishedAtMs]) => [0, startedAtMs, finishedAtMs, 0]),
  claims: []
})

const sample = (pod: string, atMs: number) => ({
  namespace: "shop",
  pod,
  container: "main",
  atMs,
  windowMs: 30_000,
  cpuMillis: 50.5,
  memoryBytes: 2_048
})

/** An event of one of five pods in a minute of the hour. */
const Happening = Schema.Struct({
  pod: Schema.Literals(["a", "b", "c", "d", "e"]),
  event: Schema.Literals(["starts", "ends", "restarts", "is reported again", "is gone", "is sampled"]),
  minute: Schema.Int.check(Schema.isBetween({ minimum: -30, maximum: 60 }))
})
const Life = Schema.Array(Happening).check(Schema.isMaxLength(60))

/** Runs the events; `after` is called after each step. */
const live = (happenings: typeof Life.Type, after: (hour: OpenHour, step: number) => void = () => {}): OpenHour => {
  const hour = new OpenHour(a, START)
  const runs = new Map<string, Array<readonly [number, number]>>()
  const inOrder = happenings.toSorted((one, other) => one.minute - other.minute)
  for (const [step, { event, minute, pod }] of inOrder.entries()) {
    const nowMs = START + minute * MINUTE
    const own = runs.get(pod) ?? []
    const last = own.at(-1)
    const isRunning = last?.[1] === 0
    if (event === "is sampled") hour.addSamples([sample(pod, nowMs)], MINUTE)
    else if (event === "is gone") hour.pods.gone(pod, nowMs)
    else {
      if (last !== undefined && isRunning && (event === "ends" || event === "restarts")) {
        own[own.length - 1] = [last[0], Math.max(nowMs, last[0] + 1)]
      }
      if ((event === "starts" && !isRunning) || event === "restarts") own.push([nowMs, 0])
      runs.set(pod, own)
      // A kubelet tells of the last two runs.
      hour.pods.put(record(pod, ...own.slice(-2)), nowMs)
    }
    hour.seen.extend(nowMs)
    after(hour, step)
  }
  return hour
}

/** Entries as they are read again. */
const kept = (entries: Iterable<JournalEntry>) =>
  Array.from(entries, (entry) => Schema.decodeUnknownSync(Schema.fromJsonString(JournalEntry))(JSON.stringify(entry)))

describe("OpenHour", () => {
  it.prop("is the same after it was kept and restored, whatever happened", [Life], ([happenings]) => {
    const hour = live(happenings)
    assert.deepStrictEqual(restore(a, START, kept(take(hour, true))).facts(), hour.facts())
  })

  it.prop(
    "is the same though it went on while it was written, and what is written claims to have seen no more than it had then",
    [Life, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 59 }))],
    ([happenings, begun]) => {
      let entries: Iterable<JournalEntry> = []
      let seenThen = new ObservationSpans().all
      const hour = live(happenings, (then, step) => {
        if (step !== begun) return
        entries = take(then, false)
        seenThen = [...then.seen.all]
      })
      const written = kept(entries)
      assert.deepStrictEqual(written.findLast((entry) => entry._tag === "Seen")?.spans ?? [], seenThen)
      assert.deepStrictEqual(restore(a, START, [...written, ...kept(take(hour, false))]).facts(), hour.facts())
    }
  )

  it.prop("charges a pod for no moment twice, and for none in which it was not seen", [Life], ([happenings]) => {
    const hour = live(happenings)
    const { columns, knownSeconds, series } = build(hour.facts())
    for (const [place, { kind }] of series.entries()) {
      if (kind !== "Pod") continue
      assert.isAtMost(columns.replicaSeconds[place] ?? 0, knownSeconds)
      assert.isAtMost(columns.coveredSeconds[place] ?? 0, columns.replicaSeconds[place] ?? 0)
    }
  })

  it.prop("has slices of usage that rise and do not overlap", [Life], ([happenings]) => {
    for (const { containers } of live(happenings).facts().pods) {
      for (const { usage } of containers) {
        for (const [index, fromMs] of Array.from(usage?.fromMs ?? []).entries()) {
          assert.isBelow(fromMs, usage?.toMs[index] ?? 0)
          if (index > 0) assert.isAtLeast(fromMs, usage?.toMs[index - 1] ?? 0)
        }
      }
    }
  })

  it.prop("hands on to the next hour what still runs, and nothing else", [Life], ([happenings]) => {
    const hour = live(happenings)
    const next = hour.next()
    const running = [...hour.pods.entries.values()].filter(({ runs }) =>
      runs.some(({ finishedAtMs }) => finishedAtMs === undefined || finishedAtMs > START + HOUR_MS)
    )
    assert.deepStrictEqual([...next.pods.entries.keys()].toSorted(), running.map(({ pod }) => pod.uid).toSorted())
    assert.isFalse(next.isSeen)
  })

  it("keeps one run of all that a container had, when it restarts without end", () => {
    const hour = new OpenHour(a, START)
    for (let second = 0; second < 3_000; second += 2) {
      const startedAtMs = START + second * 1_000
      hour.pods.put(record("a", [startedAtMs, startedAtMs + 1_000]), startedAtMs + 1_000)
    }
    const [entry] = hour.pods.entries.values()
    assert.isAtMost(entry?.runs.length ?? 0, 256)
    const spans = entry?.runs.map(({ finishedAtMs, startedAtMs }) => ({
      fromMs: startedAtMs,
      toMs: finishedAtMs ?? startedAtMs
    }))
    const intervals = fromSpans(spans ?? [], START)
    assert.strictEqual(intervals[0], 0)
  })

  it("takes the last word on a pod that was lost, and never begins it anew", () => {
    const hour = new OpenHour(a, START)
    hour.pods.put(record("a", [START, 0]), START)
    const lost = { ...record("a", [START, 0]), phase: "Failed" }
    hour.pods.put(lost, START + 10 * MINUTE)
    hour.pods.put(lost, START + 20 * MINUTE)
    hour.pods.put({ ...record("b", [START - HOUR_MS, 0]), phase: "Failed" }, START + 20 * MINUTE)
    assert.deepStrictEqual([...hour.pods.entries.keys()], ["a"])
    assert.strictEqual(hour.pods.entries.get("a")?.runs[0]?.finishedAtMs, START + 10 * MINUTE)
  })
})

describe("ObservationSpans", () => {
  it("has a hole where proofs lie too far apart, or where it was cut, and none where they follow each other", () => {
    const seen = new ObservationSpans()
    for (const seconds of [0, 30, 120, 150, 260, 300]) seen.extend(START + seconds * 1_000)
    seen.cut()
    seen.extend(START + 310_000)
    seen.extend(START + 320_000)
    assert.isFalse(seen.extend(START + 315_000))
    assert.deepStrictEqual(
      seen
        .within({ fromMs: START + 10_000, toMs: START + HOUR_MS })
        .map(({ fromMs, toMs }) => [fromMs - START, toMs - START]),
      [
        [10_000, 150_000],
        [260_000, 300_000],
        [310_000, 320_000]
      ]
    )
  })

  it("goes on into the next hour", () => {
    const seen = new ObservationSpans()
    seen.extend(START + HOUR_MS - 50_000)
    const next = seen.after(START + HOUR_MS)
    next.extend(START + HOUR_MS + 20_000)
    assert.deepStrictEqual(next.within({ fromMs: START + HOUR_MS, toMs: START + 2 * HOUR_MS }), [
      { fromMs: START + HOUR_MS, toMs: START + HOUR_MS + 20_000 }
    ])
  })
})
