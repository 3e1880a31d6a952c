import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import * as Http from "node:http"
import { text } from "node:stream/consumers"
import { API_KEY, coverage, json, listening, problem, quarterdeck, workload } from "../program.ts"

const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

const outcome = (name: string, facts: Record<string, unknown> = { status: "applied", resourceVersion: "8" }) =>
  event("outcome", { cluster: "prod", namespace: "web", kind: "Deployment", name, ...facts })

const END = event("end", { partial: false, applied: 2, dryRun: 0, refused: 0, failed: 0 })

interface Asked {
  readonly key: string | undefined
  readonly body: unknown
}

interface Faking {
  readonly asked: ReadonlyArray<Asked>
  readonly env: Record<string, string>
}

/** What a list replies, with as many rows as were asked for. */
const pageOf = (names: ReadonlyArray<string>, query: URLSearchParams) => {
  const from = Number(query.get("cursor") ?? 0)
  const to = from + Number(query.get("limit"))
  return {
    workloads: names.slice(from, to).map((name) => workload(name)),
    clusters: [coverage("prod")],
    partial: false,
    ...(to < names.length ? { nextCursor: String(to) } : {})
  }
}

/** An answer in place of events. */
interface Refusal {
  readonly status: number
  readonly code: string
}

/** A service that lists workloads, and answers what is asked of them part by part, each broken off that has no end. */
const service = (
  names: ReadonlyArray<string>,
  ...parts: ReadonlyArray<string | Refusal>
): Effect.Effect<Faking, never, Scope.Scope> =>
  Effect.gen(function* () {
    const asked: Array<Asked> = []
    const server = Http.createServer((request, response) => {
      const answer = async () => {
        if (request.method === "GET") {
          const page = pageOf(names, new URL(request.url ?? "", "http://service").searchParams)
          response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(page))
          return
        }
        const part = parts[asked.length] ?? ""
        const key = request.headers["idempotency-key"]
        asked.push({ key: typeof key === "string" ? key : undefined, body: json(await text(request)) })
        if (typeof part !== "string") {
          const { body, status = 500 } = problem(part.status, part.code)
          response.writeHead(status, { "content-type": "application/problem+json" }).end(JSON.stringify(body))
          return
        }
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.write(`:\n\n${part}`, () => (part.includes("event: end") ? response.end() : response.destroy()))
      }
      void answer()
    })
    const port = yield* listening(server)
    return { asked, env: { QUARTERDECK_URL: `http://127.0.0.1:${port}`, QUARTERDECK_API_KEY: API_KEY } }
  })

const RESTART = ["restart", "deploy", "-l", "app=shop", "-n", "web", "-c", "prod", "--yes"]
const rowOf = (name: string) => `prod     web        Deployment  ${name}     restart  applied\n`
const HEAD = "CLUSTER  NAMESPACE  KIND        NAME  CHANGE   RESULT\n"

describe("many workloads by the command line", () => {
  it.live("asks again under the same key where the answer breaks off, and tells each outcome once", () =>
    Effect.gen(function* () {
      const { asked, env } = yield* service(["a", "b"], outcome("a"), `${outcome("a")}${outcome("b")}${END}`)
      const done = yield* quarterdeck(RESTART, { env })
      assert.strictEqual(done.stdout, `${HEAD}${rowOf("a")}${rowOf("b")}`)
      assert.match(done.stderr, /; retrying\nquarterdeck: 2 applied\n$/)
      assert.strictEqual(done.status, 0)
      assert.lengthOf(asked, 2)
      assert.deepStrictEqual(asked[0], asked[1])
      assert.match(asked[0]?.key ?? "", /^[0-9a-f-]{36}$/)
    })
  )

  it.live("says of how many it is not known where the answer stays lost", () =>
    Effect.gen(function* () {
      const { asked, env } = yield* service(["a", "b"], outcome("a"), "", "")
      const done = yield* quarterdeck(RESTART, { env })
      assert.strictEqual(done.stdout, `${HEAD}${rowOf("a")}`)
      assert.match(done.stderr, /quarterdeck: the outcome of 1 of the workloads is unknown/)
      assert.lengthOf(done.stderr.match(/retrying/g) ?? [], 2)
      assert.deepStrictEqual([done.status, asked.length], [1, 3])
    })
  )

  it.live("asks for 500 at once, under a key each", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 501 }, (_, index) => `w-${index}`)
      const { asked, env } = yield* service(names, END, END)
      const { status, stderr } = yield* quarterdeck(RESTART, { env })
      const counts = asked.map(({ body }) => (body instanceof Object && "targets" in body ? body.targets : undefined))
      assert.deepStrictEqual(
        counts.map((targets) => (Array.isArray(targets) ? targets.length : 0)),
        [500, 1]
      )
      assert.strictEqual(new Set(asked.map(({ key }) => key)).size, 2)
      assert.include(stderr, "the server did not report the outcome of 501 of 501")
      assert.strictEqual(status, 1)
    })
  )

  it.live("fails where the service failed in the middle", () =>
    Effect.gen(function* () {
      const { env } = yield* service(["a", "b"], `${outcome("a")}${event("end", { code: "internal_error" })}`)
      const { status, stderr, stdout } = yield* quarterdeck(RESTART, { env })
      assert.strictEqual(stdout, `${HEAD}${rowOf("a")}`)
      assert.match(stderr, /the server failed during the request/)
      assert.match(stderr, /the outcome of 1 of the workloads is unknown/)
      assert.strictEqual(status, 1)
    })
  )

  it.live("prints what is known, and the sum, also where the rest is not", () =>
    Effect.gen(function* () {
      const { env } = yield* service(["a", "b"], outcome("a"), "", "")
      const { status, stderr, stdout } = yield* quarterdeck([...RESTART, "-o", "json"], { env })
      const a = {
        cluster: "prod",
        namespace: "web",
        kind: "Deployment",
        name: "a",
        status: "applied",
        resourceVersion: "8"
      }
      assert.deepStrictEqual(json(stdout), { outcomes: [a] })
      assert.match(stderr, /quarterdeck: 1 applied\n(?:.*\n)*quarterdeck: the outcome of 1 of the workloads is unknown/)
      assert.strictEqual(status, 1)
    })
  )

  it.live("says how many were not begun behind a call that was refused", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 1_200 }, (_, index) => `w-${index}`)
      const first = names.slice(0, 500).map((name) => outcome(name))
      const { asked, env } = yield* service(names, `${first.join("")}${END}`, { status: 403, code: "role_forbidden" })
      const { status, stderr, stdout } = yield* quarterdeck(RESTART, { env })
      assert.lengthOf(stdout.trim().split("\n"), 501)
      assert.include(stderr, "quarterdeck: 500 applied\n")
      assert.match(stderr, /HTTP 403, code role_forbidden/)
      assert.include(stderr, "quarterdeck: 200 more of the workloads were not changed\n")
      assert.notInclude(stderr, "is not known")
      assert.notInclude(stderr, "did not tell")
      assert.deepStrictEqual([status, asked.length], [1, 2])
    })
  )

  it.live("does not forget that an answer broke off where it is refused when it asks again", () =>
    Effect.gen(function* () {
      const { env } = yield* service(["a", "b"], outcome("a"), { status: 401, code: "key_revoked" })
      const { status, stderr } = yield* quarterdeck(RESTART, { env })
      assert.match(stderr, /HTTP 401, code key_revoked/)
      assert.match(stderr, /quarterdeck: the outcome of 1 of the workloads is unknown/)
      assert.strictEqual(status, 1)
    })
  )

  it.live("changes nothing where more match than it takes, read page by page", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 5_001 }, (_, index) => `w-${index}`)
      const { asked, env } = yield* service(names)
      const { status, stderr, stdout } = yield* quarterdeck(RESTART, { env })
      assert.strictEqual(stderr, "quarterdeck: more than 5000 workloads match: narrow the selection\n")
      assert.deepStrictEqual([stdout, status, asked.length], ["", 1, 0])
    })
  )

  it.live("changes none that a dry run did not show", () =>
    Effect.gen(function* () {
      const tried = outcome("a", { status: "dryRun", resourceVersion: "7" })
      const { asked, env } = yield* service(["a", "b"], `${tried}${END}`, `${outcome("a")}${END}`)
      const typed = RESTART.filter((word) => word !== "--yes")
      const { status, stderr } = yield* quarterdeck(typed, { env, stdin: "y\n", isTerminal: true })
      assert.include(stderr, "restart 1 workload in 1 cluster? [y/N] ")
      const a = { cluster: "prod", namespace: "web", kind: "Deployment", name: "a" }
      assert.deepStrictEqual(asked[1]?.body, { action: "restart", targets: [a] })
      assert.include(stderr, "the server did not report the outcome of 1 of 2")
      assert.strictEqual(status, 1)
    })
  )

  it.live("fears nothing for workloads of which a dry run is lost", () =>
    Effect.gen(function* () {
      const { env } = yield* service(["a", "b"], "", "", "")
      const { status, stderr, stdout } = yield* quarterdeck([...RESTART, "--dry-run"], { env })
      assert.match(stderr, /truncated/)
      assert.notInclude(stderr, "is not known")
      assert.deepStrictEqual([stdout, status], ["", 1])
    })
  )
})
