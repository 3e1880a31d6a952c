import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import * as Http from "node:http"
import { text } from "node:stream/consumers"
import { API_KEY, coverage, json, listening, quarterdeck, workload } from "./program.ts"

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

/** A service that lists workloads, and answers what is asked of them part by part, each broken off that has no end. */
const service = (
  names: ReadonlyArray<string>,
  ...parts: ReadonlyArray<string>
): Effect.Effect<Faking, never, Scope.Scope> =>
  Effect.gen(function* () {
    const asked: Array<Asked> = []
    const server = Http.createServer((request, response) => {
      const answer = async () => {
        if (request.method === "GET") {
          const page = { workloads: names.map((name) => workload(name)), clusters: [coverage("prod")], partial: false }
          response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(page))
          return
        }
        const part = parts[asked.length] ?? ""
        const key = request.headers["idempotency-key"]
        asked.push({ key: typeof key === "string" ? key : undefined, body: json(await text(request)) })
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
      assert.match(done.stderr, /; asking again for the same\nquarterdeck: 2 applied\n$/)
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
      assert.match(done.stderr, /quarterdeck: what became of 1 of the workloads is not known/)
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
      assert.include(stderr, "the service did not tell what became of 501 of 501")
      assert.strictEqual(status, 1)
    })
  )

  it.live("fails where the service failed in the middle", () =>
    Effect.gen(function* () {
      const { env } = yield* service(["a", "b"], `${outcome("a")}${event("end", { code: "internal_error" })}`)
      const { status, stderr } = yield* quarterdeck(RESTART, { env })
      assert.match(stderr, /the service failed in the middle/)
      assert.strictEqual(status, 1)
    })
  )
})
