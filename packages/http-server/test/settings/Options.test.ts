import { UsageSource, UsageSources } from "@quarterdeck/cost"
import { assert, describe, it } from "@effect/vitest"
import { CostStore } from "@quarterdeck/cost/CostStore"
import { layerSqlite } from "@quarterdeck/cost/store/Sqlite"
import { layerSqlite as layerKeys } from "@quarterdeck/keys/store/Sqlite"
import { Effect, Result, Stream } from "effect"
import * as Options from "../../src/settings/Options.ts"

const costStore = layerSqlite({ directory: "elsewhere" })
const keyStore = layerKeys({ directory: "elsewhere" })
const usageSources = { of: () => UsageSource.requestsOnly }
const clusterRegistry = { snapshot: Effect.never, changes: Stream.never }

const linesOf = (options: Options.Options) =>
  Result.match(Options.decode(options), { onSuccess: () => [], onFailure: ({ lines }) => lines })

/** Options as a host without types may write them. */
const untyped = (options: object): Options.Options => options

describe("options", () => {
  it("hand on the host's own parts beside the settings", () => {
    const { ports, settings } = Result.getOrThrow(
      Options.decode({ dataDirectory: "d", keyStore, usageSources, clusterRegistry, costStore })
    )
    assert.strictEqual(settings.dataDirectory, "d")
    assert.deepStrictEqual(ports, { keyStore, usageSources, clusterRegistry, costStore })
  })

  it("have no parts unless they are given", () => {
    assert.deepStrictEqual(Result.getOrThrow(Options.decode({})).ports, {})
    assert.deepStrictEqual(Result.getOrThrow(Options.decode(untyped({ costStore: undefined }))).ports, {})
  })

  it("take a layer that is made of a value", () => {
    assert.deepStrictEqual(linesOf({ usageSources: UsageSources.UsageSources.layerOf(UsageSource.requestsOnly) }), [])
  })

  it.each<[string, Options.Options, ReadonlyArray<string>]>([
    [
      "cost.url beside a store of costs",
      { costStore, cost: { url: "http://user:secret@clickhouse:8123" } },
      ["options: costStore and cost.url both decide where the history of costs is kept: set only one of them"]
    ],
    [
      "kubeconfig, names and parent beside a registry",
      { clusterRegistry, clusters: { kubeconfig: ["./k"], names: { a: "b" }, parent: "b" } },
      ["clusters.kubeconfig", "clusters.names", "clusters.parent"].map(
        (path) => `options: clusterRegistry and ${path} both decide which clusters there are: set only one of them`
      )
    ],
    [
      "the settings of usage beside sources of usage, their default too",
      { usageSources, cost: { usage: "metrics", usageByCluster: {}, usageClusterLabel: "cluster" } },
      ["cost.usage", "cost.usageByCluster", "cost.usageClusterLabel"].map(
        (path) => `options: usageSources and ${path} both decide where usage comes from: set only one of them`
      )
    ]
  ])("refuse %s", (_name, options, lines) => {
    assert.deepStrictEqual(linesOf(options), lines)
  })

  it("take the settings that a part of the host's own leaves alone", () => {
    const options: Options.Options = {
      keyStore,
      usageSources,
      clusterRegistry,
      costStore,
      keys: { file: "./keys.yaml", bootstrapFile: "./first-key", maxLifetime: "1y" },
      clusters: { header: "X-Cluster" },
      cost: { sampleSeconds: 60, hourlyDays: 10, retentionDays: 20 }
    }
    assert.deepStrictEqual(linesOf(options), [])
  })

  it("refuse what is no such part, and say what each lacks", () => {
    const bare = { close: () => Effect.void, extents: Effect.succeed([]) }
    assert.deepStrictEqual(
      linesOf(untyped({ costStore: bare, clusterRegistry: [], usageSources: 1, keyStore: null })),
      [
        "options: keyStore must be a KeyStore or a Layer of one: insert must be a function, findByHash must be a function, "
          + "find must be a function, list must be a function, revoke must be a function, revokeAll must be a function, findLiving must be a function, update must be a function, rotate must be a function, touch must be a function, "
          + "count must be an Effect",
        "options: clusterRegistry must be a ClusterRegistry or a Layer of one: snapshot must be an Effect, "
          + "changes must be a Stream",
        "options: usageSources must be a UsageSources or a Layer of one: of must be a function",
        "options: costStore must be a CostStore or a Layer of one: rewrite must be a function, hours must be a function, "
          + "sums must be a function, sumsByStep must be a function, prune must be a function"
      ]
    )
  })

  it("say what they may hold, the host's own parts too", () => {
    const [line = ""] = linesOf(untyped({ keysStore: keyStore }))
    assert.match(
      line,
      /: keysStore is not a setting; did you mean keyStore\? options may contain server, .*, keyStore, clusterRegistry, usageSources, costStore$/
    )
  })

  it("tell mistakes of settings and of parts together", () => {
    const lines = linesOf({ costStore, cost: { url: "http://c:8123", sampleSeconds: 0 } })
    assert.lengthOf(lines, 2)
    assert.include(lines[0], "cost.sampleSeconds must be")
    assert.include(lines[1], "costStore and cost.url")
  })

  it("refuse rules of people that JSON would widen", () => {
    const widened = untyped({
      oidc: { rules: [{ group: "ops", rule: { role: "Admin", targetClusters: undefined } }] }
    })
    assert.include(
      linesOf(widened).map((line) => line.split(": ").slice(1, 2).join("")),
      "oidc.rules[0].rule.targetClusters"
    )
  })

  it("take the value of a port, whatever its methods stand on", () => {
    class Own {
      of() {
        return UsageSource.requestsOnly
      }
    }
    assert.deepStrictEqual(linesOf({ usageSources: new Own() }), [])
    assert.deepStrictEqual(linesOf({ costStore: CostStore.of({ ...ownStore }) }), [])
  })
})

const ownStore: CostStore["Service"] = {
  close: () => Effect.void,
  rewrite: () => Effect.void,
  hours: () => Effect.succeed([]),
  sums: () => Effect.succeed([]),
  sumsByStep: () => Effect.succeed([]),
  extents: Effect.succeed([]),
  prune: () => Effect.void
}
