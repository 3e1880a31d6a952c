/** The informer of the JavaScript client, which programs in this language use. */
import { assert, describe, it } from "@effect/vitest"
import { KubeConfig, KubernetesObjectApi, PatchStrategy } from "@kubernetes/client-node"
import { Effect } from "effect"
import { driver } from "../../../src/drivers/embedded/Embedded.ts"
import type { RunningCluster } from "../../../src/drivers/ClusterDriver.ts"
import { eventually } from "../../../src/machine/Eventually.ts"
import { informed } from "../../conformance/Informed.ts"
import { ADMIN, configMap, connect, USERS } from "./Client.ts"

const MAPS = "/api/v1/namespaces/default/configmaps"

const configFor = (server: RunningCluster): KubeConfig => {
  const config = new KubeConfig()
  config.loadFromOptions({
    clusters: [{ name: "it", server: server.server, caData: Buffer.from(server.caPem).toString("base64") }],
    users: [{ name: "it", token: ADMIN }],
    contexts: [{ name: "it", cluster: "it", user: "it" }],
    currentContext: "it"
  })
  return config
}

describe("the JavaScript client", () => {
  it.live(
    "its informer lists anew when the history is gone",
    () =>
      Effect.gen(function* () {
        const server = yield* driver.start({ name: "expired", users: USERS })
        const { call } = yield* connect(server)
        yield* call("POST", MAPS, { body: configMap("a") })
        const known = yield* informed(configFor(server), "default")
        yield* server.kill
        yield* server.restart
        const later = yield* connect(server)
        yield* later.call("POST", MAPS, { body: configMap("b") })
        yield* server.expireHistory
        const names = Effect.map(known, (maps) => Object.keys(maps))
        assert.deepStrictEqual(yield* eventually("the informer knows b", names, (seen) => seen.includes("b")), [
          "a",
          "b"
        ])
      }),
    120_000
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
    120_000
  )
})
