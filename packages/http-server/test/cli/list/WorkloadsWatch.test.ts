import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import * as Http from "node:http"
import { aged } from "../ages.ts"
import { API_KEY, coverage, json, listening, problem, quarterdeck, running, workload } from "../program.ts"

/** What the service does with one connection: what it sends, and whether it then breaks the connection. */
interface Part {
  readonly events?: ReadonlyArray<string>
  readonly ends: "broken" | "closed" | "open"
  readonly refusal?: { readonly status: number; readonly code: string }
}

const event = (name: string, data: unknown, id?: string) =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

const row = (name: string, id: string, facts: Record<string, unknown> = {}) =>
  event("row", workload(name, { ...aged(3_600_000), ...facts }), id)
const gone = (name: string, id: string) =>
  event("gone", { id: `uid-${name}`, cluster: "prod", kind: "Deployment", namespace: "web", name }, id)
const ready = (id: string) => event("ready", {}, id)
const end = (code: string) => event("end", { code })

/** A service whose connections go as told, one after the other. */
const streaming = (...parts: ReadonlyArray<Part>): Effect.Effect<Streaming, never, Scope.Scope> =>
  Effect.gen(function* () {
    const seen: Array<{ readonly url: URL; readonly headers: Http.IncomingHttpHeaders }> = []
    const server = Http.createServer((request, response) => {
      const part = parts[seen.length] ?? { ends: "open" }
      seen.push({ url: new URL(request.url ?? "", "http://localhost"), headers: request.headers })
      if (part.refusal !== undefined) {
        const { body, headers, status } = problem(part.refusal.status, part.refusal.code)
        response.writeHead(status ?? 500, headers).end(JSON.stringify(body))
        return
      }
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write([":\n\n", ...(part.events ?? [])].join(""), () => {
        if (part.ends === "closed") response.end()
        if (part.ends === "broken") response.destroy()
      })
    })
    const port = yield* listening(server)
    return { seen, env: { QUARTERDECK_URL: `http://127.0.0.1:${port}`, QUARTERDECK_API_KEY: API_KEY } }
  })

interface Streaming {
  readonly seen: ReadonlyArray<{ readonly url: URL; readonly headers: Http.IncomingHttpHeaders }>
  readonly env: Record<string, string>
}

const HEAD = "CLUSTER  NAMESPACE  KIND        NAME  STATUS    REASON  READY  CPU  MEMORY  AGE\n"
const SHOP = "prod     web        Deployment  shop  degraded          2/3    1.5  3Gi     60m\n"
const AND_WHY = "quarterdeck: the server ended the stream: the key was revoked (key_revoked)\n"

describe("quarterdeck workloads --watch", () => {
  it.live("prints the rows, then each change and what is gone below them, and says why the stream ended", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* streaming({
        events: [
          row("shop", "a.."),
          event("coverage", coverage("prod")),
          ready("a.0.x"),
          row("shop", "a.1.x", { replicas: { desired: 3, ready: 3, updated: 3, available: 3 }, status: "healthy" }),
          gone("shop", "a.2.x"),
          event("later", { what: "nobody knows" }),
          end("key_revoked")
        ],
        ends: "closed"
      })
      const done = yield* quarterdeck(["workloads", "-w", "-c", "*", "-n", "web", "-l", "app=shop"], { env })
      assert.deepStrictEqual(done, {
        stdout: [
          HEAD,
          SHOP,
          "prod     web        Deployment  shop  healthy           3/3    1.5  3Gi     60m\n",
          "prod     web        Deployment  shop  gone      -       -      -    -       -\n"
        ].join(""),
        stderr: AND_WHY,
        status: 1
      })
      assert.deepStrictEqual(
        seen.map(({ headers, url }) => [url.pathname, [...url.searchParams], headers["x-service-cluster"]]),
        [
          [
            "/api/v1/workloads/watch",
            [
              ["labelSelector", "app=shop"],
              ["namespace", "web"]
            ],
            "*"
          ]
        ]
      )
      assert.strictEqual(seen[0]?.headers.authorization, `Bearer ${API_KEY}`)
      assert.include(seen[0]?.headers.accept ?? "", "text/event-stream")
    })
  )

  it.live.each<"broken" | "closed">(["broken", "closed"])(
    "goes on where it was when the connection is %s, with the same columns",
    (ends) =>
      Effect.gen(function* () {
        const { env, seen } = yield* streaming(
          { events: [row("shop", "a.."), ready("a.7.x"), event("coverage", coverage("prod"))], ends },
          { refusal: { status: 503, code: "server_stopping" }, ends: "closed" },
          { events: [row("a", "a.8.x"), ready("a.8.x"), end("key_revoked")], ends: "closed" }
        )
        const { status, stderr, stdout } = yield* quarterdeck(["workloads", "--watch"], { env })
        assert.strictEqual(
          stdout,
          `${HEAD}${SHOP}prod     web        Deployment  a     degraded          2/3    1.5  3Gi     60m\n`
        )
        assert.deepStrictEqual(
          seen.map(({ headers }) => headers["last-event-id"]),
          [undefined, "a.7.x", "a.7.x"]
        )
        assert.match(stderr, /^quarterdeck: [^\n]*; reconnecting\nquarterdeck: the server ended the stream/)
        assert.strictEqual(status, 1)
      })
  )

  it.live("tells when what it missed is not known, which clusters lack, and that they answer again", () =>
    Effect.gen(function* () {
      const dead = coverage("stage", {
        status: "unreachable",
        error: { code: "cluster_unreachable", message: "cluster stage cannot be reached (ECONNREFUSED)" }
      })
      const { env } = yield* streaming(
        { events: [event("coverage", dead), ready("a.0.x")], ends: "broken" },
        { events: [event("reset", {}), row("shop", "b.."), event("coverage", coverage("stage"))], ends: "broken" },
        { events: [end("key_revoked")], ends: "closed" }
      )
      const { stderr, stdout } = yield* quarterdeck(["workloads", "--watch"], { env })
      assert.strictEqual(stdout, HEAD + SHOP)
      const notes = stderr.split("\n").filter((line) => !line.endsWith("; reconnecting"))
      assert.deepStrictEqual(notes, [
        "quarterdeck: no workloads match yet; waiting",
        "quarterdeck: warning: cluster stage: unreachable, its rows are missing: cannot be reached (ECONNREFUSED)",
        "quarterdeck: some changes were missed: all rows are printed again",
        "quarterdeck: cluster stage answers again",
        AND_WHY.trimEnd(),
        ""
      ])
    })
  )

  it.live("prints a line of JSON for each event, with what cannot be seen as escapes", () =>
    Effect.gen(function* () {
      const { env } = yield* streaming({
        events: [row("shop\u001b[31m", "a.."), ready("a.0.x"), gone("shop", "a.1.x"), end("server_stopping")],
        ends: "closed"
      })
      const { status, stdout } = yield* quarterdeck(["workloads", "-w", "-o", "json"], { env })
      const lines = stdout.trimEnd().split("\n")
      assert.notInclude(stdout, "\u001b")
      assert.lengthOf(lines, 3)
      assert.deepInclude(json(lines[2] ?? ""), { event: "gone" })
      assert.match(lines[0] ?? "", /^\{"event":"row","data":\{"id":"uid-shop\\u001b\[31m",/)
      assert.strictEqual(lines[1], '{"event":"ready","data":{}}')
      assert.strictEqual(status, 1)
    })
  )

  it.live.each<[string, Part["refusal"], RegExp, number]>([
    ["a refusal", { status: 403, code: "cluster_forbidden" }, /code cluster_forbidden/, 1],
    ["too many streams", { status: 429, code: "too_many_streams" }, /code too_many_streams/, 1]
  ])("ends at once with %s of the first question", ([, refusal, told, expected]) =>
    Effect.gen(function* () {
      const { env, seen } = yield* streaming({ ...(refusal === undefined ? {} : { refusal }), ends: "closed" })
      const { status, stderr, stdout } = yield* quarterdeck(["workloads", "-w"], { env })
      assert.match(stderr, told)
      assert.deepStrictEqual([stdout, status, seen.length], ["", expected, 1])
    })
  )

  it.live("ends at once with a refusal of a later question that no time mends", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* streaming(
        { events: [ready("a.0.x")], ends: "broken" },
        { refusal: { status: 401, code: "key_expired" }, ends: "closed" }
      )
      const { status, stderr } = yield* quarterdeck(["workloads", "-w"], { env })
      assert.match(stderr, /code key_expired/)
      assert.deepStrictEqual([status, seen.length], [1, 2])
    })
  )

  it.live("says that nobody listens there", () =>
    Effect.gen(function* () {
      const env = { QUARTERDECK_URL: "http://127.0.0.1:1", QUARTERDECK_API_KEY: API_KEY }
      const { status, stderr } = yield* quarterdeck(["workloads", "-w"], { env })
      assert.match(stderr, /ECONNREFUSED/)
      assert.strictEqual(status, 1)
    })
  )

  it.live.each<[ReadonlyArray<string>, string]>([
    [["--sort", "name"], "--watch cannot be used with --sort"],
    [["--limit", "500", "--order", "asc"], "--watch cannot be used with --order, --limit"],
    [["--consistency", "live"], "--watch cannot be used with --consistency"],
    [["-o", "csv"], "--output must be table, wide or json with --watch"]
  ])("refuses %s without a request", ([flags, told]) =>
    Effect.gen(function* () {
      const { env, seen } = yield* streaming()
      const done = yield* quarterdeck(["workloads", "--watch", ...flags], { env })
      assert.deepStrictEqual(done, { stdout: "", stderr: `quarterdeck: ${told}\n`, status: 2 })
      assert.lengthOf(seen, 0)
    })
  )

  it.live.each<string>(["--watch", "-Aw"])("ends with 0 when the user has seen enough of %s", (flag) =>
    Effect.gen(function* () {
      const { env } = yield* streaming({ events: [row("shop", "a.."), ready("a.0.x")], ends: "open" })
      const program = yield* running(["workloads", flag], env)
      yield* program.prints(/shop/)
      const done = yield* program.interrupt
      assert.deepStrictEqual(done, { stdout: HEAD + SHOP, stderr: "", status: 0 })
    })
  )
})
