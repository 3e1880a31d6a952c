/** Every cell of the access table, for each role, scoped and not, by REST and as a tool of MCP. */
import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as Endpoints from "../../src/http/request/Endpoints.ts"
import * as McpTools from "../../src/http/mcp/McpTools.ts"
import { APART, INSIDE, KEYS, OUTSIDE, refusalOf, TABLE } from "./accessTable.ts"
import { Deployment, rawKey } from "./Deployment.ts"
import { at, callTool, codeOf, connect } from "./McpSession.ts"
import { onOneDriver } from "./onEveryDriver.ts"
import { fillWritten } from "./writtenPods.ts"

/** Refusals of access: any other answer shows that a key was let through. */
const REFUSALS = new Set(["role_forbidden", "cluster_forbidden", "namespace_forbidden"])

/** What has come through to the clusters of objects, but for what the cache follows by itself. */
const sent = Effect.gen(function* () {
  let count = 0
  for (const { faults } of (yield* Deployment).fleet.clusters) {
    const { requests } = yield* Option.getOrThrow(faults).counters
    for (const [what, times] of requests) {
      if (/^(?:get|patch|update|create|delete) (?:deployments|pods)/.test(what)) count += times
    }
  }
  return count
})

const CASES = Object.keys(TABLE).flatMap((name) =>
  KEYS.map((key): [string, string, (typeof KEYS)[number]] => [name, key[0], key])
)

onOneDriver("the access table", { faults: true, prepare: fillWritten }, (it) => {
  it.effect("has a row for every route", () =>
    Effect.sync(() => {
      assert.deepStrictEqual(
        Endpoints.all.map(({ name }) => name).toSorted(),
        [...Object.keys(TABLE), ...Object.keys(APART)].toSorted()
      )
    })
  )

  it.effect.each(CASES)("%s by %s, in its scope and out of it", ([name, , key]) =>
    Effect.gen(function* () {
      const row = TABLE[name]
      if (row === undefined) return assert.fail(name)
      const deployment = yield* Deployment
      const tool = McpTools.all.find(({ endpoint }) => endpoint.name === name)
      const client = tool === undefined ? undefined : yield* connect(deployment.url, rawKey(key[0]))
      for (const place of [INSIDE, OUTSIDE]) {
        const expected = refusalOf(row, key, place)
        const { call, given, path } = row.ask(place)
        const before = yield* sent
        const reply = yield* deployment.call(path, { ...call, key: key[0] })
        const body: unknown = /json/.test(String(reply.headers["content-type"])) ? JSON.parse(reply.text) : undefined
        const code = String(at(body, "code"))
        if (expected === undefined) assert.isFalse(REFUSALS.has(code), `${reply.status} ${reply.text}`)
        else assert.deepStrictEqual([reply.status, code], [403, expected])
        if (tool !== undefined && client !== undefined) {
          const told = codeOf(yield* callTool(client, tool.name, given))
          if (expected === undefined) assert.isFalse(REFUSALS.has(String(told)), String(told))
          else assert.strictEqual(told, expected)
        }
        if (expected !== undefined) assert.strictEqual(yield* sent, before, "something was sent")
      }
    }).pipe(Effect.scoped)
  )
})
