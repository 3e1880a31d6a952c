/** The informer of the JavaScript client, which programs in this language use. */
import { assert, describe, it } from "@effect/vitest"
import {
  CoreV1Api,
  KubeConfig,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  type V1ConfigMap
} from "@kubernetes/client-node"
import { Effect, Queue, Schedule, type Scope } from "effect"
import { driver } from "../../src/drivers/Embedded.ts"
import { equals } from "../../src/embedded/Json.ts"
import type { EmbeddedServer } from "../../src/embedded/EmbeddedServer.ts"
import { eventually } from "../../src/Eventually.ts"
import { ADMIN, configMap, connect, patching, USERS } from "./Client.ts"

const MAPS = "/api/v1/namespaces/default/configmaps"

const configFor = (server: EmbeddedServer): KubeConfig => {
  const config = new KubeConfig()
  config.loadFromOptions({
    clusters: [{ name: "it", server: server.server, caData: Buffer.from(server.caPem).toString("base64") }],
    users: [{ name: "it", token: ADMIN }],
    contexts: [{ name: "it", cluster: "it", user: "it" }],
    currentContext: "it"
  })
  return config
}

/** An informer over config maps that starts again after every error, as its documentation asks of programs. */
const informed = (server: EmbeddedServer): Effect.Effect<() => ReadonlyMap<string, string>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const config = configFor(server)
    const api = config.makeApiClient(CoreV1Api)
    const known = new Map<string, string>()
    const informer = makeInformer<V1ConfigMap>(config, MAPS, () =>
      api.listNamespacedConfigMap({ namespace: "default" })
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
      Effect.andThen(Effect.retry(start, Schedule.spaced("20 millis"))),
      Effect.forever,
      Effect.forkScoped
    )
    return () => known
  })

describe("the JavaScript client", () => {
  it.live(
    "its informer follows what happens, also across a cluster that goes away and comes back",
    () =>
      Effect.gen(function* () {
        const server = yield* driver.start({ name: "informed", users: USERS })
        const { call } = yield* connect(server)
        yield* call("POST", MAPS, { body: configMap("a") })
        yield* call("POST", MAPS, { body: configMap("b") })
        const known = yield* informed(server)
        const shows = (expected: Readonly<Record<string, string>>) =>
          eventually(
            `the informer knows ${JSON.stringify(expected)}`,
            Effect.sync(() => Object.fromEntries(known())),
            (actual) => equals(actual, expected)
          )
        yield* shows({ a: "value", b: "value" })
        yield* call("PATCH", `${MAPS}/a`, patching({ data: { key: "new" } }))
        yield* call("DELETE", `${MAPS}/b`)
        yield* shows({ a: "new" })

        yield* server.kill
        yield* server.restart
        const later = yield* connect(server)
        yield* later.call("POST", MAPS, { body: configMap("c") })
        yield* later.call("PATCH", `${MAPS}/a`, patching({ data: { key: "newer" } }))
        yield* shows({ a: "newer", c: "value" })
      }),
    60_000
  )

  it.live(
    "its informer lists anew when the history is gone",
    () =>
      Effect.gen(function* () {
        const server = yield* driver.start({ name: "expired", users: USERS })
        const { call } = yield* connect(server)
        yield* call("POST", MAPS, { body: configMap("a") })
        const known = yield* informed(server)
        yield* server.kill
        yield* server.restart
        const later = yield* connect(server)
        yield* later.call("POST", MAPS, { body: configMap("b") })
        yield* server.expireHistory
        yield* eventually(
          "the informer knows b",
          Effect.sync(() => known().has("b")),
          (has) => has
        )
        assert.isTrue(known().has("a"))
      }),
    60_000
  )

  it.live(
    "its object client finds kinds by discovery and patches them",
    () =>
      Effect.gen(function* () {
        const server = yield* driver.start({ name: "objects", users: USERS })
        const api = KubernetesObjectApi.makeApiClient(configFor(server))
        const identity = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", namespace: "default" } }
        yield* Effect.promise(() =>
          api.create({
            ...identity,
            spec: {
              selector: { matchLabels: { app: "web" } },
              template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "x:1" }] } }
            }
          })
        )
        yield* Effect.promise(() =>
          api.patch(
            { ...identity, spec: { replicas: 3 } },
            undefined,
            undefined,
            undefined,
            undefined,
            PatchStrategy.StrategicMergePatch
          )
        )
        const read = yield* Effect.promise(() => api.read(identity))
        assert.deepInclude(read, { kind: "Deployment", apiVersion: "apps/v1" })
        const { requests } = yield* server.counters
        assert.strictEqual(requests.get("patch deployments"), 1)
      }),
    60_000
  )
})
