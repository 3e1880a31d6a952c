/** Where a seed writes: bounded, counted, and as cheap for both sides as it can be. */
import { Effect, Semaphore } from "effect"
import type { ApiError } from "../../client/ApiError.ts"
import type { ClusterApi } from "../../client/ClusterApi.ts"
import type { ApiRequest } from "../../client/ApiTransport.ts"
import { type KubeObject, refOf } from "../../client/KubeObject.ts"

/** How far a seed has come. **Shape** `written` counts objects; `total` is known from the start. */
export interface SeedProgress {
  readonly cluster: string
  readonly written: number
  readonly total: number
}

export interface Destination {
  readonly cluster: string
  readonly api: ClusterApi
  /** The instant that every status claims. */
  readonly now: string
  /** Creates an object and gives it as it is stored. */
  readonly create: (object: KubeObject) => Effect.Effect<KubeObject, ApiError>
  /** Creates an object that nobody needs to see again. */
  readonly put: (object: KubeObject, collection: string) => Effect.Effect<void, ApiError>
  /** Reports the status of an object. */
  readonly report: (object: KubeObject, status: object) => Effect.Effect<void, ApiError>
  /** The same for an object whose path is known. */
  readonly reportAt: (object: KubeObject, collection: string, status: object) => Effect.Effect<void, ApiError>
  /** Replaces parts of an object by a merge patch. */
  readonly amend: (object: KubeObject, patch: object) => Effect.Effect<void, ApiError>
}

/** Without the object in the answer, a server saves a fourth of its work on it and we nearly all of ours. */
const METADATA_ONLY = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
const MERGE = "application/merge-patch+json"
/** How many objects lie between two reports of progress. */
const PROGRESS_EVERY = 100

/** Makes a destination that makes `concurrency` calls at once. */
export const make = Effect.fnUntraced(function* (options: {
  readonly cluster: string
  readonly api: ClusterApi
  readonly now: string
  readonly concurrency: number
  readonly total: number
  readonly onProgress: (progress: SeedProgress) => Effect.Effect<void>
}) {
  const { api, cluster, now, onProgress, total } = options
  const lanes = yield* Semaphore.make(options.concurrency)
  let written = 0
  const counted = <A>(effect: Effect.Effect<A, ApiError>): Effect.Effect<A, ApiError> =>
    Effect.tap(lanes.withPermit(effect), () => {
      written++
      return written % PROGRESS_EVERY === 0 || written === total ? onProgress({ cluster, written, total }) : Effect.void
    })
  /** A refusal is asked for again in the form that explains it. */
  const quietly = (request: ApiRequest, explained: Effect.Effect<unknown, ApiError>): Effect.Effect<void, ApiError> =>
    Effect.flatMap(api.request({ accept: METADATA_ONLY, ...request }), ({ status }) =>
      status < 400 ? Effect.void : Effect.asVoid(explained)
    )
  const reportSlowly = (object: KubeObject, status: object) =>
    api.patch(refOf(object), { status }, { subresource: "status" })

  return {
    cluster,
    api,
    now,
    create: (object) => counted(api.create(object)),
    put: (object, collection) =>
      counted(quietly({ method: "POST", path: collection, body: object }, api.create(object))),
    report: (object, status) => lanes.withPermit(Effect.asVoid(reportSlowly(object, status))),
    reportAt: (object, collection, status) => {
      const path = `${collection}/${encodeURIComponent(object.metadata.name ?? "")}/status`
      const request: ApiRequest = { method: "PATCH", path, body: { status }, contentType: MERGE }
      return lanes.withPermit(quietly(request, reportSlowly(object, status)))
    },
    amend: (object, patch) => lanes.withPermit(Effect.asVoid(api.patch(refOf(object), patch)))
  } satisfies Destination
})
