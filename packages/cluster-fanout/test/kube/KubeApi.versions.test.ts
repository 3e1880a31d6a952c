import { assert, layer } from "@effect/vitest"
import { Fault } from "@quarterdeck/harness"
import { Effect } from "effect"
import { EmbeddedCluster, pod } from "../fixture/EmbeddedCluster.ts"
import { firstEvents, following, onCluster, put, remove, synced } from "../fixture/Following.ts"

layer(EmbeddedCluster.layer())("the server's version, when collections are followed", (it) => {
  it.effect("a credential that may not read the version lists and watches all the same", () =>
    onCluster((server) =>
      Effect.gen(function* () {
        yield* server.inject(Fault.forbidden({ match: { path: "/version" } }))
        const a = yield* server.objects.create(pod("a"))
        const { first } = yield* following(server.entered())
        yield* first(2)
        const deleted = yield* remove(server, a)
        assert.deepStrictEqual(yield* first(3), [put(a), synced(a), deleted])
      })
    )
  )

  it.effect("twenty collections followed at once ask for the version once", () =>
    onCluster((server) =>
      Effect.gen(function* () {
        yield* Effect.all(
          Array.from({ length: 20 }, () => firstEvents(server.entered(), 1)),
          { concurrency: 20 }
        )
        assert.strictEqual(server.requests.filter((seen) => seen.path === "/version").length, 1)
      })
    )
  )
})
