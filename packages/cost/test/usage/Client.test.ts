import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import * as Prometheus from "../../src/usage/Prometheus.ts"
import * as Client from "../../src/usage/prometheus/Client.ts"

const EU = ClusterName.make("eu")

interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly form: URLSearchParams
}

type Reply = (response: ServerResponse, seen: Seen) => void

const serve = (reply: Reply) =>
  Effect.acquireRelease(
    Effect.callback<{
      readonly url: string
      readonly host: string
      readonly seen: ReadonlyArray<Seen>
      readonly close: () => void
    }>((resume) => {
      const seen: Array<Seen> = []
      const server = createServer((request, response) => {
        let body = ""
        request.setEncoding("utf8")
        request.on("data", (piece: string) => (body += piece))
        request.on("end", () => {
          const one: Seen = {
            method: request.method ?? "",
            path: request.url ?? "",
            headers: request.headers,
            form: new URLSearchParams(body)
          }
          seen.push(one)
          reply(response, one)
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const host = `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
        const close = () => {
          server.close()
          server.closeAllConnections()
        }
        resume(Effect.succeed({ url: `http://${host}`, host, seen, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

const json =
  (status: number, body: unknown): Reply =>
  (response) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
const vector = (...result: ReadonlyArray<unknown>) => ({ status: "success", data: { resultType: "vector", result } })

const asking = (reply: Reply, options: Partial<Client.ClientOptions> = {}) =>
  Effect.gen(function* () {
    const server = yield* serve(reply)
    const client = yield* Client.make({ url: server.url, ...options })
    return { server, ask: client.instant(EU, "up", 1_500) }
  })

describe("a question to a Prometheus", () => {
  it.live("is a POST with a form, as whom and for whom the options say", () =>
    Effect.gen(function* () {
      const server = yield* serve(
        json(200, vector({ metric: { a: "b" }, value: [1.5, "2"] }, { metric: {}, value: [1.5, "NaN"] }))
      )
      const source = yield* Prometheus.make({
        url: Redacted.make(`http://reader:p%40ss@${server.host}/prometheus/`),
        headers: { "X-Scope-OrgID": Redacted.make("team-a") },
        clusterLabel: { name: "k8s_cluster" }
      })
      yield* source.hour(EU, 0)
      const [first] = server.seen
      assert.isDefined(first)
      assert.strictEqual(first.method, "POST")
      assert.strictEqual(first.path, "/prometheus/api/v1/query_range")
      assert.strictEqual(first.headers.authorization, `Basic ${Buffer.from("reader:p@ss").toString("base64")}`)
      assert.strictEqual(first.headers["x-scope-orgid"], "team-a")
      assert.strictEqual(first.headers["content-type"]?.split(";")[0], "application/x-www-form-urlencoded")
      assert.deepStrictEqual(
        ["start", "end", "step", "timeout", "partial_response"].map((name) => first.form.get(name)),
        ["0", "3900", "300", "120s", "false"]
      )
      assert.isTrue(server.seen.every(({ form }) => form.get("query")?.includes('k8s_cluster="eu"') === true))
    }).pipe(Effect.scoped, Effect.provide(NodeHttpClient.layerUndici))
  )

  for (const [name, http] of [
    ["undici", NodeHttpClient.layerUndici],
    ["node:http", NodeHttpClient.layerNodeHttp],
    ["fetch", NodeHttpClient.layerFetch]
  ] as const) {
    for (const [what, reply, problem] of [
      [
        "words of refusal",
        json(422, { status: "error", errorType: "execution", error: "too many samples" }),
        /^answered 422: execution: too many samples$/
      ],
      ["refused credentials", json(401, { message: "no" }), /^answered 401: missing or invalid credentials/],
      ["a page that is none", json(404, "none"), /^answered 404: no query API at this address/],
      ["text that is not JSON", (response: ServerResponse) => void response.end("<html>"), /^the answer is not JSON$/],
      [
        "JSON that is something else",
        json(200, { status: "success", data: [] }),
        /^the answer is not one of Prometheus'/
      ],
      [
        "a matrix whose values are numbers",
        json(200, vector({ metric: {}, value: [1, 2] })),
        /^the answer is not one of/
      ],
      [
        "labels that are no texts",
        json(200, vector({ metric: { a: 1 }, value: [1, "2"] })),
        /^the answer is not one of/
      ],
      [
        "an answer with a warning",
        json(200, {
          ...vector(),
          infos: ["PromQL info: odd"],
          warnings: ["PromQL info: odd", "remote_read: timed out"]
        }),
        /^the answer is not whole: remote_read: timed out$/
      ],
      ["an answer from half of the storage", json(200, { ...vector(), isPartial: true }), /^the answer is partial/],
      [
        "an answer that is too long",
        json(200, vector({ metric: { a: "x".repeat(5_000) }, value: [1, "2"] })),
        /^the answer is longer than 4096 bytes$/
      ],
      ["silence", () => {}, /^did not answer within 400 ms$/],
      [
        "half an answer",
        (response: ServerResponse) => void response.writeHead(200).write('{"status":'),
        /^did not answer within 400 ms$/
      ],
      [
        "a connection that breaks",
        (response: ServerResponse) => void response.writeHead(200).write("{", () => response.destroy()),
        /^broke off \(\S+\)$|^cannot be reached \(\S+\)$/
      ]
    ] as const) {
      it.live(`${what} is a problem that says so, by ${name}`, () =>
        Effect.gen(function* () {
          // Only a server that never answers gets a short timeout, because a busy machine is slow too.
          const timeoutMs = String(problem).includes("did not answer") ? 400 : 30_000
          const { ask, server } = yield* asking(reply, { timeoutMs, answerBytes: 4_096 })
          const error = yield* Effect.flip(ask)
          assert.match(error.problem, problem)
          assert.strictEqual(error.message, `usage of eu from ${server.url}: ${error.problem}`)
        }).pipe(Effect.scoped, Effect.provide(http))
      )
    }
  }

  it.live("an answer with notes about the expression alone is taken", () =>
    Effect.gen(function* () {
      const line = { metric: {}, value: [1.5, "2"] }
      const { ask } = yield* asking(json(200, { ...vector(line), warnings: ["PromQL info: not a counter"] }))
      assert.deepStrictEqual(yield* ask, [{ labels: {}, points: [{ atMs: 1_500, value: 2 }] }])
    }).pipe(Effect.scoped, Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("a server that says when to come again is left alone until then, also for another cluster", () =>
    Effect.gen(function* () {
      let retryAfter: string | undefined = "60"
      const server = yield* serve((response, seen) => {
        if (retryAfter === undefined) return json(200, vector())(response, seen)
        response.setHeader("retry-after", retryAfter)
        json(429, { status: "error", error: "too many requests" })(response, seen)
      })
      const { instant } = yield* Client.make({ url: server.url })
      const refused = yield* Effect.flip(instant(EU, "up", 1_500))
      assert.strictEqual(refused.problem, "answered 429: too many requests")
      assert.strictEqual(refused.retryAfterMs, 60_000)
      retryAfter = undefined
      yield* TestClock.adjust("59 seconds")
      const waiting = yield* Effect.flip(instant(ClusterName.make("us"), "up", 1_500))
      assert.strictEqual(waiting.problem, "asked for no queries for 1 s more (Retry-After)")
      assert.lengthOf(server.seen, 1)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* instant(EU, "up", 1_500), [])
      assert.lengthOf(server.seen, 2)
    }).pipe(Effect.scoped, Effect.provide(NodeHttpClient.layerUndici))
  )

  it.live("a redirect is not followed, and a closed server cannot be reached", () =>
    Effect.gen(function* () {
      const moved = yield* asking((response) => void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end())
      assert.match((yield* Effect.flip(moved.ask)).problem, /^answered 302: redirects are not followed$/)
      moved.server.close()
      assert.match((yield* Effect.flip(moved.ask)).problem, /^cannot be reached \((ECONNREFUSED|UND_ERR_SOCKET)\)$/)
    }).pipe(Effect.scoped, Effect.provide(NodeHttpClient.layerUndici))
  )

  it.live("what a server echoes of passwords and tokens is masked", () =>
    Effect.gen(function* () {
      const echo: Reply = (response, { headers }) =>
        json(500, {
          status: "error",
          error: `${headers.authorization} ${String(headers["x-token"])}\n\u0007 hunter22`
        })(response, { method: "", path: "", headers, form: new URLSearchParams() })
      const { ask } = yield* asking(echo, {
        credentials: { username: "reader", password: Redacted.make("hunter22") },
        headers: { "x-token": Redacted.make("Bearer tok-123456") }
      })
      const { problem } = yield* Effect.flip(ask)
      assert.strictEqual(problem, "answered 500: Basic *** ***  ***")
    }).pipe(Effect.scoped, Effect.provide(NodeHttpClient.layerUndici))
  )

  it.live("what a server says of tokens that the service does not know is masked, in a warning too", () =>
    Effect.gen(function* () {
      const data = { resultType: "vector", result: [] }
      const warnings = ["store remote-1 refused Bearer abc.def.ghi, token=s3cr3t-of-another"]
      const { ask } = yield* asking(json(200, { status: "success", warnings, data }))
      const { problem } = yield* Effect.flip(ask)
      assert.strictEqual(problem, "the answer is not whole: store remote-1 refused Bearer ***, token=***")
    }).pipe(Effect.scoped, Effect.provide(NodeHttpClient.layerUndici))
  )

  it.live("an address or label that cannot be is refused before anything is asked", () =>
    Effect.gen(function* () {
      const address = yield* Effect.flip(Prometheus.make({ url: "prometheus:9090" }))
      assert.strictEqual(address.field, "url")
      const label = yield* Effect.flip(Prometheus.make({ url: "http://host", clusterLabel: { name: 'a"}' } }))
      assert.strictEqual(label.field, "clusterLabel.name")
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})
