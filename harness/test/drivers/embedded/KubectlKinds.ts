import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { JsonObject } from "@quarterdeck/embedded-cluster/Json"
import { nextLine, session, typed } from "./KubectlSession.ts"

const WIDGETS: JsonObject = typed("apiextensions.k8s.io/v1", "CustomResourceDefinition", {
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget", shortNames: ["wd"], categories: ["all"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" }
        },
        additionalPrinterColumns: [
          { name: "Size", type: "integer", jsonPath: ".spec.size" },
          { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
          { name: "Color", type: "string", jsonPath: ".spec.color", priority: 1 }
        ],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                required: ["size"],
                properties: {
                  size: { type: "integer", maximum: 10, description: "How large it is." },
                  color: { type: "string", default: "red" },
                  replicas: { type: "integer", default: 1 }
                }
              },
              status: { type: "object", properties: { replicas: { type: "integer" } } }
            }
          }
        }
      }
    ]
  }
})

const widget = (size: number): JsonObject =>
  typed("example.com/v1", "Widget", { metadata: { name: "a" }, spec: { size } })

/** What people type about kinds of their own. */
export const kubectlKinds = (path: string): void => {
  it.live(
    "explains kinds that are built in and kinds that are not",
    () =>
      Effect.gen(function* () {
        const { kubectl, manifest } = yield* session(path)
        assert.match(yield* kubectl("explain", "deployment.spec.replicas"), /Number of desired pods/)
        yield* kubectl("apply", "-f", yield* manifest("kind.json", WIDGETS))
        const explained = yield* kubectl("explain", "widget.spec")
        assert.match(explained, /GROUP: +example\.com\nKIND: +Widget\nVERSION: +v1/)
        assert.match(explained, /size\t<integer> -required-\n +How large it is\./)
      }),
    120_000
  )

  it.live(
    "does with custom objects what it does with others",
    () =>
      Effect.gen(function* () {
        const { kubectl, lines, manifest, refused } = yield* session(path)
        yield* kubectl("apply", "-f", yield* manifest("kind.json", WIDGETS))
        assert.include(
          yield* kubectl("wait", "--for=condition=Established", "crd/widgets.example.com", "--timeout=20s"),
          "condition met"
        )
        const watched = yield* lines("get", "wd", "-w")
        const one = yield* manifest("one.json", widget(1))
        assert.strictEqual(yield* kubectl("apply", "-f", one), "widget.example.com/a created")
        assert.match(yield* nextLine(watched), /^NAME +SIZE +AGE/)
        assert.match(yield* nextLine(watched), /^a +1 +/)
        const two = yield* manifest("two.json", widget(2))
        assert.strictEqual(yield* kubectl("apply", "-f", two), "widget.example.com/a configured")
        assert.strictEqual(
          yield* kubectl("apply", "--server-side", "--force-conflicts", "-f", one),
          "widget.example.com/a serverside-applied"
        )
        assert.match(yield* kubectl("get", "wd", "-o", "wide"), /^NAME +SIZE +AGE +COLOR\na +1 +\S+ +red$/)
        assert.include(yield* kubectl("get", "all"), "widget.example.com/a")
        assert.match(yield* kubectl("describe", "widget", "a"), /Spec:\n +Color: +red\n +Replicas: +1\n +Size: +1/)
        yield* kubectl("patch", "wd", "a", "--type=merge", "-p", '{"spec":{"size":3}}')
        yield* kubectl("patch", "wd", "a", "--type=json", "-p", '[{"op":"replace","path":"/spec/size","value":4}]')
        assert.include(yield* refused("patch", "wd", "a", "-p", '{"spec":{"size":5}}'), "strategic-merge-patch")
        assert.strictEqual(yield* kubectl("scale", "wd", "a", "--replicas=7"), "widget.example.com/a scaled")
        assert.strictEqual(yield* kubectl("get", "wd", "a", "-o", "jsonpath={.spec.size} {.spec.replicas}"), "4 7")
        assert.match(
          yield* refused("patch", "wd", "a", "--type=merge", "-p", '{"spec":{"size":99}}'),
          /The Widget "a" is invalid: spec.size: /
        )
        assert.include(yield* kubectl("delete", "wd", "a"), "deleted")
        assert.include(yield* kubectl("delete", "crd", "widgets.example.com"), "deleted")
        assert.match(yield* refused("get", "widgets"), /NotFound|doesn't have a resource type/)
      }),
    120_000
  )

  it.live(
    "is somebody else where it may be",
    () =>
      Effect.gen(function* () {
        const { kubectl, refused } = yield* session(path)
        assert.include(yield* refused("get", "pods", "--as", "bob"), 'User "bob" cannot list resource "pods"')
        assert.strictEqual(yield* kubectl("get", "pods", "--as", "bob", "--as-group", "system:masters"), "")
      }),
    120_000
  )
}
