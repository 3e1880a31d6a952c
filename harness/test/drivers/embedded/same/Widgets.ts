/** Kinds that a test defines in both clusters. */
import { Effect } from "effect"
import { eventually } from "../../../../src/machine/Eventually.ts"
import { type JsonObject, textAt } from "@quarterdeck/embedded-cluster/Json"
import type { Client } from "../Client.ts"
import { Pair, same } from "./Pair.ts"

export const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

export const text = { type: "string" }
export const integer = { type: "integer" }

const SPEC: JsonObject = {
  type: "object",
  required: ["size"],
  properties: {
    size: { type: "integer", minimum: 1, maximum: 10 },
    color: { type: "string", enum: ["red", "blue"], default: "red" },
    tag: { type: "string", pattern: "^[a-z]+$", maxLength: 5, minLength: 2 },
    ports: {
      type: "array",
      maxItems: 2,
      minItems: 1,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["port"],
      items: {
        type: "object",
        required: ["port"],
        properties: { port: integer, name: text, protocol: { type: "string", default: "TCP" } }
      }
    },
    set: { type: "array", "x-kubernetes-list-type": "set", items: text },
    either: { "x-kubernetes-int-or-string": true },
    map: { type: "object", additionalProperties: integer, maxProperties: 2, minProperties: 1 },
    maybe: { type: "string", nullable: true },
    free: {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      properties: { known: { type: "object", properties: { a: integer } } }
    },
    number: { type: "number", multipleOf: 0.5, exclusiveMinimum: true, minimum: 0 },
    flag: { type: "boolean" },
    replicas: integer,
    when: { type: "string", format: "date-time" },
    one: {
      type: "object",
      properties: { a: integer, b: integer },
      oneOf: [{ required: ["a"] }, { required: ["b"] }]
    },
    deep: {
      type: "object",
      default: {},
      properties: {
        level: { type: "integer", default: 3 },
        list: { type: "array", items: { type: "object", properties: { x: { type: "integer", default: 1 } } } }
      }
    }
  }
}

const STATUS: JsonObject = {
  type: "object",
  properties: { replicas: integer, selector: text, phase: { type: "string", enum: ["Up", "Down"] } }
}

export const version = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: "object", properties: { spec: SPEC, status: STATUS } } },
  ...more
})

let made = 0
/** A definition of a group that no other test has. */
export const definition = (names: JsonObject, more: JsonObject = {}): JsonObject => {
  const group = `g${++made}.example.com`
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${textAt(names, "plural")}.${group}` },
    spec: { group, scope: "Namespaced", names, versions: [version("v1")], ...more }
  }
}

export const groupOf = (object: JsonObject): string => textAt(object, "spec", "group")

/** The real server looks only every five seconds whether the objects of a definition that ends are gone. */
const WAIT = { within: "30 seconds" } as const

export const becomes = (client: Client, path: string, wanted: number) =>
  eventually(
    `${path} answers ${wanted}`,
    Effect.map(client.call("GET", path), ({ status }) => status),
    (status) => status === wanted,
    WAIT
  )

/** Creates a definition in both, and waits until both serve it. */
export const defined = (object: JsonObject, name = "v1") =>
  Effect.gen(function* () {
    const { embedded, real } = yield* Pair
    yield* same("POST", DEFINITIONS, { body: object })
    const path = `/apis/${groupOf(object)}/${name}`
    for (const client of [embedded, real]) {
      yield* becomes(client, path, 200)
      // Discovery may be ahead of the paths themselves.
      const plural = textAt(object, "spec", "names", "plural")
      yield* becomes(client, `${path}/${plural}`, 200)
    }
    return path
  })

export const WIDGET = { plural: "widgets", kind: "Widget", shortNames: ["wd"], categories: ["all"] }

export const widget = (path: string, object: JsonObject): JsonObject => ({
  apiVersion: path.replace("/apis/", ""),
  kind: "Widget",
  metadata: { name: "a" },
  ...object
})
