/**
 * Live lists over many slow clusters.
 */
import { Console, Effect } from "effect"
import type { Claim } from "../claim/Claim.ts"
import * as Asking from "../load/Asking.ts"
import * as Programs from "../load/Programs.ts"
import * as Measure from "../claim/Measure.ts"
import type { Extent } from "../claim/Suite.ts"
import * as Filling from "./Filling.ts"

const KEY = { raw: "benchmark-reader-0123456789", rule: { role: "Viewer" } }
const EACH = 5
const DELAY_MS = 50
const MB = 1_000_000
const IDLE_MS = 2_000
const LIST = "/api/v1/workloads?consistency=live&kind=Deployment&limit=1000&timeoutMs=30000"

/** Returns the duration of a live list in milliseconds. **Errors** if rows are missing. */
const listing = (ask: Asking.Ask, rows: number, cluster?: string) =>
  Effect.flatMap(Measure.timed(ask(LIST, cluster)), ([ms, text]) => {
    const found = text.split('"kind":"Deployment"').length - 1
    return found === rows && text.includes('"partial":false')
      ? Effect.succeed(ms)
      : Effect.fail(new Programs.ProgramFailed({ problem: `${found} rows of ${rows}: ${text.slice(-300)}` }))
  })

/** Runs an effect and returns the service's processor time during the run. **Units** milliseconds. */
const processorTime = Effect.fnUntraced(function* <A, E>(service: Programs.Service, effect: Effect.Effect<A, E>) {
  const began = yield* service.figures
  const value = yield* effect
  return { value, cpuMs: (yield* service.figures).cpuMs - began.cpuMs }
})

export const live = Effect.fnUntraced(function* ({ quick }: Extent) {
  const count = quick ? 20 : 100
  const times = quick ? 3 : 30
  const warmUps = quick ? 1 : 20
  yield* Console.error(`live lists over ${count} clusters that answer in ${DELAY_MS} ms`)
  const filling: Filling.Filling = {
    clusters: count,
    deployments: EACH,
    pods: 0,
    podBytes: 0,
    delayMs: DELAY_MS,
    isHeld: false
  }
  const clusters = yield* Programs.clusters(JSON.stringify(filling))
  const service = yield* Programs.service({ kubeconfig: clusters.kubeconfig, keys: [KEY] })
  yield* Programs.untilReady(service)
  yield* clusters.command("/slow")
  const ask = yield* Asking.connect(service.port, KEY.raw)
  const whoAmI = yield* Asking.connect(service.port, KEY.raw)
  const list = listing(ask, count * EACH)

  // Warm-up: opens the connections to each cluster and compiles the code.
  yield* Effect.repeat(list, { times: warmUps - 1 })
  // Take the better of two calls, so that one unlucky call does not look like a slow cluster.
  const singles = yield* Effect.forEach(Array.from({ length: count }).keys(), (place) =>
    Effect.map(Effect.replicateEffect(listing(ask, EACH, Filling.clusterName(place)), 2), (took) => Math.min(...took))
  )
  const before = yield* service.collected
  const idle = yield* processorTime(service, Effect.sleep(IDLE_MS))
  const alone = yield* processorTime(service, Effect.replicateEffect(list, times))
  const tookMs = alone.value.reduce((sum, ms) => sum + ms, 0)
  yield* service.watched
  const beside = yield* Asking.beside(whoAmI, "/api/v1/whoami", Effect.replicateEffect(list, times))
  const ended = yield* service.figures
  const after = yield* service.collected
  const slowest = Math.max(...singles)
  return [
    {
      claim: `live list of Deployments, ${EACH} each in ${count} clusters that answer in ${DELAY_MS} ms`,
      ours: { value: Measure.median(alone.value), unit: "ms" },
      peer: { name: "the slowest single cluster", value: slowest, unit: "ms" },
      goal: { _tag: "ratio", atMost: 1.5 },
      note: `median of ${times}; single ones ${Measure.median(singles).toFixed(1)} ms in the median; with whoami asked meanwhile ${Measure.median(beside.value).toFixed(0)} ms, the loop held up ${ended.longestTurnMs.toFixed(1)} ms at most`
    },
    {
      claim: "processor time of it a cluster",
      ours: { value: (alone.cpuMs - (idle.cpuMs / IDLE_MS) * tookMs) / times / count, unit: "ms" },
      goal: { _tag: "absolute", atMost: 0.4 },
      note: `whole service, less the ${((idle.cpuMs / IDLE_MS) * 1_000).toFixed(0)} ms a second that it takes to follow the clusters`
    },
    {
      claim: "GET whoami meanwhile, p99",
      ours: { value: Measure.percentile(beside.tookMs, 0.99), unit: "ms" },
      goal: { _tag: "absolute", atMost: 50 },
      note: `${beside.tookMs.length} calls, one after the other; median ${Measure.median(beside.tookMs).toFixed(1)} ms`
    },
    {
      claim: "memory that is not given back after it",
      ours: { value: Math.max(0, after.residentBytes - before.residentBytes) / MB, unit: "MB" },
      goal: { _tag: "absolute", atMost: 50 },
      note: `resident after a collection, ${(before.residentBytes / MB).toFixed(0)} MB before; heap ${((after.heapBytes - before.heapBytes) / MB).toFixed(1)} MB more`
    }
  ] satisfies ReadonlyArray<Claim>
})
