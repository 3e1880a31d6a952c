import { assert } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import type { KubeObject, WatchEvent } from "../../src/client/KubeObject.ts"
import { configMap, configMapRef, configMaps, freshNamespace, parent, refusal, type Suite } from "./Fixture.ts"

const END_OF_INITIAL = "k8s.io/initial-events-end"

const summary = ({ type, object }: WatchEvent): string => `${type} ${object.metadata.name}`
const isBookmark = ({ type }: WatchEvent): boolean => type === "BOOKMARK"
const endsInitial = ({ object }: WatchEvent): boolean => object.metadata.annotations?.[END_OF_INITIAL] === "true"
const versionOf = (object: KubeObject): number => Number(object.metadata.resourceVersion)

/** Following changes. */
export const watches = (it: Suite, hasWatchList: boolean): void => {
  it.effect("a watch from a list's version sees every later change, in order, with rising versions", () =>
    Effect.gen(function* () {
      const { api } = yield* parent
      const namespace = yield* freshNamespace(yield* parent)
      yield* api.create(configMap(namespace, "before"))
      const { resourceVersion } = yield* api.list(configMaps(namespace))
      const seen = yield* api
        .watch({ ...configMaps(namespace), resourceVersion })
        .pipe(Stream.take(4), Stream.runCollect, Effect.forkChild({ startImmediately: true }))
      yield* api.create(configMap(namespace, "one"))
      yield* api.patch(configMapRef(namespace, "one"), { data: { key: "new" } })
      yield* api.delete(configMapRef(namespace, "before"))
      yield* api.delete(configMapRef(namespace, "one"))
      const events = yield* Fiber.join(seen)
      assert.deepStrictEqual(events.map(summary), ["ADDED one", "MODIFIED one", "DELETED before", "DELETED one"])
      const versions = events.map(({ object }) => versionOf(object))
      assert.deepStrictEqual(
        versions,
        versions.toSorted((left, right) => left - right)
      )
      assert.strictEqual(new Set(versions).size, versions.length)
    })
  )

  it.effect("a watch without a version begins with the existing objects", () =>
    Effect.gen(function* () {
      const { api } = yield* parent
      const namespace = yield* freshNamespace(yield* parent)
      yield* api.create(configMap(namespace, "one", { follow: "yes" }))
      const events = yield* api
        .watch({ ...configMaps(namespace), labelSelector: "follow=yes" })
        .pipe(Stream.take(1), Stream.runCollect)
      assert.deepStrictEqual(events.map(summary), ["ADDED one"])
    })
  )

  it.effect("an object that leaves a selector is deleted for its watch, with its old labels", () =>
    Effect.gen(function* () {
      const { api } = yield* parent
      const namespace = yield* freshNamespace(yield* parent)
      const { resourceVersion } = yield* api.list(configMaps(namespace))
      const seen = yield* api
        .watch({ ...configMaps(namespace), resourceVersion, labelSelector: "in=yes" })
        .pipe(Stream.take(3), Stream.runCollect, Effect.forkChild({ startImmediately: true }))
      const label = (value: string) =>
        api.patch(configMapRef(namespace, "one"), { metadata: { labels: { in: value } } })
      yield* api.create(configMap(namespace, "one", { in: "no" }))
      yield* label("yes")
      const left = yield* label("no")
      yield* label("yes")
      const events = yield* Fiber.join(seen)
      assert.deepStrictEqual(events.map(summary), ["ADDED one", "DELETED one", "ADDED one"])
      assert.deepStrictEqual(events[1]?.object.metadata.labels, { in: "yes" })
      assert.strictEqual(events[1]?.object.metadata.resourceVersion, left.metadata.resourceVersion)
    })
  )

  if (!hasWatchList) {
    it.effect("422 for a watch-list where the server has none, so that clients fall back", () =>
      Effect.gen(function* () {
        const { api } = yield* parent
        const refused = yield* refusal(
          Stream.runDrain(
            api.watch({
              ...configMaps("default"),
              sendInitialEvents: true,
              resourceVersionMatch: "NotOlderThan",
              allowWatchBookmarks: true
            })
          )
        )
        assert.strictEqual(refused.code, 422)
        assert.include(
          refused.text,
          "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"
        )
      })
    )
  } else {
    it.effect("a watch-list sends the existing objects, marks their end, and continues with changes", () =>
      Effect.gen(function* () {
        const { api } = yield* parent
        const namespace = yield* freshNamespace(yield* parent)
        const own = { ...configMaps(namespace), labelSelector: "mine=yes" }
        yield* Effect.forEach(["a", "b"], (name) => api.create(configMap(namespace, name, { mine: "yes" })))
        const seen = yield* api
          .watch({
            ...own,
            sendInitialEvents: true,
            resourceVersionMatch: "NotOlderThan",
            allowWatchBookmarks: true
          })
          .pipe(
            Stream.tap((event) =>
              endsInitial(event) ? api.create(configMap(namespace, "c", { mine: "yes" })) : Effect.void
            ),
            Stream.takeUntil(({ object }) => object.metadata.name === "c"),
            Stream.runCollect
          )
        assert.deepStrictEqual(seen.slice(0, 2).map(summary).toSorted(), ["ADDED a", "ADDED b"])
        assert.deepStrictEqual(
          seen.slice(2).map(({ type }) => type),
          ["BOOKMARK", "ADDED"]
        )
        const [bookmark] = seen.slice(2)
        assert.isAtLeast(
          bookmark === undefined ? 0 : versionOf(bookmark.object),
          versionOf(seen[1]?.object ?? NO_OBJECT)
        )
      })
    )
  }

  it.effect("a watch with bookmarks receives the version of changes outside its selection before it ends", () =>
    Effect.gen(function* () {
      const cluster = yield* parent
      const { api } = cluster
      const namespace = yield* freshNamespace(cluster)
      const elsewhere = yield* freshNamespace(cluster)
      yield* api.create(configMap(namespace, "one", { mine: "yes" }))
      // A change that the server reads while the watch begins is no news for a bookmark, so it comes after the first event.
      const events = yield* api
        .watch({
          ...configMaps(namespace),
          labelSelector: "mine=yes",
          allowWatchBookmarks: true,
          timeoutSeconds: 5
        })
        .pipe(
          Stream.tap(({ type }) => (type === "ADDED" ? api.create(configMap(elsewhere, "two")) : Effect.void)),
          Stream.runCollect
        )
      const change = yield* api.get(configMapRef(elsewhere, "two"))
      const [first, ...bookmarks] = events
      assert.strictEqual(first?.type, "ADDED")
      assert.isNotEmpty(bookmarks)
      assert.isTrue(bookmarks.every(isBookmark))
      assert.isAtLeast(Math.max(...bookmarks.map(({ object }) => versionOf(object))), versionOf(change))
    })
  )
}

const NO_OBJECT: KubeObject = { apiVersion: "v1", kind: "Status", metadata: {} }
