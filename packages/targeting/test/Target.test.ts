import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { ClusterName } from "../src/ClusterName.ts"
import * as Target from "../src/Target.ts"
import * as TargetRequest from "../src/TargetRequest.ts"

const name = (text: string) => ClusterName.make(text)
const fleet: Target.Registered = { parent: name("hub"), clusters: [name("stage"), name("hub"), name("prod")] }
const asked = (...texts: ReadonlyArray<string>) => TargetRequest.named(texts.map(name))
const onlyProd = Target.onlyClusters([name("prod"), name("later")])

const clustersOf = (request: TargetRequest.TargetRequest, scope: Target.ClusterScope) =>
  Result.getOrThrow(Target.resolve(request, scope, fleet)).clusters
const refusal = (
  request: TargetRequest.TargetRequest,
  scope: Target.ClusterScope
): ReadonlyArray<string | undefined> | undefined => {
  const error = Result.merge(Result.flip(Target.resolve(request, scope, fleet)))
  return "_tag" in error ? [error._tag, error.cluster] : undefined
}

const Fleet = Schema.Struct({
  parent: ClusterName,
  clusters: Schema.Array(ClusterName).check(Schema.isMaxLength(8)),
  scope: Schema.Array(ClusterName).check(Schema.isMaxLength(8)),
  asked: Schema.Array(ClusterName).check(Schema.isMaxLength(8)),
  overlap: Schema.Boolean
})

describe("Target", () => {
  it("is the parent when nothing was asked", () => {
    assert.deepStrictEqual<ReadonlyArray<string>>(clustersOf(TargetRequest.parent, Target.everyCluster), ["hub"])
  })

  it("is every cluster, the parent first and the others by name", () => {
    assert.deepStrictEqual<ReadonlyArray<string>>(clustersOf(TargetRequest.all, Target.everyCluster), [
      "hub",
      "prod",
      "stage"
    ])
  })

  it("is every cluster of the key's scope, which may be none", () => {
    assert.deepStrictEqual<ReadonlyArray<string>>(clustersOf(TargetRequest.all, onlyProd), ["prod"])
    assert.deepStrictEqual<ReadonlyArray<string>>(
      clustersOf(TargetRequest.all, Target.onlyClusters([name("later")])),
      []
    )
  })

  it("keeps the order of the names", () => {
    assert.deepStrictEqual<ReadonlyArray<string>>(clustersOf(asked("stage", "hub"), Target.everyCluster), [
      "stage",
      "hub"
    ])
  })

  it("refuses the parent, and does not name it, when a scoped key names no cluster", () => {
    assert.deepStrictEqual(refusal(TargetRequest.parent, onlyProd), ["ClusterForbidden", undefined])
  })

  it("refuses a cluster outside the scope the same whether it exists or not", () => {
    assert.deepStrictEqual(refusal(asked("stage"), onlyProd), ["ClusterForbidden", "stage"])
    assert.deepStrictEqual(refusal(asked("nowhere"), onlyProd), ["ClusterForbidden", "nowhere"])
  })

  it("refuses the whole target for one name outside the scope, before it tells of an unknown one", () => {
    assert.deepStrictEqual(refusal(asked("later", "prod", "stage"), onlyProd), ["ClusterForbidden", "stage"])
  })

  it("does not find a name that is not registered", () => {
    assert.deepStrictEqual(refusal(asked("prod", "nowhere"), Target.everyCluster), ["ClusterNotFound", "nowhere"])
    assert.deepStrictEqual(refusal(asked("later"), onlyProd), ["ClusterNotFound", "later"])
  })

  it.prop(
    "names registered clusters of the scope alone, each once",
    [Fleet],
    ([{ asked, clusters, overlap, parent, scope }]) => {
      const registered = { parent, clusters: [parent, ...clusters] }
      const scopes = [
        Target.everyCluster,
        Target.onlyClusters(overlap ? [...scope, ...registered.clusters.slice(0, 2)] : scope)
      ]
      const names = overlap ? [...asked, ...registered.clusters.slice(0, 2)] : asked
      for (const reach of scopes) {
        for (const request of [TargetRequest.parent, TargetRequest.all, TargetRequest.named(names)]) {
          const target = Target.resolve(request, reach, registered)
          if (Result.isFailure(target)) continue
          for (const cluster of target.success.clusters) {
            assert.isTrue(Target.reaches(reach, cluster))
            assert.include(registered.clusters, cluster)
            if (request._tag === "Named") assert.include(names, cluster)
          }
          if (request._tag === "Named")
            assert.strictEqual(new Set(target.success.clusters).size, target.success.clusters.length)
        }
      }
    }
  )

  it.prop("never widens when the scope narrows", [Fleet], ([{ clusters, parent, scope }]) => {
    const registered = { parent, clusters: [parent, ...clusters] }
    const all = Result.getOrThrow(Target.resolve(TargetRequest.all, Target.everyCluster, registered)).clusters
    const some = Result.getOrThrow(Target.resolve(TargetRequest.all, Target.onlyClusters(scope), registered)).clusters
    for (const cluster of some) assert.include(all, cluster)
  })
})
