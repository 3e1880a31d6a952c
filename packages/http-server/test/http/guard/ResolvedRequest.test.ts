/** A request names its clusters by path, header or body, and is resolved in the scope of its key. */
import { assert, describe, it } from "@effect/vitest"
import type { Principal } from "@quarterdeck/keys/Principal"
import * as ClusterName from "@quarterdeck/targeting/ClusterName"
import * as TargetRequest from "@quarterdeck/targeting/TargetRequest"
import { Result } from "effect"
import * as ResolvedRequest from "../../../src/http/guard/ResolvedRequest.ts"

const named = (name: string) => ClusterName.ClusterName.make(name)
const registered = {
  parent: named("hub"),
  clusters: ["prod", "hub", "stage", "secret"].map((name) => ({ name: named(name) }))
}
const options = { header: "X-Service-Cluster", maxNames: 3 }
const principal: Principal["Service"] = {
  keyId: "key",
  name: "key",
  rule: { role: "Viewer", targetClusters: ["hub", "prod", "stage"].map(named) },
  source: "created"
}

interface Asking {
  readonly header?: ReadonlyArray<string>
  readonly stated?: TargetRequest.Body
  readonly cluster?: string
  readonly unnamed?: TargetRequest.TargetRequest<never>
}

const resolve = ({ cluster, header = [], stated, unnamed = TargetRequest.parent }: Asking) =>
  ResolvedRequest.make({ principal, url: "/?consistency=live", header, stated, cluster, unnamed }, registered, options)

const clustersOf = ({ target: { target } }: ResolvedRequest.ResolvedRequest): ReadonlyArray<string> | string =>
  Result.isSuccess(target) ? target.success.clusters : `${target.failure.error._tag} of ${target.failure.field}`

describe("a resolved request", () => {
  it("addresses the clusters that it names, or those of its route where it names none", () => {
    assert.deepStrictEqual(clustersOf(resolve({})), ["hub"])
    assert.deepStrictEqual(clustersOf(resolve({ unnamed: TargetRequest.all })), ["hub", "prod", "stage"])
    assert.deepStrictEqual(clustersOf(resolve({ header: ["prod|stage"], unnamed: TargetRequest.all })), [
      "prod",
      "stage"
    ])
    assert.deepStrictEqual(clustersOf(resolve({ header: ["*"], cluster: "stage" })), ["stage"])
  })

  it("reads a stated target in place of the header", () => {
    const header = ["prod"]
    assert.deepStrictEqual(clustersOf(resolve({ header, stated: { multiCluster: true, clusters: ["stage"] } })), [
      "stage"
    ])
    assert.deepStrictEqual(clustersOf(resolve({ header, stated: {} })), ["hub"])
    assert.deepStrictEqual(clustersOf(resolve({ header, stated: {}, unnamed: TargetRequest.all })), [
      "hub",
      "prod",
      "stage"
    ])
  })

  it("keeps why its target is refused, and suggests clusters of the key's scope alone", () => {
    assert.strictEqual(clustersOf(resolve({ header: ["secret"] })), "ClusterForbidden of X-Service-Cluster")
    assert.strictEqual(clustersOf(resolve({ cluster: "secret" })), "ClusterForbidden of cluster")
    assert.strictEqual(clustersOf(resolve({ header: ["a|b|c|d"] })), "InvalidTarget of X-Service-Cluster")
    const { target } = resolve({ header: ["prod", "stage"] })
    assert.isUndefined(target.asked)
    const unscoped = {
      ...principal.rule,
      targetClusters: [...registered.clusters.map(({ name }) => name), named("prd")]
    }
    const missing = ResolvedRequest.inScope(ResolvedRequest.namedBy("cluster", [named("prd")]), unscoped, {
      ...registered,
      clusters: registered.clusters.filter(({ name }) => name !== "secret")
    })
    assert.isTrue(Result.isFailure(missing.target))
    if (Result.isSuccess(missing.target)) return
    assert.strictEqual(missing.target.failure.error._tag, "ClusterNotFound")
    assert.deepStrictEqual<ReadonlyArray<string> | undefined>(missing.target.failure.others, ["prod", "hub", "stage"])
  })

  it("is refused for a malformed header even if the list of its body wins", () => {
    const body = { multiCluster: true, clusters: ["stage"] }
    const ask = (header: ReadonlyArray<string>) => ResolvedRequest.ask(ClusterName.is, { header, body }, options)
    const asked = ask(["prod"])
    assert.isTrue(Result.isSuccess(asked) && asked.success.field === "clusters")
    assert.isTrue(Result.isFailure(ask(["prod,stage"])))
  })
})
