/** Who may follow what: the same as may be listed, with the same codes. */
import { assert } from "@effect/vitest"
import { Seed } from "@quarterdeck/harness"
import { Effect } from "effect"
import { Deployment, type KeyName, to } from "./Deployment.ts"
import { at } from "./McpSession.ts"
import { onOneDriver } from "./onEveryDriver.ts"
import { open, until, workloads } from "./StreamReader.ts"

const PATHS = ["/api/v1/workloads"] as const

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

onOneDriver("who may follow", { prepare: (fleet) => Seed.fill(fleet) }, (it) => {
  it.effect.each(PATHS.flatMap((path) => CASES.map((one) => [path, ...one] as const)))(
    "%s: %s of %s with %s: %s, as a list",
    ([path, key, target, query, code]) =>
      Effect.gen(function* () {
        const { call } = yield* Deployment
        const bearer = `e2e-${key}-0123456789`
        const list = yield* call(`${path}${query}`, {
          bearer,
          ...(target === undefined ? {} : { headers: to(target) })
        })
        const reader = yield* open(workloads, `${path}/watch${query}`, {
          bearer,
          ...(target === undefined ? {} : { target })
        })
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
