import { assert } from "@effect/vitest"
import { CoreV1Api, KubeConfig, makeInformer, type V1ConfigMap } from "@kubernetes/client-node"
import { Effect, Queue, Schedule } from "effect"
import { eventually } from "../../src/Eventually.ts"
import { Fleet } from "../../src/Fleet.ts"
import type { FleetCluster } from "../../src/FleetCluster.ts"
import { CHILD, configMap, configMapRef, freshNamespace, type Suite } from "./Fixture.ts"

/** An informer that starts again after every error, as its documentation asks of programs; gives what it knows. */
const informed = Effect.fnUntraced(function* ({ kubeconfig }: FleetCluster, namespace: string) {
  const config = new KubeConfig()
  config.loadFromString(kubeconfig)
  const api = config.makeApiClient(CoreV1Api)
  const known = new Map<string, string>()
  const informer = makeInformer<V1ConfigMap>(config, `/api/v1/namespaces/${namespace}/configmaps`, () =>
    api.listNamespacedConfigMap({ namespace })
  )
  const put = (map: V1ConfigMap) => known.set(map.metadata?.name ?? "", map.data?.["key"] ?? "")
  const failures = yield* Queue.unbounded<void>()
  informer.on("add", put)
  informer.on("update", put)
  informer.on("delete", (map) => known.delete(map.metadata?.name ?? ""))
  informer.on("error", () => Queue.offerUnsafe(failures, undefined))
  const start = Effect.tryPromise(() => informer.start())
  yield* Effect.acquireRelease(Effect.orDie(start), () => Effect.promise(() => informer.stop()))
  yield* Queue.take(failures).pipe(
    Effect.andThen(Effect.retry(start, Schedule.spaced("50 millis"))),
    Effect.forever,
    Effect.forkScoped
  )
  return Effect.sync(() =>
    Object.fromEntries(
      [...known].filter(([name]) => name !== "kube-root-ca.crt").toSorted(([a], [b]) => (a < b ? -1 : 1))
    )
  )
})

/** The informer of the JavaScript client, which nobody here wrote. */
export const informer = (it: Suite): void => {
  it.effect(
    "the JavaScript client's informer follows what happens, also across a cluster that goes and comes back",
    () =>
      Effect.gen(function* () {
        const cluster = yield* (yield* Fleet).cluster(CHILD)
        const { api } = cluster
        const namespace = yield* freshNamespace(cluster)
        yield* api.create(configMap(namespace, "a", {}, { key: "1" }))
        const known = yield* informed(cluster, namespace)
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
        const seen = yield* knows({ b: "2", c: "4" })
        assert.deepStrictEqual(seen, { b: "2", c: "4" })
      }),
    120_000
  )
}
