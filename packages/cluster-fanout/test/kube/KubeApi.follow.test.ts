import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { ServerResponse } from "node:http"
import { FollowLimits, KubeApi } from "../../src/kube/KubeApi.ts"
import * as ApiServer from "../fixture/ApiServer.ts"
import { eventually } from "../fixture/Waiting.ts"
import {
  begin,
  bookmark,
  event,
  firstEvents,
  follow,
  gone,
  kube,
  limits,
  page,
  pod,
  print,
  serve
} from "../fixture/WatchServer.ts"

describe("follow", () => {
  for (const gitVersion of ["v1.32.0", "v1.34.1", "v1.36.3"]) {
    it.live(`${gitVersion}: the initial state comes by watch-list`, () =>
      Effect.gen(function* () {
        const server = yield* serve(gitVersion, {
          watch: (_seen, response) => {
            begin(
              response,
              event("ADDED", pod("a", 1)),
              event("ADDED", pod("b", 2)),
              bookmark(5, true),
              event("MODIFIED", pod("a", 6)),
              bookmark(7)
            )
          }
        })
        const events = yield* firstEvents(ApiServer.clusterAt(server), 5)
        assert.deepStrictEqual(events, ["Put a@1", "Put b@2", "Synced 5", "Put a@6", "Bookmark 7"])
        const query = server.requests.find((seen) => seen.query.has("watch"))?.query
        assert.deepStrictEqual(
          ["sendInitialEvents", "resourceVersionMatch", "allowWatchBookmarks"].map((key) => query?.get(key)),
          ["true", "NotOlderThan", "true"]
        )
        const seconds = Number(query?.get("timeoutSeconds"))
        assert.isTrue(seconds >= 300 && seconds <= 600, String(seconds))
      }).pipe(Effect.scoped, Effect.provide(kube))
    )
  }

  for (const gitVersion of ["v1.31.9", "v1.33.5"]) {
    it.live(`${gitVersion}: the initial state comes by pages, then a watch from their version`, () =>
      Effect.gen(function* () {
        const server = yield* serve(gitVersion, {
          list: ({ query }, response) =>
            ApiServer.json(
              response,
              200,
              query.has("continue") ? page([pod("b", 2)], 5) : page([pod("a", 1)], 5, "next")
            ),
          watch: (_seen, response) => {
            begin(response, event("DELETED", pod("a", 6)))
          }
        })
        const events = yield* firstEvents(ApiServer.clusterAt(server), 4)
        assert.deepStrictEqual(events, ["Put a@1", "Put b@2", "Synced 5", "Delete a@6"])
        const query = server.requests.find((seen) => seen.query.has("watch"))?.query
        assert.strictEqual(query?.get("resourceVersion"), "5")
        assert.isFalse(query?.has("sendInitialEvents"))
      }).pipe(Effect.scoped, Effect.provide(kube))
    )
  }

  for (const [code, reason] of [
    [422, "Invalid"],
    [403, "Forbidden"]
  ] as const) {
    it.live(`a watch-list refused with ${code} becomes a list`, () =>
      Effect.gen(function* () {
        const message = "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"
        const server = yield* serve("v1.36.3", {
          list: (_seen, response) => ApiServer.json(response, 200, page([pod("a", 1)], 5)),
          watch: ({ query }, response) => {
            if (query.has("sendInitialEvents")) ApiServer.json(response, code, ApiServer.status(code, reason, message))
            else begin(response, bookmark(6))
          }
        })
        const events = yield* firstEvents(ApiServer.clusterAt(server), 3)
        assert.deepStrictEqual(events, ["Put a@1", "Synced 5", "Bookmark 6"])
      }).pipe(Effect.scoped, Effect.provide(kube))
    )
  }

  it.live("a credential that may not list fails as forbidden, in the list's words", () =>
    Effect.gen(function* () {
      const forbid: ApiServer.Handler = (_seen, response) =>
        ApiServer.json(response, 403, ApiServer.status(403, "Forbidden", "no"))
      const server = yield* serve("v1.36.3", { list: forbid, watch: forbid })
      const error = yield* Effect.flip(firstEvents(ApiServer.clusterAt(server), 1))
      assert.strictEqual(error.message, "cluster test does not allow the service to list pods")
    }).pipe(Effect.scoped, Effect.provide(kube))
  )

  it.live("a watch that ends cleanly is resumed where it was, without Restart", () =>
    Effect.gen(function* () {
      let watches = 0
      const server = yield* serve("v1.36.3", {
        watch: (_seen, response) => {
          if (watches++ === 0) begin(response, event("ADDED", pod("a", 1)), bookmark(5, true), bookmark(8)).end()
          else begin(response, event("MODIFIED", pod("a", 9)))
        }
      })
      const events = yield* firstEvents(ApiServer.clusterAt(server), 4)
      assert.deepStrictEqual(events, ["Put a@1", "Synced 5", "Bookmark 8", "Put a@9"])
      assert.strictEqual(server.requests.at(-1)?.query.get("resourceVersion"), "8")
    }).pipe(Effect.scoped, Effect.provide(kube))
  )

  it.live("a server that counts from before, as one restored from a backup does, is read anew", () =>
    Effect.gen(function* () {
      let initial = 0
      const server = yield* serve("v1.36.3", {
        newest: () => 7,
        watch: ({ query }, response) => {
          if (!query.has("sendInitialEvents")) return void begin(response)
          if (initial++ === 0) begin(response, event("ADDED", pod("lost", 9)), bookmark(9, true)).end()
          else begin(response, event("ADDED", pod("kept", 3)), bookmark(7, true))
        }
      })
      const events = yield* firstEvents(ApiServer.clusterAt(server), 5)
      assert.deepStrictEqual(events, ["Put lost@9", "Synced 9", "Restart", "Put kept@3", "Synced 7"])
    }).pipe(Effect.scoped, Effect.provide(kube))
  )

  const expired = {
    "an event 410": (response: ServerResponse) => {
      begin(response, event("MODIFIED", pod("a", 6)), gone).end()
    },
    "a status 410": (response: ServerResponse) =>
      ApiServer.json(response, 410, ApiServer.status(410, "Expired", "too old"))
  }
  for (const [name, expire] of Object.entries(expired)) {
    it.live(`${name} gives Restart and a new initial state`, () =>
      Effect.gen(function* () {
        let initial = 0
        const server = yield* serve("v1.36.3", {
          watch: ({ query }, response) => {
            if (!query.has("sendInitialEvents")) return expire(response)
            if (initial++ === 0) begin(response, event("ADDED", pod("a", 1)), bookmark(5, true)).end()
            else begin(response, event("ADDED", pod("b", 20)), bookmark(30, true))
          }
        })
        const events = yield* follow(ApiServer.clusterAt(server)).pipe(
          Stream.flatMap(Stream.fromIterable),
          Stream.map(print),
          Stream.takeUntil((text) => text === "Synced 30"),
          Stream.runCollect
        )
        const told = events.filter((text) => text !== "Put a@6")
        assert.deepStrictEqual(told, ["Put a@1", "Synced 5", "Restart", "Put b@20", "Synced 30"])
      }).pipe(Effect.scoped, Effect.provide(kube))
    )
  }

  it.live("a token that expires between the pages of the initial state begins it anew", () =>
    Effect.gen(function* () {
      let lists = 0
      const server = yield* serve("v1.31.0", {
        list: ({ query }, response) => {
          if (query.has("continue")) return ApiServer.json(response, 410, ApiServer.status(410, "Expired", "old"))
          ApiServer.json(response, 200, lists++ === 0 ? page([pod("a", 1)], 5, "next") : page([pod("b", 6)], 7))
        },
        watch: (_seen, response) => void begin(response)
      })
      const events = yield* firstEvents(ApiServer.clusterAt(server), 4)
      assert.deepStrictEqual(events, ["Put a@1", "Restart", "Put b@6", "Synced 7"])
    }).pipe(Effect.scoped, Effect.provide(kube))
  )

  it.live("a watch that breaks is resumed once; breaking again without an event fails the stream", () =>
    Effect.gen(function* () {
      const server = yield* serve("v1.36.3", {
        watch: ({ query }, response) => {
          if (query.has("sendInitialEvents"))
            begin(response, bookmark(5, true)).write("{", () => response.socket?.destroy())
          else begin(response).write("{", () => response.socket?.destroy())
        }
      })
      const error = yield* Effect.flip(firstEvents(ApiServer.clusterAt(server), 5))
      assert.strictEqual(error.reason._tag, "ClusterUnreachable")
      assert.strictEqual(server.requests.filter((seen) => seen.query.has("watch")).length, 2)
    }).pipe(Effect.scoped, Effect.provide(kube))
  )

  it.effect("a quiet watch is not reconnected in five minutes of bookmarks", () =>
    Effect.gen(function* () {
      let watching: ServerResponse | undefined
      const told: Array<string> = []
      const server = yield* serve("v1.36.3", {
        watch: (_seen, response) => {
          watching = begin(response, bookmark(5, true))
        }
      })
      const listen = follow(ApiServer.clusterAt(server)).pipe(
        Stream.runForEach((events) => Effect.sync(() => void told.push(...events.map(print))))
      )
      yield* Effect.forkChild(listen)
      for (let minute = 1; minute <= 5; minute++) {
        yield* TestClock.withLive(
          eventually(
            Effect.sync(() => told.length),
            (length) => length === minute
          )
        )
        yield* TestClock.adjust("60 seconds")
        watching?.write(bookmark(5 + minute))
      }
      yield* TestClock.withLive(
        eventually(
          Effect.sync(() => told.at(-1)),
          (last) => last === "Bookmark 10"
        )
      )
      assert.strictEqual(server.requests.filter((seen) => seen.query.has("watch")).length, 1)
      assert.strictEqual(server.connections().made, 2)
    }).pipe(Effect.scoped, Effect.provide(kube))
  )

  it.live("silence fails as a timeout", () =>
    Effect.gen(function* () {
      const server = yield* serve("v1.36.3", { watch: (_seen, response) => void begin(response, bookmark(5, true)) })
      const error = yield* Effect.flip(firstEvents(ApiServer.clusterAt(server), 2))
      assert.strictEqual(error.message, "cluster test did not answer within 120 ms")
    }).pipe(Effect.scoped, Effect.provide(quick({ silenceMs: 120 })))
  )

  it.live("a watch-list that never becomes whole is given up for a list", () =>
    Effect.gen(function* () {
      const server = yield* serve("v1.36.3", {
        list: (_seen, response) => ApiServer.json(response, 200, page([pod("a", 1)], 5)),
        watch: (_seen, response) => void begin(response, event("ADDED", pod("a", 1)))
      })
      const events = yield* firstEvents(ApiServer.clusterAt(server), 4)
      assert.deepStrictEqual(events, ["Put a@1", "Restart", "Put a@1", "Synced 5"])
    }).pipe(Effect.scoped, Effect.provide(quick({ initialSilenceMs: 120 })))
  )

  it.live("a short wait that the server asks for is kept, a long one fails as throttled", () =>
    Effect.gen(function* () {
      let asked = 0
      const server = yield* serve("v1.36.3", {
        watch: (_seen, response) => {
          if (asked++ === 0)
            ApiServer.json(response, 429, ApiServer.status(429, "TooManyRequests", "slow"), { "retry-after": "0" })
          else begin(response, bookmark(5, true))
        }
      })
      assert.deepStrictEqual(yield* firstEvents(ApiServer.clusterAt(server), 1), ["Synced 5"])
      const stern = yield* serve("v1.36.3", {
        watch: (_seen, response) =>
          ApiServer.json(response, 429, ApiServer.status(429, "TooManyRequests", "slow"), { "retry-after": "60" })
      })
      const error = yield* Effect.flip(firstEvents(ApiServer.clusterAt(stern), 1))
      assert.include(error.reason, { _tag: "ClusterThrottled", retryAfterMs: 60_000 })
    }).pipe(Effect.scoped, Effect.provide(kube))
  )

  it.live("a line over the limit fails instead of filling the memory", () =>
    Effect.gen(function* () {
      const server = yield* serve("v1.36.3", { watch: (_seen, response) => void begin(response, "x".repeat(5_000)) })
      const error = yield* Effect.flip(firstEvents(ApiServer.clusterAt(server), 1))
      assert.strictEqual(error.message, "cluster test a line of the watch is longer than 1000 bytes")
    }).pipe(Effect.scoped, Effect.provide(quick({ lineBytes: 1_000 })))
  )

  it.live("ending the stream ends the watch at the server", () =>
    Effect.gen(function* () {
      const server = yield* serve("v1.36.3", { watch: (_seen, response) => void begin(response, bookmark(5, true)) })
      const following = yield* Effect.forkChild(Stream.runDrain(follow(ApiServer.clusterAt(server))))
      yield* eventually(
        Effect.sync(() => server.connections().open),
        (open) => open === 2
      )
      yield* Fiber.interrupt(following)
      yield* eventually(
        Effect.sync(() => server.connections().open),
        (open) => open === 1
      )
    }).pipe(Effect.scoped, Effect.provide(kube))
  )
})

const quick = (changed: Partial<typeof limits>) =>
  Layer.fresh(KubeApi.layer).pipe(
    Layer.provide(NodeServices.layer),
    Layer.provide(Layer.succeed(FollowLimits, { ...limits, ...changed }))
  )
