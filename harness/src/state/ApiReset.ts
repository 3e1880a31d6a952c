/**
 * Takes a cluster back to an earlier time through its API alone, where nobody reaches below it.
 *
 * What came is deleted, what went is made anew, what changed is written back. Objects that are made anew have new uids,
 * and what names the old ones is changed along. What controllers own is left to them, and what a cluster writes by
 * itself (events, leases, endpoints and the like) to the cluster.
 */
import { Effect } from "effect"
import type { ApiError } from "../client/ApiError.ts"
import type { ClusterApi } from "../client/ClusterApi.ts"
import { type KubeObject, refOf } from "../client/KubeObject.ts"
import { listScope, refusedWith } from "./ApiListing.ts"
import {
  asked,
  asksSame,
  hasOwnStatus,
  idOf,
  isOwned,
  isServers,
  isDerived,
  isEnding,
  type Listed,
  rankOf,
  renamed,
  statusSame
} from "./ApiObjects.ts"
import { remove, removeAll } from "./ApiRemoval.ts"
import { type ApiResource, CONCURRENCY, discover } from "./ApiResources.ts"
import { established } from "./CustomKinds.ts"
import { areWhole, type Gift, GIFTS, untilWhole } from "@quarterdeck/embedded-cluster/WholeNamespaces"

/** The objects of one moment. */
export interface Captured {
  readonly objects: ReadonlyMap<string, Listed>
}

/** Which objects count (default all, but for what controllers own). */
export interface Scope {
  /** Namespaces that it selects, with everything in them, and what it selects of the kinds that no namespace holds. */
  readonly labelSelector?: string
  /** Also what controllers own, in a cluster that runs none of them (default false). */
  readonly controlled?: boolean
}

/** How often an object is tried that others write at the same time. */
const ATTEMPTS = 20

/**
 * Reads every object that can be restored, of the whole cluster where no scope is given.
 *
 * Where controllers run, a new namespace is waited for until it has the service account and the certificate that
 * they give it, 5 s at most.
 *
 * **Limits** not one moment but one after the other: let writers rest. Costs three lists and one for each kind, eight at
 * once, and holds the objects in memory.
 */
export const capture = Effect.fn("ApiReset.capture")(function* (
  api: ClusterApi,
  scope?: Scope
): Effect.fn.Return<Captured, ApiError> {
  yield* untilWhole(namespacesAreWhole(api, scope))
  const present = yield* read(api, yield* discover(api), scope)
  return { objects: new Map([...present].filter(([, { object }]) => !isEnding(object))) }
})

/** Whether each namespace of a scope has what `default` has: that one is older, and shows which controllers run. */
const namespacesAreWhole = Effect.fnUntraced(function* (api: ClusterApi, scope: Scope | undefined) {
  const selected = scope?.labelSelector === undefined ? {} : { labelSelector: scope.labelSelector }
  const listed = (options: Parameters<ClusterApi["list"]>[0]) =>
    api.list(options).pipe(
      Effect.map(({ items }) => items),
      Effect.catchIf(refusedWith(403), () => Effect.succeed([]))
    )
  const namespaces = yield* listed({ apiVersion: "v1", kind: "Namespace", ...selected })
  const places = new Map<Gift, ReadonlySet<string | undefined>>()
  for (const gift of GIFTS) {
    const objects = yield* listed({ apiVersion: "v1", kind: gift.kind, fieldSelector: `metadata.name=${gift.name}` })
    places.set(gift, new Set(objects.map(({ metadata }) => metadata.namespace)))
  }
  const has = (gift: Gift, namespace: string) => places.get(gift)?.has(namespace) === true
  return areWhole(
    { has, namespaces: namespaces.filter((one) => !isEnding(one)).map(({ metadata }) => metadata.name ?? "") },
    GIFTS.filter((gift) => has(gift, "default"))
  )
})

/**
 * Makes a cluster hold what it held.
 *
 * **Errors** `ApiUnexpected` when something that came does not go within a minute.
 *
 * **Limits** costs two lists for each kind and a call or two for each object that differs, eight at once.
 */
export const restore = Effect.fn("ApiReset.restore")(function* (
  api: ClusterApi,
  captured: Captured,
  scope?: Scope
): Effect.fn.Return<void, ApiError> {
  const resources = yield* discover(api)
  const found = yield* read(api, resources, scope)
  // What is half gone has to go wholly before it can come back.
  const leaving = [...found].filter(([id, { object }]) => !captured.objects.has(id) || isEnding(object))
  yield* removeAll(
    api,
    resources,
    leaving.map(([, listed]) => listed)
  )
  const present = leaving.length === 0 ? found : yield* read(api, yield* discover(api), scope)

  const uids = new Map<string, string>()
  const wanted = [...captured.objects]
  for (const turn of [...new Set(wanted.map(([, listed]) => turnOf(listed)))].toSorted((left, right) => left - right)) {
    yield* Effect.forEach(
      wanted.filter(([, listed]) => turnOf(listed) === turn),
      ([id, listed]) => putBack(api, listed, present.get(id)?.object, uids),
      { concurrency: CONCURRENCY, discard: true }
    )
  }
})

/** What has an owner comes after all that have none, so that the owner's new uid is known. */
const turnOf = ({ object, resource }: Listed): number =>
  rankOf(resource) * 2 + ((object.metadata.ownerReferences ?? []).length === 0 ? 0 : 1)

const read = Effect.fnUntraced(function* (
  api: ClusterApi,
  resources: ReadonlyArray<ApiResource>,
  scope: Scope | undefined
) {
  const objects = yield* listScope(
    api,
    resources.filter((resource) => !isDerived(resource)),
    scope
  )
  const counts = ({ object }: Listed) => !isServers(object) && (scope?.controlled === true || !isOwned(object))
  return new Map(objects.filter(counts).map((listed) => [idOf(listed), listed] as const))
})

/** Makes one object what it was; `uids` learns what replaces its uid. */
const putBack = Effect.fnUntraced(function* (
  api: ClusterApi,
  { object, resource }: Listed,
  present: KubeObject | undefined,
  uids: Map<string, string>
) {
  const { resourceVersion, uid } = object.metadata
  const wanted = renamed(object, uids)
  const isAsItWas = present?.metadata.uid === uid && present?.metadata.resourceVersion === resourceVersion
  if (isAsItWas && wanted === object) return
  const made = yield* inPlace(api, resource, wanted, present)
  if (uid !== undefined && made.metadata.uid !== undefined && uid !== made.metadata.uid) {
    uids.set(uid, made.metadata.uid)
  }
  if (resource.kind === "CustomResourceDefinition") yield* established(api, made)
  if (hasOwnStatus(resource) && wanted["status"] !== undefined && !statusSame(wanted, made)) {
    yield* retried(api, made, (current) => api.replace({ ...current, status: wanted["status"] }, "status"))
  }
})

/** Gives the object that asks for what is wanted: the one that is there, changed where need be, or a new one. */
const inPlace = Effect.fnUntraced(function* (
  api: ClusterApi,
  resource: ApiResource,
  wanted: KubeObject,
  present: KubeObject | undefined
): Effect.fn.Return<KubeObject, ApiError> {
  if (present === undefined) {
    // A controller may have been faster, as with the default service account of a namespace.
    return yield* api
      .create(asked(wanted))
      .pipe(
        Effect.catchIf(refusedWith(409), () =>
          Effect.flatMap(api.get(refOf(wanted)), (other) => inPlace(api, resource, wanted, other))
        )
      )
  }
  if (asksSame(wanted, present) || !resource.canUpdate) return present
  const replacement = asked(wanted)
  return yield* retried(api, present, ({ metadata }) =>
    api.replace({
      ...replacement,
      metadata: {
        ...replacement.metadata,
        ...(metadata.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion })
      }
    })
  ).pipe(
    // A field that cannot be changed in place.
    Effect.catchIf(refusedWith(422), () =>
      Effect.andThen(
        remove(api, present),
        Effect.suspend(() => inPlace(api, resource, wanted, undefined))
      )
    )
  )
})

/** Writes an object over its present form, read again when somebody else was faster. */
const retried = (
  api: ClusterApi,
  present: KubeObject,
  write: (current: KubeObject) => Effect.Effect<KubeObject, ApiError>,
  attempts = ATTEMPTS
): Effect.Effect<KubeObject, ApiError> =>
  write(present).pipe(
    Effect.catchIf(
      (error) => attempts > 1 && refusedWith(409)(error),
      () => Effect.flatMap(api.get(refOf(present)), (current) => retried(api, current, write, attempts - 1))
    )
  )
