/** Reads one page of a collection. */
import { Effect, Result, type Semaphore } from "effect"
import type { Cluster } from "../registry/Cluster.ts"
import { ClusterAnswerInvalid, ClusterError } from "./ClusterError.ts"
import type { Scope } from "./KubeObject.ts"
import type { Transport, Waiting } from "./Transport.ts"
import * as kubeObject from "./KubeObjectJson.ts"
import * as kubePath from "./KubePath.ts"

/** Small enough that parsing one page does not hold up the others, large enough that a list needs few of them. */
const PAGE_SIZE = "500"

const METADATA_ONLY = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json"

export interface PageRequest {
  readonly continueToken: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
  readonly metadataOnly?: boolean | undefined
  /** `PAGE_SIZE` unless given. */
  readonly limit?: string
  readonly waiting?: Waiting | undefined
  /** Asks as a probe, within so many milliseconds. */
  readonly probeMs?: number | undefined
}

/**
 * Where pages come from. **Shape** `parsing` has one permit: however many pages arrive together, they are parsed one by
 * one, and everybody else's work has its turn between two.
 */
export interface Pages {
  readonly transport: Transport["Service"]
  readonly parsing: Semaphore.Semaphore
}

export const getPage = Effect.fnUntraced(function* (
  { parsing, transport }: Pages,
  cluster: Cluster,
  scope: Scope,
  request: PageRequest
) {
  const { continueToken, fieldSelector, labelSelector, limit = PAGE_SIZE, metadataOnly, probeMs, waiting } = request
  const query = { limit, continue: continueToken, labelSelector, fieldSelector }
  const { body } = yield* transport.call(cluster, {
    method: "GET",
    path: kubePath.collection(scope, query),
    ...(metadataOnly === true && { accept: METADATA_ONLY }),
    ...(waiting && { waiting }),
    ...(probeMs !== undefined && { isProbe: true, answerMs: probeMs }),
    action: { verb: "list", resource: kubePath.words(scope) }
  })
  return yield* parsing.withPermit(parse(cluster, body))
})

/** A page of large objects takes tens of milliseconds to parse, and again to read: others have their turn after each. */
const parse = Effect.fnUntraced(function* (cluster: Cluster, body: Buffer) {
  const parsed = yield* decoded(cluster, kubeObject.parseJson(body))
  yield* Effect.yieldNow
  const page = yield* decoded(cluster, kubeObject.toPage(parsed))
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
