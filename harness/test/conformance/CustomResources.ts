import { assert } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import { Effect, Stream } from "effect"
import { eventually } from "../../src/machine/Eventually.ts"
import type { FleetCluster } from "../../src/fleet/FleetCluster.ts"
import type { KubeObject } from "../../src/client/KubeObject.ts"
import { at, freshNamespace, parent, causesOf, refusal, refusedCode, type Suite } from "./Fixture.ts"

const DEFINITIONS = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" }
const SERVED = { within: "30 seconds" } as const

/** A kind that no other test has. **Shape** `size` is required, 1 to 9; `colour` defaults to grey. */
const definition = (): { readonly group: string; readonly apiVersion: string; readonly object: KubeObject } => {
  const group = `t${randomBytes(5).toString("hex")}.example.com`
  const schema = {
    type: "object",
    properties: {
      spec: {
        type: "object",
        required: ["size"],
        properties: {
          size: { type: "integer", minimum: 1, maximum: 9 },
          colour: { type: "string", enum: ["grey", "red"], default: "grey" }
        }
      },
      status: { type: "object", properties: { ready: { type: "boolean" } } }
    }
  }
  return {
    group,
    apiVersion: `${group}/v1`,
    object: {
      ...DEFINITIONS,
      metadata: { name: `widgets.${group}` },
      spec: {
        group,
        scope: "Namespaced",
        names: { plural: "widgets", singular: "widget", kind: "Widget", shortNames: ["wd"] },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            subresources: { status: {} },
            additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
            schema: { openAPIV3Schema: schema }
          }
        ]
      }
    }
  }
}

const isEstablished = (object: KubeObject): boolean => {
  const conditions = at(object, "status", "conditions")
  return (
    Array.isArray(conditions)
    && conditions.some((one: unknown) => at(one, "type") === "Established" && at(one, "status") === "True")
  )
}

/** Defines a kind, waits until it is served, and takes it away after the test. */
const defined = Effect.fnUntraced(function* ({ api }: FleetCluster) {
  const { apiVersion, group, object } = definition()
  const ref = { ...DEFINITIONS, name: `widgets.${group}` }
  yield* Effect.acquireRelease(api.create(object), () => Effect.ignore(api.delete(ref)))
  yield* eventually("the definition is established", api.get(ref), isEstablished, SERVED)
  yield* eventually("the kind is served", api.list({ apiVersion, kind: "Widget" }), () => true, SERVED)
  return { apiVersion, group, ref, widget: { apiVersion, kind: "Widget" } }
})

/** Kinds that a test defines itself. */
export const customResources = (it: Suite): void => {
  it.effect(
    "a custom kind is served once its definition is established, with defaults, and without fields outside its schema",
    () =>
      Effect.gen(function* () {
        const cluster = yield* parent
        const { widget } = yield* defined(cluster)
        const namespace = yield* freshNamespace(cluster)
        const made = yield* cluster.api.create({
          ...widget,
          metadata: { name: "one", namespace },
          spec: { size: 3, unknown: true },
          status: { ready: true }
        })
        assert.deepStrictEqual(made["spec"], { size: 3, colour: "grey" })
        assert.isUndefined(made["status"])
        assert.strictEqual(made.metadata["generation"], 1)
        const listed = yield* cluster.api.list({ ...widget, namespace })
        assert.deepStrictEqual(
          listed.items.map(({ metadata }) => metadata.uid),
          [made.metadata.uid]
        )
      }),
    120_000
  )

  it.effect(
    "422 for a custom object that breaks its schema, with the field at fault",
    () =>
      Effect.gen(function* () {
        const cluster = yield* parent
        const { widget } = yield* defined(cluster)
        const namespace = yield* freshNamespace(cluster)
        const create = (spec: object) =>
          refusal(cluster.api.create({ ...widget, metadata: { name: "bad", namespace }, spec }))
        const large = yield* create({ size: 10 })
        assert.deepStrictEqual([large.code, large.reason], [422, "Invalid"])
        assert.deepStrictEqual(causesOf(large), [["FieldValueInvalid", "spec.size"]])
        assert.deepStrictEqual(causesOf(yield* create({})), [["FieldValueRequired", "spec.size"]])
        const blue = yield* create({ size: 1, colour: "blue" })
        assert.deepStrictEqual(causesOf(blue), [["FieldValueNotSupported", "spec.colour"]])
      }),
    120_000
  )

  it.effect(
    "a custom object can be merged and watched, and has its own status; a strategic merge is 415",
    () =>
      Effect.gen(function* () {
        const cluster = yield* parent
        const { api } = cluster
        const { widget } = yield* defined(cluster)
        const namespace = yield* freshNamespace(cluster)
        const ref = { ...widget, namespace, name: "one" }
        const made = yield* api.create({ ...widget, metadata: { name: "one", namespace }, spec: { size: 1 } })
        yield* api.patch(ref, { spec: { size: 2 } }, { type: "merge" })
        yield* api.patch(ref, { status: { ready: true }, spec: { size: 9 } }, { type: "merge", subresource: "status" })
        const events = yield* api
          .watch({ ...widget, namespace, resourceVersion: made.metadata.resourceVersion ?? "" })
          .pipe(Stream.take(2), Stream.runCollect)
        assert.deepStrictEqual(
          events.map(({ object, type }) => [type, at(object, "spec", "size"), at(object, "status", "ready")]),
          [
            ["MODIFIED", 2, undefined],
            ["MODIFIED", 2, true]
          ]
        )
        const refused = yield* refusal(api.patch(ref, { spec: { size: 3 } }, { type: "strategic" }))
        assert.deepStrictEqual([refused.code, refused.reason], [415, "UnsupportedMediaType"])
      }),
    120_000
  )

  it.effect(
    "deleting a definition deletes its objects and its kind",
    () =>
      Effect.gen(function* () {
        const cluster = yield* parent
        const { api } = cluster
        const { ref, widget } = yield* defined(cluster)
        const namespace = yield* freshNamespace(cluster)
        yield* api.create({ ...widget, metadata: { name: "one", namespace }, spec: { size: 1 } })
        yield* api.delete(ref)
        yield* eventually("the kind is gone", refusedCode(api.list(widget)), (code) => code === 404, SERVED)
      }),
    120_000
  )
}
