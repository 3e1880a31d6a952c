/** Reads a collection page by page, within limits of objects, bytes and time. */
import { Context, Effect, Option, Result, type Semaphore } from "effect"
import type { Cluster } from "../registry/Cluster.ts"
import { ClusterAnswerInvalid, ClusterError, ClusterTimeout, ClusterTooLarge } from "./ClusterError.ts"
import type { KubeObject, Scope } from "./KubeObject.ts"
import * as listProgress from "./ListProgress.ts"
import * as steadyClock from "./SteadyClock.ts"
import type { ListPage } from "./KubeObjectJson.ts"
import type { Transport, TransportAnswer, Waiting } from "./Transport.ts"
import * as kubePath from "./KubePath.ts"
import type { TurnBudget } from "./TurnBudget.ts"
import * as wireForm from "./WireForm.ts"

/** Upper bound of objects of one kind read from one cluster. */
export const MaxObjects = Context.Reference<number>("@quarterdeck/cluster-fanout/ListPages/MaxObjects", {
  defaultValue: () => 500_000
})

/** Page size of a probe, and of a request for the newest version. */
export const ONE = 1

const METADATA_ONLY = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json"

export interface PageRequest {
  readonly continueToken: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
  readonly metadataOnly?: boolean | undefined
  /** The value of `WireForm.accept`; JSON by default. The content type of the answer decides how it is parsed. */
  readonly accept?: string | undefined
  /** Page size. Without it, the whole list. */
  readonly limit: number | undefined
  readonly waiting?: Waiting | undefined
  /** Sends the request as a probe, with this deadline. */
  readonly probeMs?: number | undefined
}

/**
 * Services for reading pages. **Shape** `parsing` has one permit: pages are parsed one at a time, within the budget of
 * `turns`. Pages of a single object do not wait for the permit.
 */
export interface Pages {
  readonly transport: Transport["Service"]
  readonly parsing: Semaphore.Semaphore
  readonly turns: TurnBudget
  readonly bounds: listProgress.ListBounds
  readonly sizes: PageSizes
}

/**
 * Page sizes that were last used for collections whose pages of `PAGE_SIZE` objects are too large.
 *
 * **Limits** one number for each such collection, while its cluster's connection is unchanged.
 */
export class PageSizes {
  readonly #known = new WeakMap<Cluster["connection"], Map<string, number>>()

  of({ connection }: Cluster, scope: Scope): number {
    return this.#known.get(connection)?.get(kubePath.words(scope)) ?? listProgress.PAGE_SIZE
  }

  note({ connection }: Cluster, scope: Scope, limit: number): void {
    const known = this.#known.get(connection) ?? new Map<string, number>()
    if (limit < listProgress.PAGE_SIZE) known.set(kubePath.words(scope), limit)
    else known.delete(kubePath.words(scope))
    this.#known.set(connection, known)
  }
}

/**
 * Result of a request for the next page of a list.
 *
 * **Shape** with `isAnew`, the objects of earlier pages are invalid and the list begins again. `next` is absent when
 * the list is complete, at `resourceVersion`. `items` may be empty although `next` is present.
 */
export interface Turned {
  readonly items: ReadonlyArray<KubeObject>
  readonly resourceVersion: string
  readonly isAnew: boolean
  readonly next: listProgress.ListProgress | undefined
}

/** Starts a list, with the page size that its collection needed last. */
export const beginList = ({ sizes }: Pages, cluster: Cluster, scope: Scope): Effect.Effect<listProgress.ListProgress> =>
  Effect.map(steadyClock.now, (now) => listProgress.begin(now, sizes.of(cluster, scope)))

/**
 * Requests the next page of a list.
 *
 * **Shape** a page that is too large is requested again with half as many objects. If the continue token expires, the
 * whole list begins again without pages.
 *
 * **Errors** `ClusterTooLarge` if the cluster sends more than `maxObjects` objects or a list without end, or if an unpaged
 * list or a single object takes more than `pageBytes`; `ClusterTimeout` after `listMs`.
 */
export const nextPage = Effect.fnUntraced(function* (
  pages: Pages,
  cluster: Cluster,
  scope: Scope,
  progress: listProgress.ListProgress,
  request: Pick<PageRequest, "labelSelector" | "fieldSelector" | "metadataOnly" | "accept" | "waiting"> = {}
) {
  const { listMs } = pages.bounds
  if ((yield* steadyClock.now) - progress.startedAt > listMs) {
    return yield* new ClusterError({ cluster: cluster.name, reason: new ClusterTimeout({ timeoutMs: listMs }) })
  }
  const { continueToken, limit } = progress
  return yield* getPage(pages, cluster, scope, { ...request, continueToken, limit }).pipe(
    Effect.flatMap((page) => turn(pages, cluster, scope, progress, page)),
    Effect.catchReason("ClusterError", "ClusterTooLarge", (reason) =>
      reason.excess === "answer" ? shrink(pages, cluster, scope, progress) : failWith(cluster, reason)
    ),
    Effect.catchReason("ClusterError", "ClusterExpired", (reason) =>
      continueToken === undefined || limit === undefined
        ? failWith(cluster, reason)
        : Effect.succeed<Turned>({ ...NOTHING, isAnew: true, next: listProgress.whole(progress) })
    )
  )
})

const NOTHING = { items: [], resourceVersion: "", isAnew: false } as const

const failWith = ({ name }: Cluster, reason: ClusterError["reason"]): Effect.Effect<never, ClusterError> =>
  Effect.fail(new ClusterError({ cluster: name, reason }))

const turn = (
  { bounds, sizes }: Pages,
  cluster: Cluster,
  scope: Scope,
  progress: listProgress.ListProgress,
  { bytes, continueToken, items, resourceVersion }: Page
): Effect.Effect<Turned, ClusterError> => {
  const read = { objects: items.length, bytes, ...(continueToken !== undefined && { continueToken }) }
  const step = listProgress.after(progress, read, bounds)
  const tooLarge = { resource: kubePath.words(scope), limit: bounds.maxObjects }
  switch (step._tag) {
    case "TooMany":
      return failWith(cluster, new ClusterTooLarge({ excess: "objects", ...tooLarge }))
    case "Endless":
      return failWith(cluster, new ClusterTooLarge({ excess: "endless", ...tooLarge }))
    case "Last":
      return Effect.succeed({ items, resourceVersion, isAnew: false, next: undefined })
    case "Next": {
      const { limit } = step.progress
      if (limit !== undefined && limit !== progress.limit) sizes.note(cluster, scope, limit)
      return Effect.succeed({ items, resourceVersion, isAnew: false, next: step.progress })
    }
  }
}

/**
 * Continues with a smaller page. If the page has one object, fails with the object's name, if the server returns it.
 */
const shrink = Effect.fnUntraced(function* (
  pages: Pages,
  cluster: Cluster,
  scope: Scope,
  progress: listProgress.ListProgress
) {
  const smaller = listProgress.halved(progress)
  if (smaller?.limit !== undefined) {
    pages.sizes.note(cluster, scope, smaller.limit)
    return { ...NOTHING, next: smaller } satisfies Turned
  }
  const tooLarge = { resource: kubePath.words(scope), limit: pages.bounds.pageBytes }
  if (progress.limit === undefined) {
    return yield* failWith(cluster, new ClusterTooLarge({ excess: "answer", ...tooLarge }))
  }
  const { continueToken } = progress
  const named = yield* getPage(pages, cluster, scope, { continueToken, metadataOnly: true, limit: ONE }).pipe(
    Effect.map(({ items: [first, ...more] }) => (more.length === 0 ? first : undefined)),
    Effect.option
  )
  const object = nameOf(Option.getOrUndefined(named))
  return yield* failWith(
    cluster,
    new ClusterTooLarge({ excess: "object", ...tooLarge, ...(object !== undefined && { object }) })
  )
})

const nameOf = (object: KubeObject | undefined): string | undefined => {
  if (object === undefined) return undefined
  const { name, namespace } = object.metadata
  const path = namespace === undefined ? name : `${namespace}/${name}`
  return /^[\w.:/-]{1,512}$/.test(path) ? path : undefined
}

export const getPage = Effect.fnUntraced(function* (
  pages: Pages,
  cluster: Cluster,
  scope: Scope,
  request: PageRequest
) {
  const { parsing, transport } = pages
  const { continueToken, fieldSelector, labelSelector, limit, metadataOnly, probeMs, waiting } = request
  const accept = metadataOnly === true ? METADATA_ONLY : request.accept
  const query = { limit: limit?.toString(), continue: continueToken, labelSelector, fieldSelector }
  const answer = yield* transport.call(cluster, {
    method: "GET",
    path: kubePath.collection(scope, query),
    ...(accept !== undefined && { accept }),
    ...(waiting && { waiting }),
    ...(probeMs !== undefined && { isProbe: true, answerMs: probeMs }),
    action: { verb: "list", resource: kubePath.words(scope) }
  })
  const parsed = parse(pages, cluster, scope, answer)
  return yield* limit === ONE ? parsed : parsing.withPermit(parsed)
})

const parse = Effect.fnUntraced(function* (
  { turns }: Pages,
  cluster: Cluster,
  { resource }: Scope,
  { body, contentType }: TransportAnswer
) {
  // Joining the chunks took part of this turn. Yield after each page, so that other fibers run even if many small pages
  // wait.
  yield* Effect.yieldNow
  const reading = wireForm.of(contentType, resource).readPage(body)
  yield* turns.repeat(reading.step)
  const page = yield* decoded(
    cluster,
    Result.filterOrFail(reading.page(), isTokenShort, () => LONG_TOKEN)
  )
  yield* Effect.yieldNow
  const read: Page = { ...page, bytes: body.length }
  return read
})

/** A page and its size. */
interface Page extends ListPage {
  readonly bytes: number
}

/** Longest continue token. It is sent back in the query, where servers and proxies allow little more. */
const MAX_TOKEN = 16_384
const LONG_TOKEN = `the list's continue token is longer than ${MAX_TOKEN} characters`

const isTokenShort = ({ continueToken = "" }: ListPage): boolean => continueToken.length <= MAX_TOKEN

/** Returns the decoded value, or fails with an error of the cluster. */
export const decoded = <A>(cluster: Cluster, read: Result.Result<A, string>): Effect.Effect<A, ClusterError> =>
  Effect.fromResult(read).pipe(
    Effect.mapError(
      (problem) => new ClusterError({ cluster: cluster.name, reason: new ClusterAnswerInvalid({ problem }) })
    )
  )
