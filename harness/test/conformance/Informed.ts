/** What an informer of the JavaScript client knows of config maps, which nobody here wrote. */
import { CoreV1Api, type KubeConfig, makeInformer, type V1ConfigMap } from "@kubernetes/client-node"
import { Effect, Queue, Schedule } from "effect"

/**
 * Starts an informer over a namespace's config maps, which starts again after every error, as its documentation asks of
 * programs.
 *
 * The effect gives the value of `key` by name, in the order of the names, without the map that controllers make.
 */
export const informed = Effect.fnUntraced(function* (config: KubeConfig, namespace: string) {
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
