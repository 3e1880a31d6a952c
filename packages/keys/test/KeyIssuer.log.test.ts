import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted } from "effect"
import { KeyConfig } from "../src/KeyConfig.ts"
import * as KeyHash from "../src/KeyHash.ts"
import { KeyIssuer } from "../src/KeyIssuer.ts"
import { layerMemory } from "../src/store/Memory.ts"
import { callerWith } from "./caller.ts"
import { admin, viewer } from "./samples.ts"

describe("the log", () => {
  it.effect("tells which key was made or revoked, and by which, once each and never its secret", () => {
    const told: Array<ReadonlyArray<unknown>> = []
    const logger = Logger.make<unknown, void>(({ message }) => {
      told.push(Array.isArray(message) ? message : [message])
    })
    return Effect.gen(function* () {
      const issuer = yield* KeyIssuer
      const root = callerWith(admin, "key_root")
      const { apiKey, key } = yield* issuer.create(root, { name: "ci", rule: viewer })
      yield* issuer.revoke(callerWith(admin, "key_other"), apiKey.id)
      yield* issuer.revoke(root, apiKey.id)
      assert.deepStrictEqual(
        told.map(([what]) => what),
        ["key created", "key revoked"]
      )
      const [created, revoked] = told.map((parts) => JSON.stringify(parts))
      for (const line of [created, revoked]) {
        for (const fact of [apiKey.id, '"ci"', "Viewer"]) assert.include(line, fact)
        assert.notInclude(line, Redacted.value(key))
        assert.notInclude(line, KeyHash.fromRawKey(key))
      }
      assert.include(created, "key_root")
      assert.include(revoked, "key_other")
    }).pipe(
      Effect.provide(KeyIssuer.layer.pipe(Layer.provide([layerMemory, KeyConfig.layerNone]))),
      Effect.provide(Logger.layer([logger]))
    )
  })
})
