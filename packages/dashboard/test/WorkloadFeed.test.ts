import { assert, describe, it } from "@effect/vitest"
import { WorkloadList } from "@quarterdeck/contract/WorkloadsGroup"
import { Schema } from "effect"
import type { Workload } from "../src/api/WorkloadQueries.ts"
import { keyOf, WorkloadFeed } from "../src/api/WorkloadFeed.ts"
import * as LiveRows from "../src/workloads/LiveRows.ts"

const decode = Schema.decodeUnknownSync(WorkloadList.fields.workloads.value)

const workload = (name: string, desired = 1): Workload =>
  decode({
    id: `uid-${name}`,
    cluster: "hub",
    namespace: "shop",
    kind: "Deployment",
    name,
    labels: {},
    images: ["web:1"],
    replicas: { desired, ready: desired, updated: desired, available: desired },
    status: "healthy",
    cpuRequestMillis: 100,
    memoryRequestBytes: 1024,
    cpuLimitMillis: 0,
    memoryLimitBytes: 0,
    createdAt: "2026-11-01T00:00:00.000Z"
  })

const decodeCoverage = Schema.decodeUnknownSync(WorkloadList.fields.clusters.value)

const coverage = (name: string, status: "ok" | "error") =>
  decodeCoverage({ name, status, source: "cache", count: 1, ageMs: 300, latencyMs: 0 })

const eventOf = (event: string, data: object, id?: string) =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

const NAMES = ["a", "b", "c", "d"] as const
const Name = Schema.Literals(NAMES)
const Steps = Schema.Array(
  Schema.Union([
    Schema.Struct({ does: Schema.Literal("row"), name: Name, desired: Schema.Natural.check(Schema.isLessThan(9)) }),
    Schema.Struct({ does: Schema.Literal("gone"), name: Name })
  ])
)

describe("a list that is followed", () => {
  it.prop(
    "has what was told last of each row in its place, however the text was cut",
    [Schema.Array(Name), Schema.Array(Name), Steps, Schema.Natural],
    ([listed, first, steps, at]) => {
      const text = [
        ...first.map((name) => eventOf("row", workload(name))),
        eventOf("ready", {}, "a.1"),
        ...steps.map((step) =>
          step.does === "row" ? eventOf("row", workload(step.name, step.desired)) : eventOf("gone", workload(step.name))
        )
      ].join("")
      const feed = new WorkloadFeed()
      const take = feed.reader()
      const cut = at % (text.length + 1)
      take(text.slice(0, cut), 1)
      take(text.slice(cut), 2)

      const truth = new Map<string, Workload>(first.map((name) => [name, workload(name)]))
      const gone = new Set<string>()
      for (const step of steps) {
        if (step.does === "row") truth.set(step.name, workload(step.name, step.desired))
        else truth.delete(step.name)
        if (step.does === "row") gone.delete(step.name)
        else gone.add(step.name)
      }
      const read = [...new Set(listed)].map((name) => workload(name))
      const shown = LiveRows.of(read, feed)
      assert.deepStrictEqual(
        shown.workloads,
        read.map((row) => truth.get(row.name) ?? row)
      )
      assert.deepStrictEqual(shown.gone, new Set(read.filter(({ name }) => gone.has(name)).map(({ id }) => id)))
      const isNew = (name: string) => !first.some((one) => one === name) && !listed.some((one) => one === name)
      // What was there at first, went and came again may count as new.
      const least = [...truth.keys()].filter(isNew).length
      const most = [...truth.keys()].filter((name) => !listed.some((one) => one === name)).length
      assert.isTrue(shown.added >= least && shown.added <= most)
      assert.deepStrictEqual(new Set(feed.rows.keys()), new Set([...truth.values()].map(keyOf)))
      assert.strictEqual(feed.lastId, "a.1")
    }
  )

  it("forgets every row when told to, and is not whole until the next set is", () => {
    const feed = new WorkloadFeed()
    const take = feed.reader()
    take(eventOf("row", workload("a")) + eventOf("ready", {}) + eventOf("gone", workload("b")), 1)
    take(eventOf("reset", {}), 2)
    assert.deepStrictEqual([feed.rows.size, feed.gone.size, feed.isReady], [0, 0, false])
    take(eventOf("row", workload("a")), 3)
    assert.strictEqual(feed.added.size, 0)
    take(eventOf("end", { code: "key_revoked" }), 3)
    assert.isTrue(feed.isEnded)
    feed.reader()
    assert.isFalse(feed.isEnded)
  })

  it("throws for what is not of the contract", () => {
    assert.throws(() => new WorkloadFeed().reader()(eventOf("row", { name: "a" }), 1))
  })

  it("has coverages as old as what came last, of a cluster that does not answer as old as what it told", () => {
    const read = ["hub", "prod", "stage"].map((name) => coverage(name, "ok"))
    const feed = new WorkloadFeed()
    const take = feed.reader()
    take(eventOf("coverage", coverage("hub", "ok")) + eventOf("coverage", coverage("prod", "error")), 20_000)
    const shown = LiveRows.coveragesOf(
      read,
      { coverages: feed.coverages, receivedAtMs: 60_000 },
      { readAtMs: 10_000, shownAtMs: 60_000 }
    )
    assert.deepStrictEqual(
      shown.map(({ ageMs, name, status }) => [name, status, ageMs]),
      [
        ["hub", "ok", 300],
        ["prod", "error", 40_300],
        ["stage", "ok", 50_300]
      ]
    )
    assert.deepStrictEqual(LiveRows.coveragesOf(read, undefined, { readAtMs: 1, shownAtMs: 1 }), read)
  })

  it("is as it was read where nothing was told", () => {
    const read = [workload("a")]
    assert.deepStrictEqual(LiveRows.of(read, undefined), { workloads: read, gone: new Set<string>(), added: 0 })
  })
})
