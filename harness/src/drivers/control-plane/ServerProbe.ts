/**
 * Waits until an API server serves its administrator.
 *
 * Probes authenticate, because the server refuses anonymous ones until it has created its roles.
 */
import { Clock, Effect, Redacted, Schedule } from "effect"
import { Agent, request } from "undici"
import { ClusterNotReady } from "../../machine/HarnessError.ts"

const EVERY = "50 millis"
const WITHIN = "60 seconds"
const ONE_PROBE_MS = 5_000

export interface ProbeOptions {
  readonly server: string
  readonly caPem: string
  readonly token: Redacted.Redacted<string>
}

/**
 * Waits until every path returns 200, one path after the other.
 *
 * **Errors** `ClusterNotReady` after 60 s, with the last result. **Limits** one probe every 50 ms on one connection.
 */
export const answers = (options: ProbeOptions, paths: ReadonlyArray<string>): Effect.Effect<void, ClusterNotReady> =>
  Effect.scoped(
    Effect.gen(function* () {
      const agent = yield* Effect.acquireRelease(
        Effect.sync(() => new Agent({ connections: 1, connect: { ca: options.caPem } })),
        (agent) => Effect.promise(() => agent.destroy())
      )
      const started = yield* Clock.currentTimeMillis
      let last = "none yet"
      const probe = (path: string) =>
        Effect.tryPromise({
          try: (signal) => statusOf(agent, options, path, signal),
          catch: (cause) => (cause instanceof Error ? cause.message : String(cause))
        }).pipe(
          Effect.filterOrFail(
            (status) => status === 200,
            (status) => `status ${status}`
          ),
          Effect.tapError((answer) => Effect.sync(() => (last = `${path} ${answer}`)))
        )
      yield* Effect.forEach(paths, probe, { discard: true }).pipe(
        Effect.retry(Schedule.spaced(EVERY)),
        Effect.timeout(WITHIN),
        Effect.catch(() =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            Effect.fail(new ClusterNotReady({ waitedMs: Math.round(now - started), last, lastLines: [] }))
          )
        )
      )
    })
  )

const statusOf = async (agent: Agent, options: ProbeOptions, path: string, signal: AbortSignal): Promise<number> => {
  const { statusCode, body } = await request(`${options.server}${path}`, {
    dispatcher: agent,
    signal,
    headersTimeout: ONE_PROBE_MS,
    headers: { authorization: `Bearer ${Redacted.value(options.token)}` }
  })
  await body.dump()
  return statusCode
}
