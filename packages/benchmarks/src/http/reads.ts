/**
 * Reads of the service, compared with a plain Node server that writes the same bytes. Both get the same load in turns.
 */
import { Embedded, Fleet } from "@quarterdeck/harness"
import { Effect, Schema } from "effect"
import type { Claim } from "../claim/Claim.ts"
import { connect } from "../load/Asking.ts"
import * as Objects from "../load/Objects.ts"
import * as Programs from "../load/Programs.ts"
import * as Measure from "../claim/Measure.ts"
import type { Extent } from "../claim/Suite.ts"
import { contest, MOST } from "./contest.ts"
import { guessesOf, keysOf, labelKeysOf, questionsOf } from "./questions.ts"

/** Deployments of each cluster. Enough for full pages of 100 under each filter. */
const EACH = 3_000
const QUICK_EACH = 1_000
const CLUSTER_CONNECTIONS = 32
const PAGE_CONNECTIONS = 16
/** Number of different wrong keys. A longer load sends them again. */
const GUESSES = 20_000
/** Label of most namespaces, by which some keys select theirs. */
const SELECTED = { stage: "production" }

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
  const labelKeys = labelKeysOf(SELECTED)
  const first = keys[0]?.raw ?? ""
  const serve = Effect.fnUntraced(function* (
    options: Pick<Parameters<typeof Programs.service>[0], "limits" | "reads">
  ) {
    const service = yield* Programs.service({ kubeconfig: fleet.kubeconfig, keys: [...keys, ...labelKeys], ...options })
    yield* Programs.untilReady(service)
    return service
  })
  return { first, keys, labelKeys, namespaces, serve, workloads: each * names.length }
})

export const clusters = Effect.fnUntraced(function* (extent: Extent) {
  const { first, serve } = yield* started(extent)
  const claimOf = (reads: "denied" | "all", atLeast: number) =>
    Effect.scoped(
      Effect.flatMap(serve({ reads }), (service) =>
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

const decodePage = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ nextCursor: Schema.String })))

/** Compares the overview, and a first page with its counts by status, with a page of 100 without them. */
const overviews = Effect.fnUntraced(function* ({ quick }: Extent, service: Programs.Service, key: string) {
  const seconds = quick ? 0.5 : 2
  const rounds = quick ? 3 : 9
  const load = yield* Programs.loader
  const costOf = Effect.fnUntraced(function* (path: string) {
    // Each request has a different deadline, so that the service cannot answer it with the reply to an earlier request.
    const questions = Array.from({ length: MOST }, (_, index) => ({
      key,
      path: path.replace("DEADLINE", `${MOST - index}`)
    }))
    const before = yield* service.figures
    const { answered } = yield* load({ connections: 1, seconds, questions, pages: false, port: service.port })
    return ((yield* service.figures).cpuMs - before.cpuMs) / Math.max(1, answered)
  })
  const claimOf = Effect.fnUntraced(function* (claim: string, path: string, basePath: string, base: string) {
    const ours: Array<number> = []
    const peer: Array<number> = []
    for (let round = 0; round <= rounds; round++) {
      ours.push(yield* costOf(path))
      peer.push(yield* costOf(basePath))
    }
    return {
      claim,
      // The first pair is the warm-up.
      ours: { value: Measure.median(ours.slice(1)), unit: "ms" },
      peer: { name: base, value: Measure.median(peer.slice(1)), unit: "ms" },
      goal: { _tag: "ratio", atMost: 1.5 },
      note: `processor time a request; median of ${rounds}; one connection; no reply is sent twice`
    } satisfies Claim
  })
  const page = "/api/v1/workloads?limit=100&timeoutMs=DEADLINE"
  const ask = yield* connect(service.port, key)
  const { nextCursor } = yield* decodePage(yield* ask("/api/v1/workloads?limit=100"))
  const later = `${page}&cursor=${nextCursor}`
  return [
    yield* claimOf(
      "overview of three clusters",
      "/api/v1/overview?timeoutMs=DEADLINE",
      later,
      "a page of 100 without counts"
    ),
    yield* claimOf("first page of 100, with statusCounts", page, later, "a page of 100 without counts")
  ]
})

export const pages = Effect.fnUntraced(function* (extent: Extent) {
  const { first, keys, labelKeys, namespaces, serve, workloads } = yield* started(extent)
  const service = yield* serve({})
  const same = yield* contest(extent, service, {
    claim: `page of 100 over three clusters, ${PAGE_CONNECTIONS} connections`,
    atLeast: 0.5,
    connections: PAGE_CONNECTIONS,
    questions: [{ key: first, path: "/api/v1/workloads?limit=100" }],
    note: `${workloads.toLocaleString("en-US")} workloads`
  })
  const different = yield* contest(extent, service, {
    claim: `the same when every answer differs, ${PAGE_CONNECTIONS} connections`,
    atLeast: extent.quick ? 0.1 : 0.12,
    connections: PAGE_CONNECTIONS,
    questions: questionsOf(keys, namespaces),
    note: `${keys.length} keys, names, namespaces and orders, the page behind each cursor too, no question twice`
  })
  const selected = namespaces.filter((name) => Objects.stageOf(name) === SELECTED.stage)
  const byLabel = yield* contest(extent, service, {
    claim: `the same for keys that select namespaces by label, ${PAGE_CONNECTIONS} connections`,
    atLeast: extent.quick ? 0.06 : 0.08,
    connections: PAGE_CONNECTIONS,
    questions: questionsOf(labelKeys, selected),
    note: `${labelKeys.length} keys, each for ${selected.length} of ${namespaces.length} namespaces`
  })
  return [same, different, byLabel, ...(yield* overviews(extent, service, first))]
})

/** Refusals of one key above its limit, of different unknown keys above the limit of their address, and of one unknown key. */
export const refusals = Effect.fnUntraced(function* (extent: Extent) {
  const { first, serve } = yield* started({ quick: true })
  const path = "/api/v1/workloads"
  const claimOf = (
    limits: { readonly ofKey?: number; readonly ofAddress?: number },
    load: Pick<Parameters<typeof contest>[2], "claim" | "questions" | "status">
  ) =>
    Effect.scoped(
      Effect.flatMap(serve({ limits }), (service) =>
        contest(extent, service, {
          ...load,
          atLeast: extent.quick ? 0.2 : 0.25,
          connections: CLUSTER_CONNECTIONS,
          mayRepeat: true,
          note: "one request a second is within the limit"
        })
      )
    )
  return [
    yield* claimOf(
      { ofKey: 1 },
      {
        claim: `429 for a key above its limit, ${CLUSTER_CONNECTIONS} connections`,
        questions: [{ key: first, path }],
        status: 429
      }
    ),
    yield* claimOf(
      { ofAddress: 1 },
      {
        claim: `429 for wrong keys above the limit of their address, ${CLUSTER_CONNECTIONS} connections`,
        questions: guessesOf(GUESSES),
        status: 429
      }
    ),
    yield* claimOf(
      {},
      {
        claim: `401 for the same unknown key, ${CLUSTER_CONNECTIONS} connections`,
        questions: guessesOf(1),
        status: 401
      }
    )
  ]
})
