/** A reset below controllers that run: what they find is consistent, so they come to rest. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { ClusterApi } from "../../src/client/ClusterApi.ts"
import * as Drivers from "../../src/drivers/Drivers.ts"
import { eventually } from "../../src/machine/Eventually.ts"
import type { KubeObject } from "../../src/client/KubeObject.ts"
import { at, deployment, deploymentRef } from "../conformance/Fixture.ts"
import { belowTheApi, Cluster, defaultAccounts, freshNamespace, WAIT } from "./Fixture.ts"

const LIMIT = 120_000
const { run } = await Effect.runPromise(Drivers.selected)

const REPLICAS = 2
/** More than a busy controller has served when the last one is made. */
const NEW = 10

/** The pods of a namespace that are there to stay. */
const pods = (api: ClusterApi, namespace: string) =>
  Effect.map(api.list({ apiVersion: "v1", kind: "Pod", namespace }), ({ items }) =>
    items.filter(({ metadata }) => metadata["deletionTimestamp"] === undefined)
  )

/** The deployment's controller has seen it and counts its pods, and those are as many. */
const rolledOut = (api: ClusterApi, namespace: string, name: string, replicas: number) => {
  const read = Effect.all({ web: api.get(deploymentRef(namespace, name)), pods: pods(api, namespace) })
  const isRolledOut = ({ web, pods }: { readonly web: KubeObject; readonly pods: ReadonlyArray<KubeObject> }) =>
    at(web, "status", "observedGeneration") === web.metadata["generation"]
    && at(web, "status", "replicas") === replicas
    && pods.length === replicas
  return eventually(`${name} has ${replicas} pods`, read, isRolledOut, WAIT)
}

for (const driver of run) {
  const running = Cluster.layer(driver, { controllers: true })
  layer(running, { timeout: "2 minutes" })(`a reset of the ${driver.name} driver with controllers`, (it) => {
    it.effect(
      "lets them settle on what was there, and work on from it",
      () =>
        Effect.gen(function* () {
          const { api, running } = yield* Cluster
          const home = yield* freshNamespace(api)
          yield* api.create(deployment(home, "web"))
          yield* rolledOut(api, home, "web", REPLICAS)
          yield* running.checkpoint
          const before = yield* api.get(deploymentRef(home, "web"))

          yield* api.delete(deploymentRef(home, "web"))
          yield* eventually("its pods are gone", pods(api, home), (found) => found.length === 0, WAIT)
          yield* api.create(deployment(home, "other"))
          const other = yield* freshNamespace(api)
          yield* api.create(deployment(other, "web"))
          yield* rolledOut(api, other, "web", REPLICAS)

          yield* running.reset
          const { web } = yield* rolledOut(api, home, "web", REPLICAS)
          // Through the API alone what went comes back as another object of the same name.
          assert.strictEqual(web.metadata.uid === before.metadata.uid, belowTheApi([driver]).length === 1)
          assert.deepStrictEqual(web["spec"], before["spec"])
          const left = yield* api.list({ apiVersion: "apps/v1", kind: "ReplicaSet" })
          assert.isTrue(left.items.every(({ metadata }) => metadata.namespace === home))
          yield* eventually("no pod is left over", pods(api, other), (found) => found.length === 0, WAIT)

          yield* api.patch(deploymentRef(home, "web"), { spec: { replicas: 3 } })
          yield* rolledOut(api, home, "web", 3)
          yield* running.reset
          yield* rolledOut(api, home, "web", REPLICAS)
        }),
      LIMIT
    )

    it.effect(
      "keeps the service account of a namespace that was new at the checkpoint",
      () =>
        Effect.gen(function* () {
          const { api, running } = yield* Cluster
          const homes = yield* Effect.forEach(Array.from({ length: NEW }), () => freshNamespace(api), {
            concurrency: "unbounded"
          })
          yield* running.checkpoint
          const accounts = yield* eventually(
            "every namespace has its account",
            defaultAccounts(api),
            (found) => homes.every((home) => found.has(home)),
            WAIT
          )
          yield* running.reset
          assert.deepStrictEqual(yield* defaultAccounts(api), accounts)
        }),
      LIMIT
    )
  })
}
