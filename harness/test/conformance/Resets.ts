import { assert } from "@effect/vitest"
import { join } from "node:path"
import { Effect, Fiber, Stream } from "effect"
import { Fleet } from "../../src/fleet/Fleet.ts"
import { CHILD, configMap, configMapRef, configMaps, namesOf, refusal, type Suite } from "./Fixture.ts"
import { home } from "./KubectlAt.ts"

const child = Effect.flatMap(Fleet, (fleet) => Effect.orDie(fleet.cluster(CHILD)))

const NAMESPACE = "reset"

/** A path where nothing stands yet. */
const snapshotDirectory = Effect.map(home, (directory) => join(directory, "snapshot"))

/** Going back to a checkpoint between two tests; one after the other, on the child, as a reset takes everything back. */
export const resets = (it: Suite): void => {
  it.effect(
    "reset removes new objects, restores deleted and changed ones, and watches receive each change",
    () =>
      Effect.gen(function* () {
        const cluster = yield* child
        const { api } = cluster
        yield* api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } })
        yield* Effect.forEach(["kept", "changed", "deleted"], (name) => api.create(configMap(NAMESPACE, name)))
        yield* cluster.checkpoint

        yield* api.create(configMap(NAMESPACE, "new"))
        yield* api.patch(configMapRef(NAMESPACE, "changed"), { data: { key: "other" } })
        yield* api.delete(configMapRef(NAMESPACE, "deleted"))
        yield* api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "reset-new" } })
        const { resourceVersion } = yield* api.list(configMaps(NAMESPACE))
        const seen = yield* api.watch({ ...configMaps(NAMESPACE), resourceVersion }).pipe(
          Stream.filter(({ object }) => object.metadata.name !== "kube-root-ca.crt"),
          Stream.take(3),
          Stream.runCollect,
          Effect.forkChild({ startImmediately: true })
        )
        yield* cluster.reset

        const { items } = yield* api.list(configMaps(NAMESPACE))
        const own = items.filter(({ metadata }) => metadata.name !== "kube-root-ca.crt")
        assert.deepStrictEqual(namesOf(own), ["changed", "deleted", "kept"])
        for (const one of own) assert.deepStrictEqual(one["data"], { key: "value" })
        assert.strictEqual(
          (yield* refusal(api.get({ apiVersion: "v1", kind: "Namespace", name: "reset-new" }))).code,
          404
        )
        const events = yield* Fiber.join(seen)
        assert.deepStrictEqual(events.map(({ object, type }) => `${type} ${object.metadata.name}`).toSorted(), [
          "ADDED deleted",
          "DELETED new",
          "MODIFIED changed"
        ])
      }),
    120_000
  )

  it.effect(
    "reset without changes writes nothing",
    () =>
      Effect.gen(function* () {
        const cluster = yield* child
        yield* cluster.checkpoint
        const before = yield* cluster.api.list({ apiVersion: "v1", kind: "Namespace" })
        yield* cluster.reset
        const after = yield* cluster.api.list({ apiVersion: "v1", kind: "Namespace" })
        assert.deepStrictEqual(after.items, before.items)
      }),
    120_000
  )

  it.effect(
    "a cluster that restarts empty keeps its address and users, and loses its objects",
    () =>
      Effect.gen(function* () {
        const cluster = yield* child
        const name = "lost"
        yield* cluster.api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } })
        yield* cluster.restartEmpty
        assert.strictEqual((yield* refusal(cluster.api.get({ apiVersion: "v1", kind: "Namespace", name }))).code, 404)
        const namespaces = yield* cluster.api.list({ apiVersion: "v1", kind: "Namespace" })
        assert.include(namesOf(namespaces.items), "default")
      }),
    120_000
  )
}

/** Saving a fleet, where the driver can. */
export const snapshots = (it: Suite, begin: (from: string) => ReturnType<typeof Fleet.make>): void => {
  it.effect(
    "a fleet can start from a saved fleet",
    () =>
      Effect.gen(function* () {
        const fleet = yield* Fleet
        const { parent } = fleet
        yield* parent.api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "saved" } })
        const made = yield* parent.api.create(configMap("saved", "one", { a: "b" }))
        const directory = yield* snapshotDirectory
        yield* fleet.save(directory)
        const again = yield* begin(directory)
        const found = yield* again.parent.api.get(configMapRef("saved", "one"))
        assert.deepStrictEqual([found.metadata.uid, found["data"]], [made.metadata.uid, made["data"]])
        yield* again.parent.api.create(configMap("saved", "two"))
      }),
    120_000
  )
}
