/** An embedded cluster and a real one, asked the same. */
import { assert, type Vitest } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { ClusterDriver, RunningCluster } from "../../../../src/drivers/ClusterDriver.ts"
import { driver as embedded } from "../../../../src/drivers/embedded/Embedded.ts"
import { isArray, isObject, type Json, type JsonObject, objectAt, without } from "@quarterdeck/embedded-cluster/Json"
import { type Answer, type CallOptions, type Client, connect, USERS } from "../Client.ts"

export type Suite = Vitest.MethodsNonLive<Pair>

/** The two to compare. */
export class Pair extends Context.Service<
  Pair,
  { readonly embedded: Client; readonly real: Client; readonly realCluster: RunningCluster }
>()("test/embedded/SameAsReal/Pair") {}

export const layerPair = (driver: ClusterDriver) =>
  Layer.effect(
    Pair,
    Effect.gen(function* () {
      const options = { name: "same", users: USERS }
      const [first, realCluster] = yield* Effect.all([embedded.start(options), driver.start(options)], {
        concurrency: 2
      })
      return { embedded: yield* connect(first), real: yield* connect(realCluster), realCluster }
    })
  )

/** What differs from cluster to cluster by nature. */
const CHANCE = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "deletionTimestamp",
  "managedFields",
  "time",
  "lastTransitionTime"
])

export const normal = (value: Json): Json => {
  if (isArray(value)) return value.map(normal)
  if (isObject(value)) {
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => key !== "managedFields")
        .map(([key, one]) => [key, CHANCE.has(key) ? "*" : normal(one)])
    )
  }
  if (typeof value !== "string") return value
  return value
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>")
    .replaceAll(/current: [0-9]+|record \([0-9]+\)/g, "<revision>")
    .replaceAll(/10\.0\.[0-9]+\.[0-9]+/g, "<address>")
}

/** What a caller acts upon of a refusal: its code, reason and details, and of their causes all but the sentences. */
const actedUpon = (json: JsonObject): JsonObject => {
  if (json["kind"] !== "Status" || json["status"] !== "Failure") return json
  const { causes, ...details } = objectAt(json, "details")
  const bare = isArray(causes) ? causes.map((cause) => (isObject(cause) ? without(cause, "message") : cause)) : []
  return { ...without(json, "message"), details: { ...details, causes: bare } }
}

const shown = ({ json, status, text, type }: Answer): Json => [
  status,
  type.startsWith("application/json") ? normal(actedUpon(json)) : text
]

/** Asks both and compares; gives the embedded cluster's answer. */
export const same = (method: string, path: string, options?: CallOptions) =>
  Effect.gen(function* () {
    const pair = yield* Pair
    const [ours, theirs] = yield* Effect.all([
      pair.embedded.call(method, path, options),
      pair.real.call(method, path, options)
    ])
    assert.deepStrictEqual(shown(ours), shown(theirs), `${method} ${path} ${JSON.stringify(options?.body ?? "")}`)
    return ours
  })

let made = 0
/** A namespace that no other test has, in both. */
export const namespace = Effect.gen(function* () {
  const name = `same-${++made}`
  yield* same("POST", "/api/v1/namespaces", { body: { metadata: { name } } })
  return {
    core: `/api/v1/namespaces/${name}`,
    apps: `/apis/apps/v1/namespaces/${name}`,
    batch: `/apis/batch/v1/namespaces/${name}`,
    name
  }
})

/** The columns and cells of a table, without what differs by nature. */
export const cellsOf = (table: JsonObject): Json => {
  const list = (name: string) => (isArray(table[name]) ? table[name] : [])
  const columns = list("columnDefinitions").map((column) =>
    isObject(column) ? Object.fromEntries(Object.entries(column).filter(([key]) => key !== "description")) : column
  )
  const cells = list("rows").map((row) =>
    isObject(row) && isArray(row["cells"])
      ? row["cells"].map((cell) => (typeof cell === "string" && /^[0-9]+s$/.test(cell) ? "<age>" : normal(cell)))
      : row
  )
  return [columns, cells]
}
