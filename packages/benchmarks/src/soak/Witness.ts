/**
 * Records when clusters that are up do not answer probes in time. Their process was too busy then, and the service may report
 * them as stale.
 *
 * The probes run on a separate thread, so that a busy event loop of this process does not delay them.
 */
import { ClusterDriver } from "@quarterdeck/harness"
import { Clock, Effect, Redacted, Schema } from "effect"
import { Worker } from "node:worker_threads"
import * as Life from "./Life.ts"
import { Probed, type Probing } from "./Probing.ts"
import type { Tracked } from "./Tracked.ts"

/** Time that a silence counts: until the service has noticed that the cluster answers again, and has listed it. */
const REMEMBERED_MS = 30_000

const decode = Schema.decodeUnknownSync(Probed)

/** The results of the probes. **Units** `heldMs` counts overlapping silences once. */
interface Found {
  readonly answers: number
  readonly silences: number
  readonly heldMs: number
}

export interface Witness {
  readonly wasHeld: Effect.Effect<boolean>
  readonly found: Effect.Effect<Found>
}

/** Probes the clusters until the scope ends. */
export const make = Effect.fnUntraced(function* (clusters: ReadonlyArray<Tracked>) {
  const probing: Probing = yield* Effect.forEach(clusters, ({ cluster: { caPem, name, server, token } }) =>
    Effect.map(token(ClusterDriver.ADMIN.name), (bearer) => ({ name, server, caPem, token: Redacted.value(bearer) }))
  )
  const lives = new Map(clusters.map((tracked) => [tracked.cluster.name, tracked]))
  const found = { answers: 0, silences: 0, heldMs: 0 }
  let heldUntil = Number.NEGATIVE_INFINITY

  const hear = (told: Probed): void => {
    if (told._tag === "Answered") {
      found.answers++
      return
    }
    const life = lives.get(told.name)?.life
    // A cluster that is down or has just started need not answer.
    if (life === undefined || Life.expectedLive(life, life, told.begunAt) !== "current") return
    const until = told.silentAt + REMEMBERED_MS
    found.silences++
    found.heldMs += until - Math.max(heldUntil, told.begunAt)
    heldUntil = until
  }

  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const worker = new Worker(new URL("../chaosWitness.ts", import.meta.url), { workerData: probing })
      worker.on("message", (told: unknown) => hear(decode(told)))
      // Both listeners throw in the main thread, because a soak without this worker is invalid.
      worker.on("error", (error) => {
        throw error
      })
      worker.on("exit", (code) => {
        throw new Error(`the thread that probes the clusters ended with ${code}`)
      })
      return worker
    }),
    (worker) => Effect.promise(() => worker.removeAllListeners("exit").terminate())
  )
  const witness: Witness = {
    wasHeld: Effect.map(Clock.currentTimeMillis, (now) => now < heldUntil),
    found: Effect.sync(() => ({ ...found }))
  }
  return witness
})
