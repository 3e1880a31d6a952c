import { assert, describe, it } from "@effect/vitest"
import { BulkOutcome } from "@quarterdeck/contract/WorkloadsGroup"
import { Schema } from "effect"
import * as ActionProgress from "../src/api/ActionProgress.ts"
import type { Outcome } from "../src/api/BulkCall.ts"
import { begin, ended, fateOf, placeOf, resent, retried, tallyOf, withOutcome } from "../src/actions/BulkRun.ts"

const decode = Schema.decodeUnknownSync(BulkOutcome)
const Kind = Schema.Literals(["applied", "refused", "failed", "unknown", "silent"])

const nameOf = (index: number) => ({ cluster: "prod", namespace: "shop", kind: "Deployment", name: `web-${index}` })

const outcomeOf = (kind: typeof Kind.Type, index: number): ReadonlyArray<Outcome> => {
  switch (kind) {
    case "applied":
      return [decode({ ...nameOf(index), status: "applied", resourceVersion: String(index) })]
    case "refused":
      return [decode({ ...nameOf(index), status: "refused", code: "cluster_forbids" })]
    case "failed":
      return [decode({ ...nameOf(index), status: "failed", code: "cluster_unreachable" })]
    case "unknown":
      return [decode({ ...nameOf(index), status: "failed", code: "outcome_unknown" })]
    case "silent":
      return []
  }
}

const change = { action: "restart", replicas: 0 } as const
const runOf = (kinds: ReadonlyArray<typeof Kind.Type>) =>
  kinds.flatMap(outcomeOf).reduce(withOutcome, begin({ change, workloads: kinds.map((_, index) => nameOf(index)) }))

describe("the progress of many actions", () => {
  const Cuts = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 })))

  it.prop("is told in its order, however its text is cut", [Schema.Array(Kind), Cuts], ([kinds, cuts]) => {
    const outcomes = kinds.flatMap(outcomeOf)
    const events = outcomes.map((outcome) => `event: outcome\ndata: ${JSON.stringify(outcome)}\n\n`)
    let text = `:\n\n${events.join(":\n\n")}event: end\ndata: {"partial":false,"applied":0}\n\n`
    const heard: Array<Outcome> = []
    const reader = ActionProgress.reader((outcome) => heard.push(outcome))
    for (const cut of cuts) {
      assert.isTrue(reader.feed(text.slice(0, cut)))
      text = text.slice(cut)
    }
    if (text !== "") assert.isTrue(reader.feed(text))
    assert.deepStrictEqual(heard, outcomes)
    assert.deepStrictEqual(reader.end(), { isWhole: true })
  })

  it("tells a server that failed on its way from one that came to the end, and what is no progress from both", () => {
    const endOf = (text: string) => {
      const reader = ActionProgress.reader(() => undefined)
      return [reader.feed(text), reader.end()]
    }
    assert.deepStrictEqual(endOf('event: end\ndata: {"code":"internal_error"}\n\n'), [true, { isWhole: false }])
    assert.deepStrictEqual(endOf('event: news\ndata: {"any":1}\n\n'), [true, undefined])
    assert.deepStrictEqual(endOf('event: outcome\ndata: {"name":"web"}\n\n'), [false, undefined])
    assert.deepStrictEqual(endOf("event: end\ndata: <html>\n\n"), [false, undefined])
  })
})

describe("a change of many workloads", () => {
  it.prop("counts every workload once, by what was told of it", [Schema.Array(Kind)], ([kinds]) => {
    const run = runOf(kinds)
    const workloads = kinds.map((_, index) => nameOf(index))
    const counted = tallyOf(run, workloads)
    for (const kind of ["applied", "refused", "failed", "unknown"] as const) {
      assert.strictEqual(counted[kind], kinds.filter((one) => one === kind).length)
    }
    assert.strictEqual(counted.underway, kinds.filter((one) => one === "silent").length)
    assert.strictEqual(tallyOf(ended(run, { isWhole: false }), workloads).underway, 0)
  })

  it.prop("tries again those that failed and no other, under a new key", [Schema.Array(Kind)], ([kinds]) => {
    const run = runOf(kinds)
    const again = retried(ended(run, { isWhole: true }))
    const failed = kinds.flatMap((kind, index) => (kind === "failed" ? [nameOf(index)] : []))
    if (again === undefined) assert.isEmpty(failed)
    else {
      assert.deepStrictEqual(again.call.workloads, failed)
      assert.notStrictEqual(again.call.key, run.call.key)
      for (const [place, outcome] of run.outcomes) {
        const isKept = !failed.some((name) => placeOf(name) === place)
        assert.strictEqual(again.outcomes.get(place), isKept ? outcome : undefined)
      }
      for (const name of failed) assert.strictEqual(fateOf(again, name), "underway")
    }
    // Of what was not told to its end nothing is tried again but as the same.
    assert.isUndefined(retried(run))
    assert.strictEqual(resent(run).call.key, run.call.key)
  })
})
