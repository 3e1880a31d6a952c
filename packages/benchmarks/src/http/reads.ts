/**
 * Reads of the service, compared with a plain Node server that writes the same bytes. Both get the same load in turns.
 */
import { Embedded, Fleet } from "@quarterdeck/harness"
import { Console, Effect } from "effect"
import type { Claim } from "../claim/Claim.ts"
import * as Objects from "../load/Objects.ts"
import * as Programs from "../load/Programs.ts"
import type { Question } from "../load/Plan.ts"
import * as Measure from "../claim/Measure.ts"
import type { Extent } from "../claim/Suite.ts"
import { keysOf, questionsOf } from "./questions.ts"

/** Deployments of each cluster. Enough for full pages of 100 under each filter. */
const EACH = 3_000
const QUICK_EACH = 1_000
/** Number of recorded answers that the raw server writes in turn. */
const RECORDED = 64
/** Maximum number of requests of one load. */
const MOST = 30_000
const CLUSTER_CONNECTIONS = 32
const PAGE_CONNECTIONS = 16

const started = Effect.fnUntraced(function* ({ quick }: Extent) {
  const names = ["hub", "prod", "stage"]
  const each = quick ? QUICK_EACH : EACH
  const fleet = yield* Fleet.make({ driver: Embedded.driver, parent: "hub", children: names.slice(1) })
  for (const [cluster, { api }] of fleet.clusters.entries()) {
    yield* Effect.forEach(Objects.namespaces, (name) => api.create(Objects.namespace(name)), { discard: true })
    const numbers = Array.from({ length: each }).keys()
    yield* Effect.forEach(numbers, (index) => api.create(Objects.deployment(cluster, index).object), { discard: true })
  }
  const { namespaces } = Objects
  const keys = keysOf(names, namespaces)
  const first = keys[0]?.raw ?? ""
  const serve = Effect.fnUntraced(function* (reads: "denied" | "all") {
    const service = yield* Programs.service({ kubeconfig: fleet.kubeconfig, keys, reads })
    yield* Programs.untilReady(service)
    return service
  })
  return { first, keys, namespaces, serve, workloads: each * names.length }
})

interface Contest {
  readonly claim: string
  readonly atLeast: number
  readonly connections: number
  /** The requests: the same one repeatedly, or all different. */
  readonly questions: ReadonlyArray<Question>
  readonly note: string
}

/** Loads the service and the raw server in turns. **Errors** if a load needs more different requests than there are. */
const contest = Effect.fnUntraced(function* (
  { quick }: Extent,
  service: Programs.Service,
  { atLeast, claim, connections, note, questions }: Contest
) {
  const isOne = questions.length === 1
  const seconds = quick ? 0.7 : 3
  const pairs = quick ? 2 : 7
  yield* Console.error(`${claim}: ${pairs} pairs of ${seconds} s`)
  const raw = yield* Programs.raw(yield* Programs.recorded(service, questions.slice(-RECORDED)))
  const load = yield* Programs.loader
  const plan = { connections, seconds, questions: questions.slice(0, MOST), pages: !isOne }
  const ours: Array<number> = []
  const peer: Array<number> = []
  const p99: Array<number> = []
  let first = 0
  let cpuMs = 0
  let answered = 0
  const askOurs = Effect.gen(function* () {
    const before = yield* service.figures
    const result = yield* load({
      ...plan,
      port: service.port,
      questions: isOne ? questions : questions.slice(first, first + MOST)
    })
    cpuMs += (yield* service.figures).cpuMs - before.cpuMs
    answered += result.answered
    first += result.asked
    if (isOne) first = 0
    else if (first > questions.length - RECORDED || result.asked > MOST) {
      return yield* new Programs.ProgramFailed({ problem: `only ${questions.length} questions, and more were asked` })
    }
    ours.push(result.perSecond)
    p99.push(result.p99)
  })
  const askPeer = Effect.map(load({ ...plan, port: raw }), ({ perSecond }) => peer.push(perSecond))
  for (let turn = 0; turn <= pairs; turn++) {
    yield* turn % 2 === 0 ? Effect.andThen(askOurs, askPeer) : Effect.andThen(askPeer, askOurs)
  }
  return {
    claim,
    // The first pair is the warm-up.
    ours: { value: Measure.median(ours.slice(1)), unit: "/s" },
    peer: { name: "node:http writing the same bytes", value: Measure.median(peer.slice(1)), unit: "/s" },
    goal: { _tag: "ratioAtLeast", atLeast },
    note: `${note}; ${(cpuMs / answered).toFixed(3)} ms of processor a request, p99 ${Measure.median(p99).toFixed(1)} ms; median of ${pairs}; the load shares the processors; limits off, log lines to /dev/null`
  } satisfies Claim
})

export const clusters = Effect.fnUntraced(function* (extent: Extent) {
  const { first, serve } = yield* started(extent)
  const claimOf = (reads: "denied" | "all", atLeast: number) =>
    Effect.scoped(
      Effect.flatMap(serve(reads), (service) =>
        contest(extent, service, {
          claim: `GET /api/v1/clusters, ${CLUSTER_CONNECTIONS} connections, audit of reads ${reads === "all" ? "on" : "off"}`,
          atLeast,
          connections: CLUSTER_CONNECTIONS,
          questions: [{ key: first, path: "/api/v1/clusters" }],
          note: "three clusters"
        })
      )
    )
  return [yield* claimOf("denied", 0.6), yield* claimOf("all", 0.5)]
})

export const pages = Effect.fnUntraced(function* (extent: Extent) {
  const { first, keys, namespaces, serve, workloads } = yield* started(extent)
  const service = yield* serve("denied")
  const same = yield* contest(extent, service, {
    claim: `page of 100 over three clusters, ${PAGE_CONNECTIONS} connections`,
    atLeast: 0.5,
    connections: PAGE_CONNECTIONS,
    questions: [{ key: first, path: "/api/v1/workloads?limit=100" }],
    note: `${workloads.toLocaleString("en-US")} workloads`
  })
  const different = yield* contest(extent, service, {
    claim: `the same when every answer differs, ${PAGE_CONNECTIONS} connections`,
    atLeast: 0.1,
    connections: PAGE_CONNECTIONS,
    questions: questionsOf(keys, namespaces),
    note: `${keys.length} keys, names, namespaces and orders, the page behind each cursor too, no question twice`
  })
  return [same, different]
})
