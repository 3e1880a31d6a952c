/**
 * Does a call once, however often it is sent: a repeated one gets the answer of the first.
 */
import { IdempotencyStore } from "@quarterdeck/keys"
import type { KeyStoreError } from "@quarterdeck/keys/KeyError"
import { Context, DateTime, Deferred, Duration, Effect, Exit, Layer, Schema } from "effect"
import { createHash } from "node:crypto"

/** How long a call is known. */
const KEPT = Duration.hours(24)
/** What is kept of one API key. **Units** `size` characters. */
const MOST = { count: 1_000, size: 8 * 1024 * 1024 } as const

/** What was asked under the same name before was something else. */
export class IdempotencyMismatch extends Schema.TaggedError<IdempotencyMismatch>()("IdempotencyMismatch", {}) {
  override get message(): string {
    return "it was sent with another body or target before; nothing was done"
  }
}

/** The call began before, and nobody knows how it ended. */
export class IdempotencyUnknown extends Schema.TaggedError<IdempotencyUnknown>()("IdempotencyUnknown", {}) {
  override get message(): string {
    return "the service ended while it did this call, which may have been done in part: look at the workloads, and take a new key"
  }
}

/** As much is kept of the API key as may be. **Units** `retryAfterSeconds` until the oldest is forgotten. */
export class IdempotencyFull extends Schema.TaggedError<IdempotencyFull>()("IdempotencyFull", {
  retryAfterSeconds: Schema.Natural
}) {
  override get message(): string {
    return `${MOST.count} answers, or ${MOST.size / 1024 / 1024} MiB of them, are kept for the key, which is the most; nothing was done`
  }
}

export type IdempotencyError = IdempotencyMismatch | IdempotencyUnknown | IdempotencyFull | KeyStoreError

/**
 * A call to do once: `owner` is the id of the API key, `key` the name the caller gives the call, `asked` all of what is
 * asked.
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
     * Does a call, or gives the answer that it was given before.
     *
     * **Shape** a call that fails is forgotten: its failure must mean that nothing was done.
     *
     * **Errors** `IdempotencyMismatch`, `IdempotencyUnknown`, `IdempotencyFull` and `KeyStoreError`, with nothing done.
     *
     * **Limits** goes on to its end when the caller leaves; known for 24 hours, also after a restart; 1,000 calls and 8 MiB of
     * answers for each API key.
     */
    readonly once: <E>(call: OnceCall, work: Effect.Effect<string, E>) => Effect.Effect<string, E | IdempotencyError>
  }
>()("@quarterdeck/http-server/services/Idempotency") {
  static readonly layer = Layer.effect(
    Idempotency,
    Effect.gen(function* () {
      const store = yield* IdempotencyStore.IdempotencyStore
      const scope = yield* Effect.scope
      /** What goes on now, by owner and key. */
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
            const answer = yield* Effect.tapError(work, () => logged(store.remove({ owner, key }), "forgotten"))
            yield* logged(store.end({ owner, key }, answer), "kept")
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
          // The one that goes on ends in the store, where its answer is then read, as it would be later.
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

/** The answer is right whether or not it is kept: what is not is answered as unknown, never done again. */
const logged = (write: Effect.Effect<void, KeyStoreError>, what: string) =>
  write.pipe(Effect.catch((error) => Effect.logError(`what became of a call could not be ${what}`, error)))

const digest = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex")
