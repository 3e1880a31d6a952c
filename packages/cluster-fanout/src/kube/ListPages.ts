/** Reads one page of a collection. */
import { Effect, Result, type Semaphore } from "effect"
import type { Cluster } from "../registry/Cluster.ts"
import { ClusterAnswerInvalid, ClusterError } from "./ClusterError.ts"
import type { Scope } from "./KubeObject.ts"
import type { Transport, TransportAnswer, Waiting } from "./Transport.ts"
import * as kubePath from "./KubePath.ts"
import type { TurnBudget } from "./TurnBudget.ts"
import * as wireForm from "./WireForm.ts"

/** Small enough that few bytes are held for it, large enough that a list needs few of them. */
const PAGE_SIZE = "500"

/** The page of a probe, or of who wants to know the newest version. */
export const ONE = "1"

const METADATA_ONLY = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json"

export interface PageRequest {
  readonly continueToken: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
  readonly metadataOnly?: boolean | undefined
  /** What `WireForm.accept` gives: the answer's own form decides how it is read. JSON unless given. */
  readonly accept?: string | undefined
  /** `PAGE_SIZE` unless given. */
  readonly limit?: string
  readonly waiting?: Waiting | undefined
  /** Asks as a probe, within so many milliseconds. */
  readonly probeMs?: number | undefined
}

/**
 * Where pages come from. **Shape** `parsing` has one permit: however many pages arrive together, they are parsed one by
 * one, within the budget of `turns`; those of a single object wait for none.
 */
export interface Pages {
  readonly transport: Transport["Service"]
  readonly parsing: Semaphore.Semaphore
  readonly turns: TurnBudget
}

export const getPage = Effect.fnUntraced(function* (
  pages: Pages,
  cluster: Cluster,
  scope: Scope,
  request: PageRequest
) {
  const { parsing, transport } = pages
  const { continueToken, fieldSelector, labelSelector, limit = PAGE_SIZE, metadataOnly, probeMs, waiting } = request
  const accept = metadataOnly === true ? METADATA_ONLY : request.accept
  const query = { limit, continue: continueToken, labelSelector, fieldSelector }
  const answer = yield* transport.call(cluster, {
    method: "GET",
    path: kubePath.collection(scope, query),
    ...(accept !== undefined && { accept }),
    ...(waiting && { waiting }),
    ...(probeMs !== undefined && { isProbe: true, answerMs: probeMs }),
    action: { verb: "list", resource: kubePath.words(scope) }
  })
  const parsed = parse(pages, cluster, scope, answer)
  return yield* limit === ONE ? parsed : parsing.withPermit(parsed)
})

const parse = Effect.fnUntraced(function* (
  { turns }: Pages,
  cluster: Cluster,
  { resource }: Scope,
  { body, contentType }: TransportAnswer
) {
  // Joining its pieces took a part of this turn; and however many small pages wait, others go on after each.
  yield* Effect.yieldNow
  const reading = wireForm.of(contentType, resource).readPage(body)
  yield* turns.repeat(reading.step)
  const page = yield* decoded(cluster, reading.page())
  yield* Effect.yieldNow
  return page
})

/** Takes what was read, or fails in the cluster's name. */
export const decoded = <A>(cluster: Cluster, read: Result.Result<A, string>): Effect.Effect<A, ClusterError> =>
  Effect.fromResult(read).pipe(
    Effect.mapError(
      (problem) => new ClusterError({ cluster: cluster.name, reason: new ClusterAnswerInvalid({ problem }) })
    )
  )
