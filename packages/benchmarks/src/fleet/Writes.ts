/**
 * Changes of deployments in all clusters at a constant rate. Each carries the time of its write.
 */
import { Clock, Effect, Random, Schedule } from "effect"
import * as Objects from "../load/Objects.ts"
import type { Call } from "./Clusters.ts"

/** The label with the time of the last write. **Units** nanoseconds of the machine's monotonic clock. */
export const WRITTEN = "written"

const NAMESPACE = Objects.namespaces[0] ?? "default"
const MERGE = "application/merge-patch+json"
/** Writes come in batches, because timers are too inexact for one write per 2 ms. */
const BEATS_PER_SECOND = 50
const BEAT = "20 millis"
/**
 * Number of created deployments that exist at the same time, before the oldest is deleted. The stream may omit a
 * deployment that is deleted right after its creation.
 */
const STAYING = 200
/** One in ten writes creates a deployment and one deletes a created one. The others change a permanent one. */
const ROUND = 10

const pathOf = (namespace: string, name = ""): string =>
  `/apis/apps/v1/namespaces/${namespace}/deployments${name === "" ? "" : `/${name}`}`

/** Makes the writer. **Shape** `count` is called with the status of each write. */
export const make = (calls: ReadonlyArray<Call>, deployments: number, count: (status: number) => void) => {
  const alive: Array<{ readonly call: Call; readonly path: string }> = []
  let turn = 0
  const labels = Effect.map(Clock.Clock, (clock) => ({ [WRITTEN]: String(clock.monotonicTimeNanosUnsafe()) }))

  const create = Effect.fnUntraced(function* (call: Call, place: number) {
    const { object } = Objects.deployment(place, turn)
    const name = `written-${turn}`
    const metadata = { ...object.metadata, name, namespace: NAMESPACE, labels: yield* labels }
    const value = { ...object, metadata }
    count(yield* call("POST", pathOf(NAMESPACE), { contentType: "application/json", value }))
    alive.push({ call, path: pathOf(NAMESPACE, name) })
  })
  const change = Effect.fnUntraced(function* (call: Call, place: number) {
    const { metadata } = Objects.deployment(place, yield* Random.nextIntBetween(0, deployments - 1)).object
    const value = { metadata: { labels: yield* labels } }
    const path = pathOf(metadata?.namespace ?? "", metadata?.name ?? "")
    count(yield* call("PATCH", path, { contentType: MERGE, value }))
  })
  const write = Effect.fnUntraced(function* () {
    turn++
    const place = yield* Random.nextIntBetween(0, calls.length - 1)
    const call = calls[place]
    if (call === undefined) return
    if (turn % ROUND === 0) return yield* create(call, place)
    const oldest = turn % ROUND === ROUND / 2 && alive.length > STAYING ? alive.shift() : undefined
    if (oldest !== undefined) return count(yield* oldest.call("DELETE", oldest.path))
    yield* change(call, place)
  })

  return (perSecond: number) => {
    const writes = Array.from({ length: Math.max(1, Math.round(perSecond / BEATS_PER_SECOND)) })
    const beat = Effect.forEach(writes, () => write(), { discard: true })
    return Effect.repeat(beat, Schedule.fixed(BEAT))
  }
}
