import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ApiServer from "../fixture/ApiServer.ts"
import { begin, bookmark, event, firstEvents, kube, page, pod, serve } from "../fixture/WatchServer.ts"

describe("the server's version, when collections are followed", () => {
  it.live("a credential that may not read the version lists and watches all the same", () =>
    Effect.gen(function* () {
      const server = yield* ApiServer.start(({ path, query }, response) => {
        if (path === "/version") return ApiServer.json(response, 403, ApiServer.status(403, "Forbidden", "no"))
        if (query.has("watch")) return void begin(response, event("DELETED", pod("a", 6)))
        return ApiServer.json(response, 200, page([pod("a", 1)], 5))
      })
      const events = yield* firstEvents(ApiServer.clusterAt(server), 3)
      assert.deepStrictEqual(events, ["Put a@1", "Synced 5", "Delete a@6"])
    }).pipe(Effect.scoped, Effect.provide(kube))
  )

  it.live("twenty collections followed at once ask for the version once", () =>
    Effect.gen(function* () {
      const server = yield* serve("v1.36.3", { watch: (_seen, response) => void begin(response, bookmark(5, true)) })
      const cluster = ApiServer.clusterAt(server)
      yield* Effect.all(
        Array.from({ length: 20 }, () => firstEvents(cluster, 1)),
        { concurrency: 20 }
      )
      assert.strictEqual(server.requests.filter((seen) => seen.path === "/version").length, 1)
    }).pipe(Effect.scoped, Effect.provide(kube))
  )
})
