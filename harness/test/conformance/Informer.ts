import { assert } from "@effect/vitest"
import { KubeConfig } from "@kubernetes/client-node"
import { Effect } from "effect"
import { eventually } from "../../src/machine/Eventually.ts"
import { Fleet } from "../../src/fleet/Fleet.ts"
import { CHILD, configMap, configMapRef, freshNamespace, type Suite } from "./Fixture.ts"
import { informed } from "./Informed.ts"

/** The informer of the JavaScript client, which nobody here wrote. */
export const informer = (it: Suite): void => {
  it.effect(
    "the JavaScript client's informer follows changes, also across an outage of the cluster",
    () =>
      Effect.gen(function* () {
        const cluster = yield* (yield* Fleet).cluster(CHILD)
        const { api } = cluster
        const namespace = yield* freshNamespace(cluster)
        yield* api.create(configMap(namespace, "a", {}, { key: "1" }))
        const config = new KubeConfig()
        config.loadFromString(cluster.kubeconfig)
        const known = yield* informed(config, namespace)
        const knows = (expected: object) =>
          eventually(
            `the informer knows ${JSON.stringify(expected)}`,
            known,
            (seen) => JSON.stringify(seen) === JSON.stringify(expected),
            { within: "60 seconds" }
          )
        yield* knows({ a: "1" })
        yield* api.create(configMap(namespace, "b", {}, { key: "2" }))
        yield* api.patch(configMapRef(namespace, "a"), { data: { key: "3" } })
        yield* knows({ a: "3", b: "2" })
        yield* api.delete(configMapRef(namespace, "a"))
        yield* cluster.kill
        yield* cluster.restart
        yield* api.create(configMap(namespace, "c", {}, { key: "4" }))
        yield* api.patch(configMapRef(namespace, "b"), { data: { key: "5" } })
        const seen = yield* knows({ b: "5", c: "4" })
        assert.deepStrictEqual(seen, { b: "5", c: "4" })
      }),
    120_000
  )
}
