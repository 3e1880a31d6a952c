/** Contract tests of session stores. */
import { assert, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import type { KeyStoreError } from "../../src/KeyError.ts"
import { SessionHash } from "../../src/session/SessionId.ts"
import {
  ownerText,
  type Retention,
  type SessionOwner,
  type SessionRecord,
  SessionStore
} from "../../src/session/SessionStore.ts"
import { at, hashOf } from "../samples.ts"

const sessionHash = (digit: string) => SessionHash.make(digit.repeat(64))

const ofKey = (digit: string): SessionOwner => ({ _tag: "Key", keyHash: hashOf(digit) })

const ada: Extract<SessionOwner, { readonly _tag: "Person" }> = {
  _tag: "Person",
  person: { subject: "248289761001", name: "Ada Lovelace", groups: ["platform", 'on call, "night"'] },
  readAt: at("2026-01-01T00:00:00Z"),
  sealedTokens: "c2VhbGVk"
}

const session = (fields: Partial<SessionRecord> & Pick<SessionRecord, "hash">): SessionRecord => ({
  owner: ofKey("a"),
  createdAt: at("2026-01-01T00:00:00Z"),
  lastUsedAt: at("2026-01-01T00:00:00Z"),
  ...fields
})

const everything: Retention = {
  createdBefore: at("2000-01-01T00:00:00Z"),
  lastUsedBefore: at("2000-01-01T00:00:00Z"),
  perOwner: 10
}

const one = session({ hash: sessionHash("1") })
const two = session({ hash: sessionHash("2") })
const three = session({ hash: sessionHash("3") })

export const keepsSessions = (layer: Layer.Layer<SessionStore, KeyStoreError>): void => {
  const check = <E>(name: string, body: (store: SessionStore["Service"]) => Effect.Effect<void, E>) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        yield* body(yield* SessionStore)
      }).pipe(Effect.provide(layer))
    )
  const present = (store: SessionStore["Service"], sessions: ReadonlyArray<SessionRecord>) =>
    Effect.map(
      Effect.forEach(sessions, ({ hash }) => store.find(hash)),
      (found) => found.map((one) => Option.isSome(one))
    )

  check("gives back a session as it was stored, and nothing for one that it does not know", (store) =>
    Effect.gen(function* () {
      yield* store.insert(one, everything)
      assert.deepStrictEqual(yield* store.find(one.hash), Option.some(one))
      assert.isTrue(Option.isNone(yield* store.find(two.hash)))
    })
  )

  check("lists the hashes of the sessions used last, newest first", (store) =>
    Effect.gen(function* () {
      yield* store.insert(one, everything)
      yield* store.insert({ ...two, lastUsedAt: at("2026-01-03T00:00:00Z") }, everything)
      yield* store.insert({ ...three, lastUsedAt: at("2026-01-02T00:00:00Z") }, everything)
      assert.deepStrictEqual(yield* store.newest(2), [two.hash, three.hash])
      assert.deepStrictEqual(yield* store.newest(9), [two.hash, three.hash, one.hash])
    })
  )

  check("refuses a second session with the same hash, and keeps the first", (store) =>
    Effect.gen(function* () {
      yield* store.insert(one, everything)
      const error = yield* Effect.flip(store.insert({ ...one, owner: ofKey("b") }, everything))
      assert.strictEqual(error.reason._tag, "StoreFailed")
      assert.deepStrictEqual(yield* store.find(one.hash), Option.some(one))
    })
  )

  check("notes the latest use, whatever order uses arrive in", (store) =>
    Effect.gen(function* () {
      yield* store.insert(one, everything)
      for (const day of ["03", "02"]) yield* store.touch(one.hash, at(`2026-01-${day}T00:00:00Z`))
      yield* store.touch(two.hash, at("2026-01-04T00:00:00Z"))
      assert.deepStrictEqual(
        yield* store.find(one.hash),
        Option.some({ ...one, lastUsedAt: at("2026-01-03T00:00:00Z") })
      )
    })
  )

  check("forgets one session, or all of a key and none of another", (store) =>
    Effect.gen(function* () {
      const other = session({ hash: sessionHash("4"), owner: ofKey("b") })
      for (const record of [one, two, three, other]) yield* store.insert(record, everything)
      yield* store.remove(one.hash)
      assert.deepStrictEqual(yield* present(store, [one, two, three, other]), [false, true, true, true])
      yield* store.removeOfOwner(ownerText(ofKey("a")))
      assert.deepStrictEqual(yield* present(store, [one, two, three, other]), [false, false, false, true])
    })
  )

  check("keeps what a person's session was opened with, and what is read later", (store) =>
    Effect.gen(function* () {
      const hers = session({ hash: sessionHash("6"), owner: ada })
      const later = { ...ada, person: { ...ada.person, groups: [] }, readAt: at("2026-01-02T00:00:00Z") }
      for (const record of [one, hers]) yield* store.insert(record, everything)
      assert.deepStrictEqual(yield* store.find(hers.hash), Option.some(hers))
      yield* store.replaceOwner(hers.hash, later)
      yield* store.replaceOwner(two.hash, later)
      assert.deepStrictEqual(yield* store.find(hers.hash), Option.some({ ...hers, owner: later }))
      assert.isTrue(Option.isNone(yield* store.find(two.hash)))
      yield* store.removeOfOwner(ownerText(ada))
      assert.deepStrictEqual(yield* present(store, [one, hers]), [true, false])
    })
  )

  check("forgets what is too old, or was not used for too long, as a session is added", (store) =>
    Effect.gen(function* () {
      const old = session({ hash: sessionHash("4"), createdAt: at("2025-01-01T00:00:00Z") })
      const idle = session({ hash: sessionHash("5"), lastUsedAt: at("2026-01-01T11:59:59Z") })
      for (const record of [old, idle, one]) yield* store.insert(record, everything)
      yield* store.touch(one.hash, at("2026-01-01T12:00:00Z"))
      yield* store.insert(
        { ...two, lastUsedAt: at("2026-01-02T00:00:00Z") },
        { ...everything, createdBefore: at("2026-01-01T00:00:00Z"), lastUsedBefore: at("2026-01-01T12:00:00Z") }
      )
      assert.deepStrictEqual(yield* present(store, [old, idle, one, two]), [false, false, true, true])
    })
  )

  check("forgets the oldest sessions of a key beyond its share, and never the new one", (store) =>
    Effect.gen(function* () {
      const sessions = ["1", "2", "3"].map((digit) =>
        session({ hash: sessionHash(digit), createdAt: at(`2026-01-0${digit}T00:00:00Z`) })
      )
      const other = session({ hash: sessionHash("9"), owner: ofKey("b"), createdAt: at("2025-01-01T00:00:00Z") })
      for (const record of [other, ...sessions]) yield* store.insert(record, { ...everything, perOwner: 2 })
      assert.deepStrictEqual(yield* present(store, [other, ...sessions]), [true, false, true, true])
      const early = session({ hash: sessionHash("0"), createdAt: at("2024-01-01T00:00:00Z") })
      yield* store.insert(early, { ...everything, perOwner: 1 })
      assert.deepStrictEqual(yield* present(store, [early, ...sessions]), [true, false, false, false])
    })
  )
}
