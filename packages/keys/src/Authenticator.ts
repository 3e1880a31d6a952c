/**
 * Authenticates API keys: finds the caller of a key, or the reason to refuse the key.
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
 * Result of an authentication. A refused key is a result, not an error.
 *
 * **Shape** `code`: the error code of the HTTP 401. `detail`: an explanation for people. `key_expired` and `key_revoked`
 * require a matching hash, so only a holder of the key receives them. `ended` names that key for the audit and the log.
 */
export type Verdict =
  | { readonly _tag: "Valid"; readonly principal: Principal["Service"] }
  | {
      readonly _tag: "Refused"
      readonly code: "invalid_key" | "key_expired" | "key_revoked"
      readonly detail: string
      readonly ended?: Pick<Principal["Service"], "keyId" | "name">
    }

/**
 * Reason for authenticating a key.
 *
 * **Shape** `use`: records the time of the last use. `look`: records nothing; the caller may call `noteUse` later.
 */
export type Purpose = "use" | "look"

export class Authenticator extends Context.Service<
  Authenticator,
  {
    /**
     * Authenticates a key.
     *
     * **Shape** a key is valid if and only if it is known, not revoked and now < `expiresAt`. The result holds for this call
     * only: open streams and sessions authenticate again.
     *
     * **Errors** `KeyStoreError` when the store fails.
     *
     * **Limits** one SHA-256 and at most one store lookup, none for deploy-time keys. Creates no span, since every request
     * calls it.
     */
    readonly authenticate: (key: RawKey.RawKey, purpose?: Purpose) => Effect.Effect<Verdict, KeyStoreError>
    /** Authenticates a key by its hash, for a session that was opened with the key. **Errors** `KeyStoreError`. */
    readonly recognise: (hash: KeyHash.KeyHash, purpose: Purpose) => Effect.Effect<Verdict, KeyStoreError>
    /** Records that a caller used its key now. **Limits** no I/O; the store is updated within a minute. */
    readonly noteUse: (caller: Principal["Service"]) => Effect.Effect<void>
  }
>()("@quarterdeck/keys/Authenticator") {
  /** Authenticates against the deploy-time keys and the store. Uses of created keys are written in the background. */
  static readonly layer: Layer.Layer<Authenticator, never, KeyConfig | KeyStore> = Layer.effect(
    Authenticator,
    Effect.suspend(() => make())
  )
}

/** The fields of a created or configured key that decide a verdict. */
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
  length: "no such key exists; it starts like a key of this service but has the wrong length",
  alphabet: "no such key exists; it starts like a key of this service but contains an invalid character",
  checksum: "no such key exists; it looks like a key of this service with a mistyped character"
}

const UNKNOWN: Verdict = { _tag: "Refused", code: "invalid_key", detail: EXPLANATION.none }
