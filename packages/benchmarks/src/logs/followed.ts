/**
 * The memory of the service while a slow client follows a long log.
 */
import { Embedded, Fleet } from "@quarterdeck/harness"
import { Clock, Console, Effect, Ref, Schedule } from "effect"
import { request } from "node:http"
import type { Claim } from "../claim/Claim.ts"
import type { Figures } from "../load/Figures.ts"
import * as Programs from "../load/Programs.ts"
import type { Extent } from "../claim/Suite.ts"

const MB = 1_000_000
const MS_PER_S = 1_000
const KEY = "benchmark-operator-0123456789"
/** The line of the log, which a pod's annotation repeats. */
const LINE = `${"x".repeat(9_999)}\n`
const LINES = 10
/** Pause of the reader after each chunk. */
const REST_MS = 2

const podOf = (copies: number) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "talker",
    namespace: "default",
    annotations: {
      "log.harness.quarterdeck.dev/main": LINE.repeat(LINES),
      "repeat.log.harness.quarterdeck.dev/main": String(copies)
    }
  },
  spec: { nodeName: "n1", containers: [{ name: "main", image: "acme/talker:1" }] }
})

/** Follows the log until it has delivered the given number of bytes. */
const read = (port: number, bytes: number, restMs: number): Effect.Effect<void, Programs.ProgramFailed> =>
  Effect.callback((resume) => {
    const rest = (go: () => void) => Effect.runFork(Effect.andThen(Effect.sleep(restMs), Effect.sync(go)))
    const fail = (problem: string) => resume(Effect.fail(new Programs.ProgramFailed({ problem })))
    const path = "/api/v1/pods/hub/default/talker/logs?follow=true&tailLines=10000"
    const headers = { authorization: `Bearer ${KEY}` }
    const outgoing = request({ host: "127.0.0.1", port, path, headers, agent: false }, (incoming) => {
      let taken = 0
      incoming.on("data", (piece: Buffer) => {
        taken += piece.length
        if (taken >= bytes) return resume(Effect.void)
        incoming.pause()
        rest(() => incoming.resume())
      })
      incoming.on("error", ({ message }) => fail(message))
      incoming.on("end", () => fail(`status ${incoming.statusCode}, ended after ${taken} bytes of ${bytes}`))
    })
    outgoing.on("error", ({ message }) => fail(message))
    outgoing.end()
    return Effect.sync(() => outgoing.destroy())
  })

/** Returns the larger value of each figure. */
const larger = (one: Figures, other: Figures): Figures => ({
  ...one,
  residentBytes: Math.max(one.residentBytes, other.residentBytes),
  heapBytes: Math.max(one.heapBytes, other.heapBytes),
  externalBytes: Math.max(one.externalBytes, other.externalBytes)
})

export const followed = Effect.fnUntraced(function* ({ quick }: Extent) {
  const copies = quick ? 100 : 1_000
  const bytes = LINE.length * LINES * copies
  yield* Console.error(`a log of ${bytes / MB} MB, followed with ${REST_MS} ms of rest after each piece`)
  const fleet = yield* Fleet.make({ driver: Embedded.driver, parent: "hub", children: [] })
  yield* fleet.parent.api.create({ apiVersion: "v1", kind: "Node", metadata: { name: "n1" } })
  yield* fleet.parent.api.create(podOf(copies))
  const keys = [{ raw: KEY, rule: { role: "Operator" } }]
  const service = yield* Programs.service({ kubeconfig: fleet.kubeconfig, keys })
  yield* Programs.untilReady(service)
  // A first read warms up the runtime, whose one-time memory does not count.
  yield* read(service.port, bytes / 10, 0)

  const before = yield* service.figures
  const most = yield* Ref.make(before)
  const look = Effect.flatMap(service.figures, (now) => Ref.update(most, (known) => larger(known, now)))
  const startMs = yield* Clock.currentTimeMillis
  yield* Effect.raceFirst(read(service.port, bytes, REST_MS), Effect.repeat(look, Schedule.spaced("50 millis")))
  const peak = yield* Ref.get(most)
  const seconds = ((yield* Clock.currentTimeMillis) - startMs) / MS_PER_S
  const grown = (of: "heapBytes" | "externalBytes") => `${((peak[of] - before[of]) / MB).toFixed(0)} MB`
  const claims: ReadonlyArray<Claim> = [
    {
      claim: `resident memory that a followed log of ${bytes / MB} MB takes, with a slow reader`,
      ours: { value: (peak.residentBytes - before.residentBytes) / MB, unit: "MB" },
      goal: { _tag: "absolute", atMost: 30 },
      note: `the most in ${seconds.toFixed(0)} s, looked at every 50 ms; ${(before.residentBytes / MB).toFixed(0)} MB before, after one of a tenth; of it heap ${grown("heapBytes")}, buffers ${grown("externalBytes")}, which are not collected before there are many`
    }
  ]
  return claims
}, Effect.scoped)
