/**
 * Writes to prefilled clusters on command.
 */
import { Effect, Fiber, Random, Schedule } from "effect"
import * as Objects from "../load/Objects.ts"
import type { Call, Clusters } from "./Clusters.ts"
import * as Writes from "./Writes.ts"

const PATH = "/apis/apps/v1/namespaces"
const NAMESPACE = Objects.namespaces[0] ?? "default"
const MERGE = "application/merge-patch+json"
const PER_SECOND = 100
/** Writes come in batches, because timers are too inexact for one write per 10 ms. */
const BEATS = 20
const BEAT_WRITES = Array.from({ length: PER_SECOND / BEATS }, (_, index) => index)
const BEAT = "50 millis"

/** Makes the handler of commands; see src/fleetClusters.ts. */
export const make = Effect.fnUntraced(function* ({ calls, hold, open, slow }: Clusters, deployments: number) {
  const scope = yield* Effect.scope
  let churning: Fiber.Fiber<unknown> | undefined
  let writes = 0
  let refused = 0
  let turn = 0
  const alive: Array<{ readonly call: Call; readonly path: string }> = []
  const count = (status: number) => {
    writes++
    if (status < 200 || status > 299) refused++
  }

  const create = Effect.fnUntraced(function* (call: Call, place: number) {
    const { object } = Objects.deployment(place, writes)
    const name = `churn-${writes}`
    const value = { ...object, metadata: { ...object.metadata, name, namespace: NAMESPACE } }
    count(yield* call("POST", `${PATH}/${NAMESPACE}/deployments`, { contentType: "application/json", value }))
    alive.push({ call, path: `${PATH}/${NAMESPACE}/deployments/${name}` })
  })
  const remove = Effect.fnUntraced(function* () {
    const oldest = alive.shift()
    if (oldest !== undefined) count(yield* oldest.call("DELETE", oldest.path))
  })
  /** Changes a permanent deployment in a field that does not affect the order of rows. */
  const change = Effect.fnUntraced(function* (call: Call, place: number) {
    const { metadata } = Objects.deployment(place, 0).object
    const value = { metadata: { annotations: { changed: String(writes) }, labels: { changed: String(writes) } } }
    const path = `${PATH}/${metadata?.namespace ?? ""}/deployments/${metadata?.name ?? ""}`
    count(yield* call("PATCH", path, { contentType: MERGE, value }))
  })
  const write = Effect.fnUntraced(function* (number: number) {
    const place = yield* Random.nextIntBetween(0, calls.length - 1)
    const call = calls[place]
    if (call === undefined) return
    if (number % 3 === 0) yield* create(call, place)
    else yield* number % 3 === 1 ? change(call, place) : remove()
  })
  const writing = Writes.make(calls, deployments, count)
  const beat = Effect.forEach(BEAT_WRITES, () => Effect.suspend(() => write(turn++)), { discard: true })

  const commands: Readonly<Record<string, (query: URLSearchParams) => Effect.Effect<unknown>>> = {
    "/churn": () =>
      Effect.gen(function* () {
        churning ??= yield* Effect.forkIn(Effect.repeat(beat, Schedule.fixed(BEAT)), scope)
        return { churning: true }
      }),
    "/write": (query) =>
      Effect.gen(function* () {
        writes = 0
        refused = 0
        churning ??= yield* Effect.forkIn(writing(Number(query.get("perSecond"))), scope)
        return { writing: true }
      }),
    "/calm": () =>
      Effect.gen(function* () {
        if (churning !== undefined) yield* Fiber.interrupt(churning)
        churning = undefined
        return { writes, refused }
      }),
    "/slow": () => Effect.as(slow, { slow: true }),
    "/hold": () => Effect.as(hold, { held: true }),
    "/open": () => Effect.as(open, { open: true }),
    "/scale": (query) =>
      Effect.gen(function* () {
        const call = calls[Number(query.get("cluster"))]
        const path = `${PATH}/${query.get("namespace")}/deployments/${query.get("name")}`
        const value = { spec: { replicas: Number(query.get("replicas")) } }
        return { status: call === undefined ? 404 : yield* call("PATCH", path, { contentType: MERGE, value }) }
      })
  }
  const run = yield* Effect.map(Effect.context<never>(), Effect.runPromiseWith)
  return (url: URL): Promise<unknown> =>
    run(commands[url.pathname]?.(url.searchParams) ?? Effect.succeed({ status: 404 }))
})
