/**
 * Browser sessions: signs browsers in with a key or through an identity provider, and authenticates their requests.
 */
import { Context, DateTime, Duration, Effect, Layer, Option, type Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { Authenticator, type Purpose, type Verdict } from "../Authenticator.ts"
import type { KeyStoreError } from "../KeyError.ts"
import * as KeyHash from "../KeyHash.ts"
import type { Principal } from "../Principal.ts"
import type { RawKey } from "../RawKey.ts"
import * as SessionId from "./SessionId.ts"
import * as Person from "../Person.ts"
import * as ClaimReading from "./ClaimReading.ts"
import { type Identified, IdentityProvider } from "./IdentityProvider.ts"
import * as SealedTokens from "./SealedTokens.ts"
import { ownerText, type SessionOwner, type SessionRecord, SessionStore } from "./SessionStore.ts"

/**
 * Limits of sessions.
 *
 * **Shape** a session ends `idle` after its last use, and at most `whole` after its start. Uses are recorded once per
 * `precision`, so an idle session may end up to `precision` too early. If an owner has more than `perOwner` sessions,
 * the oldest ends. A person's claims are refreshed once they are older than `claims`.
 */
export const SessionLimits = Context.Reference("@quarterdeck/keys/session/SessionLimits", {
  defaultValue: () => ({
    idle: Duration.hours(12),
    whole: Duration.days(7),
    precision: Duration.minutes(1),
    perOwner: 100,
    claims: Duration.minutes(5)
  })
})

type Refused = Extract<Verdict, { readonly _tag: "Refused" }>

/** A new session. */
type Opened = Extract<Verdict, { readonly _tag: "Valid" }> & {
  readonly id: SessionId.SessionId
  /** Maximum lifetime of the session, for the browser's cookie. */
  readonly lasts: Duration.Duration
}

/** Result of signing in with a key. */
export type SignIn = Refused | Opened

/** Result of authenticating a session: the verdict on its owner, or the reason why the session has ended. */
export type SessionVerdict =
  | Verdict
  | { readonly _tag: "Refused"; readonly code: "session_ended"; readonly detail: string }

export class Sessions extends Context.Service<
  Sessions,
  {
    /**
     * Signs in with a key, unless `admit` fails for its principal. Does not record the use of the key; the caller does.
     *
     * **Errors** `KeyStoreError` if the store fails, and the errors of `admit`.
     */
    readonly open: <E = never, R = never>(
      key: RawKey,
      admit?: (principal: Principal["Service"]) => Effect.Effect<void, E, R>
    ) => Effect.Effect<SignIn, KeyStoreError | E, R>
    /** Signs in a person. Returns `none` if none of the person's groups has a rule. **Errors** `KeyStoreError`. */
    readonly openFor: (identified: Identified) => Effect.Effect<Option.Option<Opened>, KeyStoreError>
    /**
     * Authenticates a session and records its use. Does not record the use of its key; the caller does.
     *
     * **Shape** a session of a key is valid while it has not ended and the key is valid. A session of a person is valid while
     * it has not ended, the claims are at most `SessionLimits.claims` old or can be refreshed, and a group has a rule.
     *
     * **Errors** `KeyStoreError` if the store fails.
     */
    readonly authenticate: (id: SessionId.SessionId) => Effect.Effect<SessionVerdict, KeyStoreError>
    /** Authenticates a session without recording a use, so that an idle page does not keep its session alive. */
    readonly look: (id: SessionId.SessionId) => Effect.Effect<SessionVerdict, KeyStoreError>
    /**
     * Checks whether a session may be open: it was opened here, stored at start, or valid at its last authentication.
     *
     * **Shape** the result may be stale. It only decides whether a request counts as a failed attempt; authentication reads
     * the store.
     *
     * **Limits** no I/O.
     */
    readonly mayBeOpen: (id: SessionId.SessionId) => boolean
    /** Signs out. A session that has already ended is ignored. */
    readonly end: (id: SessionId.SessionId) => Effect.Effect<void, KeyStoreError>
    /** Ends all sessions of the same key or person. If the given session has already ended, no session is changed. */
    readonly endAll: (id: SessionId.SessionId) => Effect.Effect<void, KeyStoreError>
    /** Gets the tokens of a person's session, for signing out at the provider. Returns `none` for the session of a key. */
    readonly tokensOf: (id: SessionId.SessionId) => Effect.Effect<Option.Option<Redacted.Redacted>, KeyStoreError>
  }
>()("@quarterdeck/keys/session/Sessions") {
  /** **Errors** `KeyStoreError` if the stored sessions cannot be read at start. */
  static readonly layer: Layer.Layer<Sessions, KeyStoreError, Authenticator | IdentityProvider | SessionStore> =
    Layer.effect(
      Sessions,
      Effect.suspend(() => make())
    )
}

/** Maximum number of hashes. Beyond it, the least recently used hash is evicted. **Units** about 100 bytes each. */
const MAX_KNOWN = 100_000

/** Hashes of sessions that may be open, held in memory. */
class KnownSessions {
  /** Least recently used first: a set iterates in insertion order. */
  readonly #hashes: Set<SessionId.SessionHash>

  constructor(newestFirst: ReadonlyArray<SessionId.SessionHash>) {
    this.#hashes = new Set(newestFirst.toReversed())
  }

  has(hash: SessionId.SessionHash): boolean {
    return this.#hashes.has(hash)
  }

  /** Records whether a session was found open. */
  note(hash: SessionId.SessionHash, isOpen: boolean): void {
    this.#hashes.delete(hash)
    if (!isOpen) return
    const [oldest] = this.#hashes
    if (this.#hashes.size >= MAX_KNOWN && oldest !== undefined) this.#hashes.delete(oldest)
    this.#hashes.add(hash)
  }
}

const make = Effect.fnUntraced(function* () {
  const authenticator = yield* Authenticator
  const store = yield* SessionStore
  const provider = yield* IdentityProvider
  const rules = yield* Person.GroupRules
  const limits = yield* SessionLimits
  const { claims, precision, whole } = limits
  const readAgain = yield* ClaimReading.make(provider, store, claims)

  const known = new KnownSessions(yield* store.newest(MAX_KNOWN))
  const note = (id: SessionId.SessionId, isOpen: boolean) => Effect.sync(() => known.note(SessionId.hashOf(id), isOpen))

  const noteUse = noteUseIn(store)

  const begin = (ownerOf: OwnerOf) => Effect.tap(insertNew(store, limits, ownerOf), ({ id }) => note(id, true))

  const open = Effect.fn("Sessions.open")(function* <E = never, R = never>(
    key: RawKey,
    admit: (principal: Principal["Service"]) => Effect.Effect<void, E, R> = () => Effect.void
  ): Effect.fn.Return<SignIn, KeyStoreError | E, R> {
    const verdict = yield* authenticator.authenticate(key, "look")
    if (verdict._tag === "Refused") return verdict
    yield* admit(verdict.principal)
    const { id } = yield* begin(() => ({ _tag: "Key", keyHash: KeyHash.fromRawKey(key) }))
    return { ...verdict, id, lasts: whole }
  })

  const openFor = Effect.fn("Sessions.openFor")(function* ({ person, tokens }: Identified) {
    const rule = Person.ruleOf(rules, person)
    if (rule === undefined) return Option.none()
    const { id, now } = yield* begin((id, readAt) => ({
      _tag: "Person",
      person,
      readAt,
      sealedTokens: SealedTokens.seal(id, tokens)
    }))
    return Option.some<Opened>({ _tag: "Valid", principal: Person.principalOf(person, rule, now), id, lasts: whole })
  })

  const judgePerson = Effect.fnUntraced(function* (
    id: SessionId.SessionId,
    { createdAt, hash }: SessionRecord,
    owner: ClaimReading.PersonOwner,
    now: DateTime.Utc
  ): Effect.fn.Return<SessionVerdict, KeyStoreError> {
    const isFresh = DateTime.isLessThan(now, DateTime.addDuration(owner.readAt, claims))
    const read = isFresh ? { _tag: "Read" as const, owner } : yield* readAgain(id, owner)
    const rule = read._tag === "Read" ? Person.ruleOf(rules, read.owner.person) : undefined
    if (read._tag === "Read" && rule !== undefined) {
      return { _tag: "Valid", principal: Person.principalOf(read.owner.person, rule, createdAt) }
    }
    yield* store.remove(hash)
    return ended(read._tag === "Read" ? "no group of the person has a rule here" : read.problem)
  })

  const judge = Effect.fnUntraced(function* (
    id: SessionId.SessionId,
    purpose: Purpose
  ): Effect.fn.Return<SessionVerdict, KeyStoreError> {
    const record = Option.getOrUndefined(yield* store.find(SessionId.hashOf(id)))
    if (record === undefined) return ended("it was signed out")
    const now = yield* DateTime.now
    const reason = reasonOfEnd(limits, record, now)
    if (reason !== undefined) return ended(reason)
    const verdict =
      record.owner._tag === "Key"
        ? yield* authenticator.recognise(record.owner.keyHash, "look")
        : yield* judgePerson(id, record, record.owner, now)
    const isDue = !DateTime.isLessThan(now, DateTime.addDuration(record.lastUsedAt, precision))
    if (verdict._tag === "Valid" && purpose === "use" && isDue) yield* noteUse(record.hash, now)
    return verdict
  })

  const tokensOf = Effect.fnUntraced(function* (id: SessionId.SessionId) {
    const record = Option.getOrUndefined(yield* store.find(SessionId.hashOf(id)))
    return record?.owner._tag === "Person" ? SealedTokens.open(id, record.owner.sealedTokens) : Option.none()
  })

  return Sessions.of({
    open,
    openFor,
    tokensOf,
    mayBeOpen: (id) => known.has(SessionId.hashOf(id)),
    authenticate: (id) => judge(id, "use").pipe(Effect.tap(({ _tag }) => note(id, _tag === "Valid"))),
    look: (id) => judge(id, "look").pipe(Effect.tap(({ _tag }) => note(id, _tag === "Valid"))),
    end: (id) => store.remove(SessionId.hashOf(id)),
    endAll: (id) => endAll(store, limits, id)
  })
})

/** Makes the function that records uses. If a write fails, for example on a full disk, the request still succeeds. */
const noteUseIn = (store: SessionStore["Service"]) => {
  let isFailing = false
  return (hash: SessionRecord["hash"], now: DateTime.Utc) =>
    Effect.matchEffect(store.touch(hash, now), {
      onFailure: (error) => {
        const log = isFailing
          ? Effect.void
          : Effect.logWarning("uses of sessions cannot be recorded; idle sessions may end early", error)
        isFailing = true
        return log
      },
      onSuccess: () =>
        Effect.sync(() => {
          isFailing = false
        })
    })
}

type Limits = (typeof SessionLimits)["Service"]

/** Makes the owner of a new session. */
type OwnerOf = (id: SessionId.SessionId, now: DateTime.Utc) => SessionOwner

const insertNew = Effect.fnUntraced(function* (
  store: SessionStore["Service"],
  { idle, perOwner, whole }: Limits,
  ownerOf: OwnerOf
) {
  const id = SessionId.generate(randomBytes)
  const now = yield* DateTime.now
  yield* store.insert(
    { hash: SessionId.hashOf(id), owner: ownerOf(id, now), createdAt: now, lastUsedAt: now },
    {
      createdBefore: DateTime.subtractDuration(now, whole),
      lastUsedBefore: DateTime.subtractDuration(now, idle),
      perOwner
    }
  )
  return { id, now }
})

const endAll = Effect.fn("Sessions.endAll")(function* (
  store: SessionStore["Service"],
  limits: Limits,
  id: SessionId.SessionId
) {
  const record = Option.getOrUndefined(yield* store.find(SessionId.hashOf(id)))
  if (record === undefined || reasonOfEnd(limits, record, yield* DateTime.now) !== undefined) return
  yield* store.removeOfOwner(ownerText(record.owner))
})

const reasonOfEnd = (
  { idle, whole }: Limits,
  { createdAt, lastUsedAt }: SessionRecord,
  now: DateTime.Utc
): string | undefined => {
  const isPast = (start: DateTime.Utc, length: Duration.Duration) =>
    !DateTime.isLessThan(now, DateTime.addDuration(start, length))
  if (isPast(createdAt, whole)) return `it was opened ${Duration.format(whole)} ago`
  if (isPast(lastUsedAt, idle)) return `it was not used for ${Duration.format(idle)}`
  return undefined
}

const ended = (reason: string): SessionVerdict => ({
  _tag: "Refused",
  code: "session_ended",
  detail: `the session has ended: ${reason}`
})
