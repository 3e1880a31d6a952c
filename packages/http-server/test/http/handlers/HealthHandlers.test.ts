import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { ClusterCache } from "@quarterdeck/cluster-fanout/ClusterCache"
import { ClusterRegistry } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import { Api } from "@quarterdeck/contract/Api"
import { Authorization, SameOrigin } from "@quarterdeck/contract/Authorization"
import { CostError, StoreUnavailable } from "@quarterdeck/cost/CostError"
import { CostSampler } from "@quarterdeck/cost/CostSampler"
import { CostStore } from "@quarterdeck/cost/CostStore"
import { AuditStore } from "@quarterdeck/keys"
import { AuditLog } from "@quarterdeck/keys/audit/AuditLog"
import { KeyConfig } from "@quarterdeck/keys/KeyConfig"
import type * as Rule from "@quarterdeck/keys/Rule"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { KeyStore } from "@quarterdeck/keys/KeyStore"
import { Deferred, Effect, Fiber, Layer, Ref, Result } from "effect"
import { TestClock } from "effect/testing"
import { HttpApiTest } from "effect/http-api"
import { type Caller, Guard } from "../../../src/http/guard/Guard.ts"
import * as Refusal from "../../../src/http/refusal/Refusal.ts"
import { HealthHandlers } from "../../../src/http/handlers/HealthHandlers.ts"

const COLLISION = {
  severity: "error",
  code: "nameTaken",
  source: "config",
  message: "cluster name a-b is already taken"
} as const

/** The service's health over stores that count how often they are asked, and answer as they are told to. */
const healthFor = Effect.fnUntraced(function* (authenticate: Guard["Service"]["authenticate"]) {
  const [asked, askedCosts] = yield* Effect.all([Ref.make(0), Ref.make(0)])
  const settled = yield* Deferred.make<void>()
  const costs = yield* Ref.make<Effect.Effect<[], CostError>>(Effect.succeed([]))
  const isFull = yield* Ref.make(false)
  const audit = yield* Ref.make<Effect.Effect<void, AuditStore.AuditStoreError>>(Effect.void)
  const services = yield* Layer.build(
    HealthHandlers.pipe(
      Layer.provideMerge([
        Layer.mock(KeyStore, { count: Ref.updateAndGet(asked, (count) => count + 1) }),
        Layer.mock(CostStore, {
          sums: () =>
            Effect.andThen(
              Ref.update(askedCosts, (count) => count + 1),
              Effect.flatten(Ref.get(costs))
            )
        }),
        Layer.mock(AuditStore.AuditStore, { probe: Effect.flatten(Ref.get(audit)) }),
        Layer.mock(AuditLog, {
          keepsReads: false,
          fullness: Effect.map(Ref.get(isFull), (full) => ({
            deniedBytes: 1,
            otherBytes: 2,
            shareBytes: 4,
            isFull: full
          }))
        }),
        Layer.mock(ClusterCache, {
          find: () => undefined,
          sameCluster: () => [],
          members: Effect.succeed([]),
          settled: Deferred.await(settled)
        }),
        Layer.mock(ClusterRegistry, {
          snapshot: Effect.succeed({ parent: ClusterName.make("hub"), clusters: [], problems: [COLLISION] })
        }),
        Layer.mock(CostSampler, { states: Effect.succeed([]), backfills: Effect.succeed([]) }),
        KeyConfig.layerNone,
        Layer.mock(Guard, { authenticate }),
        Layer.succeed(
          Authorization,
          Authorization.of(() => Effect.die("no endpoint of health is guarded"))
        ),
        Layer.succeed(
          SameOrigin,
          SameOrigin.of(() => Effect.die("no endpoint of health is a session's"))
        ),
        NodeHttpServer.layerHttpServices
      ])
    )
  )
  const { health } = yield* HttpApiTest.groups(Api, ["health"]).pipe(Effect.provide(services))
  const statusOf = Effect.map(
    Effect.result(health.readyz()),
    Result.match({
      onSuccess: ({ checks, status }) => [status, checks?.costStore],
      onFailure: (refused) => ("status" in refused ? [refused.status, refused.checks?.costStore] : [refused._tag])
    })
  )
  const settle = Effect.andThen(Deferred.succeed(settled, undefined), Effect.yieldNow)
  return { ...health, statusOf, costs, audit, isFull, settle, asked: Ref.get(asked), askedCosts: Ref.get(askedCosts) }
})

const callerOf = (rule: Rule.Rule) =>
  Effect.succeed<Caller>({ principal: { keyId: "key_1", name: "one", source: "created", rule }, via: "key" })

const health = healthFor(callerOf({ role: "Admin" }))

/** The health of a service that has read its clusters. */
const begun = Effect.tap(health, ({ settle }) => settle)

describe("/readyz", () => {
  it.effect("is not ready while caches are empty, and ready once every cluster has been read or given up", () =>
    Effect.gen(function* () {
      const { settle, statusOf } = yield* health
      assert.deepStrictEqual(yield* statusOf, ["starting", "ok"])
      yield* TestClock.adjust("9 minutes")
      assert.deepStrictEqual(yield* statusOf, ["starting", "ok"])
      yield* settle
      assert.deepStrictEqual(yield* statusOf, ["ready", "ok"])
    })
  )

  it.effect.each([
    ["a stranger", Refusal.refuse("missing_credential", { detail: "none" })],
    ["a scoped Admin", callerOf({ role: "Admin", targetClusters: [ClusterName.make("prod")] })],
    ["an unscoped Operator", callerOf({ role: "Operator" })]
  ] as const)("tells %s the verdict alone", ([, authenticate]) =>
    Effect.gen(function* () {
      const { readyz, settle } = yield* healthFor(authenticate)
      const starting = yield* Effect.flip(readyz())
      assert.deepStrictEqual(starting, { status: "starting" })
      yield* settle
      assert.deepStrictEqual(yield* readyz(), { status: "ready" })
    })
  )

  it.effect("tells an Admin without a scope what there is to mend", () =>
    Effect.gen(function* () {
      const { readyz } = yield* begun
      const { details } = yield* readyz()
      assert.deepStrictEqual(details, {
        sources: [COLLISION],
        configuredKeys: { refused: 0 },
        audit: { deniedBytes: 1, otherBytes: 2, shareMaxBytes: 4 },
        costs: [],
        backfill: []
      })
    })
  )

  it.effect("is ready after ten minutes whatever is missing", () =>
    Effect.gen(function* () {
      const { statusOf } = yield* health
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(yield* statusOf, ["ready", "ok"])
    })
  )

  it.effect("asks each store once a second, however many probes come", () =>
    Effect.gen(function* () {
      const { asked, askedCosts, readyz } = yield* begun
      const probes = Effect.forEach(Array.from({ length: 50 }), () => readyz(), { concurrency: "unbounded" })
      for (const { checks } of yield* probes) {
        assert.deepStrictEqual([checks?.keyStore, checks?.costStore], ["ok", "ok"])
      }
      assert.deepStrictEqual([yield* asked, yield* askedCosts], [1, 1])
      yield* TestClock.adjust("1 second")
      yield* probes
      assert.deepStrictEqual([yield* asked, yield* askedCosts], [2, 2])
    })
  )

  it.effect("is not ready while the cost history fails, and ready once it answers again", () =>
    Effect.gen(function* () {
      const { costs, statusOf } = yield* begun
      assert.deepStrictEqual(yield* statusOf, ["ready", "ok"])
      const reason = new StoreUnavailable({ action: "sum hours", cause: new Error("the thread ended with code 1") })
      yield* Ref.set(costs, Effect.fail(new CostError({ reason })))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* statusOf, ["unavailable", "unavailable"])
      yield* Ref.set(costs, Effect.succeed([]))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* statusOf, ["ready", "ok"])
    })
  )

  it.effect("is not ready while the audit cannot be written, and ready once it can", () =>
    Effect.gen(function* () {
      const { audit, readyz, statusOf } = yield* begun
      assert.deepStrictEqual(yield* statusOf, ["ready", "ok"])
      const failed = new AuditStore.AuditStoreError({ operation: "probe", problem: "the disk is full" })
      yield* Ref.set(audit, Effect.fail(failed))
      yield* TestClock.adjust("1 second")
      const refused = yield* Effect.flip(readyz())
      assert.deepInclude(refused, { status: "unavailable" })
      assert.include(JSON.stringify(refused), '"audit":"unavailable"')
      yield* Ref.set(audit, Effect.void)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* statusOf, ["ready", "ok"])
    })
  )

  it.effect("stay good while the audit is full, since keys must be revoked through the service", () =>
    Effect.gen(function* () {
      const { audit, isFull, readyz, statusOf } = yield* begun
      const failed = new AuditStore.AuditStoreError({ operation: "probe", problem: "the disk is full", isFull: true })
      yield* Ref.set(audit, Effect.fail(failed))
      yield* Ref.set(isFull, true)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual((yield* statusOf)[0], "ready")
      assert.deepInclude((yield* readyz()).checks, { audit: "full" })
    })
  )

  it.effect(
    "stays ready while the audit is busy with a long read, and not when it has said nothing for ten seconds",
    () =>
      Effect.gen(function* () {
        const { audit, readyz } = yield* begun
        assert.strictEqual((yield* readyz()).status, "ready")
        yield* Ref.set(audit, Effect.never)
        const later = Effect.gen(function* () {
          yield* TestClock.adjust("1 second")
          const probe = yield* Effect.forkChild(Effect.result(readyz()))
          yield* TestClock.adjust("1 second")
          return yield* Fiber.join(probe)
        })
        for (let probe = 0; probe < 2; probe++) {
          assert.deepInclude(Result.getOrUndefined(yield* later), { status: "ready" })
        }
        yield* TestClock.adjust("10 seconds")
        assert.isTrue(Result.isFailure(yield* later))
      })
  )

  it.effect("stays ready while the cost history is busy, and not when it has said nothing for ten seconds", () =>
    Effect.gen(function* () {
      const { costs, statusOf } = yield* begun
      assert.deepStrictEqual(yield* statusOf, ["ready", "ok"])
      yield* Ref.set(costs, Effect.never)
      const later = Effect.gen(function* () {
        yield* TestClock.adjust("1 second")
        const probe = yield* Effect.forkChild(statusOf)
        yield* TestClock.adjust("1 second")
        return yield* Fiber.join(probe)
      })
      assert.deepStrictEqual(yield* later, ["ready", "ok"])
      assert.deepStrictEqual(yield* later, ["ready", "ok"])
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* later, ["unavailable", "unavailable"])
    })
  )
})
