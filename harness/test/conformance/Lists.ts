import { assert } from "@effect/vitest"
import { Effect, Option, Stream } from "effect"
import { configMap, configMaps, freshNamespace, namesOf, parent, pod, refusal, type Suite } from "./Fixture.ts"

const COLOURS = [
  ["a", "red"],
  ["b", "green"],
  ["c", "blue"]
] as const

/** Pages and selectors. */
export const lists = (it: Suite): void => {
  it.effect("pages contain every object once, of one version, and the number of remaining objects", () =>
    Effect.gen(function* () {
      const { api } = yield* parent
      const namespace = yield* freshNamespace(yield* parent)
      const names = ["a", "b", "c", "d", "e"]
      yield* Effect.forEach(names, (name) => api.create(configMap(namespace, name, { paged: "yes" })), {
        concurrency: "unbounded"
      })
      const pages = yield* Stream.paginate("", (token) =>
        Effect.gen(function* () {
          // What is written between two pages belongs to none of them.
          yield* api.apply(configMap(namespace, token === "" ? "a" : "z"))
          const page = yield* api.list({
            ...configMaps(namespace),
            limit: 2,
            ...(token === "" ? {} : { continue: token })
          })
          return [[page], Option.fromUndefinedOr(page.continue)] as const
        })
      ).pipe(Stream.runCollect)
      assert.deepStrictEqual(
        pages.map(({ items }) => items.length),
        [2, 2, 1]
      )
      assert.deepStrictEqual(
        pages.map(({ remainingItemCount }) => remainingItemCount),
        [3, 1, undefined]
      )
      assert.deepStrictEqual(namesOf(pages.flatMap(({ items }) => items)), names)
      assert.strictEqual(new Set(pages.map(({ resourceVersion }) => resourceVersion)).size, 1)
    })
  )

  it.effect("400 for an invalid continue token", () =>
    Effect.gen(function* () {
      const { api } = yield* parent
      const refused = yield* refusal(api.list({ ...configMaps("default"), limit: 1, continue: "junk" }))
      assert.deepStrictEqual([refused.code, refused.reason], [400, "BadRequest"])
    })
  )

  for (const [selector, expected] of [
    ["colour=red", ["a"]],
    ["colour==red", ["a"]],
    ["colour!=red", ["b", "c", "plain"]],
    ["colour in (red,blue)", ["a", "c"]],
    ["colour notin (red,blue)", ["b", "plain"]],
    ["colour", ["a", "b", "c"]],
    ["!colour", ["plain"]],
    ["colour,colour!=green", ["a", "c"]]
  ] as const) {
    it.effect(`the label selector "${selector}" selects`, () =>
      Effect.gen(function* () {
        const { api } = yield* parent
        const namespace = yield* freshNamespace(yield* parent)
        yield* Effect.forEach(COLOURS, ([name, colour]) => api.create(configMap(namespace, name, { colour })))
        yield* api.create(configMap(namespace, "plain"))
        // With controllers a namespace holds the cluster's own certificates too.
        const { items } = yield* api.list({ ...configMaps(namespace), labelSelector: selector })
        assert.deepStrictEqual(
          namesOf(items).filter((name) => name !== "kube-root-ca.crt"),
          [...expected]
        )
      })
    )
  }

  it.effect("field selectors select by name and by node", () =>
    Effect.gen(function* () {
      const { api } = yield* parent
      const namespace = yield* freshNamespace(yield* parent)
      yield* api.create(pod(namespace, "placed", "node-1"))
      yield* api.create(pod(namespace, "waiting"))
      const select = (fieldSelector: string) =>
        Effect.map(api.list({ apiVersion: "v1", kind: "Pod", namespace, fieldSelector }), ({ items }) => namesOf(items))
      assert.deepStrictEqual(yield* select("metadata.name=waiting"), ["waiting"])
      assert.deepStrictEqual(yield* select("spec.nodeName=node-1"), ["placed"])
      assert.deepStrictEqual(yield* select("spec.nodeName!=node-1"), ["waiting"])
      assert.deepStrictEqual(yield* select("status.phase=Pending,metadata.name=placed"), ["placed"])
    })
  )

  it.effect("400 for an invalid selector", () =>
    Effect.gen(function* () {
      const { api } = yield* parent
      const byLabel = yield* refusal(api.list({ ...configMaps("default"), labelSelector: "a in" }))
      assert.deepStrictEqual([byLabel.code, byLabel.reason], [400, "BadRequest"])
      const byField = yield* refusal(
        api.list({ apiVersion: "v1", kind: "Pod", namespace: "default", fieldSelector: "spec.foo=1" })
      )
      assert.deepStrictEqual([byField.code, byField.reason], [400, "BadRequest"])
    })
  )

  it.effect("a list over all namespaces contains the objects of each", () =>
    Effect.gen(function* () {
      const { api } = yield* parent
      const cluster = yield* parent
      const first = yield* freshNamespace(cluster)
      const second = yield* freshNamespace(cluster)
      const labels = { "test/of": first }
      yield* api.create(configMap(first, "one", labels))
      yield* api.create(configMap(second, "two", labels))
      const { items } = yield* api.list({ apiVersion: "v1", kind: "ConfigMap", labelSelector: `test/of=${first}` })
      assert.deepStrictEqual(namesOf(items), ["one", "two"])
    })
  )
}
