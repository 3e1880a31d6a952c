/** Removes objects through the API, in clusters with and without controllers. */
import { Clock, Effect, Schedule } from "effect"
import { ApiError, ApiUnexpected } from "../client/ApiError.ts"
import type { ClusterApi } from "../client/ClusterApi.ts"
import { inRealTime } from "../machine/Machine.ts"
import { type KubeObject, refOf } from "../client/KubeObject.ts"
import { DEFINITIONS, finalizersOf, isEnding, type Listed, nameOf, NAMESPACES } from "./ApiObjects.ts"
import { type ApiResource, CONCURRENCY } from "./ApiResources.ts"
import { listAll, refusedWith } from "./ApiListing.ts"

/** Time that controllers have to clean up before their finalizers are removed here. */
const FINALIZER_GRACE_MS = 5_000
/** The server deletes a definition's objects itself, and checks only every five seconds whether all of them are gone. */
const DEFINITION_GRACE_MS = 20_000
const EVERY = "100 millis"
const WITHIN = "60 seconds"
const AT_ONCE = { gracePeriodSeconds: 0, propagationPolicy: "Background" } as const

/**
 * Removes objects, and waits until finalizers have run and namespaces are empty.
 *
 * Definitions and namespaces are removed last, a namespace with everything in it. A missing object is not an error.
 *
 * **Limits** eight requests at once. Removes remaining finalizers itself after 5 s, or after 20 s for a custom resource
 * definition.
 */
export const removeAll = Effect.fnUntraced(function* (
  api: ClusterApi,
  resources: ReadonlyArray<ApiResource>,
  objects: ReadonlyArray<Listed>
): Effect.fn.Return<void, ApiError> {
  const of = (name: string) => objects.filter(({ resource }) => nameOf(resource) === name)
  const namespaces = of(NAMESPACES)
  const going = new Set(namespaces.map(({ object }) => object.metadata.name))
  const others = objects.filter(
    ({ object, resource }) =>
      ![DEFINITIONS, NAMESPACES].includes(nameOf(resource))
      && !(object.metadata.namespace !== undefined && going.has(object.metadata.namespace))
  )
  yield* Effect.forEach(others, ({ object }) => remove(api, object), { concurrency: CONCURRENCY, discard: true })
  yield* Effect.forEach(namespaces, ({ object }) => removeNamespace(api, resources, object.metadata.name ?? ""), {
    concurrency: CONCURRENCY,
    discard: true
  })
  yield* Effect.forEach(of(DEFINITIONS), ({ object }) => remove(api, object), {
    concurrency: CONCURRENCY,
    discard: true
  })
})

/** Removes one object and waits until it is gone. */
export const remove = Effect.fnUntraced(function* (
  api: ClusterApi,
  object: KubeObject
): Effect.fn.Return<void, ApiError> {
  const ref = refOf(object)
  yield* ignoringAbsent(api.delete(ref, AT_ONCE))
  if (finalizersOf(object).length === 0 && !SLOW.has(object.kind)) return
  const started = yield* Clock.currentTimeMillis
  const graceMs = object.kind === "CustomResourceDefinition" ? DEFINITION_GRACE_MS : FINALIZER_GRACE_MS
  yield* untilGone(
    api,
    `${object.kind} ${object.metadata.name}`,
    Effect.gen(function* () {
      const present = yield* orAbsent(api.get(ref))
      // An object with another uid was created later.
      if (present === undefined || present.metadata.uid !== object.metadata.uid) return true
      if (finalizersOf(present).length > 0 && (yield* Clock.currentTimeMillis) - started > graceMs) {
        yield* removeFinalizers(api, present)
      }
      return false
    })
  )
}, inRealTime)

/** Kinds whose objects remain for a while after their deletion, even if a list shows no finalizer. */
const SLOW = new Set(["CustomResourceDefinition", "Pod"])

/**
 * Removes a namespace with everything in it, and waits until it is gone.
 *
 * A cluster without controllers would never finish, so the contents are deleted here and the empty namespace is
 * finalized.
 */
const removeNamespace = Effect.fnUntraced(function* (
  api: ClusterApi,
  resources: ReadonlyArray<ApiResource>,
  name: string
): Effect.fn.Return<void, ApiError> {
  const ref = { apiVersion: "v1", kind: "Namespace", name }
  const namespaced = resources.filter((resource) => resource.namespaced)
  const started = yield* Clock.currentTimeMillis
  yield* ignoringAbsent(api.delete(ref))
  yield* untilGone(
    api,
    `namespace ${name}`,
    Effect.gen(function* () {
      const present = yield* orAbsent(api.get(ref))
      if (present === undefined || !isEnding(present)) return present === undefined
      const contents = (yield* Effect.forEach(namespaced, (resource) => listAll(api, resource, { namespace: name }), {
        concurrency: CONCURRENCY
      })).flat()
      const isLate = (yield* Clock.currentTimeMillis) - started > FINALIZER_GRACE_MS
      yield* Effect.forEach(
        contents,
        ({ object }) =>
          isLate && finalizersOf(object).length > 0
            ? removeFinalizers(api, object)
            : ignoringAbsent(api.delete(refOf(object), AT_ONCE)),
        { concurrency: CONCURRENCY, discard: true }
      )
      if (contents.length === 0) {
        yield* api.request({
          method: "PUT",
          path: `/api/v1/namespaces/${encodeURIComponent(name)}/finalize`,
          body: { ...present, spec: { finalizers: [] } }
        })
      }
      return false
    })
  )
}, inRealTime)

const removeFinalizers = (api: ClusterApi, object: KubeObject) =>
  ignoringAbsent(Effect.asVoid(api.patch(refOf(object), { metadata: { finalizers: null } })))

/** Repeats a check until it returns true. **Errors** after 60 s. */
const untilGone = (
  api: ClusterApi,
  what: string,
  check: Effect.Effect<boolean, ApiError>
): Effect.Effect<void, ApiError> =>
  check.pipe(
    Effect.repeat({ schedule: Schedule.spaced(EVERY), until: (isGone) => isGone }),
    Effect.timeoutOrElse({
      duration: WITHIN,
      orElse: () =>
        Effect.fail(
          new ApiError({
            cluster: api.cluster,
            method: "DELETE",
            path: "",
            reason: new ApiUnexpected({ problem: `${what} is still there after ${WITHIN}` })
          })
        )
    }),
    Effect.asVoid
  )

const ignoringAbsent = (call: Effect.Effect<void, ApiError>): Effect.Effect<void, ApiError> =>
  Effect.catchIf(call, refusedWith(404), () => Effect.void)

const orAbsent = (call: Effect.Effect<KubeObject, ApiError>): Effect.Effect<KubeObject | undefined, ApiError> =>
  Effect.catchIf(call, refusedWith(404), () => Effect.succeed(undefined))
