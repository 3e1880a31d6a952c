/** A cluster that is taken back to an earlier time through its API alone, whichever kind of API server it has. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Drivers from "../../src/drivers/Drivers.ts"
import { eventually } from "../../src/machine/Eventually.ts"
import type { KubeObject } from "../../src/client/KubeObject.ts"
import * as ApiReset from "../../src/state/ApiReset.ts"
import { desired } from "../../src/state/ApiObjects.ts"
import { configMap, configMapRef, configMaps, deployment, pod } from "../conformance/Fixture.ts"
import { bothKinds } from "../drivers/BothKinds.ts"
import {
  Cluster,
  contents,
  definition,
  definitionRef,
  freshNamespace,
  service,
  serviceAccount,
  statusOf,
  versions,
  WAIT,
  WIDGETS,
  widget
} from "./Fixture.ts"

const LIMIT = 120_000
const { run } = await Effect.runPromise(Drivers.selected)

/** What objects ask for, and their status. */
const meaning = (objects: ReadonlyArray<KubeObject>) =>
  objects.map((object) => ({ ...desired(object), status: object["status"] }))

// Of the real ones k3s, which is put back so; control-plane is put back below its API.
for (const driver of bothKinds(run, "k3s")) {
  layer(Cluster.layer(driver), { timeout: "2 minutes" })(`ApiReset on the ${driver.name} driver`, (it) => {
    it.effect(
      "makes anew what went, writes back what changed, and removes what came",
      () =>
        Effect.gen(function* () {
          const { api } = yield* Cluster
          const home = yield* freshNamespace(api)
          const web = { apiVersion: "v1", kind: "Pod", namespace: home, name: "web" }
          for (const name of ["kept", "changed", "removed"]) yield* api.create(configMap(home, name))
          yield* api.create(pod(home, "web"))
          const running = { status: { phase: "Running", podIP: "10.1.2.3" } }
          yield* api.patch(web, running, { subresource: "status" })
          yield* api.create(deployment(home, "web"))
          yield* api.create(serviceAccount(home, "robot"))
          const lost = yield* freshNamespace(api)
          yield* api.create(configMap(lost, "inside"))
          const captured = yield* ApiReset.capture(api)
          const before = meaning(yield* contents(api))

          yield* api.patch(configMapRef(home, "changed"), { data: { key: "new" } })
          yield* api.delete(configMapRef(home, "removed"))
          yield* api.create({ ...configMap(home, "came"), metadata: { name: "came", namespace: home, finalizers: [] } })
          yield* api.delete(web, { gracePeriodSeconds: 0 })
          yield* api.create(pod(home, "web", "some-node"))
          yield* api.patch({ ...web, apiVersion: "apps/v1", kind: "Deployment" }, { spec: { replicas: 9 } })
          yield* api.create(service(home, "came", 30_050))
          const other = yield* freshNamespace(api)
          yield* api.create(pod(other, "inside"))
          yield* api.delete({ apiVersion: "v1", kind: "Namespace", name: lost })

          yield* ApiReset.restore(api, captured)
          assert.deepStrictEqual(meaning(yield* contents(api)), before)
          assert.strictEqual(yield* statusOf(api, `/api/v1/namespaces/${other}`), 404)
        }),
      LIMIT
    )

    it.effect(
      "writes nothing when nothing has changed, also the second time",
      () =>
        Effect.gen(function* () {
          const { api } = yield* Cluster
          const home = yield* freshNamespace(api)
          yield* api.create(configMap(home, "changed"))
          const captured = yield* ApiReset.capture(api)
          const before = yield* versions(api)
          yield* ApiReset.restore(api, captured)
          assert.deepStrictEqual(yield* versions(api), before)
          yield* api.patch(configMapRef(home, "changed"), { data: { key: "new" } })
          yield* ApiReset.restore(api, captured)
          const after = yield* versions(api)
          yield* ApiReset.restore(api, captured)
          assert.deepStrictEqual(yield* versions(api), after)
        }),
      LIMIT
    )

    it.effect(
      "takes a finalizer off what came, once nobody else does",
      () =>
        Effect.gen(function* () {
          const { api } = yield* Cluster
          const home = yield* freshNamespace(api)
          const captured = yield* ApiReset.capture(api)
          const metadata = { name: "held", namespace: home, finalizers: ["example.com/nobody"] }
          yield* api.create({ ...configMap(home, "held"), metadata })
          yield* ApiReset.restore(api, captured)
          const { items } = yield* api.list(configMaps(home))
          assert.isFalse(items.some((object) => object.metadata.name === "held"))
        }),
      LIMIT
    )

    it.effect(
      "makes an owner anew together with the name that its dependents call it by",
      () =>
        Effect.gen(function* () {
          const { api } = yield* Cluster
          const home = yield* freshNamespace(api)
          const owner = yield* api.create(configMap(home, "a-owner"))
          const uid = owner.metadata.uid ?? ""
          const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "a-owner", uid }]
          const metadata = { name: "web", namespace: home, ownerReferences }
          yield* api.create({ ...deployment(home, "web"), metadata })
          const captured = yield* ApiReset.capture(api)
          yield* api.delete(configMapRef(home, "a-owner"), { propagationPolicy: "Orphan" })
          yield* ApiReset.restore(api, captured)
          const now = yield* api.get(configMapRef(home, "a-owner"))
          const web = yield* api.get({ apiVersion: "apps/v1", kind: "Deployment", namespace: home, name: "web" })
          assert.notStrictEqual(now.metadata.uid, uid)
          assert.deepStrictEqual(
            web.metadata.ownerReferences?.map((reference) => reference.uid),
            [now.metadata.uid]
          )
        }),
      LIMIT
    )

    it.effect(
      "takes a custom kind away that came, and brings one back that went, with its objects",
      () =>
        Effect.gen(function* () {
          const { api } = yield* Cluster
          const home = yield* freshNamespace(api)
          const kind = { apiVersion: "state.example.com/v1", kind: "Widget", namespace: home }
          const widgets = statusOf(api, WIDGETS)
          const without = yield* ApiReset.capture(api)
          yield* api.create(definition)
          yield* eventually("widgets are served", widgets, (status) => status === 200, WAIT)
          yield* api.create(widget(home, "one"))
          const withOne = yield* ApiReset.capture(api)
          yield* ApiReset.restore(api, without)
          yield* eventually("widgets are not served", widgets, (status) => status === 404, WAIT)
          yield* ApiReset.restore(api, withOne)
          const { items } = yield* api.list(kind)
          assert.deepStrictEqual(
            items.map((object) => object["spec"]),
            [{ size: 1 }]
          )
          yield* api.delete(definitionRef)
        }),
      LIMIT
    )
  })
}
