/**
 * Restores a cluster to an earlier state through its API alone, for clusters whose store is not accessible.
 *
 * New objects are deleted, missing objects are recreated, changed objects are written back. Recreated objects have new
 * uids, and references to the old uids are updated. Objects that controllers own, and kinds that a cluster writes by
 * itself (events, leases, endpoints and the like), are not restored.
 */
import { Effect } from "effect"
import type { ApiError } from "../client/ApiError.ts"
import type { ClusterApi } from "../client/ClusterApi.ts"
import { type KubeObject, refOf } from "../client/KubeObject.ts"
import { listScope, refusedWith } from "./ApiListing.ts"
import {
  desired,
  desiredSame,
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

/** A snapshot of the cluster's objects. */
export interface Captured {
  readonly objects: ReadonlyMap<string, Listed>
}

/** The objects to capture and restore (default: all that no controller owns). */
export interface Scope {
  /** Label selector for namespaces, with everything in them, and for cluster-scoped objects. */
  readonly labelSelector?: string
  /** Includes objects that controllers own, for a cluster without controllers (default false). */
  readonly controlled?: boolean
}

/** Maximum number of attempts to write an object that other clients change at the same time. */
const ATTEMPTS = 20

/**
 * Reads every object that can be restored, in the whole cluster or in a scope.
 *
 * If controllers run, it first waits up to 5 s until new namespaces have the service account and the certificate that
 * controllers create there.
 *
 * **Limits** does not read all objects at one instant, so pause other writers. Costs three lists and one per kind, eight at
 * once. Holds the objects in memory.
 */
export const capture = Effect.fn("ApiReset.capture")(function* (
  api: ClusterApi,
  scope?: Scope
): Effect.fn.Return<Captured, ApiError> {
  yield* untilWhole(namespacesAreWhole(api, scope))
  const present = yield* read(api, yield* discover(api), scope)
  return { objects: new Map([...present].filter(([, { object }]) => !isEnding(object))) }
})

/**
 * Returns whether each namespace has the objects that controllers create in namespaces. Expects only the objects that
 * the older namespace `default` has, because not every cluster runs the controllers.
 */
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
    {
      has,
      namespaces: namespaces.filter((namespace) => !isEnding(namespace)).map(({ metadata }) => metadata.name ?? "")
    },
    GIFTS.filter((gift) => has(gift, "default"))
  )
})

/**
 * Restores a cluster to captured objects.
 *
 * **Errors** `ApiUnexpected` if a new object cannot be removed within a minute.
 *
 * **Limits** costs two lists per kind and one or two calls for each object that differs, eight at once.
 */
export const restore = Effect.fn("ApiReset.restore")(function* (
  api: ClusterApi,
  captured: Captured,
  scope?: Scope
): Effect.fn.Return<void, ApiError> {
  const resources = yield* discover(api)
  const found = yield* read(api, resources, scope)
  // An object that is being deleted must be gone before it can be recreated.
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

/**
 * Returns the position in the restore order. Objects with owners come after objects without, so that the owners' new
 * uids are known.
 */
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

/** Restores one object. Adds its new uid to `uids` if the object was recreated. */
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

/** Creates the object, or updates it if its content differs from the wanted content. Returns the stored object. */
const inPlace = Effect.fnUntraced(function* (
  api: ClusterApi,
  resource: ApiResource,
  wanted: KubeObject,
  present: KubeObject | undefined
): Effect.fn.Return<KubeObject, ApiError> {
  if (present === undefined) {
    // A controller may have created the object in the meantime, for example a namespace's default service account.
    return yield* api
      .create(desired(wanted))
      .pipe(
        Effect.catchIf(refusedWith(409), () =>
          Effect.flatMap(api.get(refOf(wanted)), (other) => inPlace(api, resource, wanted, other))
        )
      )
  }
  if (desiredSame(wanted, present) || !resource.canUpdate) return present
  const replacement = desired(wanted)
  return yield* retried(api, present, ({ metadata }) =>
    api.replace({
      ...replacement,
      metadata: {
        ...replacement.metadata,
        ...(metadata.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion })
      }
    })
  ).pipe(
    // A changed field is immutable, so the object is recreated.
    Effect.catchIf(refusedWith(422), () =>
      Effect.andThen(
        remove(api, present),
        Effect.suspend(() => inPlace(api, resource, wanted, undefined))
      )
    )
  )
})

/** Updates an object, and reads it again after a conflict. */
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
