/**
 * Calls the API server of any registered cluster: paged lists, watches, single reads.
 */
import { Cache, Context, Duration, Effect, Exit, Layer, Option, Result, Schema, Semaphore, Stream } from "effect"
import type { Cluster } from "../registry/Cluster.ts"
import type { ClusterError } from "./ClusterError.ts"
import * as listWatch from "./ListWatch.ts"
import type { ListProgress } from "./ListProgress.ts"
import { KeyedValue } from "./KeyedValue.ts"
import { parseJson, toObject } from "./KubeObjectJson.ts"
import * as kubePath from "./KubePath.ts"
import {
  beginList,
  decoded,
  getPage,
  MaxObjects,
  nextPage,
  ONE,
  type Pages,
  PageSizes,
  type Turned
} from "./ListPages.ts"
import type { KubeObject, Scope, WatchEvent } from "./KubeObject.ts"
import * as steadyClock from "./SteadyClock.ts"
import { traced } from "./Traced.ts"
import { Transport, TransportLimits, type Waiting } from "./Transport.ts"
import { TurnBudget } from "./TurnBudget.ts"

export { MaxObjects } from "./ListPages.ts"
export type { Waiting } from "./Transport.ts"

export interface ServerVersion {
  readonly major: number
  readonly minor: number
  /** The server's full version, such as `v1.36.3`. */
  readonly gitVersion: string
}

export interface ListOptions {
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Requests metadata only (`PartialObjectMetadata`). */
  readonly metadataOnly?: boolean
  readonly waiting?: Waiting
}

export class KubeApi extends Context.Service<
  KubeApi,
  {
    /** Reads `/version`. **Limits** `answerMs`, counted from when the credential is available. */
    readonly version: (cluster: Cluster, answerMs?: number) => Effect.Effect<ServerVersion, ClusterError>
    /**
     * Lists the metadata of one object of a collection and discards it, to check whether the server answers within
     * `answerMs`.
     */
    readonly probe: (cluster: Cluster, scope: Scope, answerMs: number) => Effect.Effect<void, ClusterError>
    /**
     * Lists page by page (500 objects, fewer if they are too large), at one resource version.
     *
     * **Shape** if a continue token expires, the whole list is read again at once. Objects that were already returned
     * are left out. The list does not report which of them have been deleted meanwhile.
     *
     * **Errors** `ClusterTooLarge` for a list beyond `MaxObjects` or without end, and for an object that is too large.
     */
    readonly list: (
      cluster: Cluster,
      scope: Scope,
      options?: ListOptions
    ) => Stream.Stream<ReadonlyArray<KubeObject>, ClusterError>
    /**
     * Lists like `list`, but runs `take` on each page before requesting the next.
     *
     * **Shape** if `isAnew` is true, the list has begun again, and the pages before this one are invalid.
     */
    readonly listEach: (
      cluster: Cluster,
      scope: Scope,
      options: ListOptions,
      take: (page: ReadonlyArray<KubeObject>, isAnew: boolean) => Effect.Effect<void>
    ) => Effect.Effect<void, ClusterError>
    /** Finds one object by name. */
    readonly find: (
      cluster: Cluster,
      scope: Scope,
      name: string
    ) => Effect.Effect<Option.Option<KubeObject>, ClusterError>
    /**
     * Follows a collection until it fails: sends the initial state, then events.
     *
     * **Shape** the initial state is read by watch-list if the server supports it, else by a paged list. A watch that
     * ended cleanly is reopened. So is a watch that broke. If it breaks again before a new event arrives, the stream
     * fails. On 410, or if the server has returned to an earlier state, `Restart` announces a new initial state.
     *
     * With `from`, the resource version of a complete view, the stream begins with the events since then, followed by
     * `Resumed`. If the server cannot provide them, the stream begins with `Restart`.
     *
     * **Limits** one connection of the watch pool. A stream without any byte for 150 s fails with `ClusterTimeout`
     * (`FollowLimits`). If a throttling server asks for a short wait, the stream waits; for a long one, it fails with
     * `ClusterThrottled`.
     */
    readonly follow: (
      cluster: Cluster,
      scope: Scope,
      from?: string
    ) => Stream.Stream<ReadonlyArray<WatchEvent>, ClusterError>
  }
>()("@quarterdeck/cluster-fanout/KubeApi") {
  static readonly layerNoDeps = Layer.effect(
    KubeApi,
    Effect.gen(function* () {
      const transport = yield* Transport
      const limits = yield* FollowLimits
      const pages = yield* makePages(transport, limits)

      const version = Effect.fn("KubeApi.version")(function* (cluster: Cluster, answerMs?: number) {
        const action = { verb: "get", resource: "version" }
        const { body } = yield* transport.call(cluster, {
          method: "GET",
          path: "/version",
          action,
          isProbe: true,
          ...(answerMs !== undefined && { answerMs })
        })
        return yield* decoded(cluster, Result.flatMap(parseJson(body), toVersion))
      })
      const probe = Effect.fn("KubeApi.probe")(function* (cluster: Cluster, scope: Scope, answerMs: number) {
        const onePage = { continueToken: undefined, limit: ONE, metadataOnly: true, probeMs: answerMs }
        yield* getPage(pages, cluster, scope, onePage)
      })
      // A new cluster's collections are followed at the same time and share one request for the version, which rarely
      // changes.
      const versions = yield* Cache.makeWith((key: KeyedValue<Cluster>) => version(key.value), {
        capacity: 4_096,
        timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.minutes(5) : Duration.zero)
      })

      const list: KubeApi["Service"]["list"] = (cluster, scope, options = {}) =>
        Stream.unwrap(
          Effect.map(beginList(pages, cluster, scope), (progress) => {
            const returned = new ReturnedObjects()
            return Stream.paginate(progress, (at) =>
              Effect.map(
                nextPage(pages, cluster, scope, at, options),
                ({ isAnew, items, next }) =>
                  [[returned.page(items, isAnew, next === undefined)], Option.fromUndefinedOr(next)] as const
              )
            )
          })
        )

      const listEach: KubeApi["Service"]["listEach"] = Effect.fnUntraced(
        function* (cluster, scope, options, take) {
          let progress: ListProgress | undefined = yield* beginList(pages, cluster, scope)
          while (progress !== undefined) {
            const { isAnew, items, next }: Turned = yield* nextPage(pages, cluster, scope, progress, options)
            yield* take(items, isAnew)
            progress = next
          }
        },
        (listed, cluster, scope) =>
          traced("KubeApi.list", () => ({ cluster: cluster.name, resource: kubePath.words(scope) }))(listed)
      )

      const find = Effect.fn("KubeApi.find")(function* (cluster: Cluster, scope: Scope, name: string) {
        const { body, status } = yield* transport.call(cluster, {
          method: "GET",
          path: kubePath.object(scope, name),
          action: { verb: "get", resource: kubePath.words(scope) },
          allow: [404]
        })
        if (status === 404) return Option.none()
        return Option.some(yield* decoded(cluster, Result.flatMap(parseJson(body), toObject)))
      })

      /** False if the credential may not read the version. List and watch work even then, in every version. */
      const mayWatchList = (cluster: Cluster) =>
        Cache.get(versions, new KeyedValue(cluster.generation, cluster)).pipe(
          Effect.map(offersWatchList),
          Effect.catchReason("ClusterError", "ClusterForbids", () => Effect.succeed(false))
        )

      /**
       * Time at which a server or proxy last held back a part of a watch-list, by `steadyClock`. For `WITHHELD_MS`
       * after that, lists are used instead.
       */
      const withheldAt = new WeakMap<Cluster["connection"], number>()
      const following: KubeApi["Service"]["follow"] = (cluster, scope, from) =>
        Stream.unwrap(
          Effect.gen(function* () {
            const isOffered = yield* mayWatchList(cluster)
            const now = yield* steadyClock.now
            const watchList = isOffered && now - (withheldAt.get(cluster.connection) ?? -Infinity) > WITHHELD_MS
            const onWithheld = Effect.map(steadyClock.now, (at) => void withheldAt.set(cluster.connection, at))
            return listWatch.stream({ pages, cluster, collection: scope, watchList, onWithheld, limits, from })
          })
        )

      return KubeApi.of({ version, probe, list, listEach, find, follow: following })
    })
  )

  /** Requires file access for credential files, and processes for credential plugins. */
  static readonly layer = KubeApi.layerNoDeps.pipe(Layer.provide(Transport.layer))
}

const makePages = Effect.fnUntraced(function* (transport: Transport["Service"], { listMs }: listWatch.FollowLimits) {
  const { answerBytes: pageBytes } = yield* TransportLimits
  const pages: Pages = {
    transport,
    parsing: yield* Semaphore.make(1),
    turns: yield* TurnBudget,
    bounds: { maxObjects: yield* MaxObjects, listMs, pageBytes },
    sizes: new PageSizes()
  }
  return pages
})

/** Time for which a cluster is not asked for a watch-list after a part of one was held back. */
const WITHHELD_MS = 600_000

/** The objects that a list has returned, by namespace and name, so that a repeated list returns them once. */
class ReturnedObjects {
  readonly #returned = new Set<string>()
  #isRepeated = false

  /**
   * Returns the objects of a page. Until the list begins again (`isAnew`), records the returned objects, except those
   * of the last page. From then on, leaves out the recorded objects.
   */
  page(items: ReadonlyArray<KubeObject>, isAnew: boolean, isLast: boolean): ReadonlyArray<KubeObject> {
    this.#isRepeated ||= isAnew
    if (this.#isRepeated) return items.filter((object) => !this.#returned.has(placeOf(object)))
    if (isLast) return items
    for (const object of items) this.#returned.add(placeOf(object))
    return items
  }
}

const placeOf = ({ metadata: { name, namespace = "" } }: KubeObject): string => `${namespace}/${name}`

/** Limits of following a collection. `TransportLimits` contains the size of the watch pool. */
export const FollowLimits = Context.Reference<listWatch.FollowLimits>(
  "@quarterdeck/cluster-fanout/KubeApi/FollowLimits",
  {
    defaultValue: () => ({
      silenceMs: 150_000,
      listMs: 600_000,
      initialSilenceMs: 15_000,
      initialHeadMs: 15_000,
      headMs: 30_000,
      catchUpMs: 8_000,
      openedWithinMs: 5_000,
      lineBytes: 16 * 1024 * 1024,
      minWatchSeconds: 300,
      maxWatchSeconds: 600,
      maxThrottleMs: 5_000,
      maxThrottles: 3,
      usefulMs: 5_000,
      firstBackoffMs: 1_000,
      maxBackoffMs: 30_000
    })
  }
)

/** Watch-list is enabled by default in 1.32 and from 1.34 on, but not in 1.33. **Source** KEP-3157. */
const offersWatchList = ({ major, minor }: ServerVersion): boolean => major > 1 || minor === 32 || minor >= 34

const decodeVersion = Schema.decodeUnknownOption(Schema.Struct({ gitVersion: Schema.String }))

/** Parses `gitVersion`, because vendors use different forms of `major` and `minor` (`"32+"`, `""`). */
const toVersion = (value: unknown): Result.Result<ServerVersion, string> => {
  const gitVersion = Option.getOrUndefined(decodeVersion(value))?.gitVersion ?? ""
  const [, major, minor] = /^v?(\d{1,4})\.(\d{1,4})/.exec(gitVersion) ?? []
  return major === undefined || minor === undefined
    ? Result.fail("the answer is not a version")
    : Result.succeed({ major: Number(major), minor: Number(minor), gitVersion })
}
