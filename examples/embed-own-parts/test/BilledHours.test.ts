import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { HourBuilder, type Hour } from "@quarterdeck/cost"
import { CostStore } from "@quarterdeck/cost/CostStore"
import { HOUR_MS } from "@quarterdeck/cost/Units"
import { Effect, FileSystem } from "effect"
import * as BilledHours from "../src/BilledHours.ts"
import { halfUsed } from "./halfUsed.ts"

const START_MS = Date.parse("2026-03-02T05:00:00Z")

describe("hours that are billed", () => {
  it.effect("come again when late usage changes them, and not at all when the store does not take them", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const directory = yield* files.makeTempDirectoryScoped({ prefix: "quarterdeck-billing-" })
      const billed: Array<readonly [startMs: number, usedMilliSeconds: number]> = []
      const bill = ({ columns, startMs }: Hour.Hour) =>
        billed.push([startMs, columns.cpuUsedMilliSeconds.reduce((sum, used) => sum + used, 0)])
      yield* Effect.gen(function* () {
        const store = yield* CostStore
        const facts = halfUsed(START_MS)
        const hour = HourBuilder.build({ ...facts, pods: [] })
        yield* store.close(hour)
        yield* Effect.flip(store.close(hour))
        yield* store.rewrite([HourBuilder.build(facts)])
        yield* store.close(HourBuilder.build(halfUsed(START_MS + HOUR_MS)))
      }).pipe(Effect.provide(BilledHours.layer({ directory, bill })))
      const used = 250 * (HOUR_MS / 1_000)
      assert.deepStrictEqual(billed, [
        [START_MS, 0],
        [START_MS, used],
        [START_MS + HOUR_MS, used]
      ])
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
