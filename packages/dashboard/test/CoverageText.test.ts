import { assert, describe, it } from "@effect/vitest"
import type { Coverage } from "../src/api/Shapes.ts"
import { answers, liveFor, summaryOf, troubleOf } from "../src/clusterScope/CoverageText.ts"
import { lastKnownOf } from "../src/clusterScope/LastKnown.ts"

const NOW = Date.UTC(2026, 10, 27, 9, 26)
const MINUTE_MS = 60_000

const coverage = (name: string, part: Partial<Coverage> = {}): Coverage => ({
  name,
  status: "ok",
  source: "cache",
  count: 3,
  ageMs: 0,
  latencyMs: 1,
  ...part
})

const hub = coverage("hub")
const prod = coverage("prod")
const stage = coverage("stage", { status: "stale", ageMs: 10 * MINUTE_MS })
const refused = coverage("old", {
  status: "unauthorized",
  error: { code: "unauthorized", message: "The token expired" }
})

describe("the coverage of clusters as text", () => {
  it("counts only clusters that answer now", () => {
    assert.deepStrictEqual([hub, stage, refused].map(answers), [true, false, false])
    assert.strictEqual(summaryOf([hub, prod, stage]), "2 of 3 clusters answer")
    assert.strictEqual(summaryOf([hub]), "1 of 1 cluster answers")
    assert.strictEqual(summaryOf([stage]), "0 of 1 cluster answer")
  })

  it("says since when a cluster does not answer, and what that means for the rows", () => {
    const since = new Intl.DateTimeFormat(undefined, { timeStyle: "short" }).format(NOW - 10 * MINUTE_MS)
    assert.strictEqual(troubleOf(hub, "workloads", NOW), undefined)
    assert.strictEqual(troubleOf(stage, "workloads", NOW), `no answer since ${since}. Its workloads are as last known.`)
    assert.strictEqual(troubleOf(stage, "costs", NOW), `no answer since ${since}. Its costs end then.`)
    assert.strictEqual(troubleOf(refused, "pods", NOW), "The token expired. Its pods are missing.")
  })

  it("names the day if the last answer is not of today", () => {
    const old = coverage("stage", { status: "stale", ageMs: 2 * 24 * 60 * MINUTE_MS })
    assert.include(troubleOf(old, "workloads", NOW) ?? "", "25")
  })

  it("gives the age of rows only for clusters that do not answer", () => {
    assert.deepStrictEqual([...lastKnownOf([hub, stage, refused], MINUTE_MS)], [["stage", "11 min old"]])
  })

  it("names the clusters that a live list shows live", () => {
    assert.strictEqual(liveFor([hub, prod]), undefined)
    assert.strictEqual(liveFor([hub, prod, stage]), "hub and prod")
    assert.strictEqual(liveFor([stage]), "no cluster")
    const many = Array.from({ length: 20 }, (_, index) => coverage(`c${index}`))
    assert.strictEqual(liveFor([...many, stage]), "20 of 21 clusters")
  })
})
