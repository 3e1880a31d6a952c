/**
 * A worker thread of the soak. It probes one cluster after the other like the service does, over separate connections, and
 * reports which clusters did not answer in time.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Clock, Effect, Schema } from "effect"
import { Agent, get } from "node:https"
import { parentPort, workerData } from "node:worker_threads"
import { type Probed, PROBE_MS, Probing } from "./soak/Probing.ts"

const PATH = "/apis/apps/v1/deployments?limit=1"
/** Interval between two probes, each of the next cluster. */
const EVERY_MS = 200

const say = (told: Probed): void => parentPort?.postMessage(told)

/** Succeeds with any answer. A cluster that refuses the request is not silent. */
const answered = (url: string, agent: Agent, token: string) =>
  Effect.callback<void>((resume) => {
    const request = get(url, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
      response.resume()
      say({ _tag: "Answered" })
      resume(Effect.void)
    })
    request.on("error", () => resume(Effect.void))
    return Effect.sync(() => request.destroy())
  })

/** Ends when the probe is overdue. Yields once, because an answer may have arrived while this thread had no processor. */
const overdue = Effect.andThen(Effect.sleep(PROBE_MS), Effect.yieldNow)

const witness = Effect.gen(function* () {
  const clusters = yield* Schema.decodeUnknownEffect(Probing)(workerData)
  const probes = clusters.map(({ caPem, name, server, token }) => {
    const agent = new Agent({ keepAlive: true, ca: caPem })
    return Effect.gen(function* () {
      const begunAt = yield* Clock.currentTimeMillis
      const isSilent = yield* Effect.raceFirst(
        Effect.as(answered(`${server}${PATH}`, agent, token), false),
        Effect.as(overdue, true)
      )
      if (isSilent) say({ _tag: "Silent", name, begunAt, silentAt: yield* Clock.currentTimeMillis })
    })
  })
  for (;;) {
    for (const probe of probes) {
      yield* Effect.forkChild(probe)
      yield* Effect.sleep(EVERY_MS)
    }
  }
})

NodeRuntime.runMain(witness)
