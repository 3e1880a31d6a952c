import { NodeHttpClient } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import * as Client from "../../src/usage/prometheus/Client.ts"
import * as Promql from "../../src/usage/prometheus/Promql.ts"
import { EU, HOUR } from "./HandWrittenSeries.ts"
import * as RealPrometheus from "./RealPrometheus.ts"

class Server extends Context.Service<Server, { readonly url: string }>()("@quarterdeck/cost/test/usage/Server") {
  static readonly layer = Layer.effect(
    Server,
    Effect.map(RealPrometheus.start([]), (url) => Server.of({ url }))
  )
}

const Text = Schema.Array(
  Schema.Union([
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0x10_ff_ff })),
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xff })),
    Schema.Literals([0xd8_00, 0xff_fd, 0x22, 0x27, 0x5c, 0x60, 0x0a, 0x7b])
  ])
)
const decodeString = Schema.decodeUnknownEffect(
  Schema.fromJsonString(
    Schema.Struct({ data: Schema.Struct({ result: Schema.Tuple([Schema.Finite, Schema.String]) }) })
  )
)

const services = RealPrometheus.runs ? Server.layer : Layer.succeed(Server, { url: "" })
layer(Layer.provideMerge(services, NodeHttpClient.layerUndici), { timeout: "2 minutes" })("PromQL", (it) => {
  RealPrometheus.sayIfLeftOut(it)
  if (RealPrometheus.runs) {
    it.effect.prop("a text comes back from Prometheus as it was, whatever is in it", [Text], ([codes]) =>
      Effect.gen(function* () {
        const { url } = yield* Server
        const text = String.fromCodePoint(...codes)
        const body = new URLSearchParams({ query: Promql.literal(text) })
        const reply = yield* Effect.promise(() =>
          fetch(`${url}/api/v1/query`, { method: "POST", body }).then((answer) => answer.text())
        )
        const { data } = yield* decodeString(reply)
        assert.strictEqual(data.result[1], text.toWellFormed())
      })
    )

    it.effect("a question that is wrong is refused in Prometheus' words, without the credentials", () =>
      Effect.gen(function* () {
        const { url } = yield* Server
        const credentials = { username: "reader", password: Redacted.make("s3cret") }
        const client = yield* Client.make({ url, credentials })
        const error = yield* Effect.flip(client.instant(EU, "sum(s3cret", HOUR))
        assert.match(
          error.message,
          /^usage of eu from http:\/\/127\.0\.0\.1:\d+: answered 400: bad_data: .*parse error/
        )
        assert.notInclude(error.message, "s3cret")
      })
    )
  }
})
