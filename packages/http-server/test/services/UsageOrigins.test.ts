import { UsageSources } from "@quarterdeck/cost"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { ClusterRegistry } from "@quarterdeck/cluster-fanout/ClusterRegistry"
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

const sourcesOf = (cost: object) =>
  Effect.gen(function* () {
    const { settings } = yield* Effect.fromResult(
      Settings.combine({}, {}, SettingsFile.parse("q.yaml", JSON.stringify({ cost })))
    )
    const context = yield* Layer.build(
      UsageOrigins.layer(settings, {}).pipe(
        Layer.provide([NodeHttpClient.layerUndici, Layer.mock(KubeApi, {}), Layer.mock(ClusterRegistry, {})])
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
})
