/**
 * Runs a call once per idempotency key. A repeated call gets the first answer.
 */
import { IdempotencyStore } from "@quarterdeck/keys"
import type { KeyStoreError } from "@quarterdeck/keys/KeyError"
import { Context, DateTime, Deferred, Duration, Effect, Exit, Layer, Schema } from "effect"
import { createHash } from "node:crypto"

/** Time that a call is remembered. */
const KEPT = Duration.hours(24)
/** Maximum number and total size of the answers stored per API key. **Units** `size` in characters. */
const MOST = { count: 1_000, size: 8 * 1024 * 1024 } as const

/** An earlier call used the idempotency key for a different request. */
export class IdempotencyMismatch extends Schema.TaggedError<IdempotencyMismatch>()("IdempotencyMismatch", {}) {
  override get message(): string {
    return "this key was used before with another body or target; nothing was done"
  }
}

/** The call started before, and its outcome is unknown. */
export class IdempotencyUnknown extends Schema.TaggedError<IdempotencyUnknown>()("IdempotencyUnknown", {}) {
  override get message(): string {
    return "the server stopped during this call, so part of the change may have been made: check the workloads, then retry with a new key"
  }
}

/** The API key has reached its limit of stored answers. **Units** `retryAfterSeconds` until the oldest answer expires. */
export class IdempotencyFull extends Schema.TaggedError<IdempotencyFull>()("IdempotencyFull", {
  retryAfterSeconds: Schema.Natural
}) {
  override get message(): string {
    return `the limit of ${MOST.count} answers or ${MOST.size / 1024 / 1024} MiB kept for one API key is reached; nothing was done`
  }
}

export type IdempotencyError = IdempotencyMismatch | IdempotencyUnknown | IdempotencyFull | KeyStoreError

/**
 * A call to run once. **Shape** `owner` is the id of the API key, `key` the caller's idempotency key, `asked` the whole
 * request as text.
 */
export interface OnceCall {
  readonly owner: string
  readonly key: string
  readonly asked: string
}

export class Idempotency extends Context.Service<
  Idempotency,
  {
    /**
     * Runs a call, or replays its earlier answer.
     *
     * **Shape** a failed call is not stored and may run again, so a failure must mean that nothing was changed.
     *
     * **Errors** `IdempotencyMismatch`, `IdempotencyUnknown`, `IdempotencyFull` and `KeyStoreError`, without running the
     * call.
     *
     * **Limits** the call runs to its end even if the client disconnects. Answers are kept for 24 hours, also across a
     * restart, up to 1,000 answers and 8 MiB per API key.
     */
    readonly once: <E>(call: OnceCall, work: Effect.Effect<string, E>) => Effect.Effect<string, E | IdempotencyError>
  }
>()("@quarterdeck/http-server/services/Idempotency") {
  static readonly layer = Layer.effect(
    Idempotency,
    Effect.gen(function* () {
      const store = yield* IdempotencyStore.IdempotencyStore
      const scope = yield* Effect.scope
      /** Running calls by owner and key. */
      const running = new Map<string, { readonly fingerprint: string; readonly ended: Deferred.Deferred<unknown> }>()

      const perform = Effect.fnUntraced(function* <E>(
        { key, owner }: Pick<OnceCall, "owner" | "key">,
        fingerprint: string,
        work: Effect.Effect<string, E>
      ): Effect.fn.Return<string, E | IdempotencyError> {
        const at = yield* DateTime.now
        const begunBefore = DateTime.subtractDuration(at, KEPT)
        const state = yield* store.begin({ owner, key, fingerprint, at, begunBefore, most: MOST })
        switch (state._tag) {
          case "Known":
            if (state.fingerprint !== fingerprint) return yield* new IdempotencyMismatch()
            return state.answer ?? (yield* new IdempotencyUnknown())
          case "Full": {
            const waitMs = DateTime.toEpochMillis(state.oldestAt) - DateTime.toEpochMillis(begunBefore)
            return yield* new IdempotencyFull({ retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) })
          }
          case "New": {
            const answer = yield* Effect.tapError(work, () => logged(store.remove({ owner, key }), "removed"))
            yield* logged(store.end({ owner, key }, answer), "stored")
            return answer
          }
        }
      })

      const once = <E>(call: OnceCall, work: Effect.Effect<string, E>) =>
        Effect.suspend((): Effect.Effect<string, E | IdempotencyError> => {
          const named = { owner: call.owner, key: digest(call.key) }
          const place = `${named.key} ${named.owner}`
          const fingerprint = digest(call.asked)
          const before = running.get(place)
          if (before !== undefined && before.fingerprint !== fingerprint) return Effect.fail(new IdempotencyMismatch())
          // Wait for the running call to store its answer, then replay it.
          if (before !== undefined) return Effect.andThen(Deferred.await(before.ended), once(call, work))
          const ended = Deferred.makeUnsafe<unknown>()
          const answered = Deferred.makeUnsafe<string, E | IdempotencyError>()
          running.set(place, { fingerprint, ended })
          const done = perform(named, fingerprint, work).pipe(
            Effect.onExit((exit) =>
              Effect.sync(() => {
                running.delete(place)
                Deferred.doneUnsafe(answered, exit)
                Deferred.doneUnsafe(ended, Exit.void)
              })
            )
          )
          return Effect.andThen(Effect.forkIn(done, scope), Deferred.await(answered))
        })

      return Idempotency.of({ once })
    })
  )
}

/** Logs a failed write. The answer stays correct. A repeat of the call then gets `IdempotencyUnknown` and does not run. */
const logged = (write: Effect.Effect<void, KeyStoreError>, what: string) =>
  write.pipe(Effect.catch((error) => Effect.logError(`the outcome of an idempotent call could not be ${what}`, error)))

const digest = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex")
