import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { json, problem, quarterdeck, serve, service } from "../program.ts"

const event = (id: string, facts: object = {}) => ({
  id,
  at: "2026-01-02T03:04:05.000Z",
  actor: { kind: "key", keyId: "key_1", name: "ci" },
  via: "rest",
  address: "192.0.2.1",
  resource: "workloads",
  verb: "read",
  route: "/api/v1/workloads",
  target: { asked: "prod|stage", clusters: [], namespaces: ["shop"] },
  decision: "deny",
  status: 403,
  code: "cluster_forbidden",
  requestId: "r-1",
  hash: "b",
  previousHash: "a",
  ...facts
})

layer(NodeServices.layer, { excludeTestServices: true })("quarterdeck audit", (it) => {
  it.effect("lists events of every page, and asks for those that flags narrow to", () =>
    Effect.gen(function* () {
      const pages = [
        { events: [event("2")], nextCursor: "next" },
        {
          events: [
            event("1", {
              actor: { kind: "anonymous" },
              code: undefined,
              status: 0,
              decision: "allow",
              verb: "delete",
              resource: "apiKeys",
              target: { asked: "", clusters: [], object: "key_2" }
            })
          ]
        }
      ]
      const { env, seen } = yield* service(({ url }) => ({ body: pages[url.searchParams.has("cursor") ? 1 : 0] }))
      const { status, stderr, stdout } = yield* quarterdeck(
        ["audit", "--since", "2026-01-01T00:00:00Z", "--key", "key_1", "--decision", "deny", "--cluster", "prod"],
        { env }
      )
      assert.strictEqual(stderr, "")
      assert.strictEqual(
        stdout,
        "AT                        CALLER     EVENT                                                                                 STATUS\n"
          + "2026-01-02T03:04:05.000Z  ci         Refused: list workloads of namespace shop in prod, stage (outside of the key's rule)  403\n"
          + "2026-01-02T03:04:05.000Z  anonymous  Started: revoke API key key_2\n"
      )
      assert.strictEqual(status, 0)
      const { searchParams } = seen[0]?.url ?? new URL("http://none")
      assert.deepStrictEqual(Object.fromEntries(searchParams), {
        since: "2026-01-01T00:00:00Z",
        keyId: "key_1",
        decision: "deny",
        cluster: "prod",
        limit: "500"
      })
      const lines = yield* quarterdeck(["audit", "-o", "ndjson"], { env })
      assert.deepStrictEqual(
        lines.stdout
          .trimEnd()
          .split("\n")
          .map((line) => json(line)),
        [json(JSON.stringify(pages[0]?.events[0])), json(JSON.stringify(pages[1]?.events[0]))]
      )
    })
  )

  it.effect.each<[string, ReadonlyArray<string>, string]>([
    ["of refusals", ["--decision", "deny"], ""],
    [
      "of a name",
      ["--decision", "deny", "--key", "ci"],
      "; --key takes an id from quarterdeck key list; search for a name with --actor"
    ],
    ["of a person", ["--decision", "deny", "--key", "oidc:42"], ""],
    ["of anything", [], "; allowed reads are recorded only if audit.reads is all"]
  ])("says that no events match, and why those %s may not", ([, flags, why]) =>
    Effect.gen(function* () {
      const { env } = yield* service(() => ({ body: { events: [] } }))
      const { status, stderr, stdout } = yield* quarterdeck(["audit", "-o", "json", ...flags], { env })
      assert.deepStrictEqual([status, json(stdout)], [0, { events: [] }])
      assert.strictEqual(stderr, `quarterdeck: no events match${why}\n`)
    })
  )

  it.effect("tells an instant that is none by its flag", () =>
    Effect.gen(function* () {
      const { env } = yield* service(() => problem(400, "invalid_parameter", { field: "since", detail: "is none" }))
      const { status, stderr } = yield* quarterdeck(["audit", "--since", "yesterday"], { env })
      assert.strictEqual(stderr, "quarterdeck: --since: is none (HTTP 400, code invalid_parameter, request r-1)\n")
      assert.strictEqual(status, 2)
    })
  )

  it.effect("verify says that there is no audit where there is none", () =>
    Effect.gen(function* () {
      const directory = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
      const { status, stderr } = yield* quarterdeck(["audit", "verify", "--data", directory])
      const missing = `${join(directory, "audit.sqlite")}: there is no such file`
      assert.strictEqual(
        stderr,
        `quarterdeck: ${missing}; name the server's data directory with --data if it is another one\n`
      )
      assert.strictEqual(status, 1)
    })
  )

  it.effect(
    "verify finds the audit of a server whole while it runs and once it has stopped, and names what is changed",
    () =>
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const directory = yield* files.makeTempDirectoryScoped()
        const kubeconfig = join(directory, "kubeconfig.yaml")
        const cluster = { name: "c", cluster: { server: "https://127.0.0.1:9" } }
        const context = { name: "c", context: { cluster: "c", user: "u" } }
        const config = { clusters: [cluster], contexts: [context], users: [{ name: "u", user: { token: "t" } }] }
        yield* files.writeFileString(kubeconfig, JSON.stringify({ ...config, "current-context": "c" }))
        const data = join(directory, "data")
        const firstKey = join(directory, "first-key")
        const server = yield* serve([
          ...["--port", "0", "--kubeconfig", kubeconfig, "--data", data, "--bootstrap-key-file", firstKey]
        ])
        const env = { QUARTERDECK_URL: server.url, QUARTERDECK_API_KEY: readFileSync(firstKey, "utf8").trim() }
        const created = yield* quarterdeck(["key", "create", "--name", "ci", "--role", "Viewer"], { env })
        assert.strictEqual(created.status, 0, created.stderr)
        const running = yield* quarterdeck(["audit", "verify", "--data", data])
        assert.strictEqual(running.status, 0, running.stderr)
        yield* server.stop

        const stopped = yield* quarterdeck(["audit", "verify"], { env: { QUARTERDECK_DATA: data } })
        assert.match(
          stopped.stderr,
          /^quarterdeck: 2 events, 1 to 2, none was changed; the signed head of \S+Z proves the events up to 2\nquarterdeck: events removed from the end within a second after that would not be detected\n$/
        )
        assert.strictEqual(stopped.status, 0)
        const file = new DatabaseSync(join(data, "audit.sqlite"))
        file.exec("DELETE FROM events WHERE number = 2")
        file.close()
        const cut = yield* quarterdeck(["audit", "verify", "--data", data])
        assert.strictEqual(
          cut.stderr,
          "quarterdeck: event 2: it and all rows after it are missing: the signed head is at row 2\n"
        )
        assert.strictEqual(cut.status, 1)
        const printed = yield* quarterdeck(["audit", "verify", "--data", data, "-o", "json"])
        assert.match(printed.stdout, /"whole": false,\s+"event": 2/)
      })
  )
})
