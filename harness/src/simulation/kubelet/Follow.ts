/** Lists and watches all objects of a kind until its fiber is interrupted. Survives outages and expired history. */
import { Effect, Ref, Schedule, Stream } from "effect"
import type { ApiError } from "../../client/ApiError.ts"
import type { ClusterApi } from "../../client/ClusterApi.ts"
import type { KindRef, KubeObject, WatchEvent } from "../../client/KubeObject.ts"

export interface Followed extends KindRef {
  readonly fieldSelector?: string
  readonly labelSelector?: string
}

/** Receives changes. The uid distinguishes objects of the same name. */
export interface Follower {
  readonly put: (object: KubeObject) => Effect.Effect<void>
  readonly remove: (uid: string) => Effect.Effect<void>
  /** Called after each complete list: all objects except these are gone. */
  readonly retain: (uids: ReadonlySet<string>) => Effect.Effect<void>
}

const PAGE = 500
/** The server ends a watch after this time, which detects dead connections. */
const WATCH_SECONDS = 300
const FIRST_PAUSE = "100 millis"
const LONGEST_PAUSE = "2 seconds"

/** Result of a watch that cannot continue from its last version. A new list is needed. */
const STALE = "stale"

/**
 * Lists, then watches. Lists again after a watch fails.
 *
 * Never ends by itself. `listed` runs after each complete list.
 *
 * **Limits** pages of 500. Retries after 0.1 s, doubling up to 2 s.
 */
export const follow = (
  api: ClusterApi,
  followed: Followed,
  follower: Follower,
  listed: Effect.Effect<unknown> = Effect.void
): Effect.Effect<never> =>
  listAndWatch(api, followed, follower, listed).pipe(
    Effect.tapError((error) => Effect.logDebug(`listing ${followed.kind} again: ${error.message}`)),
    Effect.retry(Schedule.min([Schedule.exponential(FIRST_PAUSE), Schedule.spaced(LONGEST_PAUSE)])),
    Effect.ignore,
    Effect.forever
  )

const listAndWatch = Effect.fnUntraced(function* (
  api: ClusterApi,
  followed: Followed,
  follower: Follower,
  listed: Effect.Effect<unknown>
): Effect.fn.Return<void, ApiError> {
  const position = yield* Ref.make(yield* listAll(api, followed, follower))
  yield* listed
  for (;;) {
    const resourceVersion = yield* Ref.get(position)
    const end = yield* api
      .watch({ ...followed, resourceVersion, allowWatchBookmarks: true, timeoutSeconds: WATCH_SECONDS })
      .pipe(
        Stream.mapEffect((event) => Effect.as(take(event, follower, position), event.type)),
        Stream.takeUntil((type) => type === "ERROR"),
        Stream.runFold(
          () => "",
          (last, type) => (type === "ERROR" ? STALE : last)
        )
      )
    if (end === STALE) return
  }
})

const listAll = Effect.fnUntraced(function* (api: ClusterApi, followed: Followed, follower: Follower) {
  const uids = new Set<string>()
  let next: string | undefined
  for (;;) {
    const page = yield* api.list({ ...followed, limit: PAGE, ...(next === undefined ? {} : { continue: next }) })
    for (const object of page.items) {
      uids.add(object.metadata.uid ?? "")
      yield* follower.put(object)
    }
    next = page.continue
    if (next === undefined || next === "") {
      yield* follower.retain(uids)
      return page.resourceVersion
    }
  }
})

const take = Effect.fnUntraced(function* ({ object, type }: WatchEvent, follower: Follower, position: Ref.Ref<string>) {
  if (type === "ERROR") return
  if (type === "ADDED" || type === "MODIFIED") yield* follower.put(object)
  if (type === "DELETED") yield* follower.remove(object.metadata.uid ?? "")
  yield* Ref.update(position, (last) => object.metadata.resourceVersion ?? last)
})
