import { assert } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { make as makeApi } from "../../src/client/ClusterApi.ts"
import { eventually } from "../../src/machine/Eventually.ts"
import * as Fault from "../../src/faults/Fault.ts"
import { configMap, configMaps, freshNamespace, parent, refusal, type Suite } from "./Fixture.ts"

/** A client that comes the way that every client of the fleet's kubeconfig comes. */
const client = Effect.gen(function* () {
  const { caPem, name, server, token } = yield* parent
  return yield* makeApi({ cluster: name, server, caPem, token: yield* token("admin") })
})

const namespaces = { apiVersion: "v1", kind: "Namespace" }

/** What can go wrong with a cluster while it runs, on a fleet that was started with faults. */
export const faults = (it: Suite): void => {
  it.effect("without a fault the proxy is transparent", () =>
    Effect.gen(function* () {
      const api = yield* client
      const namespace = yield* freshNamespace(yield* parent)
      const made = yield* api.create(configMap(namespace, "one"))
      const { items } = yield* api.list({ ...configMaps(namespace), fieldSelector: "metadata.name=one" })
      assert.deepStrictEqual(items, [made])
    })
  )

  it.effect("refused credentials, forbidden verbs and throttled clients get the server's replies, and heal", () =>
    Effect.gen(function* () {
      const cluster = yield* parent
      const api = yield* client
      const refusedBy = (fault: Fault.Fault) =>
        Effect.scoped(Effect.andThen(cluster.inject(fault), refusal(api.list(namespaces))))
      assert.strictEqual((yield* refusedBy(Fault.unauthorized())).code, 401)
      const forbidden = yield* refusedBy(Fault.forbidden({ match: { verbs: ["list"] } }))
      assert.strictEqual(forbidden.code, 403)
      assert.include(forbidden.text, 'User "admin" cannot list resource "namespaces"')
      assert.strictEqual((yield* refusedBy(Fault.tooManyRequests())).code, 429)
      assert.isNotEmpty((yield* api.list(namespaces)).items)
    })
  )

  it.effect(
    "an expired watch ends with 410, a cut watch just ends; both can be reopened",
    () =>
      Effect.gen(function* () {
        const cluster = yield* parent
        const api = yield* client
        const namespace = yield* freshNamespace(cluster)
        const { resourceVersion } = yield* api.list(configMaps(namespace))
        const watch = api.watch({ ...configMaps(namespace), resourceVersion })
        const expired = yield* Effect.scoped(
          Effect.andThen(cluster.inject(Fault.expiredWatch()), watch.pipe(Stream.runCollect))
        )
        assert.deepStrictEqual(
          expired.map(({ object, type }) => [type, object["code"]]),
          [["ERROR", 410]]
        )
        const open = yield* watch.pipe(
          Stream.filter(({ object }) => object.metadata.name === "after"),
          Stream.take(1),
          Stream.runCollect,
          Effect.forkChild({ startImmediately: true })
        )
        yield* api.create(configMap(namespace, "after"))
        assert.strictEqual((yield* Fiber.join(open)).length, 1)
      }),
    120_000
  )

  it.effect(
    "a cluster that is cut off answers only the harness, and recovers",
    () =>
      Effect.gen(function* () {
        const cluster = yield* parent
        const api = yield* client
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* cluster.inject(Fault.cut)
            const error = yield* Effect.flip(api.list(namespaces))
            assert.strictEqual(error.reason._tag, "ApiUnreachable")
            assert.isNotEmpty((yield* cluster.api.list(namespaces)).items)
          })
        )
        const healed = yield* eventually("the cluster answers", api.list(namespaces), () => true)
        assert.isNotEmpty(healed.items)
      }),
    120_000
  )
}
