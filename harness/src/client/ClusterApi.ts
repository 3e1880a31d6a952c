/**
 * A small client of one cluster. Tests use it to create and inspect objects.
 *
 * It accepts objects of any kind that the cluster serves, built-in or custom, and discovers their paths from the
 * server. It shares no code with the client under test, so a test can check one against the other.
 */
import { Cache, Effect, type Redacted, Result, Schema, type Scope, Stream } from "effect"
import { ApiError, ApiRefused, ApiUnexpected, ApiUnreachable } from "./ApiError.ts"
import type { InProcess } from "@quarterdeck/embedded-cluster"
import { type ApiRequest, type ApiTransport, type ClientCertificate, make as makeTransport } from "./ApiTransport.ts"
import {
  type KindRef,
  type KubeList,
  KubeObject,
  ObjectMeta,
  type ObjectRef,
  refOf,
  type WatchEvent
} from "./KubeObject.ts"

/** Selects objects of a kind. `limit` and `continue` page through them. */
export interface ListOptions extends KindRef {
  readonly labelSelector?: string
  readonly fieldSelector?: string
  readonly limit?: number
  readonly continue?: string
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan"
}

/** Selects the objects to watch. Without a resource version the watch first reports the objects that exist. */
export interface WatchOptions extends Omit<ListOptions, "limit" | "continue"> {
  readonly sendInitialEvents?: boolean
  readonly allowWatchBookmarks?: boolean
  readonly timeoutSeconds?: number
}

/** The patch formats of {@link ClusterApi.patch}. Server-side apply has a method of its own. */
export type PatchType = "merge" | "strategic" | "json"

export interface ClusterApi {
  /** The name of the cluster, used in error messages. */
  readonly cluster: string
  readonly create: (object: KubeObject) => Effect.Effect<KubeObject, ApiError>
  readonly get: (ref: ObjectRef) => Effect.Effect<KubeObject, ApiError>
  readonly list: (options: ListOptions) => Effect.Effect<KubeList, ApiError>
  /** Replaces an object, or only its `status` if that is the subresource. */
  readonly replace: (object: KubeObject, subresource?: string) => Effect.Effect<KubeObject, ApiError>
  readonly patch: (
    ref: ObjectRef,
    patch: unknown,
    options?: { readonly type?: PatchType; readonly subresource?: string }
  ) => Effect.Effect<KubeObject, ApiError>
  /** Applies an object server-side. Takes over fields of other managers unless `force` is false. */
  readonly apply: (
    object: KubeObject,
    options?: { readonly fieldManager?: string; readonly force?: boolean }
  ) => Effect.Effect<KubeObject, ApiError>
  readonly delete: (
    ref: ObjectRef,
    options?: {
      readonly gracePeriodSeconds?: number
      readonly propagationPolicy?: "Foreground" | "Background" | "Orphan"
    }
  ) => Effect.Effect<void, ApiError>
  /** Streams the changes of a kind until the server ends the watch or the stream is closed. */
  readonly watch: (options: WatchOptions) => Stream.Stream<WatchEvent, ApiError>
  /** Sends any request and returns the response unchanged. A status of 400 or more is not a failure. */
  readonly request: (request: ApiRequest) => Effect.Effect<InProcess.ApiReply, ApiError>
  /** Returns a client that uses the same connections with another bearer token. */
  readonly as: (token: Redacted.Redacted<string>) => ClusterApi
  /** Closes every connection, watches included. The next call opens a new one. */
  readonly reconnect: Effect.Effect<void>
}

const FIELD_MANAGER = "quarterdeck-harness"
/** Maximum number of group versions whose kinds stay cached. */
const KNOWN_GROUPS = 256

const PATCH_CONTENT_TYPE: Record<PatchType, string> = {
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  json: "application/json-patch+json"
}

const Status = Schema.Struct({
  reason: Schema.optionalKey(Schema.String),
  message: Schema.optionalKey(Schema.String)
})
const ResourceList = Schema.Struct({
  resources: Schema.Array(Schema.Struct({ name: Schema.String, kind: Schema.String, namespaced: Schema.Boolean }))
})
const ListMetadata = Schema.Struct({
  resourceVersion: Schema.String,
  continue: Schema.optionalKey(Schema.String),
  remainingItemCount: Schema.optionalKey(Schema.Int)
})
/** Body of a list response. Its items have no `apiVersion` and no `kind`. */
const ListBody = Schema.Struct({
  metadata: ListMetadata,
  items: Schema.Array(
    Schema.StructWithRest(Schema.Struct({ metadata: ObjectMeta }), [Schema.Record(Schema.String, Schema.Unknown)])
  )
})
const EventBody = Schema.Struct({
  type: Schema.Literals(["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]),
  object: KubeObject
})

const decodeStatus = Schema.decodeUnknownResult(Status)
const decodeObject = Schema.decodeUnknownEffect(KubeObject)
const decodeList = Schema.decodeUnknownEffect(ListBody)
const decodeResources = Schema.decodeUnknownEffect(ResourceList)
const decodeEvent = Schema.decodeUnknownEffect(Schema.fromJsonString(EventBody))

/**
 * Creates a client that authenticates with a bearer token, or with a certificate and an empty token.
 *
 * **Limits** 16 connections for calls and one for each watch, open until the scope closes. A call times out after 30 s.
 */
export const make = (options: {
  readonly cluster: string
  readonly server: string
  readonly caPem: string
  readonly token: Redacted.Redacted<string>
  readonly certificate?: ClientCertificate
  /** Answers calls in this process, without a connection. */
  readonly answer?: InProcess.AnswerInProcess
}): Effect.Effect<ClusterApi, never, Scope.Scope> =>
  Effect.gen(function* () {
    const transport = yield* makeTransport(options)
    const kinds = yield* Cache.makeWith((groupVersion: string) => discover(options, transport, groupVersion), {
      capacity: KNOWN_GROUPS,
      // A missing group is not cached: a custom resource definition may add it.
      timeToLive: (exit) => (exit._tag === "Success" && exit.value.size > 0 ? "1 hour" : 0)
    })
    return clientOf({ ...options, transport, kinds }, options.token)
  })

interface Kind {
  readonly plural: string
  readonly namespaced: boolean
}

interface Connection {
  readonly cluster: string
  readonly transport: ApiTransport
  readonly kinds: Cache.Cache<string, ReadonlyMap<string, Kind>, ApiError>
}

const clientOf = (connection: Connection, token: Redacted.Redacted<string>): ClusterApi => {
  const { cluster, transport } = connection

  const send = Effect.fnUntraced(function* (request: ApiRequest) {
    const reply = yield* transport.call(request, token)
    if (reply.status >= 400) return yield* refusal(cluster, request, reply.status, reply.text)
    return yield* parse(cluster, request, reply.text)
  })
  const sendForObject = Effect.fnUntraced(function* (request: ApiRequest) {
    const body = yield* send(request)
    return yield* decodeObject(body).pipe(Effect.mapError((cause) => unexpected(cluster, request, cause.message)))
  })
  const pathOf = (ref: KindRef & { readonly name?: string }, subresource?: string) =>
    Effect.map(kindOf(connection, ref), (kind) => pathTo(ref, kind, subresource))

  return {
    cluster,
    create: Effect.fn("ClusterApi.create")(function* (object) {
      const { name: _, ...collection } = refOf(object)
      return yield* sendForObject({ method: "POST", path: yield* pathOf(collection), body: object })
    }),
    get: Effect.fn("ClusterApi.get")(function* (ref) {
      return yield* sendForObject({ method: "GET", path: yield* pathOf(ref) })
    }),
    list: Effect.fn("ClusterApi.list")(function* ({ apiVersion, kind, namespace, ...query }) {
      const path = yield* pathOf({ apiVersion, kind, ...(namespace === undefined ? {} : { namespace }) })
      const request: ApiRequest = { method: "GET", path, query }
      const { items, metadata } = yield* decodeList(yield* send(request)).pipe(
        Effect.mapError((cause) => unexpected(cluster, request, cause.message))
      )
      return { ...metadata, items: items.map((item) => Object.assign(item, { apiVersion, kind })) }
    }),
    replace: Effect.fn("ClusterApi.replace")(function* (object, subresource) {
      return yield* sendForObject({ method: "PUT", path: yield* pathOf(refOf(object), subresource), body: object })
    }),
    patch: Effect.fn("ClusterApi.patch")(function* (ref, patch, options) {
      return yield* sendForObject({
        method: "PATCH",
        path: yield* pathOf(ref, options?.subresource),
        body: patch,
        contentType: PATCH_CONTENT_TYPE[options?.type ?? "merge"]
      })
    }),
    apply: Effect.fn("ClusterApi.apply")(function* (object, options) {
      return yield* sendForObject({
        method: "PATCH",
        path: yield* pathOf(refOf(object)),
        query: { fieldManager: options?.fieldManager ?? FIELD_MANAGER, force: options?.force ?? true },
        body: object,
        contentType: "application/apply-patch+yaml"
      })
    }),
    delete: Effect.fn("ClusterApi.delete")(function* (ref, options) {
      yield* send({ method: "DELETE", path: yield* pathOf(ref), query: { ...options } })
    }),
    watch: ({ apiVersion, kind, namespace, ...query }) =>
      Stream.unwrap(
        Effect.gen(function* () {
          const path = yield* pathOf({ apiVersion, kind, ...(namespace === undefined ? {} : { namespace }) })
          return yield* follow(cluster, transport, { method: "GET", path, query: { watch: true, ...query } }, token)
        })
      ),
    request: (request) => transport.call(request, token),
    as: (other) => clientOf(connection, other),
    reconnect: transport.reconnect
  }
}

const follow = Effect.fnUntraced(function* (
  cluster: string,
  transport: ApiTransport,
  request: ApiRequest,
  token: Redacted.Redacted<string>
) {
  const { statusCode, body } = yield* transport.open(request, token)
  if (statusCode !== 200) {
    const text = yield* Effect.promise(() => body.text())
    return yield* refusal(cluster, request, statusCode, text)
  }
  const broken = (cause: unknown) =>
    new ApiError({ cluster, method: request.method, path: request.path, reason: new ApiUnreachable({ cause }) })
  return Stream.fromAsyncIterable<Uint8Array, ApiError>(body, broken).pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.filter((line) => line !== ""),
    Stream.mapEffect((line) =>
      decodeEvent(line).pipe(Effect.mapError((cause) => unexpected(cluster, request, cause.message)))
    )
  )
})

/** Returns the kinds of a group version, without subresources. Empty if the server does not know the group version. */
const discover = Effect.fnUntraced(function* (
  options: { readonly cluster: string; readonly token: Redacted.Redacted<string> },
  transport: ApiTransport,
  groupVersion: string
) {
  const request: ApiRequest = { method: "GET", path: rootOf(groupVersion) }
  const reply = yield* transport.call(request, options.token)
  if (reply.status === 404) return NO_KINDS
  if (reply.status !== 200) return yield* refusal(options.cluster, request, reply.status, reply.text)
  const body = yield* parse(options.cluster, request, reply.text)
  const { resources } = yield* decodeResources(body).pipe(
    Effect.mapError((cause) => unexpected(options.cluster, request, cause.message))
  )
  const served = resources.filter(({ name }) => !name.includes("/"))
  const kinds: ReadonlyMap<string, Kind> = new Map(
    served.map(({ name, kind, namespaced }) => [kind, { plural: name, namespaced }])
  )
  return kinds
})

const NO_KINDS: ReadonlyMap<string, Kind> = new Map()

const kindOf = Effect.fnUntraced(function* (connection: Connection, ref: KindRef) {
  const known = (yield* Cache.get(connection.kinds, ref.apiVersion)).get(ref.kind)
  if (known !== undefined) return known
  // The kind may have been registered after the list was cached.
  const kind = (yield* Cache.refresh(connection.kinds, ref.apiVersion)).get(ref.kind)
  if (kind !== undefined) return kind
  const request: ApiRequest = { method: "GET", path: rootOf(ref.apiVersion) }
  return yield* unexpected(connection.cluster, request, `${ref.apiVersion} has no kind ${ref.kind} on this cluster`)
})

const rootOf = (groupVersion: string): string =>
  groupVersion.includes("/") ? `/apis/${groupVersion}` : `/api/${groupVersion}`

const pathTo = (ref: KindRef & { readonly name?: string }, kind: Kind, subresource: string | undefined): string => {
  const namespaced = kind.namespaced && ref.namespace !== undefined
  const segments = [
    ...(namespaced ? ["namespaces", ref.namespace] : []),
    kind.plural,
    ...(ref.name === undefined ? [] : [ref.name]),
    ...(subresource === undefined ? [] : [subresource])
  ]
  return `${rootOf(ref.apiVersion)}/${segments.map(encodeURIComponent).join("/")}`
}

const parse = (cluster: string, request: ApiRequest, text: string): Effect.Effect<unknown, ApiError> =>
  Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => unexpected(cluster, request, "the body is not JSON")
  })

const refusal = (cluster: string, request: ApiRequest, code: number, text: string): ApiError => {
  const status = Result.getOrElse(
    Result.try((): unknown => JSON.parse(text)),
    () => null
  )
  const { message = text.trim(), reason = "Unknown" } = Result.getOrElse(
    decodeStatus(status),
    (): typeof Status.Type => ({})
  )
  return new ApiError({
    cluster,
    method: request.method,
    path: request.path,
    reason: new ApiRefused({ code, reason, text: message, status })
  })
}

const unexpected = (cluster: string, request: ApiRequest, problem: string): ApiError =>
  new ApiError({ cluster, method: request.method, path: request.path, reason: new ApiUnexpected({ problem }) })
