import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../../../../src/machine/Eventually.ts"
import { arrayAt, isObject, type JsonObject, textAt } from "@quarterdeck/embedded-cluster/Json"
import { patching } from "../Client.ts"
import { namespace, Pair, same, type Suite } from "./Pair.ts"
import { becomes, defined, definition, DEFINITIONS, groupOf, text, version, widget, WIDGET } from "./Widgets.ts"

/** What defines a kind: what is refused, and the life of what is not. */
export const definitions = (it: Suite): void => {
  it.effect(
    "on definitions that it refuses",
    () =>
      Effect.gen(function* () {
        const schema = (openAPIV3Schema: JsonObject) => ({ versions: [version("v1", { schema: { openAPIV3Schema } })] })
        const field = (one: JsonObject) => schema({ type: "object", properties: { spec: one } })
        const bodies: ReadonlyArray<JsonObject> = [
          { ...definition(WIDGET), metadata: { name: "other.example.com" } },
          definition({ kind: "Widget", plural: "" }),
          definition({ plural: "widgets" }),
          definition({ ...WIDGET, plural: "Widgets" }),
          definition({ ...WIDGET, kind: "wid get" }),
          definition({ ...WIDGET, shortNames: ["A_"] }),
          definition({ ...WIDGET, kind: "Same", listKind: "Same" }),
          definition(WIDGET, { scope: "Everywhere" }),
          definition(WIDGET, { scope: "" }),
          definition(WIDGET, { versions: [] }),
          definition(WIDGET, { versions: [version("V1")] }),
          definition(WIDGET, { versions: [version("v1", { schema: {} })] }),
          definition(WIDGET, schema({ properties: {} })),
          definition(WIDGET, schema({ type: "array", items: text })),
          definition(WIDGET, field({ properties: {} })),
          definition(WIDGET, field({ type: "array" })),
          definition(WIDGET, field({ type: "thing" })),
          definition(WIDGET, field({ type: "array", items: text, "x-kubernetes-list-type": "map" })),
          definition(WIDGET, field({ type: "object", "x-kubernetes-list-type": "set" })),
          definition(WIDGET, field({ type: "string", default: 3 })),
          definition(WIDGET, { preserveUnknownFields: true }),
          definition(WIDGET, { conversion: { strategy: "Webhook" } }),
          definition(WIDGET, {
            versions: [version("v1", { additionalPrinterColumns: [{ name: "A", type: "thing" }] })]
          }),
          definition(WIDGET, { versions: [version("v1", { selectableFields: [{ jsonPath: ".spec.none" }] })] }),
          definition(WIDGET, { versions: [version("v1", { subresources: { scale: { specReplicasPath: "spec" } } })] })
        ]
        for (const body of bodies) yield* same("POST", DEFINITIONS, { body })
        const guarded = definition(WIDGET, { group: "widgets.k8s.io" })
        yield* same("POST", DEFINITIONS, { body: { ...guarded, metadata: { name: "widgets.widgets.k8s.io" } } })
      }),
    120_000
  )

  it.effect(
    "on the life of a definition",
    () =>
      Effect.gen(function* () {
        const { name } = yield* namespace
        const object = definition(WIDGET)
        const path = yield* defined(object)
        const own = `${DEFINITIONS}/${textAt(object, "metadata", "name")}`
        const established = ({ json }: { readonly json: JsonObject }) =>
          arrayAt(json, "status", "conditions").some(
            (one) => textAt(one, "type") === "Established" && textAt(one, "status") === "True"
          )
        const { embedded, real } = yield* Pair
        for (const client of [embedded, real])
          yield* eventually("the definition is established", client.call("GET", own), established)
        yield* same("GET", own)
        yield* same("GET", path)
        yield* same("GET", path.replace("/v1", ""))
        yield* same("PATCH", own, patching({ spec: { group: "other.example.com" } }))
        yield* same("PATCH", own, patching({ spec: { scope: "Cluster" } }))
        yield* same("PATCH", own, patching({ spec: { names: { kind: "Gadget" } } }))
        // Another definition of the group wants the same names.
        const rival = definition({ ...WIDGET, plural: "rivals" }, { group: groupOf(object) })
        yield* same("POST", DEFINITIONS, { body: { ...rival, metadata: { name: `rivals.${groupOf(object)}` } } })
        const second = `${DEFINITIONS}/rivals.${groupOf(object)}`
        for (const client of [embedded, real])
          yield* eventually(
            "the rival is judged",
            client.call("GET", second),
            ({ json }) => arrayAt(json, "status", "conditions").length > 0
          )
        yield* same("GET", second)
        yield* same("DELETE", second)

        const widgets = `${path}/namespaces/${name}/widgets`
        yield* same("POST", widgets, { body: widget(path, { spec: { size: 1 } }) })
        yield* same("POST", widgets, {
          body: widget(path, { metadata: { name: "held", finalizers: ["a.b/c"] }, spec: { size: 1 } })
        })
        const deleted = yield* same("DELETE", own)
        assert.isTrue(isObject(deleted.json["status"]))
        for (const client of [embedded, real]) {
          yield* becomes(client, `${widgets}/a`, 404)
          // A server deletes them one after the other.
          yield* eventually(
            "the other one is to go",
            client.call("GET", `${widgets}/held`),
            ({ json }) => textAt(json, "metadata", "deletionTimestamp") !== ""
          )
        }
        yield* same("POST", widgets, { body: widget(path, { metadata: { name: "late" }, spec: { size: 1 } }) })
        yield* same("PATCH", `${widgets}/held`, patching({ metadata: { finalizers: null } }))
        for (const client of [embedded, real]) {
          yield* becomes(client, own, 404)
          yield* becomes(client, path, 404)
        }
        yield* same("GET", widgets)
      }),
    120_000
  )
}
