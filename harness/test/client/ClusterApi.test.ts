/** What the harness's own client says when a cluster cannot answer. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Embedded from "../../src/drivers/embedded/Embedded.ts"
import { eventually } from "../../src/machine/Eventually.ts"
import { Fleet } from "../../src/fleet/Fleet.ts"

const widgets = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.dev" },
  spec: {
    group: "example.dev",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }]
  }
}

describe("ClusterApi", () => {
  it.effect("says that a kind is not here, whether its group is served or not", () =>
    Effect.gen(function* () {
      const { api } = (yield* Fleet.make({ driver: Embedded.driver, parent: "hub" })).parent
      for (const [apiVersion, kind, path] of [
        ["networking.k8s.io/v1", "Ingress", "/apis/networking.k8s.io/v1"],
        ["apps/v1", "Ingress", "/apis/apps/v1"],
        ["v9", "Pod", "/api/v9"]
      ] as const) {
        const { message, reason } = yield* Effect.flip(api.list({ apiVersion, kind }))
        assert.strictEqual(message, `GET ${path} on hub: ${apiVersion} has no kind ${kind} on this cluster`)
        assert.strictEqual(reason._tag, "ApiUnexpected")
      }
    })
  )

  it.live("finds a kind whose group comes after it was asked for", () =>
    Effect.gen(function* () {
      const { api } = (yield* Fleet.make({ driver: Embedded.driver, parent: "hub" })).parent
      const list = Effect.result(api.list({ apiVersion: "example.dev/v1", kind: "Widget" }))
      assert.strictEqual((yield* list)._tag, "Failure")
      yield* api.create(widgets)
      yield* eventually("the new kind is served", list, ({ _tag }) => _tag === "Success")
    })
  )
})
