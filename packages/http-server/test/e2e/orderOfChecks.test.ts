/** In which order a request is judged, on every route: who it is, then the role, then the limit, then the body. */
import { assert } from "@effect/vitest"
import * as Access from "@quarterdeck/keys/Access"
import { Effect } from "effect"
import * as Endpoints from "../../src/http/request/Endpoints.ts"
import { Deployment } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"

const OTHERS = "key_0000000000000000000000"
const VIEWER = { role: "Viewer" } as const

/** A request that everything is wrong with: its query, its media type and its body. */
const wrong = { headers: [["Content-Type", "text/plain"]] as const, body: "{" }

const pathOf = (path: string) =>
  `${path
    .replace(":id", OTHERS)
    .replaceAll(/:cluster|:name/g, "hub")
    .replaceAll(/:[a-z]+/g, "x")}?none-such=1`

const guarded = Endpoints.all.filter(({ isGuarded }) => isGuarded)

/** The routes whose role a Viewer does not have: for a key, those of others. */
const beyondViewers = guarded.filter(({ policy }) => {
  if (policy === undefined || typeof policy === "string") return false
  const { resource, verb } = policy.ofOthers ?? policy
  return Access.decide(VIEWER, resource, verb) !== "allowed"
})

const nameOf = ({ method, path }: { readonly method: string; readonly path: string }) => [method, path] as const

onOneDriver("the order of checks", { children: [] }, (it) => {
  it.effect.each([...guarded.map(nameOf), ["GET", "/api/v1/session"] as const])(
    "%s %s is 401 without a key, whatever else is wrong",
    ([method, path]) =>
      Effect.gen(function* () {
        const body = method === "GET" || method === "DELETE" ? {} : wrong
        const refused = yield* (yield* Deployment).problem(pathOf(path), { method, key: null, ...body })
        assert.deepInclude(refused, { status: 401, code: "missing_credential" })
      })
  )

  it("covers the routes of keys", () => {
    const paths = new Set(beyondViewers.map(({ method, path }) => `${method} ${path}`))
    for (const route of ["POST /api/v1/apiKeys/:id/rotate", "DELETE /api/v1/apiKeys/:id", "PUT /api/v1/prices"]) {
      assert.isTrue(paths.has(route), route)
    }
  })

  it.effect.each(beyondViewers.map(nameOf))(
    "%s %s is 403 for a Viewer before its query and its body are read",
    ([method, path]) =>
      Effect.gen(function* () {
        const { call, problem } = yield* Deployment
        const request = { method, key: "viewer" } as const
        const withBody = method === "GET" || method === "DELETE" ? {} : wrong
        assert.deepInclude(yield* problem(pathOf(path), { ...request, ...withBody }), {
          status: 403,
          code: "role_forbidden"
        })
        if (method === "GET" || method === "DELETE") return
        const large = JSON.stringify({ text: "x".repeat(1_048_577) })
        const json = { headers: [["Content-Type", "application/json"]] as const, body: large }
        assert.strictEqual((yield* call(pathOf(path), { ...request, ...json })).status, 403)
      })
  )

  it.effect("a key rotates itself whatever its role, and is told then what is wrong with the body", () =>
    Effect.gen(function* () {
      const { createKey, problem } = yield* Deployment
      const { apiKey, raw } = yield* createKey({ name: "own", rule: { role: "Viewer" } })
      const path = `/api/v1/apiKeys/${apiKey.id}/rotate`
      assert.deepInclude(yield* problem(path, { method: "POST", bearer: raw, ...wrong }), {
        status: 415,
        code: "unsupported_media_type"
      })
    })
  )
})

onOneDriver(
  "the order of checks of a key over its limit",
  { children: [], options: { limits: { keyPerSecond: 1, keyBurst: 2 } } },
  (it) => {
    it.effect.each([
      ["POST", "/mcp"],
      ["POST", "/api/v1/accessReviews"]
    ] as const)("%s %s is 429 before its media type is looked at", ([method, path]) =>
      Effect.gen(function* () {
        const { call, createKey } = yield* Deployment
        const { raw } = yield* createKey({ name: "busy", rule: { role: "Viewer" } })
        const statuses = yield* Effect.forEach([1, 2, 3, 4], () =>
          Effect.map(call(path, { method, bearer: raw, ...wrong }), ({ status }) => status)
        )
        assert.deepStrictEqual(statuses.slice(0, 2), [415, 415])
        assert.include(statuses.slice(2), 429)
      })
    )
  }
)
