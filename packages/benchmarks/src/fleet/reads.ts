/**
 * Pages and walks over very many rows, each compared with the filtered and sorted expected rows.
 */
import { Console, Effect, Schema } from "effect"
import type { Claim } from "../claim/Claim.ts"
import * as Asking from "../load/Asking.ts"
import * as Programs from "../load/Programs.ts"
import * as Measure from "../claim/Measure.ts"
import type { Extent } from "../claim/Suite.ts"
import * as Truth from "./Truth.ts"

const KEY = { raw: "benchmark-reader-0123456789", rule: { role: "Viewer" } }
const PAGE = 100
const WALK_PAGE = 1_000

const Rows = Schema.Array(
  Schema.Struct({
    id: Schema.String,
    cluster: Schema.String,
    namespace: Schema.String,
    kind: Schema.String,
    name: Schema.String,
    status: Schema.String,
    createdAt: Schema.String,
    cpuRequestMillis: Schema.Finite,
    memoryRequestBytes: Schema.Finite
  })
)
const Page = Schema.fromJsonString(
  Schema.Struct({ workloads: Rows, partial: Schema.Boolean, nextCursor: Schema.optionalKey(Schema.String) })
)
const decodePage = (text: string) => Schema.decodeUnknownEffect(Page)(text)

const ORDERS = ["asc", "desc"] as const

export const reads = Effect.fnUntraced(function* ({ quick }: Extent) {
  const filling = {
    clusters: quick ? 20 : 100,
    deployments: quick ? 500 : 2_000,
    pods: 0,
    podBytes: 0,
    delayMs: 0,
    isHeld: false
  }
  const total = filling.clusters * filling.deployments
  yield* Console.error(`${total} rows in ${filling.clusters} clusters`)
  const clusters = yield* Programs.clusters(JSON.stringify(filling))
  const service = yield* Programs.service({ kubeconfig: clusters.kubeconfig, keys: [KEY] })
  yield* Programs.untilReady(service)
  const ask = yield* Asking.connect(service.port, KEY.raw)
  const rows = Truth.rowsOf(filling)
  return [...(yield* pages(ask, rows, quick ? 3 : 40, total)), ...(yield* walk(ask, clusters, rows))]
})

/** Measures first pages by every sort key in both orders, against sorting all rows in JavaScript. */
const pages = Effect.fnUntraced(function* (
  ask: Asking.Ask,
  rows: ReadonlyArray<Truth.Row>,
  times: number,
  total: number
) {
  const ours: Array<number> = []
  const peer: Array<number> = []
  const slowest = { ms: 0, of: "" }
  let faults = 0
  let first = ""
  // Sort before the first request. Otherwise collecting the garbage of the sorts would count as time of an answer.
  const questions = Truth.SORTS.flatMap((sort) => ORDERS.map((order) => ({ sort, order })))
  const expected = yield* Effect.forEach(questions, ({ order, sort }) =>
    Effect.map(
      Measure.timed(Effect.sync(() => rows.toSorted(Truth.comparing(sort, order)).slice(0, PAGE))),
      ([sortMs, page]) => {
        peer.push(sortMs)
        return page
      }
    )
  )
  for (const [place, { order, sort }] of questions.entries()) {
    const path = `/api/v1/workloads?limit=${PAGE}&sort=${sort}&order=${order}`
    const own: Array<number> = []
    for (let turn = 0; turn < times; turn++) {
      // The first page of each order counts too, although it is cold.
      const [ms, text] = yield* Measure.timed(ask(path))
      own.push(ms)
      if (turn > 0) continue
      const page = yield* decodePage(text)
      const fault = page.partial ? "partial" : Truth.faultOf(page.workloads, expected[place] ?? [])
      if (fault !== undefined) faults++
      if (first === "" && fault !== undefined) first = `${sort} ${order}: ${fault}`
    }
    const middle = Measure.median(own)
    if (middle > slowest.ms) Object.assign(slowest, { ms: middle, of: `${sort} ${order}` })
    ours.push(...own)
  }
  const sizes = `first page of ${PAGE} of ${total.toLocaleString("en-US")} rows, every key and order, over HTTP`
  const scan = { name: "all rows sorted", value: Measure.median(peer), unit: "ms" } as const
  return [
    {
      claim: `${sizes}, p50`,
      ours: { value: Measure.percentile(ours, 0.5), unit: "ms" },
      peer: scan,
      goal: { _tag: "absolute", atMost: 3 },
      note: `one connection, ${ours.length} pages; slowest order ${slowest.of} with ${slowest.ms.toFixed(1)} ms in the median`
    },
    {
      claim: "the same, p99",
      ours: { value: Measure.percentile(ours, 0.99), unit: "ms" },
      peer: scan,
      goal: { _tag: "absolute", atMost: 10 },
      note: "the first page of each order is among them"
    },
    {
      claim: "orders whose page differs from all rows filtered and sorted",
      ours: { value: faults, unit: "count" },
      goal: { _tag: "absolute", atMost: 0 },
      note: first === "" ? `${Truth.SORTS.length * ORDERS.length} orders` : first
    }
  ] satisfies ReadonlyArray<Claim>
})

const decodeWrites = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ writes: Schema.Int, refused: Schema.Int }))
)

/** Reads all rows by cursor while other rows come and go. */
const walk = Effect.fnUntraced(function* (
  ask: Asking.Ask,
  clusters: Programs.Clusters,
  rows: ReadonlyArray<Truth.Row>
) {
  yield* clusters.command("/churn")
  yield* Effect.sleep("1 second")
  const texts: Array<string> = []
  const all = Effect.gen(function* () {
    let cursor: string | undefined = ""
    while (cursor !== undefined) {
      const behind: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`
      const text: string = yield* ask(`/api/v1/workloads?limit=${WALK_PAGE}&sort=name${behind}`)
      texts.push(text)
      cursor = /"nextCursor":"([^"]+)"/.exec(text.slice(-2_048))?.[1]
    }
  })
  const [ms] = yield* Measure.timed(all)
  const { refused, writes } = yield* decodeWrites(yield* clusters.command("/calm"))
  const decoded = yield* Effect.forEach(texts, decodePage)
  const walked = decoded.flatMap(({ workloads }) => workloads)
  const fault = decoded.some(({ partial }) => partial)
    ? "partial"
    : Truth.walkFaultOf(walked, rows, { sort: "name", order: "asc", mayBe: ({ name }) => name.startsWith("churn-") })
  const churned = walked.length - rows.length
  return [
    {
      claim: `walk of all ${rows.length.toLocaleString("en-US")} rows by cursor, pages of ${WALK_PAGE}, under writes`,
      ours: { value: ms / 1_000, unit: "s" },
      goal: { _tag: "absolute", atMost: 3 },
      note: `${writes} writes in ${(ms / 1_000 + 1).toFixed(1)} s, ${refused} refused; a third each created, changed, deleted`
    },
    {
      claim: "faults of the walk: a row that stayed missing, double, out of order",
      ours: { value: fault === undefined ? 0 : 1, unit: "count" },
      goal: { _tag: "absolute", atMost: 0 },
      note: fault ?? `${texts.length} pages, ${churned} rows that came or went met`
    }
  ] satisfies ReadonlyArray<Claim>
})
