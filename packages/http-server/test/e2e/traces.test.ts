import { assert, layer } from "@effect/vitest"
import { Embedded } from "@quarterdeck/harness"
import { Cause, Context, Effect, Layer, Option, Tracer } from "effect"
import { Deployment, rawKey, to } from "./Deployment.ts"

/** The spans of a deployment, in the order in which they began. */
class Spans extends Context.Service<Spans, ReadonlyArray<Tracer.NativeSpan>>()("@quarterdeck/http-server/test/Spans") {
  static readonly layer = Layer.effectContext(
    Effect.sync(() => {
      const spans: Array<Tracer.NativeSpan> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      return Context.make(Spans, spans).pipe(Context.add(Tracer.Tracer, tracer))
    })
  )
}

/** All that an exporter could read of a span. */
const textOf = ({ attributes, events, name, status }: Tracer.NativeSpan): string =>
  JSON.stringify([
    name,
    [...attributes],
    events,
    status._tag === "Ended" && status.exit._tag === "Failure" ? Cause.pretty(status.exit.cause) : ""
  ])

const requestId = (id: string) => ["X-Request-Id", id] as const

layer(Deployment.layer({ driver: Embedded.driver, children: ["dead"] }).pipe(Layer.provideMerge(Spans.layer)), {
  timeout: "120 seconds",
  excludeTestServices: true
})("traces", (it) => {
  it.effect("no span carries a key, wherever in the request it stands", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const spans = yield* Spans
      const secret = rawKey("astray")
      const before = spans.length
      yield* deployment.call(`/api/v1/apiKeys/${secret}`, { key: "admin" })
      yield* deployment.call(`/${secret}`, { key: "admin" })
      yield* deployment.call(`/api/v1/workloads?access_token=${secret}`, { key: "admin" })
      yield* deployment.call(`/api/v1/whoami?${secret}`, { key: "admin" })
      yield* deployment.call("/api/v1/workloads", { key: "admin", headers: to(secret) })
      yield* deployment.call("/api/v1/whoami", { bearer: secret })
      yield* deployment.call("/api/v1/whoami", {
        key: "admin",
        headers: [
          ["User-Agent", secret],
          ["Cookie", secret]
        ]
      })
      const since = spans.slice(before)
      assert.isAtLeast(since.length, 7)
      for (const span of since) assert.notInclude(textOf(span), secret)
    })
  )

  it.effect("a request's span tells the route's pattern, the status, the problem and the id of the reply", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      yield* deployment.call("/api/v1/apiKeys/nobody", { key: "admin", headers: [requestId("span-404")] })
      const span = (yield* Spans).find(({ attributes }) => attributes.get("quarterdeck.requestId") === "span-404")
      assert.deepInclude({ name: span?.name, kind: span?.kind }, { name: "GET request", kind: "server" })
      assert.deepStrictEqual(Object.fromEntries(span?.attributes ?? []), {
        "http.request.method": "GET",
        "http.route": "/api/v1/apiKeys/:id",
        "http.response.status_code": 404,
        "error.type": "key_not_found",
        "quarterdeck.requestId": "span-404"
      })
    })
  )

  it.effect("a reply of 5xx fails the request's span, one of 4xx does not", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      yield* (yield* deployment.fleet.cluster("dead")).kill
      const outcomeOf = Effect.fnUntraced(function* (id: string, query: string) {
        yield* deployment.call(`/api/v1/workloads?${query}`, { headers: [...to("dead"), requestId(id)] })
        const span = (yield* Spans).find(({ attributes }) => attributes.get("quarterdeck.requestId") === id)
        return span?.status._tag === "Ended" ? span.status.exit._tag : undefined
      })
      assert.strictEqual(yield* outcomeOf("span-5xx", "consistency=live"), "Failure")
      assert.strictEqual(yield* outcomeOf("span-4xx", "limit=0"), "Success")
    })
  )

  it.effect("a request continues the trace that its headers name", () =>
    Effect.gen(function* () {
      const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
      yield* (yield* Deployment).call("/api/v1/whoami", {
        headers: [["traceparent", traceparent], requestId("span-trace")]
      })
      const span = (yield* Spans).find(({ attributes }) => attributes.get("quarterdeck.requestId") === "span-trace")
      assert.strictEqual(span?.traceId, "0af7651916cd43dd8448eb211c80319c")
      assert.strictEqual(Option.getOrUndefined(span?.parent ?? Option.none())?.spanId, "b7ad6b7169203331")
    })
  )
})
