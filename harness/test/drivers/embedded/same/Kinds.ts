import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Json, JsonObject } from "@quarterdeck/embedded-cluster/Json"
import { patching, VIEWER } from "../Client.ts"
import { cellsOf, namespace, Pair, same, type Suite } from "./Pair.ts"
import { defined, definition, integer, version, widget, WIDGET } from "./Widgets.ts"

const JSON_PATCH = "application/json-patch+json"
const APPLY = "application/apply-patch+yaml"
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"

/** Kinds that clients define, and their objects. */
export const kinds = (it: Suite): void => {
  it.effect(
    "on objects of a custom kind that it refuses",
    () =>
      Effect.gen(function* () {
        const { name } = yield* namespace
        const path = yield* defined(definition(WIDGET))
        const widgets = `${path}/namespaces/${name}/widgets`
        const specs: ReadonlyArray<Json> = [
          {},
          { size: 0 },
          { size: 11 },
          { size: "x" },
          { size: 1.5 },
          { size: null },
          { size: 1, color: "green" },
          { size: 1, color: 3 },
          { size: 1, tag: "abcdef" },
          { size: 1, tag: "a" },
          { size: 1, tag: "ABC" },
          { size: 1, ports: [] },
          { size: 1, ports: [{ port: 1 }, { port: 2 }, { port: 3 }] },
          { size: 1, ports: [{ port: 1 }, { port: 1 }] },
          { size: 1, ports: [{ name: "x" }] },
          { size: 1, ports: {} },
          { size: 1, set: ["a", "a", "a"] },
          { size: 1, either: true },
          { size: 1, map: {} },
          { size: 1, map: { a: 1, b: 2, c: 3 } },
          { size: 1, map: { a: "x" } },
          { size: 1, free: { known: { a: "x" } } },
          { size: 1, number: 0.3 },
          { size: 1, number: 0 },
          { size: 1, number: "x" },
          { size: 1, flag: 1 },
          { size: 1, when: "yesterday" },
          { size: 1, one: {} },
          { size: 1, one: { a: 1, b: 1 } },
          { size: 1, replicas: -1 },
          [],
          "x"
        ]
        for (const spec of specs) yield* same("POST", widgets, { body: widget(path, { spec }) })
        const bodies: ReadonlyArray<JsonObject | string> = [
          { metadata: { name: "a" } },
          { kind: "Widget", metadata: { name: "a" } },
          widget(path, { kind: "Gadget" }),
          widget(path, { apiVersion: "example.com/v1" }),
          widget(path, { metadata: { name: "A_" } }),
          widget(path, { metadata: {} }),
          widget(path, { metadata: 3 }),
          widget(path, { metadata: { name: "a", labels: { a: 1 } } }),
          widget(path, { metadata: { name: "a", labels: { "a b": "c" } } })
        ]
        for (const body of bodies) yield* same("POST", widgets, { body })
        yield* same("POST", `${path}/widgets`, { body: widget(path, { spec: { size: 1 } }) })
        yield* same("POST", `${path}/namespaces/nowhere/widgets`, { body: widget(path, { spec: { size: 1 } }) })
      }),
    120_000
  )

  it.effect(
    "on what it drops, keeps and fills in",
    () =>
      Effect.gen(function* () {
        const { name } = yield* namespace
        const path = yield* defined(definition(WIDGET))
        const widgets = `${path}/namespaces/${name}/widgets`
        const body = widget(path, {
          spec: {
            size: 1,
            x: 1,
            ports: [{ port: 1, y: 1 }],
            maybe: null,
            flag: null,
            color: null,
            free: { any: { thing: null }, known: { a: 1, b: 2 } },
            deep: { list: [{}, { x: 5, z: 1 }] }
          },
          status: { phase: "Up" },
          other: 1
        })
        yield* same("POST", `${widgets}?dryRun=All`, { body })
        yield* same("POST", `${widgets}?fieldValidation=Strict`, { body })
        yield* same("POST", `${widgets}?fieldValidation=Loose`, { body })
        yield* same("POST", widgets, { body })
        yield* same("POST", widgets, { body })
        yield* same("POST", widgets, { body: widget(path, { metadata: { name: "b" } }) })
        yield* same("GET", `${widgets}/a`)
        yield* same("GET", `${widgets}/none`)
        yield* same("GET", `${widgets}?fieldSelector=metadata.name%3Db`)
        yield* same("GET", `${widgets}?fieldSelector=spec.size%3D1`)
        yield* same("GET", `${path}/widgets?labelSelector=a`)
        yield* same("GET", widgets, { token: VIEWER })
        yield* same("GET", widgets, { accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io" })
      }),
    120_000
  )

  it.effect(
    "on changes of custom objects",
    () =>
      Effect.gen(function* () {
        const { name } = yield* namespace
        const path = yield* defined(definition(WIDGET, { versions: [version("v1", { subresources: { status: {} } })] }))
        const widgets = `${path}/namespaces/${name}/widgets`
        const a = `${widgets}/a`
        yield* same("POST", widgets, {
          body: widget(path, { spec: { size: 1, ports: [{ port: 1 }] }, status: { phase: "Up" } })
        })
        yield* same("PUT", a, { body: widget(path, { spec: { size: 2 } }) })
        yield* same("PUT", `${widgets}/b`, { body: widget(path, { metadata: { name: "b" }, spec: { size: 2 } }) })
        yield* same("PATCH", a, patching({ spec: { size: 3, unknown: 1 } }))
        yield* same("PATCH", a, patching({ spec: { size: 30 } }))
        yield* same("PATCH", a, patching({ metadata: { labels: { a: "b" } } }))
        yield* same("PATCH", a, patching({ status: { phase: "Down" } }))
        yield* same("PATCH", a, patching({ spec: { size: 4 } }, "application/strategic-merge-patch+json"))
        yield* same("PATCH", a, { body: '[{"op":"replace","path":"/spec/size","value":5}]', type: JSON_PATCH })
        yield* same("PATCH", a, { body: '[{"op":"test","path":"/spec/size","value":9}]', type: JSON_PATCH })
        yield* same("PATCH", `${a}/status`, patching({ status: { phase: "Down", x: 1 }, spec: { size: 9 } }))
        yield* same("PATCH", `${a}/status`, patching({ status: { phase: "Sideways" } }))
        yield* same("PATCH", `${a}/status`, patching({ metadata: { labels: { c: "d" } } }))
        yield* same("GET", `${a}/status`)
        yield* same("GET", `${a}/scale`)
        yield* same("DELETE", a, { body: { preconditions: { uid: "no" } } })
        yield* same("DELETE", a)
        yield* same("DELETE", a)
        yield* same("DELETE", widgets)
      }),
    120_000
  )

  it.effect(
    "on what is applied to custom objects",
    () =>
      Effect.gen(function* () {
        const { name } = yield* namespace
        const path = yield* defined(definition(WIDGET))
        const a = `${path}/namespaces/${name}/widgets/a`
        const apply = (manager: string, spec: JsonObject) =>
          same("PATCH", `${a}?fieldManager=${manager}`, { body: widget(path, { spec }), type: APPLY })
        yield* apply("one", { size: 1, ports: [{ port: 1, name: "x" }], set: ["a"] })
        yield* apply("two", { ports: [{ port: 2, name: "y" }], set: ["b"] })
        yield* apply("two", { ports: [{ port: 1, name: "z" }] })
        yield* apply("two", { unknown: 1 })
        yield* apply("one", { size: 2, ports: [{ port: 1, name: "x" }] })
        yield* same("GET", a)
      }),
    120_000
  )

  it.effect(
    "on the scale of custom objects",
    () =>
      Effect.gen(function* () {
        const { name } = yield* namespace
        const paths = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" }
        const scale = { ...paths, labelSelectorPath: ".status.selector" }
        const path = yield* defined(
          definition(WIDGET, { versions: [version("v1", { subresources: { status: {}, scale } })] })
        )
        const widgets = `${path}/namespaces/${name}/widgets`
        const a = `${widgets}/a`
        yield* same("POST", widgets, { body: widget(path, { spec: { size: 1 } }) })
        yield* same("GET", `${a}/scale`)
        yield* same("PATCH", a, patching({ spec: { replicas: 3 } }))
        yield* same("PATCH", `${a}/status`, patching({ status: { replicas: 2, selector: "a=b" } }))
        yield* same("GET", `${a}/scale`)
        yield* same("PATCH", `${a}/scale`, patching({ spec: { replicas: 5 } }))
        yield* same("PATCH", `${a}/scale`, patching({ spec: { replicas: -5 } }))
        yield* same("GET", a)
      }),
    120_000
  )

  it.effect(
    "on versions, columns and fields of a custom kind",
    () =>
      Effect.gen(function* () {
        const { name } = yield* namespace
        const small = { type: "object", properties: { spec: { type: "object", properties: { size: integer } } } }
        const additionalPrinterColumns = [
          { name: "Size", type: "integer", jsonPath: ".spec.size" },
          { name: "Color", type: "string", jsonPath: ".spec.color", priority: 1, description: "What it looks like." },
          { name: "First", type: "integer", jsonPath: ".spec.ports[0].port" },
          { name: "Made", type: "date", jsonPath: ".metadata.creationTimestamp" }
        ]
        const path = yield* defined(
          definition(WIDGET, {
            versions: [
              version("v1alpha1", { storage: false, schema: { openAPIV3Schema: small }, deprecated: true }),
              version("v2", { additionalPrinterColumns, selectableFields: [{ jsonPath: ".spec.color" }] }),
              version("v1beta1", { storage: false }),
              version("v1", { storage: false, served: false })
            ]
          }),
          "v2"
        )
        const group = path.replace("/v2", "")
        const at = (version: string) => `${group}/${version}/namespaces/${name}/widgets`
        const body = widget(path, { spec: { size: 1, color: "blue", ports: [{ port: 1 }] } })
        yield* same("POST", at("v2"), { body })
        yield* same("POST", at("v1alpha1"), {
          body: widget(`${group}/v1alpha1`, { metadata: { name: "old" }, spec: { size: 2, color: "blue" } })
        })
        for (const one of ["v2", "v1beta1", "v1alpha1", "v1"]) {
          yield* same("GET", `${at(one)}/a`)
          yield* same("GET", `${at(one)}/old`)
          yield* same("GET", `${at(one)}?fieldSelector=spec.color%3Dred`)
          yield* same("GET", `${group}/${one}`)
        }
        yield* same("GET", group)
        yield* same("PATCH", `${at("v1alpha1")}/a`, patching({ spec: { size: 5 } }))
        yield* same("GET", `${at("v2")}/a`)
        const { embedded, real } = yield* Pair
        for (const one of ["v2", "v1beta1"]) {
          const [ours, theirs] = yield* Effect.forEach([embedded, real], (client) =>
            Effect.map(client.call("GET", at(one), { accept: TABLE }), ({ json }) => cellsOf(json))
          )
          assert.deepStrictEqual(ours, theirs, one)
        }
      }),
    120_000
  )
}
