import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"
import { randomBytes } from "node:crypto"
import { Authenticator } from "../../src/Authenticator.ts"
import { KeyConfig } from "../../src/KeyConfig.ts"
import { KeyStoreError, StoreFailed } from "../../src/KeyError.ts"
import * as KeyHash from "../../src/KeyHash.ts"
import { KeyStore } from "../../src/KeyStore.ts"
import * as RawKey from "../../src/RawKey.ts"
import * as SessionId from "../../src/session/SessionId.ts"
import { layerMemory as layerMemorySessions } from "../../src/session/Memory.ts"
import { IdentityProvider } from "../../src/session/IdentityProvider.ts"
import { Sessions } from "../../src/session/Sessions.ts"
import { SessionStore } from "../../src/session/SessionStore.ts"
import { layerCached } from "../../src/store/Cached.ts"
import { layerMemory } from "../../src/store/Memory.ts"
import { record, viewer } from "../samples.ts"

const rawKey = RawKey.generate(randomBytes)
const HOUR_MS = Duration.toMillis(Duration.hours(1))

const layers = Sessions.layer.pipe(
  Layer.provideMerge(Authenticator.layer),
  Layer.provideMerge(Layer.merge(layerMemorySessions, IdentityProvider.layerNone)),
  Layer.provideMerge(layerCached.pipe(Layer.provide(layerMemory), Layer.merge(KeyConfig.layerNone)))
)

const insert = (expiresAt?: DateTime.Utc) =>
  Effect.flatMap(KeyStore, (store) =>
    store.insert(
      record({
        id: "key_1",
        hash: KeyHash.fromRawKey(rawKey),
        rule: viewer,
        ...(expiresAt === undefined ? {} : { expiresAt })
      })
    )
  )

const signIn = Effect.gen(function* () {
  const opened = yield* (yield* Sessions).open(rawKey)
  return opened._tag === "Valid" ? opened.id : assert.fail(opened.code)
})

const codeOf = (id: SessionId.SessionId) =>
  Effect.gen(function* () {
    const verdict = yield* (yield* Sessions).authenticate(id)
    return verdict._tag === "Valid" ? "valid" : verdict.code
  })

describe("a session", () => {
  it.effect("may be open from its sign-in until it is found ended, also for a service that starts later", () =>
    Effect.gen(function* () {
      yield* insert()
      const sessions = yield* Sessions
      const id = yield* signIn
      assert.isTrue(sessions.mayBeOpen(id))
      assert.isFalse(sessions.mayBeOpen(SessionId.generate(randomBytes)))
      const restarted = yield* Effect.provide(Sessions, Layer.fresh(Sessions.layer))
      assert.isTrue(restarted.mayBeOpen(id))
      yield* sessions.end(id)
      assert.strictEqual(yield* codeOf(id), "session_ended")
      assert.isFalse(sessions.mayBeOpen(id))
    }).pipe(Effect.provide(layers))
  )

  it.effect("goes on while the store notes no use, as on a full disk", () =>
    Effect.gen(function* () {
      const refused = new KeyStoreError({
        reason: new StoreFailed({ operation: "touchSession", cause: new Error("full") })
      })
      const store = yield* SessionStore
      const full = Layer.succeed(SessionStore, { ...store, touch: () => Effect.fail(refused) })
      yield* insert()
      const id = yield* signIn
      yield* TestClock.adjust("2 minutes")
      const verdict = yield* Effect.flatMap(Sessions, (sessions) => sessions.authenticate(id)).pipe(
        Effect.provide(Layer.fresh(Sessions.layer).pipe(Layer.provide(full)))
      )
      assert.strictEqual(verdict._tag, "Valid")
      yield* TestClock.adjust("12 hours")
      assert.strictEqual(yield* codeOf(id), "session_ended")
    }).pipe(Effect.provide(layers))
  )

  it.effect("returns the principal that signed in", () =>
    Effect.gen(function* () {
      yield* insert()
      const verdict = yield* (yield* Sessions).authenticate(yield* signIn)
      assert.deepInclude(verdict, {
        _tag: "Valid",
        principal: { keyId: "key_1", name: "key_1", rule: viewer, source: "created" }
      })
    }).pipe(Effect.provide(layers))
  )

  it.effect("is not opened with an unknown key, and the refusal says why", () =>
    Effect.gen(function* () {
      const text = Redacted.value(rawKey)
      const mistyped = Redacted.make(text.slice(0, -1) + (text.endsWith("0") ? "1" : "0"))
      const opened = yield* (yield* Sessions).open(mistyped)
      assert.deepInclude(opened, { _tag: "Refused", code: "invalid_key" })
      assert.isTrue(opened._tag === "Refused" && opened.detail.endsWith("with a mistyped character"))
    }).pipe(Effect.provide(layers))
  )

  it.effect("of an unknown id has ended", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* codeOf(SessionId.generate(randomBytes)), "session_ended")
    }).pipe(Effect.provide(layers))
  )

  it.effect("ends with the revocation of its key, and says so", () =>
    Effect.gen(function* () {
      yield* insert()
      const id = yield* signIn
      yield* (yield* KeyStore).revoke("key_1", yield* DateTime.now)
      assert.strictEqual(yield* codeOf(id), "key_revoked")
    }).pipe(Effect.provide(layers))
  )

  it.effect("ends at the very millisecond at which its key does", () =>
    Effect.gen(function* () {
      yield* insert(DateTime.makeUnsafe(HOUR_MS))
      const id = yield* signIn
      yield* TestClock.adjust(HOUR_MS - 1)
      assert.strictEqual(yield* codeOf(id), "valid")
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* codeOf(id), "key_expired")
    }).pipe(Effect.provide(layers))
  )

  it.effect("ends when it is signed out, and leaves the others of its key", () =>
    Effect.gen(function* () {
      yield* insert()
      const [one, other] = [yield* signIn, yield* signIn]
      yield* (yield* Sessions).end(one)
      assert.deepStrictEqual([yield* codeOf(one), yield* codeOf(other)], ["session_ended", "valid"])
    }).pipe(Effect.provide(layers))
  )

  it.effect("takes all of its key with it when it is signed out everywhere", () =>
    Effect.gen(function* () {
      yield* insert()
      const [one, other] = [yield* signIn, yield* signIn]
      yield* (yield* Sessions).endAll(one)
      assert.deepStrictEqual([yield* codeOf(one), yield* codeOf(other)], ["session_ended", "session_ended"])
    }).pipe(Effect.provide(layers))
  )

  it.effect("that has idled out takes none with it", () =>
    Effect.gen(function* () {
      yield* insert()
      const one = yield* signIn
      yield* TestClock.adjust("12 hours")
      const other = yield* signIn
      yield* (yield* Sessions).endAll(one)
      assert.deepStrictEqual([yield* codeOf(one), yield* codeOf(other)], ["session_ended", "valid"])
    }).pipe(Effect.provide(layers))
  )

  it.effect("that is only looked at idles on", () =>
    Effect.gen(function* () {
      yield* insert()
      const id = yield* signIn
      for (let hour = 0; hour < 12; hour++) {
        assert.strictEqual((yield* (yield* Sessions).look(id))._tag, "Valid")
        yield* TestClock.adjust("1 hour")
      }
      assert.deepInclude(yield* (yield* Sessions).look(id), {
        code: "session_ended",
        detail: "the session has ended: it was not used for 12h"
      })
    }).pipe(Effect.provide(layers))
  )

  /** Times between uses: some short, some close to the idle limit of a session. */
  const Pause = Schema.Literals([1, 30_000, 60_000, 11 * HOUR_MS, 12 * HOUR_MS - 60_001, 12 * HOUR_MS, 13 * HOUR_MS])

  it.effect.prop(
    "is valid as long as it is used within twelve hours each time, for seven days, and never again",
    [Schema.Array(Pause).check(Schema.isMaxLength(20))],
    ([pauses]) =>
      Effect.gen(function* () {
        yield* insert()
        const id = yield* signIn
        let age = 0
        let hasEnded = false
        for (const pause of pauses) {
          yield* TestClock.adjust(pause)
          age += pause
          hasEnded ||= pause >= 12 * HOUR_MS || age >= 7 * 24 * HOUR_MS
          assert.strictEqual(yield* codeOf(id), hasEnded ? "session_ended" : "valid")
        }
      }).pipe(Effect.provide(Layer.fresh(layers)))
  )
})
