import { assert, describe, it } from "@effect/vitest"
import { Option, Result, Schema } from "effect"
import { ClusterName } from "../src/ClusterName.ts"
import * as TargetRequest from "../src/TargetRequest.ts"

const named = (...texts: ReadonlyArray<string>) => TargetRequest.named(texts.map((text) => ClusterName.make(text)))
const header = Option.some(named("h"))
const none = Option.none<TargetRequest.TargetRequest>()

describe("TargetRequest", () => {
  it.each<
    [string, Option.Option<TargetRequest.TargetRequest>, TargetRequest.Body | undefined, TargetRequest.TargetRequest]
  >([
    ["no header, no body: the parent", none, undefined, TargetRequest.parent],
    ["no header, empty body: the parent", none, {}, TargetRequest.parent],
    ["no header, multiCluster false: the parent", none, { multiCluster: false }, TargetRequest.parent],
    ["multiCluster without a list: all", none, { multiCluster: true }, TargetRequest.all],
    ["multiCluster with a list: the list", none, { multiCluster: true, clusters: ["b", "a", "b"] }, named("b", "a")],
    ["header alone: the header", header, undefined, named("h")],
    ["header and multiCluster without a list: the header", header, { multiCluster: true }, named("h")],
    ["header and list: the list", header, { multiCluster: true, clusters: ["a"] }, named("a")],
    ["a list without multiCluster is ignored", none, { clusters: ["a"] }, TargetRequest.parent],
    ["a list with multiCluster false is ignored", header, { multiCluster: false, clusters: ["a"] }, named("h")],
    ["an empty list that is ignored is no error", none, { clusters: [] }, TargetRequest.parent],
    [
      "the wildcard header and multiCluster false: all",
      Option.some(TargetRequest.all),
      { multiCluster: false },
      TargetRequest.all
    ]
  ])("%s", (_name, header, body, expected) => {
    const parts = body === undefined ? { header } : { header, body }
    assert.deepStrictEqual(Result.getOrThrow(TargetRequest.fromParts(parts, 64)), expected)
  })

  it.each<[string, TargetRequest.Body, string, string?]>([
    ["an empty list", { multiCluster: true, clusters: [] }, "EmptyClusterList"],
    ["null for a list", { multiCluster: true, clusters: null }, "EmptyClusterList"],
    ["null in an ignored list", { clusters: null }, "InvalidTarget", "clusters"],
    ["a name outside the grammar", { multiCluster: true, clusters: ["a", " b"] }, "InvalidTarget", "clusters[1]"],
    ["a wildcard in the list", { multiCluster: true, clusters: ["*"] }, "InvalidTarget", "clusters[0]"],
    ["a joined name in the list", { multiCluster: true, clusters: ["a|b"] }, "InvalidTarget", "clusters[0]"],
    ["a bad name in an ignored list", { clusters: ["a,b"] }, "InvalidTarget", "clusters[0]"]
  ])("refuses %s", (_name, body, tag, field) => {
    const error = Result.merge(Result.flip(TargetRequest.fromParts({ header: none, body }, 64)))
    assert.strictEqual(error._tag, tag)
    if (error._tag === "InvalidTarget") assert.strictEqual(error.field, field)
  })

  it("refuses a list of more distinct names than allowed", () => {
    const clusters = Array.from({ length: 65 }, (_, index) => `c${index}`)
    assert.isTrue(
      Result.isFailure(TargetRequest.fromParts({ header: none, body: { multiCluster: true, clusters } }, 64))
    )
    assert.isTrue(
      Result.isSuccess(TargetRequest.fromParts({ header: none, body: { multiCluster: true, clusters } }, 65))
    )
  })

  it.prop("never asks for more than the list names", [Schema.Array(ClusterName)], ([clusters]) => {
    const asked = TargetRequest.fromParts({ header, body: { multiCluster: true, clusters } }, 1_000)
    if (Result.isFailure(asked)) return assert.strictEqual(clusters.length, 0)
    assert.deepStrictEqual(asked.success, TargetRequest.named(clusters))
  })
})
