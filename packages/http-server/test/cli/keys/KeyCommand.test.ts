import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Path } from "effect"
import { API_KEY, json, problem, quarterdeck, service } from "../program.ts"
import { apiKey } from "./keyReply.ts"

const SECRET = "qd_the-secret-itself"

layer(NodeServices.layer)("quarterdeck key", (it) => {
  it.effect("create prints the key alone on standard output, and what it is on standard error", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(() => ({
        status: 201,
        body: { key: SECRET, apiKey: apiKey("k1", { expiresAt: "2027-01-02T03:04:05.000Z" }) }
      }))
      const finished = yield* quarterdeck(
        ["key", "create", "--name", "ci", "--role", "Viewer", "--clusters", "prod,stage", "--expire", "1y"],
        { env }
      )
      assert.deepStrictEqual(finished, {
        stdout: `${SECRET}\n`,
        stderr: "quarterdeck: created k1, Viewer, expires 2027-01-02T03:04:05.000Z; the key is shown only once\n",
        status: 0
      })
      assert.strictEqual(seen[0]?.method, "POST")
      assert.strictEqual(seen[0]?.url.pathname, "/api/v1/apiKeys")
      assert.strictEqual(seen[0]?.headers.authorization, `Bearer ${API_KEY}`)
      assert.strictEqual(seen[0]?.headers["content-type"], "application/json")
      assert.deepStrictEqual(json(seen[0]?.body ?? ""), {
        name: "ci",
        rule: { role: "Viewer", targetClusters: ["prod", "stage"] },
        expire: "1y"
      })
    })
  )

  it.effect("create puts names and labels into one selector, and prints the whole reply as JSON", () =>
    Effect.gen(function* () {
      const reply = { key: SECRET, apiKey: apiKey("k1") }
      const { env, seen } = yield* service(() => ({ status: 201, body: reply }))
      const { stdout } = yield* quarterdeck(
        [
          "key",
          "create",
          "--name",
          "web",
          "--role",
          "Operator",
          "--namespaces",
          "a,b",
          "--namespace-labels",
          "team=web,tier=",
          "-o",
          "json"
        ],
        { env }
      )
      assert.deepStrictEqual(json(stdout), reply)
      assert.deepStrictEqual(json(seen[0]?.body ?? ""), {
        name: "web",
        rule: {
          role: "Operator",
          targetNamespaces: [{ namespaceNames: ["a", "b"], labelSelector: { matchLabels: { team: "web", tier: "" } } }]
        }
      })
    })
  )

  it.effect("create takes the whole rule from a file or from standard input", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const { join } = yield* Path.Path
      const directory = yield* files.makeTempDirectoryScoped()
      const file = join(directory, "rule.yaml")
      const rule = { role: "Admin", targetNamespaces: [{ namespaceNames: ["a"] }, { namespaceNames: ["b"] }] }
      yield* files.writeFileString(
        file,
        "role: Admin\ntargetNamespaces:\n- namespaceNames: [a]\n- namespaceNames: [b]\n"
      )
      const { env, seen } = yield* service(() => ({ status: 201, body: { key: SECRET, apiKey: apiKey("k1") } }))
      yield* quarterdeck(["key", "create", "--name", "x", "--rule", file], { env })
      yield* quarterdeck(["key", "create", "--name", "x", "--rule", "-"], { env, stdin: JSON.stringify(rule) })
      assert.deepStrictEqual(
        seen.map(({ body }) => json(body)),
        [
          { name: "x", rule },
          { name: "x", rule }
        ]
      )
    })
  )

  it.effect.each([
    {
      rule: "role: Viewer\ntargetCluster: [prod]\n",
      line: "standard input: rule.targetCluster: is not known here; allowed: role, targetNamespaces, targetClusters"
    },
    { rule: "role: Viewer\ntargetClusters: []\n", line: /^standard input: rule\.targetClusters/ },
    { rule: "role: Viewer\nrole: Admin\n", line: "standard input:2:1: duplicate key" },
    { rule: "role: &a Viewer\ntargetClusters: [*a]\n", line: /^standard input:1:10: anchors are not allowed$/m },
    { rule: "", line: /^standard input: rule/ }
  ])("create refuses the rule $rule before it asks the server", ({ line, rule }) =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(() => ({}))
      const { status, stderr, stdout } = yield* quarterdeck(["key", "create", "--name", "x", "--rule", "-"], {
        env,
        stdin: rule
      })
      const told = stderr.replaceAll("quarterdeck: ", "").trimEnd()
      if (typeof line === "string") assert.strictEqual(told, line)
      else assert.match(told, line)
      assert.strictEqual(stdout, "")
      assert.strictEqual(status, 1)
      assert.isEmpty(seen)
    })
  )

  it.effect.each([
    { flags: ["--role", "Viewer", "--clusters", ""], line: /^--clusters, name 1: expected a cluster name/ },
    {
      flags: ["--role", "Viewer", "--namespaces", "a,,b"],
      line: /^--namespaces, name 2: expected a namespace name/
    },
    {
      flags: ["--role", "Viewer", "--namespace-labels", "bad key=1"],
      line: /^--namespace-labels, "bad key": is not a label key$/
    },
    { flags: ["--role", "Viewer", "--namespace-labels", "team"], line: /^--namespace-labels must be key=value pairs/ },
    {
      flags: ["--role", "Viewer", "--namespace-labels", "a=1,a=2"],
      line: /^--namespace-labels must be key=value pairs/
    },
    { flags: [], line: /^give --role \(Viewer, Operator or Admin\), or the whole rule with --rule$/ },
    { flags: ["--rule", "-", "--role", "Admin"], line: /^--rule cannot be used with --role/ }
  ])("create refuses $flags, which must never mean all", ({ flags, line }) =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(() => ({}))
      const { status, stderr } = yield* quarterdeck(["key", "create", "--name", "x", ...flags], { env })
      assert.match(stderr.replace("quarterdeck: ", "").trimEnd(), line)
      assert.strictEqual(status, 2)
      assert.isEmpty(seen)
    })
  )

  it.effect("create tells why the server refused", () =>
    Effect.gen(function* () {
      const { env } = yield* service(() =>
        problem(400, "invalid_body", { detail: "expire: must lie in the future", field: "expire" })
      )
      assert.deepStrictEqual(
        yield* quarterdeck(["key", "create", "--name", "x", "--role", "Viewer", "--expire", "2001-01-01T00:00:00Z"], {
          env
        }),
        {
          stdout: "",
          stderr: "quarterdeck: --expire: must lie in the future (HTTP 400, code invalid_body, request r-1)\n",
          status: 2
        }
      )
    })
  )

  it.effect("list reads every page", () =>
    Effect.gen(function* () {
      const pages = [
        {
          apiKeys: [apiKey("k1", { lastUsedAt: "2026-02-03T04:05:06.000Z" })],
          nextCursor: "next"
        },
        {
          apiKeys: [
            apiKey("k2", {
              name: 'web, "team"',
              start: undefined,
              status: "expiring",
              source: "configured",
              expiresAt: "2026-03-04T05:06:07.000Z",
              rule: {
                role: "Operator",
                targetClusters: ["prod", "stage"],
                targetNamespaces: [
                  { namespaceNames: ["a", "b"] },
                  { namespaceNames: [], labelSelector: { matchLabels: { team: "web" } } }
                ]
              }
            })
          ]
        }
      ]
      const { env, seen } = yield* service(({ url }) => ({
        body: pages[url.searchParams.get("cursor") === "next" ? 1 : 0]
      }))
      const { status, stderr, stdout } = yield* quarterdeck(["key", "list"], { env })
      assert.strictEqual(
        stdout,
        "ID  NAME         START      STATUS    ROLE      CLUSTERS    NAMESPACES     SOURCE      EXPIRES                   LAST USED\n"
          + "k1  ci           qd_Ab3dEf  active    Viewer    all         all            created     never                     2026-02-03T04:05:06.000Z\n"
          + 'k2  web, "team"  -          expiring  Operator  prod,stage  a,b;+team=web  configured  2026-03-04T05:06:07.000Z  -\n'
      )
      assert.strictEqual(stderr, "")
      assert.strictEqual(status, 0)
      assert.lengthOf(seen, 2)

      const printed = yield* quarterdeck(["key", "list", "-o", "json"], { env })
      assert.deepStrictEqual(
        json(printed.stdout),
        json(JSON.stringify({ apiKeys: pages.flatMap((page) => page.apiKeys) }))
      )

      const csv = yield* quarterdeck(["key", "list", "-o", "csv"], { env })
      assert.strictEqual(
        csv.stdout,
        "id,name,start,status,source,role,targetClusters,targetNamespaces,createdAt,createdBy,expiresAt,lastUsedAt,revokedAt,revokedBy,description,allowFrom,isMakerGone\n"
          + "k1,ci,qd_Ab3dEf,active,created,Viewer,,,2026-01-02T03:04:05.000Z,,,2026-02-03T04:05:06.000Z,,,,,false\n"
          + 'k2,"web, ""team""",,expiring,configured,Operator,prod stage,'
          + '"[{""namespaceNames"":[""a"",""b""]},{""namespaceNames"":[],""labelSelector"":{""matchLabels"":{""team"":""web""}}}]",'
          + "2026-01-02T03:04:05.000Z,,2026-03-04T05:06:07.000Z,,,,,,false\n"
      )
    })
  )

  it.effect("revoke deletes the key, whatever characters its id has", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(() => ({ status: 204 }))
      const finished = yield* quarterdeck(["key", "revoke", "a/../b?c"], { env })
      assert.deepStrictEqual(finished, { stdout: "", stderr: "quarterdeck: revoked a/../b?c\n", status: 0 })
      assert.strictEqual(seen[0]?.method, "DELETE")
      assert.strictEqual(seen[0]?.url.href, "http://localhost/api/v1/apiKeys/a%2F..%2Fb%3Fc")
    })
  )

  it.effect("revoke --children asks the server to end a key and those that descend from it, in one call", () =>
    Effect.gen(function* () {
      const body = {
        id: "top",
        name: "top",
        start: "qd_000000",
        rule: { role: "Viewer" },
        status: "revoked",
        source: "created",
        createdAt: "2026-01-02T03:04:05.000Z",
        descendants: 3
      }
      const { env, seen } = yield* service(() => ({ body }))
      const finished = yield* quarterdeck(["key", "revoke", "top", "--children", "--force"], { env })
      assert.deepStrictEqual(finished, {
        stdout: "",
        stderr: "quarterdeck: revoked top and 3 keys that descend from it\n",
        status: 0
      })
      assert.deepStrictEqual(
        seen.map(({ method, url }) => `${method} ${url.pathname}${url.search}`),
        ["DELETE /api/v1/apiKeys/top?children=true&force=true"]
      )
    })
  )

  it.effect("create sends a description and addresses, and says which range is none", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(() => problem(409, "too_many_keys"))
      const create = (...flags: ReadonlyArray<string>) =>
        quarterdeck(["key", "create", "--name", "ci", "--role", "Viewer", ...flags], { env })
      yield* create("--description", "of the shop", "--allow-from", "203.0.113.0/24, 2001:db8::/32")
      assert.deepInclude(json(seen[0]?.body ?? ""), {
        description: "of the shop",
        allowFrom: ["203.0.113.0/24", "2001:db8::/32"]
      })
      const wrong = yield* create("--allow-from", "203.0.113.0/24,10.0.0.5/8")
      assert.strictEqual(wrong.status, 2)
      assert.include(wrong.stderr, "--allow-from, range 2: has bits set after its prefix")
      const unseen = yield* create("--description", "a\u202Eb")
      assert.notStrictEqual(unseen.status, 0)
      assert.include(unseen.stderr, "without control or format characters")
      assert.lengthOf(seen, 1)
    })
  )

  it.effect("revoke tells of a key that is not there", () =>
    Effect.gen(function* () {
      const { env } = yield* service(() => problem(404, "key_not_found"))
      const { status, stderr } = yield* quarterdeck(["key", "revoke", "x"], { env })
      assert.strictEqual(stderr, "quarterdeck: Refused: the reason (HTTP 404, code key_not_found, request r-1)\n")
      assert.strictEqual(status, 1)
    })
  )
})
