/**
 * Tells who presents a key, and why a key is refused.
 */
import { Clock, Context, DateTime, Effect, Layer, Option, type Scope } from "effect"
import type { AllowFrom } from "./AllowFrom.ts"
import { type Lifespan, type Source, statusAt } from "./ApiKey.ts"
import * as LastUse from "./LastUse.ts"
import { KeyConfig } from "./KeyConfig.ts"
import type { KeyStoreError } from "./KeyError.ts"
import * as KeyHash from "./KeyHash.ts"
import { KeyStore } from "./KeyStore.ts"
import type { Principal } from "./Principal.ts"
import * as RawKey from "./RawKey.ts"
import type { Rule } from "./Rule.ts"

/**
 * What became of a presented key. A bad key is an answer, not an error.
 *
 * **Shape** `code` is that of the HTTP 401; `detail` says more to people. That a key has expired or was revoked is told
 * only to who holds it: the hash matched. Which one it was, `ended`, is for the audit and the log.
 */
export type Verdict =
  | { readonly _tag: "Valid"; readonly principal: Principal["Service"] }
  | {
      readonly _tag: "Refused"
      readonly code: "invalid_key" | "key_expired" | "key_revoked"
      readonly detail: string
      readonly ended?: Pick<Principal["Service"], "keyId" | "name">
    }

/** Whether a key is used, which is noted at once, or only looked at; who learns later whether it was of use notes it then. */
export type Purpose = "use" | "look"

export class Authenticator extends Context.Service<
  Authenticator,
  {
    /**
     * Looks a key up and judges it.
     *
     * **Shape** valid if and only if it is known, not revoked and now < `expiresAt`. What holds for this call holds no
     * longer than it: open streams and sessions ask again.
     *
     * **Errors** `KeyStoreError` when the store cannot tell.
     *
     * **Limits** one SHA-256 and at most one look-up in the store, none for deploy-time keys. No span: the path of every
     * request.
     */
    readonly authenticate: (key: RawKey.RawKey, purpose?: Purpose) => Effect.Effect<Verdict, KeyStoreError>
    /** Judges the key of a hash that an earlier call knew, for what was opened with it. **Errors** `KeyStoreError`. */
    readonly recognise: (hash: KeyHash.KeyHash, purpose: Purpose) => Effect.Effect<Verdict, KeyStoreError>
    /** Notes that a caller used its key now. **Limits** no I/O; written within a minute. */
    readonly noteUse: (caller: Principal["Service"]) => Effect.Effect<void>
  }
>()("@quarterdeck/keys/Authenticator") {
  /** Judges by the deploy-time keys and the store; uses of created keys are noted beside the request. */
  static readonly layer: Layer.Layer<Authenticator, never, KeyConfig | KeyStore> = Layer.effect(
    Authenticator,
    Effect.suspend(() => make())
  )
}

/** What a verdict depends on, wherever the key comes from. */
interface Known extends Lifespan {
  readonly id: string
  readonly name: string
  readonly hash: KeyHash.KeyHash
  readonly rule: Rule
  readonly allowFrom?: AllowFrom
}

const make = Effect.fnUntraced(function* (): Effect.fn.Return<
  Authenticator["Service"],
  never,
  KeyConfig | KeyStore | Scope.Scope
> {
  const config = yield* KeyConfig
  const store = yield* KeyStore
  const noteUse = yield* LastUse.make(store)

  const recognise = Effect.fnUntraced(function* (
    hash: KeyHash.KeyHash,
    purpose: Purpose
  ): Effect.fn.Return<Verdict, KeyStoreError> {
    const { byHash, removed } = yield* config.current
    const now = yield* DateTime.now
    const configured = byHash.get(hash)
    if (configured !== undefined && KeyHash.equals(configured.hash, hash)) return judge(configured, "configured", now)
    const gone = removed.get(hash)
    if (gone !== undefined) return revoked(gone)
    const created = Option.getOrUndefined(yield* store.findByHash(hash))
    if (created === undefined || !KeyHash.equals(created.hash, hash)) return UNKNOWN
    const verdict = judge(created, "created", now)
    if (verdict._tag === "Valid" && purpose === "use") noteUse(created.id, DateTime.toEpochMillis(now))
    return verdict
  })

  const authenticate = (key: RawKey.RawKey, purpose: Purpose = "use") =>
    Effect.map(recognise(KeyHash.fromRawKey(key), purpose), (verdict) =>
      verdict === UNKNOWN ? explained(key) : verdict
    )

  return {
    authenticate,
    recognise,
    noteUse: ({ keyId, source }) =>
      source === "configured" ? Effect.void : Effect.map(Clock.currentTimeMillis, (nowMs) => noteUse(keyId, nowMs))
  }
})

const judge = (known: Known, source: Source, now: DateTime.Utc): Verdict => {
  switch (statusAt(known, now)) {
    case "revoked":
      return revoked(known)
    case "expired":
      return { _tag: "Refused", code: "key_expired", detail: "the key has expired", ended: endedOf(known) }
    case "active":
    case "expiring": {
      const { allowFrom, expiresAt, id, name, rule } = known
      return {
        _tag: "Valid",
        principal: {
          keyId: id,
          name,
          rule,
          source,
          ...(allowFrom === undefined ? {} : { allowFrom }),
          ...(expiresAt === undefined ? {} : { expiresAt })
        }
      }
    }
  }
}

const endedOf = ({ id, name }: Pick<Known, "id" | "name">) => ({ keyId: id, name })

const revoked = (known: Pick<Known, "id" | "name">): Verdict => ({
  _tag: "Refused",
  code: "key_revoked",
  detail: "the key was revoked",
  ended: endedOf(known)
})

const explained = (key: RawKey.RawKey): Verdict => ({
  _tag: "Refused",
  code: "invalid_key",
  detail: EXPLANATION[RawKey.faultOf(key) ?? "none"]
})

const EXPLANATION: Record<RawKey.Fault | "none", string> = {
  none: "no such key exists",
  length: "no such key exists; it begins like one of this service but is cut short or run on",
  alphabet: "no such key exists; it begins like one of this service but has a character that none has",
  checksum: "no such key exists; it looks like one of this service with a character mistyped"
}

const UNKNOWN: Verdict = { _tag: "Refused", code: "invalid_key", detail: EXPLANATION.none }
