import { assert, layer } from "@effect/vitest"
import { Fault, type KubeObject } from "@quarterdeck/harness"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { EmbeddedCluster, pod, POWERLESS } from "../fixture/EmbeddedCluster.ts"
import {
  bookmark,
  change,
  firstEvents,
  follow,
  following,
  onCluster,
  present,
  print,
  put,
  release,
  remove,
  synced,
  watches
} from "../fixture/Following.ts"
import { token } from "../fixture/ClusterAt.ts"
import { eventually } from "../fixture/Waiting.ts"

/** Ends the watch that is open, properly. */
const endWatch = Fault.watchCutEvery("1 milli", { match: { next: 1 } })
/** Lists wait until it heals. */
const heldLists = Fault.slowReply({ match: { verbs: ["list"] }, bodyAfterMs: 3_600_000 })

/** An object of which those who follow pods are not told. */
const elsewhere = (number = 0): KubeObject.KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: `c${number}`, namespace: "default" }
})

layer(EmbeddedCluster.layer())("follow", (it) => {
  for (const gitVersion of ["v1.32.0", "v1.34.1", "v1.36.3"]) {
    it.effect(`${gitVersion}: the initial state comes by watch-list`, () =>
      onCluster((server) =>
        Effect.gen(function* () {
          yield* server.inject(release(gitVersion))
          const a = yield* server.objects.create(pod("a"))
          const b = yield* server.objects.create(pod("b"))
          const { first } = yield* following(server.entered())
          yield* first(3)
          const changed = yield* change(server, a)
          yield* first(4)
          yield* TestClock.adjust("60 seconds")
          const events = yield* first(5)
          assert.deepStrictEqual(events, [put(a), put(b), synced(b), put(changed), bookmark(changed)])
          const [query] = watches(server)
          assert.deepStrictEqual(
            ["sendInitialEvents", "resourceVersionMatch", "allowWatchBookmarks"].map((key) => query?.get(key)),
            ["true", "NotOlderThan", "true"]
          )
          const seconds = Number(query?.get("timeoutSeconds"))
          assert.isTrue(seconds >= 300 && seconds <= 600, String(seconds))
        })
      )
    )
  }

  const invalid = "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"
  const refusals = {
    422: Fault.fixedReply({
      match: { verbs: ["watch"], next: 1 },
      status: 422,
      body: JSON.stringify({ kind: "Status", status: "Failure", code: 422, reason: "Invalid", message: invalid })
    }),
    403: Fault.forbidden({ match: { verbs: ["watch"], next: 1 } })
  }
  for (const [code, refusal] of Object.entries(refusals)) {
    it.effect(`a watch-list refused with ${code} becomes a list`, () =>
      onCluster((server) =>
        Effect.gen(function* () {
          yield* server.inject(refusal)
          const a = yield* server.objects.create(pod("a"))
          const { first } = yield* following(server.entered())
          yield* first(2)
          yield* eventually(
            Effect.sync(() => watches(server).length),
            (count) => count === 2
          )
          const b = yield* server.objects.create(pod("b"))
          yield* first(3)
          yield* TestClock.adjust("60 seconds")
          assert.deepStrictEqual(yield* first(4), [put(a), synced(a), put(b), bookmark(b)])
        })
      )
    )
  }

  it.effect("a credential that may not list fails as forbidden, in the list's words", () =>
    onCluster((server) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(firstEvents(server.entered({ credential: token(POWERLESS) }), 1))
        assert.strictEqual(error.message, "cluster test does not allow the service to list pods")
      })
    )
  )

  it.effect("a watch that ends cleanly is resumed where it was, without Restart", () =>
    onCluster((server) =>
      Effect.gen(function* () {
        const a = yield* server.objects.create(pod("a"))
        const { first } = yield* following(server.entered())
        yield* first(2)
        // Another object changes, and a bookmark reports the new version.
        const other = yield* server.objects.create(elsewhere())
        yield* TestClock.adjust("60 seconds")
        yield* first(3)
        yield* server.inject(endWatch)
        yield* eventually(
          Effect.sync(() => watches(server).length),
          (count) => count === 2
        )
        const changed = yield* change(server, a)
        assert.deepStrictEqual(yield* first(4), [put(a), synced(a), bookmark(other), put(changed)])
        assert.strictEqual(server.requests.at(-1)?.query.get("resourceVersion"), other.metadata.resourceVersion)
      })
    )
  )

  it.effect("a server that counts from before, as one restored from a backup does, is read anew", () =>
    onCluster((server) =>
      Effect.gen(function* () {
        const lost = yield* change(server, yield* server.objects.create(pod("lost")))
        const { first } = yield* following(server.entered())
        yield* first(2)
        // Nothing passes until the cluster is back, as another one.
        const release = yield* server.begin(Fault.blackHole)
        yield* server.inject(Fault.lostData)
        const kept = yield* server.objects.create(pod("kept"))
        yield* release
        assert.deepStrictEqual(yield* first(5), [put(lost), synced(lost), "Restart", put(kept), synced(kept)])
      })
    )
  )

  const tooOld = JSON.stringify({ kind: "Status", status: "Failure", code: 410, reason: "Expired", message: "too old" })
  const expired: Readonly<Record<string, ReadonlyArray<Fault.Fault>>> = {
    "an event 410": [Fault.expiredWatch()],
    "a status 410": [Fault.fixedReply({ match: { verbs: ["watch"], next: 1 }, status: 410, body: tooOld }), endWatch]
  }
  for (const [name, faults] of Object.entries(expired)) {
    it.effect(`${name} gives Restart and a new initial state`, () =>
      onCluster((server) =>
        Effect.gen(function* () {
          const a = yield* server.objects.create(pod("a"))
          const { first } = yield* following(server.entered())
          yield* first(2)
          const release = yield* server.begin(heldLists)
          for (const fault of faults) yield* server.inject(fault)
          // It asks how far the cluster is before it watches again.
          yield* eventually(
            Effect.sync(() => server.requests.at(-1)?.query.get("limit")),
            (limit) => limit === "1"
          )
          yield* remove(server, a)
          const b = yield* server.objects.create(pod("b"))
          yield* release
          assert.deepStrictEqual(yield* first(5), [put(a), synced(a), "Restart", put(b), synced(b)])
        })
      )
    )
  }

  it.effect("a watch that breaks is resumed once; breaking again without an event fails the stream", () =>
    onCluster((server) =>
      Effect.gen(function* () {
        yield* server.objects.create(pod("a"))
        // The existing objects fit; each later event breaks off in the middle.
        yield* server.inject(Fault.truncatedReply({ match: { verbs: ["watch"] }, afterBytes: 3_000 }))
        const { fiber, first } = yield* following(server.entered())
        yield* first(1)
        yield* server.objects.create(pod("large", { annotations: { text: "x".repeat(10_000) } }))
        const error = yield* Effect.flip(Fiber.join(fiber))
        assert.strictEqual(error.reason._tag, "ClusterUnreachable")
        assert.strictEqual(watches(server).length, 2)
      })
    )
  )

  it.effect("a quiet watch is not reconnected in five minutes of bookmarks", () =>
    onCluster(
      (server) =>
        Effect.gen(function* () {
          const told: Array<string> = []
          const listen = follow(server.entered()).pipe(
            Stream.runForEach((events) => Effect.sync(() => void told.push(...events.map(print))))
          )
          yield* Effect.forkChild(listen)
          let newest = elsewhere()
          for (let minute = 1; minute <= 5; minute++) {
            yield* eventually(
              Effect.sync(() => told.length),
              (length) => length === minute
            )
            newest = yield* server.objects.create(elsewhere(minute))
            yield* TestClock.adjust("60 seconds")
          }
          yield* eventually(
            Effect.sync(() => told.at(-1)),
            (last) => last === bookmark(newest)
          )
          assert.strictEqual(watches(server).length, 1)
          assert.strictEqual((yield* server.connections).made, 2)
        }),
      // The cluster ends watches when it was asked to; not this one, not before.
      { minWatchSeconds: 400 }
    )
  )

  it.effect("silence fails as a timeout", () =>
    onCluster(
      (server) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(firstEvents(server.entered(), 2))
          assert.strictEqual(error.message, "cluster test did not answer within 120 ms")
        }),
      { silenceMs: 120 }
    )
  )

  it.effect("a watch-list that never becomes whole is given up for a list", () =>
    onCluster(
      (server) =>
        Effect.gen(function* () {
          yield* server.inject(Fault.lostBookmarks())
          const a = yield* server.objects.create(pod("a"))
          const events = yield* firstEvents(server.entered(), 4)
          assert.deepStrictEqual(events, [put(a), "Restart", put(a), synced(a)])
        }),
      { initialSilenceMs: 120 }
    )
  )

  it.effect("a line over the limit fails instead of filling the memory", () =>
    onCluster(
      (server) =>
        Effect.gen(function* () {
          yield* server.objects.create(pod("large", { annotations: { text: "x".repeat(5_000) } }))
          const error = yield* Effect.flip(firstEvents(server.entered(), 1))
          assert.strictEqual(
            error.message,
            "cluster test sent an invalid answer: a line of the watch is longer than 1000 bytes"
          )
        }),
      { lineBytes: 1_000 }
    )
  )

  it.effect("ending the stream ends the watch at the server", () =>
    onCluster((server) =>
      Effect.gen(function* () {
        const { fiber } = yield* following(server.entered())
        yield* eventually(server.connections, ({ open }) => open === 2)
        yield* Fiber.interrupt(fiber)
        yield* eventually(server.connections, ({ open }) => open === 1)
      })
    )
  )
})

layer(EmbeddedCluster.layer({ pods: 501 }))("follow", (it) => {
  for (const gitVersion of ["v1.31.9", "v1.33.5"]) {
    it.effect(`${gitVersion}: the initial state comes by pages, then a watch from their version`, () =>
      onCluster((server) =>
        Effect.gen(function* () {
          yield* server.inject(release(gitVersion))
          const { items, resourceVersion } = yield* present(server)
          const initial = [...items.map(put), `Synced ${resourceVersion}`]
          const { first } = yield* following(server.entered())
          yield* first(initial.length)
          const deleted = yield* Effect.flatMap(Effect.fromNullishOr(items[0]), (pod) => remove(server, pod))
          assert.deepStrictEqual(yield* first(initial.length + 1), [...initial, deleted])
          assert.deepStrictEqual(
            server.requests.map(({ query }) => query.has("continue")),
            [false, false, true, false]
          )
          const [query] = watches(server)
          assert.strictEqual(query?.get("resourceVersion"), resourceVersion)
          assert.isFalse(query?.has("sendInitialEvents"))
        })
      )
    )
  }

  it.effect("a token that expires between the pages of the initial state begins it anew", () =>
    onCluster((server) =>
      Effect.gen(function* () {
        yield* server.inject(release("v1.31.0"))
        yield* server.inject(Fault.expiredWatch({ match: { verbs: ["list"], next: 1 } }))
        const { items, resourceVersion } = yield* present(server)
        const all = items.map(put)
        const events = [...all.slice(0, 500), "Restart", ...all, `Synced ${resourceVersion}`]
        const { first } = yield* following(server.entered())
        assert.deepStrictEqual(yield* first(events.length), events)
      })
    )
  )
})
