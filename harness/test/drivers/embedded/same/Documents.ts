import { Resources } from "@quarterdeck/embedded-cluster"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { arrayAt, at, isObject, type Json, type JsonObject, objectAt, textAt } from "@quarterdeck/embedded-cluster/Json"
import { Pair, type Suite } from "./Pair.ts"

const METHODS = ["get", "put", "post", "delete", "patch"]

const GROUPS = [
  ...new Set(Resources.all.map(({ group, version }) => (group === "" ? "api/v1" : `apis/${group}/${version}`)))
]

/** What a document says of a path, as programs read it. */
const told = (item: JsonObject): Json =>
  Object.fromEntries(
    METHODS.flatMap((method) => {
      const operation = item[method]
      if (!isObject(operation)) return []
      const parameters = [...arrayAt(operation, "parameters"), ...arrayAt(item, "parameters")]
      const told = {
        action: operation["x-kubernetes-action"] ?? "",
        kind: operation["x-kubernetes-group-version-kind"] ?? {},
        parameters: parameters.map((one) => `${textAt(one, "in")} ${textAt(one, "name")}`).toSorted(),
        takes: Object.entries(objectAt(operation, "requestBody", "content"))
          .map(([type, one]) => `${type} ${textAt(one, "schema", "$ref")}`)
          .toSorted(),
        gives: at(operation, "responses", "200", "content", "application/json", "schema") ?? {}
      }
      return [[method, told] as const]
    })
  )

/** What the server says of itself. */
export const documents = (it: Suite): void => {
  it.effect(
    "on the schemas and paths of its documents",
    () =>
      Effect.gen(function* () {
        const { embedded, real } = yield* Pair
        for (const group of GROUPS) {
          const [ours, theirs] = yield* Effect.all([
            embedded.call("GET", `/openapi/v3/${group}`),
            real.call("GET", `/openapi/v3/${group}`)
          ])
          const schemas = (json: JsonObject) => objectAt(json, "components", "schemas")
          for (const [name, schema] of Object.entries(schemas(ours.json)))
            assert.deepStrictEqual(schema, schemas(theirs.json)[name], `${group} ${name}`)
          for (const [path, item] of Object.entries(objectAt(ours.json, "paths"))) {
            const other = at(theirs.json, "paths", path)
            assert.isTrue(isObject(other), path)
            if (isObject(item) && isObject(other)) assert.deepStrictEqual(told(item), told(other), path)
          }
        }
      }),
    120_000
  )

  it.effect(
    "on what discovery says of each kind that it serves",
    () =>
      Effect.gen(function* () {
        const { embedded, real } = yield* Pair
        for (const group of GROUPS) {
          const [ours, theirs] = yield* Effect.all([embedded.call("GET", `/${group}`), real.call("GET", `/${group}`)])
          const named = (json: JsonObject) =>
            new Map(arrayAt(json, "resources").map((one) => [textAt(one, "name"), one] as const))
          const known = named(theirs.json)
          for (const [name, resource] of named(ours.json)) assert.deepStrictEqual(resource, known.get(name), name)
        }
      }),
    120_000
  )
}
