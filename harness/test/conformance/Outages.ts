import { assert } from "@effect/vitest"
import { Effect, Fiber, Option, Redacted, Stream } from "effect"
import { ApiUnreachable } from "../../src/client/ApiError.ts"
import { Fleet } from "../../src/fleet/Fleet.ts"
import { CHILD, configMap, configMapRef, configMaps, freshNamespace, refusal, type Suite } from "./Fixture.ts"

const child = Effect.flatMap(Fleet, (fleet) => Effect.orDie(fleet.cluster(CHILD)))

/** A cluster that goes away and comes back; one after the other, on the child, so that the parent stays up for the rest. */
export const outages = (it: Suite): void => {
  it.effect(
    "a killed cluster cuts its watches and refuses calls; restarted, it has its address, identity and data",
    () =>
      Effect.gen(function* () {
        const cluster = yield* child
        const namespace = yield* freshNamespace(cluster)
        const before = yield* cluster.api.create(configMap(namespace, "kept"))
        const pid = yield* cluster.pid ?? Effect.succeed(Option.none())
        const cut = yield* cluster.api
          .watch(configMaps(namespace))
          .pipe(Stream.runDrain, Effect.exit, Effect.forkChild({ startImmediately: true }))
        yield* cluster.kill
        yield* Fiber.join(cut)
        const error = yield* Effect.flip(cluster.api.get(configMapRef(namespace, "kept")))
        assert.instanceOf(error.reason, ApiUnreachable)
        yield* cluster.kill

        yield* cluster.restart
        assert.deepStrictEqual(yield* cluster.api.get(configMapRef(namespace, "kept")), before)
        if (Option.isSome(pid)) assert.notDeepEqual(yield* cluster.pid ?? Effect.succeed(pid), pid)
        yield* cluster.api.create(configMap(namespace, "after"))
      }),
    120_000
  )

  it.effect(
    "a running cluster restarts with its data",
    () =>
      Effect.gen(function* () {
        const cluster = yield* child
        const namespace = yield* freshNamespace(cluster)
        const before = yield* cluster.api.create(configMap(namespace, "kept"))
        yield* cluster.restart
        assert.deepStrictEqual(yield* cluster.api.get(configMapRef(namespace, "kept")), before)
      }),
    120_000
  )

  it.effect(
    "410 for watches and pages that are older than the history",
    () =>
      Effect.gen(function* () {
        const cluster = yield* child
        const namespace = yield* freshNamespace(cluster)
        yield* Effect.forEach(["a", "b", "c"], (name) => cluster.api.create(configMap(namespace, name)))
        const page = yield* cluster.api.list({ ...configMaps(namespace), limit: 1 })
        yield* cluster.api.create(configMap(namespace, "d"))
        yield* cluster.expireHistory

        const events = yield* cluster.api
          .watch({ ...configMaps(namespace), resourceVersion: page.resourceVersion })
          .pipe(Stream.runCollect)
        assert.deepStrictEqual(
          events.map(({ type }) => type),
          ["ERROR"]
        )
        assert.deepStrictEqual([events[0]?.object["code"], events[0]?.object["reason"]], [410, "Expired"])

        const token = page.continue ?? ""
        const refused = yield* refusal(cluster.api.list({ ...configMaps(namespace), limit: 1, continue: token }))
        assert.deepStrictEqual([refused.code, refused.reason], [410, "Expired"])

        const { items } = yield* cluster.api.list(configMaps(namespace))
        assert.strictEqual(items.length, 4)
      }),
    120_000
  )

  it.effect("its log can be read, and contains no token", () =>
    Effect.gen(function* () {
      const cluster = yield* child
      const token = Redacted.value(yield* cluster.token("admin"))
      const logs = yield* cluster.logs
      assert.isNotEmpty(logs)
      assert.notInclude(logs, token)
    })
  )
}
