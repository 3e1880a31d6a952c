import { assert, describe, it } from "@effect/vitest"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, Layer } from "effect"
import { RegisteredClusterStore } from "../../../src/RegisteredClusterStore.ts"
import { layerSqlite } from "../../../src/store/sqlite/Sqlite.ts"
import { at } from "../../samples.ts"
import { temporaryDirectory } from "../../temporaryDirectory.ts"

const withStore = <A, E>(directory: string, body: (store: RegisteredClusterStore["Service"]) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    return yield* body(yield* RegisteredClusterStore)
  }).pipe(Effect.provide(Layer.fresh(layerSqlite({ directory }))))

const record = (name: string) => ({
  name: ClusterName.make(name),
  sealed: `sealed-${name}`,
  createdAt: at("2026-01-01T00:00:00Z"),
  createdBy: "key_root"
})

describe("the store of registered clusters in SQLite", () => {
  it.live("keeps them by name over a restart, each name once, as many as may be", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const states = yield* withStore(directory, (store) =>
        Effect.forEach(["b", "a", "b", "c"], (name) => store.insert(record(name), 2))
      )
      assert.deepStrictEqual(states, ["inserted", "inserted", "taken", "full"])
      assert.deepStrictEqual(yield* withStore(directory, (store) => store.list), [record("a"), record("b")])
      const removed = yield* withStore(directory, (store) =>
        Effect.all([store.remove(ClusterName.make("a")), store.remove(ClusterName.make("a"))])
      )
      assert.deepStrictEqual(removed, [true, false])
      assert.deepStrictEqual(yield* withStore(directory, (store) => store.list), [record("b")])
    })
  )
})
