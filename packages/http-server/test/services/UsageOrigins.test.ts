import { UsageSources } from "@quarterdeck/cost"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { ClusterRegistry } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import type { Cluster } from "@quarterdeck/cluster-fanout/Cluster"
import { KubeApi } from "@quarterdeck/cluster-fanout/KubeApi"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, Layer } from "effect"
import { createServer } from "node:http"
import * as Settings from "../../src/settings/Settings.ts"
import * as SettingsFile from "../../src/settings/SettingsFile.ts"
import * as UsageOrigins from "../../src/services/UsageOrigins.ts"

const prod = ClusterName.make("prod")

/** What a question came with. */
interface Question {
  readonly authorization: string | undefined
  readonly promql: string
}

/** A server that knows nothing, and keeps what it was asked. */
const knowsNothing = Effect.acquireRelease(
  Effect.callback<{ readonly port: number; readonly asked: ReadonlyArray<Question>; readonly close: () => void }>(
    (resume) => {
      const asked: Array<Question> = []
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const form = new URLSearchParams(Buffer.concat(chunks).toString("utf8"))
          asked.push({ authorization: request.headers.authorization, promql: form.get("query") ?? "" })
          response.setHeader("content-type", "application/json")
          const resultType = request.url?.includes("query_range") === true ? "matrix" : "vector"
          response.end(JSON.stringify({ status: "success", data: { resultType, result: [] } }))
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({ port, asked, close: () => server.close() }))
      })
    }
  ),
  ({ close }) => Effect.sync(close)
)

/** Clusters of the start, by where they come from. */
type Origins = Readonly<Record<string, Cluster["origin"]>>

const clusterOf = ([name, origin]: readonly [string, Cluster["origin"]], index: number): Cluster => ({
  name: ClusterName.make(name),
  role: index === 0 ? "parent" : "child",
  labels: {},
  origin,
  connection: { server: `https://${name}.example`, insecureSkipTlsVerify: false, credential: { _tag: "None" } },
  generation: name
})

const sourcesOf = (cost: object, origins: Origins = { prod: "kubeconfig" }) =>
  Effect.gen(function* () {
    const { settings } = yield* Effect.fromResult(
      Settings.combine({}, {}, SettingsFile.parse("q.yaml", JSON.stringify({ cost })))
    )
    const context = yield* Layer.build(
      UsageOrigins.layer(settings, {}).pipe(
        Layer.provide([
          NodeHttpClient.layerUndici,
          Layer.mock(KubeApi, {}),
          Layer.mock(ClusterRegistry, {
            snapshot: Effect.succeed({ parent: prod, clusters: Object.entries(origins).map(clusterOf), problems: [] })
          })
        ])
      )
    )
    return yield* Effect.provide(UsageSources.UsageSources, context)
  })

describe("sources of usage", () => {
  it.live("are those of single clusters, else that of all", () =>
    Effect.gen(function* () {
      const sources = yield* sourcesOf({
        usageByCluster: { lab: "requests", edge: "prometheus=http://127.0.0.1:9/mimir" }
      })
      const kinds = ["prod", "lab", "edge"].map((name) => sources.of(ClusterName.make(name))._tag)
      assert.deepStrictEqual(kinds, ["Sampled", "RequestsOnly", "Hourly"])
      assert.strictEqual(sources.of(prod), sources.of(prod))
    }).pipe(Effect.scoped)
  )

  it.live("ask a Prometheus with the user and the label that the settings give", () =>
    Effect.gen(function* () {
      const { asked, port } = yield* knowsNothing
      const sources = yield* sourcesOf({
        usage: `prometheus=http://reader:w%40rd@127.0.0.1:${port}`,
        usageClusterLabel: "kube_cluster"
      })
      const source = sources.of(prod)
      assert.strictEqual(source._tag, "Hourly")
      if (source._tag !== "Hourly") return
      yield* source.hour(prod, Date.parse("2026-03-01T10:00:00Z"))
      for (const { authorization, promql } of asked) {
        assert.strictEqual(authorization, `Basic ${Buffer.from("reader:w@rd").toString("base64")}`)
        assert.include(promql, 'kube_cluster="prod"')
      }
      assert.isNotEmpty(asked)
    }).pipe(Effect.scoped)
  )

  const shared = { usage: "prometheus=http://reader:s3cret@prom.example" }
  const kindsOf = (sources: UsageSources.UsageSources["Service"], names: ReadonlyArray<string>) =>
    names.map((name) => sources.of(ClusterName.make(name))._tag)

  it.live("are refused at the start if one Prometheus serves two clusters of the settings without a label", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(sourcesOf(shared, { prod: "inCluster", eu: "kubeconfig" }))
      assert.include(refused.message, "cost.usageClusterLabel: must name the label")
      assert.include(refused.message, "of both prod and eu")
      assert.notInclude(refused.message, "s3cret")
      const named = { usageByCluster: { a: "prometheus=http://p.example", b: "prometheus=http://p.example" } }
      assert.include((yield* Effect.flip(sourcesOf(named))).message, "of both a and b")
      yield* sourcesOf({ ...shared, usageClusterLabel: "cluster" }, { prod: "inCluster", eu: "kubeconfig" })
      yield* sourcesOf({ ...shared, usageByCluster: { eu: "metrics" } }, { prod: "inCluster", eu: "kubeconfig" })
      // One address serves the tenants of several users apart.
      yield* sourcesOf({
        usageByCluster: { a: "prometheus=http://one:w@p.example", b: "prometheus=http://two:w@p.example" }
      })
    }).pipe(Effect.scoped)
  )

  it.live("are requests, with the reason, for a cluster that joins later and shares a Prometheus without a label", () =>
    Effect.gen(function* () {
      const sources = yield* sourcesOf(shared)
      assert.deepStrictEqual(kindsOf(sources, ["late", "prod", "later"]), ["RequestsOnly", "Hourly", "RequestsOnly"])
      const late = sources.of(ClusterName.make("late"))
      assert.strictEqual(late, sources.of(ClusterName.make("late")))
      assert.match(
        late._tag === "RequestsOnly" ? (late.problem ?? "") : "",
        /also the source of cluster prod; .*cost\.usageClusterLabel/
      )
    }).pipe(Effect.scoped)
  )

  it.live("of registered clusters alone are the same after a restart, or none where nothing tells them apart", () =>
    Effect.gen(function* () {
      const origins: Origins = { prod: "kubeconfig", b: "registered" }
      const cost = { ...shared, usageByCluster: { prod: "metrics" } }
      assert.deepStrictEqual(kindsOf(yield* sourcesOf(cost, origins), ["a", "b"]), ["RequestsOnly", "Hourly"])
      assert.deepStrictEqual(kindsOf(yield* sourcesOf(cost, { ...origins, a: "registered" }), ["a", "b", "prod"]), [
        "RequestsOnly",
        "RequestsOnly",
        "Sampled"
      ])
    }).pipe(Effect.scoped)
  )
})
