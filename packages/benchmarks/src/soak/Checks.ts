/**
 * Compares answers with the contents of every cluster.
 */
import { eventually } from "@quarterdeck/harness"
import { Clock, Effect, Schema } from "effect"
import * as Answer from "./Answer.ts"
import * as Life from "./Life.ts"
import type { Served } from "./Served.ts"
import type { Tracked } from "./Tracked.ts"

/** Maximum delay in milliseconds until a change shows in answers. The usual delay is a few milliseconds on an idle machine. */
const LAG_MS = 3_000

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Answer.Answer))

/** A request and the faults of its answer. */
export interface Finding {
  readonly asked: string
  readonly faults: ReadonlyArray<string>
}

const pathOf = ({ isLive, name, namespace, order, sort }: Answer.Question): string => {
  const query = new URLSearchParams({ sort, order, limit: "5000" })
  if (namespace !== undefined) query.set("namespace", namespace)
  if (name !== undefined) query.set("name", name)
  // A live request lists each kind in each cluster, so ask for one kind only.
  if (isLive) {
    query.set("consistency", "live")
    query.set("kind", "Deployment")
  }
  return `/api/v1/workloads?${query.toString()}`
}

/**
 * Sends a list request to all clusters and returns its faults.
 *
 * **Shape** `clusters` in the order of the coverage. `wasHeld` is true if clusters that were up were too busy to answer
 * probes. Then the service may report them as stale.
 */
export const ask = Effect.fnUntraced(function* (
  served: Served,
  clusters: ReadonlyArray<Tracked>,
  question: Answer.Question,
  wasHeld: Effect.Effect<boolean>
) {
  const path = pathOf(question)
  const lives = clusters.map(({ life }) => life)
  const askedAt = yield* Clock.currentTimeMillis
  const { status, text } = yield* served.ask(path, { "X-Service-Cluster": "*" })
  const hadAt = yield* Clock.currentTimeMillis
  if (status !== 200) return { asked: path, faults: [`${status}: ${text.slice(0, 2_000)}`] } satisfies Finding
  const answer = yield* decode(text)
  const names = clusters.map(({ cluster }) => cluster.name)
  const faults = [...Answer.faultsOf(question, answer, names)]
  const isHeld = yield* wasHeld
  const rowsOf = Answer.byCluster(answer.workloads)
  for (const [index, tracked] of clusters.entries()) {
    const coverage = answer.clusters.find(({ name }) => name === tracked.cluster.name)
    const asked = lives[index]
    if (coverage === undefined || asked === undefined) continue
    const expected = question.isLive
      ? Life.expectedLive(asked, tracked.life, askedAt)
      : Life.expectedCached(asked, tracked.life, askedAt)
    const isOk = coverage.status === "ok"
    if (expected === "absent" && isOk)
      faults.push(`${coverage.name} is ok and ${asked.state} since ${askedAt - asked.since} ms`)
    const isExcused = isHeld && coverage.status === "stale"
    if (expected === "current" && !isOk && !question.isLive && !isExcused) {
      faults.push(`${coverage.name} is ${coverage.status} and up since ${askedAt - asked.since} ms`)
    }
    if (!Answer.isAnswered(coverage)) continue
    const lagMs = expected === "current" && isOk ? (question.isLive ? 0 : LAG_MS) : Number.POSITIVE_INFINITY
    faults.push(...faultsOfRows(tracked, question, rowsOf.get(coverage.name) ?? [], { askedAt, hadAt, lagMs }))
  }
  return { asked: path, faults } satisfies Finding
})

const faultsOfRows = (
  { cluster, truth }: Tracked,
  question: Answer.Question,
  rows: ReadonlyArray<Answer.Row>,
  span: { readonly askedAt: number; readonly hadAt: number; readonly lagMs: number }
): ReadonlyArray<string> => {
  const shown = new Map(rows.map((row) => [row.name, row.replicas.desired]))
  const wrong = [...shown].filter(([name, value]) => !truth.allows(name, value, span))
  // A filtered list may omit rows.
  const isWhole = question.name === undefined && question.namespace === undefined
  const missing = isWhole
    ? Array.from(truth.names).filter((name) => !shown.has(name) && !truth.allows(name, undefined, span))
    : []
  return [
    ...wrong.map(([name, value]) => `${cluster.name}/${name} is shown with ${value}, which it was not then`),
    ...missing.map((name) => `${cluster.name}/${name} is not shown, and was there`)
  ]
}

const Page = 25

/** Reads all pages, and reports rows that came twice, and rows that are missing although they did not change. */
export const walk = Effect.fnUntraced(function* (served: Served, clusters: ReadonlyArray<Tracked>) {
  const lives = clusters.map(({ life }) => life)
  const begunAt = yield* Clock.currentTimeMillis
  const seen = new Map<string, number>()
  let cursor: string | undefined
  do {
    const query = new URLSearchParams({
      sort: "name",
      limit: String(Page),
      ...(cursor === undefined ? {} : { cursor })
    })
    const { status, text } = yield* served.ask(`/api/v1/workloads?${query.toString()}`, { "X-Service-Cluster": "*" })
    if (status !== 200) return { asked: "walk", faults: [`${status}: ${text.slice(0, 200)}`] } satisfies Finding
    const answer = yield* decode(text)
    for (const { id } of answer.workloads) seen.set(id, (seen.get(id) ?? 0) + 1)
    for (const { cluster, name } of answer.workloads) seen.set(`${cluster}/${name}`, 1)
    cursor = answer.nextCursor
  } while (cursor !== undefined)
  const twice = [...seen].filter(([, times]) => times > 1).map(([id]) => `${id} came more than once`)
  const lost = clusters.flatMap(({ cluster, life, truth }, index) => {
    const asked = lives[index]
    if (asked === undefined || Life.expectedCached(asked, life, begunAt) !== "current") return []
    return truth
      .present()
      .filter(([name]) => truth.isQuiet(name, begunAt - LAG_MS) && !seen.has(`${cluster.name}/${name}`))
      .map(([name]) => `${cluster.name}/${name} came on no page`)
  })
  return { asked: "walk", faults: [...twice, ...lost] } satisfies Finding
})

/** Waits until the cached list equals a live list of the cluster. The caller must stop writes until then. */
export const agree = Effect.fnUntraced(function* (served: Served, { cluster }: Tracked) {
  const rowsOf = (query: string) =>
    Effect.flatMap(
      served.ask(`/api/v1/workloads?limit=5000${query}`, { "X-Service-Cluster": cluster.name }),
      ({ status, text }) =>
        status === 200 ? Effect.map(decodeRows(text), ({ workloads }) => workloads) : Effect.succeed([])
    )
  const listed = yield* eventually(`${cluster.name} answers`, rowsOf("&consistency=live"), (rows) => rows.length > 0, {
    within: "60 seconds"
  })
  const key = (rows: ReadonlyArray<unknown>) => JSON.stringify(rows)
  yield* eventually(
    `the cache of ${cluster.name} equals a list of it`,
    rowsOf(""),
    (rows) => key(rows) === key(listed),
    {
      within: "90 seconds"
    }
  )
})

const decodeRows = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ workloads: Schema.Array(Schema.Json) }))
)
