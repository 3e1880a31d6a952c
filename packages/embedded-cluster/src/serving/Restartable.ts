/**
 * A background job that stops and starts with its server.
 */
import { Effect, Exit, Ref, Scope } from "effect"

/** A background job. Starting a running job restarts it; stopping a stopped job does nothing. */
export interface Restartable {
  readonly start: Effect.Effect<void>
  readonly stop: Effect.Effect<void>
}

/** Runs `run` between `start` and `stop`, at most until the scope closes. Each run has its own scope. */
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
