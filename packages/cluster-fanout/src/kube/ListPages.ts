/** Reads one page of a collection. */
import { Effect, Result } from "effect"
import type { Cluster } from "../registry/Cluster.ts"
import { ClusterAnswerInvalid, ClusterError } from "./ClusterError.ts"
import type { Scope } from "./KubeObject.ts"
import type { Transport } from "./Transport.ts"
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
}

export const getPage = Effect.fnUntraced(function* (
  transport: Transport["Service"],
  cluster: Cluster,
  scope: Scope,
  request: PageRequest
) {
  const { continueToken, fieldSelector, labelSelector, limit = PAGE_SIZE, metadataOnly } = request
  const query = { limit, continue: continueToken, labelSelector, fieldSelector }
  const { body } = yield* transport.call(cluster, {
    method: "GET",
    path: kubePath.collection(scope, query),
    ...(metadataOnly === true && { accept: METADATA_ONLY }),
    action: { verb: "list", resource: kubePath.words(scope) }
  })
  const parsed = yield* decoded(cluster, kubeObject.parseJson(body))
  // A page of large objects takes tens of milliseconds to parse, and again to read: others have their turn in between.
  yield* Effect.yieldNow
  return yield* decoded(cluster, kubeObject.toPage(parsed))
})

/** Takes what was read, or fails in the cluster's name. */
export const decoded = <A>(cluster: Cluster, read: Result.Result<A, string>): Effect.Effect<A, ClusterError> =>
  Effect.fromResult(read).pipe(
    Effect.mapError(
      (problem) => new ClusterError({ cluster: cluster.name, reason: new ClusterAnswerInvalid({ problem }) })
    )
  )
