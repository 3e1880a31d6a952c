/**
 * Something that runs in the background of a server, and stops and starts with it.
 */
import { Effect, Exit, Ref, Scope } from "effect"

/** A background job that is started and stopped; starting twice restarts it, stopping twice is no error. */
export interface Restartable {
  readonly start: Effect.Effect<void>
  readonly stop: Effect.Effect<void>
}

/** Runs between `start` and `stop`, at most until the scope closes; each run has a scope of its own. */
export const make = (run: Effect.Effect<void, never, Scope.Scope>): Effect.Effect<Restartable, never, Scope.Scope> =>
  Effect.gen(function* () {
    const parent = yield* Effect.scope
    const running = yield* Ref.make<Scope.Closeable | undefined>(undefined)
    const stop = Effect.flatMap(Ref.getAndSet(running, undefined), (scope) =>
      scope === undefined ? Effect.void : Scope.close(scope, Exit.void)
    )
    const start = Effect.gen(function* () {
      yield* stop
      const scope = yield* Scope.fork(parent)
      yield* Ref.set(running, scope)
      yield* Scope.provide(run, scope)
    })
    return { start, stop }
  })
