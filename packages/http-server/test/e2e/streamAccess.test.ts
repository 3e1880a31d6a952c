/** Who may follow what: the same as may be listed, with the same codes. */
import { assert } from "@effect/vitest"
import { Seed } from "@quarterdeck/harness"
import { Effect } from "effect"
import { Deployment, type KeyName, to } from "./Deployment.ts"
import { at } from "./McpSession.ts"
import { onOneDriver } from "./onEveryDriver.ts"
import { clusters, open, type Reading, until, workloads } from "./StreamReader.ts"

/** A key, a target, a query, and what both are refused with, if they are. */
const CASES: ReadonlyArray<
  [KeyName | "expired" | "nobody", target: string | undefined, query: string, code: string | undefined]
> = [
  ["viewer", "*", "", undefined],
  ["operator", "*", "", undefined],
  ["admin", "*", "", undefined],
  ["shopViewer", "*", "", undefined],
  ["shopViewer", "*", "?namespace=shop", undefined],
  ["shopViewer", "*", "?namespace=payments", "namespace_forbidden"],
  ["teamViewer", "*", "?namespace=nowhere", "namespace_forbidden"],
  ["prodViewer", "prod", "", undefined],
  ["prodViewer", "*", "", undefined],
  ["prodViewer", undefined, "", "cluster_forbidden"],
  ["prodViewer", "hub", "", "cluster_forbidden"],
  ["prodViewer", "nowhere", "", "cluster_forbidden"],
  ["viewer", "nowhere", "", "cluster_not_found"],
  ["childrenViewer", "later", "", "cluster_not_found"],
  ["viewer", "a,b", "", "invalid_target"],
  ["expired", "*", "", "key_expired"],
  ["nobody", "*", "", "invalid_key"]
]

/** The list of clusters has no filters, and is of all in scope without a header. */
const CLUSTER_CASES: typeof CASES = [
  ...CASES.filter(([, target, query]) => target !== undefined && query === ""),
  ["prodViewer", undefined, "", undefined],
  ["viewer", undefined, "", undefined]
]

const ALL_CASES = [
  ...CASES.map((one) => ["/api/v1/workloads", ...one] as const),
  ...CLUSTER_CASES.map((one) => ["/api/v1/clusters", ...one] as const)
]

/** Opens what follows a list. */
const openAt = Effect.fnUntraced(function* (path: string, query: string, reading: Reading) {
  const watch = `${path}/watch${query}`
  return path === "/api/v1/clusters" ? yield* open(clusters, watch, reading) : yield* open(workloads, watch, reading)
})

onOneDriver("who may follow", { prepare: (fleet) => Seed.fill(fleet) }, (it) => {
  it.effect.each(ALL_CASES)("%s: %s of %s with %s: %s, as a list", ([path, key, target, query, code]) =>
    Effect.gen(function* () {
      const { call } = yield* Deployment
      const bearer = `e2e-${key}-0123456789`
      const list = yield* call(`${path}${query}`, {
        bearer,
        ...(target === undefined ? {} : { headers: to(target) })
      })
      const reader = yield* openAt(path, query, { bearer, ...(target === undefined ? {} : { target }) })
      assert.strictEqual(reader.status, list.status)
      if (code === undefined) {
        yield* until("the first set", reader, ({ isReady }) => isReady)
        return assert.strictEqual(reader.status, 200)
      }
      yield* until("the problem", reader, ({ isClosed }) => isClosed)
      assert.deepStrictEqual([at(JSON.parse(reader.text), "code"), at(JSON.parse(list.text), "code")], [code, code])
    }).pipe(Effect.scoped)
  )

  it.effect("shows a scoped key rows of its own clusters and namespaces alone", () =>
    Effect.gen(function* () {
      for (const [key, holds] of [
        ["shopViewer", ({ namespace }) => namespace === "shop"],
        ["prodViewer", ({ cluster }) => cluster === "prod"]
      ] as ReadonlyArray<[KeyName, (row: { readonly namespace: string; readonly cluster: string }) => boolean]>) {
        const reader = yield* open(workloads, "/api/v1/workloads/watch", { key, target: "*" })
        yield* until("the first set", reader, ({ isReady }) => isReady)
        assert.isNotEmpty(reader.told)
        assert.isTrue(reader.told.every(holds))
      }
    }).pipe(Effect.scoped)
  )
})
