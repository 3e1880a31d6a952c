/** Writes a seed's objects with bounded parallelism, and counts them. */
import { Effect, Semaphore } from "effect"
import type { ApiError } from "../../client/ApiError.ts"
import type { ClusterApi } from "../../client/ClusterApi.ts"
import type { ApiRequest } from "../../client/ApiTransport.ts"
import { type KubeObject, refOf } from "../../client/KubeObject.ts"

/** Progress of a seed. **Shape** `written` counts objects; `total` is known from the start. */
export interface SeedProgress {
  readonly cluster: string
  readonly written: number
  readonly total: number
}

export interface Destination {
  readonly cluster: string
  readonly api: ClusterApi
  /** Time that all reported statuses contain. */
  readonly now: string
  /** Creates an object and returns it as stored. */
  readonly create: (object: KubeObject) => Effect.Effect<KubeObject, ApiError>
  /** Creates an object without returning it. */
  readonly put: (object: KubeObject, collection: string) => Effect.Effect<void, ApiError>
  /** Reports the status of an object. */
  readonly report: (object: KubeObject, status: object) => Effect.Effect<void, ApiError>
  /** Reports the status of an object whose path is known. */
  readonly reportAt: (object: KubeObject, collection: string, status: object) => Effect.Effect<void, ApiError>
  /** Changes parts of an object by a merge patch. */
  readonly amend: (object: KubeObject, patch: object) => Effect.Effect<void, ApiError>
}

/**
 * Value of the header Accept for responses with metadata only. They save a quarter of the server's work and most of the
 * client's.
 */
const METADATA_ONLY = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
const MERGE = "application/merge-patch+json"
/** Number of objects between two progress reports. */
const PROGRESS_EVERY = 100

/** Creates a destination that makes up to `concurrency` parallel calls. */
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
  const countWrite = <A>(effect: Effect.Effect<A, ApiError>): Effect.Effect<A, ApiError> =>
    Effect.tap(lanes.withPermit(effect), () => {
      written++
      return written % PROGRESS_EVERY === 0 || written === total ? onProgress({ cluster, written, total }) : Effect.void
    })
  /**
   * Sends a write, and asks for a response with metadata only. If the write is refused, runs `explaining`, the same
   * write with a full response, which fails with the server's message.
   */
  const sendForMetadata = (
    request: ApiRequest,
    explaining: Effect.Effect<unknown, ApiError>
  ): Effect.Effect<void, ApiError> =>
    Effect.flatMap(api.request({ accept: METADATA_ONLY, ...request }), ({ status }) =>
      status < 400 ? Effect.void : Effect.asVoid(explaining)
    )
  const reportWithBody = (object: KubeObject, status: object) =>
    api.patch(refOf(object), { status }, { subresource: "status" })

  return {
    cluster,
    api,
    now,
    create: (object) => countWrite(api.create(object)),
    put: (object, collection) =>
      countWrite(sendForMetadata({ method: "POST", path: collection, body: object }, api.create(object))),
    report: (object, status) => lanes.withPermit(Effect.asVoid(reportWithBody(object, status))),
    reportAt: (object, collection, status) => {
      const path = `${collection}/${encodeURIComponent(object.metadata.name ?? "")}/status`
      const request: ApiRequest = { method: "PATCH", path, body: { status }, contentType: MERGE }
      return lanes.withPermit(sendForMetadata(request, reportWithBody(object, status)))
    },
    amend: (object, patch) => lanes.withPermit(Effect.asVoid(api.patch(refOf(object), patch)))
  } satisfies Destination
})
