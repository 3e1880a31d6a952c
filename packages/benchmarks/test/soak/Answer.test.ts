import { assert, describe, it } from "@effect/vitest"
import * as Answer from "../../src/soak/Answer.ts"

const question: Answer.Question = { sort: "name", order: "desc", namespace: undefined, name: undefined, isLive: false }

const row = (cluster: string, name: string, value = 1): Answer.Row => ({
  id: `${cluster}/${name}`,
  cluster,
  namespace: "shop",
  kind: "Deployment",
  name,
  labels: { value: String(value) },
  replicas: { desired: value },
  status: "healthy",
  createdAt: "2026-01-01T00:00:00Z",
  cpuRequestMillis: 0
})

const sound: Answer.Answer = {
  workloads: [row("hub", "b"), row("child", "a"), row("hub", "a")],
  clusters: [
    { name: "hub", status: "ok", count: 2 },
    { name: "child", status: "stale", count: 1 }
  ],
  partial: false
}
const [first, ...others] = sound.workloads
const [hub, child] = sound.clusters
if (first === undefined || hub === undefined || child === undefined) throw new Error("the answer has rows and clusters")

const MISTAKES: ReadonlyArray<readonly [name: string, answer: Partial<Answer.Answer>, fault: RegExp]> = [
  ["a row that is missing", { workloads: others }, /hub counts 2 and has 1/],
  ["a row that comes twice", { workloads: [first, ...sound.workloads] }, /hub\/b before hub\/b/],
  ["rows out of order", { workloads: sound.workloads.toReversed() }, /hub\/a before child\/a/],
  ["a count that is wrong", { clusters: [{ ...hub, count: 3 }, child] }, /hub counts 3/],
  ["a cluster that is missing", { clusters: [hub] }, /coverage of hub where hub,child/],
  ["a row made of two writes", { workloads: [{ ...first, labels: { value: "2" } }, ...others] }, /hub\/b is torn/],
  ["a part that is not told", { clusters: [hub, { ...child, status: "timeout" }] }, /partial is false/]
]

describe("faultsOf", () => {
  it("finds nothing in an answer that is sound", () => {
    assert.deepStrictEqual(Answer.faultsOf(question, sound, ["hub", "child"]), [])
  })

  it.each(MISTAKES)("finds %s", (_, mistake, fault) => {
    assert.match(Answer.faultsOf(question, { ...sound, ...mistake }, ["hub", "child"]).join("; "), fault)
  })

  it("finds what was not asked for", () => {
    assert.lengthOf(Answer.faultsOf({ ...question, name: "b" }, sound, ["hub", "child"]), 2)
  })
})
