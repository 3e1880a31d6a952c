/** Discovers which kinds of objects a cluster stores. */
import { Effect, Option, Schema } from "effect"
import { ApiError, ApiRefused, ApiUnexpected } from "../client/ApiError.ts"
import type { ClusterApi } from "../client/ClusterApi.ts"

/** A kind that can be listed, created and deleted, in the version that the cluster prefers. */
export interface ApiResource {
  readonly group: string
  readonly apiVersion: string
  readonly kind: string
  /** The plural name of the kind, as in paths. */
  readonly name: string
  readonly namespaced: boolean
  readonly canUpdate: boolean
  /** True if the status is a subresource. */
  readonly hasStatus: boolean
}

/** Maximum number of parallel requests. */
export const CONCURRENCY = 8

const Groups = Schema.Struct({
  groups: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      versions: Schema.Array(Schema.Struct({ groupVersion: Schema.String })),
      preferredVersion: Schema.optionalKey(Schema.Struct({ groupVersion: Schema.String }))
    })
  )
})
const Resources = Schema.Struct({
  resources: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      kind: Schema.String,
      namespaced: Schema.Boolean,
      verbs: Schema.Array(Schema.String)
    })
  )
})
const decodeGroups = Schema.decodeUnknownEffect(Schema.fromJsonString(Groups))
const decodeResources = Schema.decodeUnknownEffect(Schema.fromJsonString(Resources))

const VERBS = ["create", "delete", "list"]

/**
 * Returns the kinds that a cluster serves.
 *
 * A kind with several versions appears once. Groups of aggregated servers that do not respond are left out.
 *
 * **Limits** one request per group and version, eight at once.
 */
export const discover = Effect.fnUntraced(function* (
  api: ClusterApi
): Effect.fn.Return<ReadonlyArray<ApiResource>, ApiError> {
  const { groups } = yield* fetchDecoded(api, "/apis", decodeGroups)
  const grouped = groups.map(({ name, preferredVersion, versions }) => {
    const all = versions.map(({ groupVersion }) => groupVersion)
    const first = preferredVersion?.groupVersion
    return { name, versions: first === undefined ? all : [first, ...all.filter((version) => version !== first)] }
  })
  const found = yield* Effect.forEach(
    [{ name: "", versions: ["v1"] }, ...grouped],
    ({ name, versions }) =>
      Effect.map(
        Effect.forEach(versions, (version) => served(api, name, version)),
        merged
      ),
    { concurrency: CONCURRENCY }
  )
  return found.flat()
})

/** Returns the kinds of one version of a group. Empty if no server responds for it. */
export const served = Effect.fnUntraced(function* (api: ClusterApi, group: string, apiVersion: string) {
  const path = group === "" ? `/api/${apiVersion}` : `/apis/${apiVersion}`
  const reply = yield* fetchDecoded(api, path, decodeResources).pipe(
    Effect.map(Option.some),
    Effect.catchIf(isUnavailable, () => Effect.succeedNone)
  )
  if (Option.isNone(reply)) return []
  const { resources } = reply.value
  return resources
    .filter(({ name, verbs }) => !name.includes("/") && VERBS.every((verb) => verbs.includes(verb)))
    .map(({ kind, name, namespaced, verbs }): ApiResource => ({
      group,
      apiVersion,
      kind,
      name,
      namespaced,
      canUpdate: verbs.includes("update"),
      hasStatus: resources.some((resource) => resource.name === `${name}/status` && resource.verbs.includes("update"))
    }))
})

const merged = (versions: ReadonlyArray<ReadonlyArray<ApiResource>>): ReadonlyArray<ApiResource> => {
  const all = new Map<string, ApiResource>()
  for (const resource of versions.flat()) if (!all.has(resource.name)) all.set(resource.name, resource)
  return [...all.values()]
}

const fetchDecoded = Effect.fnUntraced(function* <A>(
  api: ClusterApi,
  path: string,
  decode: (text: string) => Effect.Effect<A, Schema.SchemaError>
): Effect.fn.Return<A, ApiError> {
  const { status, text } = yield* api.request({ method: "GET", path })
  if (status !== 200) {
    const reason = new ApiRefused({ code: status, reason: "Unknown", text: text.trim(), status: null })
    return yield* new ApiError({ cluster: api.cluster, method: "GET", path, reason })
  }
  return yield* decode(text).pipe(
    Effect.mapError(
      ({ message }) =>
        new ApiError({ cluster: api.cluster, method: "GET", path, reason: new ApiUnexpected({ problem: message }) })
    )
  )
})

/** The aggregated server is down, or the group no longer exists. */
const isUnavailable = ({ reason }: ApiError): boolean =>
  reason._tag === "ApiRefused" && (reason.code === 404 || reason.code === 503)
