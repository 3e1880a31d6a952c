import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { JournalFiles } from "@quarterdeck/cost"
import { CostStore } from "@quarterdeck/cost/CostStore"
import { HourJournal } from "@quarterdeck/cost/sampler/HourJournal"
import * as CostSqlite from "@quarterdeck/cost/store/Sqlite"
import { DiskReserve } from "@quarterdeck/keys"
import { fromRawKey } from "@quarterdeck/keys/KeyHash"
import { KeyStore } from "@quarterdeck/keys/KeyStore"
import * as KeySqlite from "@quarterdeck/keys/store/Sqlite"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { DateTime, Effect, FileSystem, Layer, Option, Redacted } from "effect"
import { fill, mountDisk } from "../fullDisk.ts"

const NOW = DateTime.makeUnsafe("2026-03-01T00:00:00Z")
const KEYS = 200

const idOf = (index: number) => `key_${index}`

const storesIn = (directory: string) =>
  Layer.mergeAll(
    KeySqlite.layerSqlite({ directory }),
    CostSqlite.layerSqlite({ directory }),
    JournalFiles.layerFiles({ directory })
  ).pipe(Layer.fresh, Layer.provide(Layer.fresh(DiskReserve.layer({ directory }))))

describe("on a disk of 64 MiB that another file fills", () => {
  it.effect("keys are revoked, however much the history of costs and its journal write", () =>
    Effect.gen(function* () {
      const directory = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
      yield* mountDisk(directory)
      yield* Effect.gen(function* () {
        const keys = yield* KeyStore
        const store = yield* CostStore
        const journal = yield* HourJournal
        for (let index = 0; index < KEYS; index++) {
          yield* keys.insert({
            id: idOf(index),
            name: idOf(index),
            hash: fromRawKey(Redacted.make(idOf(index))),
            start: "qd_000000",
            rule: { role: "Viewer" },
            createdAt: NOW
          })
        }
        yield* fill(directory)
        const cluster = ClusterName.make("prod")
        const spans = Array.from({ length: 200_000 }, (_, index) => ({ fromMs: index, toMs: index + 1 }))
        const prune = store.prune({ hoursBeforeMs: 0, daysBeforeMs: 0 })
        const appends = Array.from({ length: 20 }, (_, startMs) =>
          journal.append({ cluster, startMs }, [{ _tag: "Seen", spans }])
        )
        // The first round gives up the reserve, the second one meets its space.
        for (const first of [0, KEYS / 2]) {
          const refusals = yield* Effect.forEach(appends, Effect.flip, { concurrency: "unbounded" })
          assert.deepStrictEqual([...new Set(refusals.map(({ reason }) => reason._tag))], ["DiskFull"])
          assert.strictEqual((yield* Effect.flip(prune)).reason._tag, "DiskFull")
          for (let index = first; index < first + KEYS / 2; index++) {
            assert.isDefined(Option.getOrThrow(yield* keys.revoke(idOf(index), NOW)).revokedAt)
          }
        }
      }).pipe(Effect.provide(storesIn(directory)))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
