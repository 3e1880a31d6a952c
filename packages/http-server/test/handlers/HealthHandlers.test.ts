import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { ClusterCache } from "@quarterdeck/cluster-fanout/ClusterCache"
import { Api } from "@quarterdeck/contract/Api"
import { Authorization } from "@quarterdeck/contract/Authorization"
import { KeyConfig } from "@quarterdeck/keys/KeyConfig"
import { KeyStore } from "@quarterdeck/keys/KeyStore"
import { Effect, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import { HttpApiTest } from "effect/http-api"
import { HealthHandlers } from "../../src/handlers/HealthHandlers.ts"

/** The service's health over a key store that counts how often it is asked. */
const health = Effect.gen(function* () {
  const asked = yield* Ref.make(0)
  const { health } = yield* HttpApiTest.groups(Api, ["health"]).pipe(
    Effect.provide(HealthHandlers),
    Effect.provide([
      Layer.mock(KeyStore, { count: Ref.updateAndGet(asked, (count) => count + 1) }),
      Layer.mock(ClusterCache, { members: Effect.succeed([]) }),
      KeyConfig.layerNone,
      Layer.succeed(
        Authorization,
        Authorization.of(() => Effect.die("no endpoint of health is guarded"))
      ),
      NodeHttpServer.layerHttpServices
    ])
  )
  return { ...health, asked: Ref.get(asked) }
})

describe("/readyz", () => {
  it.effect("asks the key store once a second, however many probes come", () =>
    Effect.gen(function* () {
      const { asked, readyz } = yield* health
      const probes = Effect.forEach(Array.from({ length: 50 }), () => readyz(), { concurrency: "unbounded" })
      for (const { checks } of yield* probes) assert.strictEqual(checks.keyStore, "ok")
      assert.strictEqual(yield* asked, 1)
      yield* TestClock.adjust("1 second")
      yield* probes
      assert.strictEqual(yield* asked, 2)
    })
  )
})
