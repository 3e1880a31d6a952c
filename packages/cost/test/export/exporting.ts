/** Exports that tests write and read. */
import { assert } from "@effect/vitest"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Context, Effect, Layer, Stream } from "effect"
import { fromCsv, toCsv } from "../../src/export/CostExport.ts"
import { CostStore } from "../../src/store/CostStore.ts"
import * as HourCsv from "../../src/export/HourCsv.ts"
import * as Checksum from "../../src/export/Checksum.ts"
import type { Hour } from "../../src/hour/Hour.ts"
import { layerMemory } from "../../src/store/Memory.ts"
import { at, days, prod, stage } from "../store/samples.ts"

export const monday = at("2026-03-02T00:00")
export const always = { startMs: monday - days(9), endMs: monday + days(40) }

type Store = CostStore["Service"]

export const freshStore = Effect.map(Layer.build(Layer.fresh(layerMemory)), (context) =>
  Context.get(context, CostStore)
)

export const exported = (store: Store, clusters: ReadonlyArray<ClusterName> = [prod, stage], window = always) =>
  Stream.mkString(toCsv(clusters, window)).pipe(Effect.provideService(CostStore, store))

/** Reads a text that comes in parts of some length. */
export const imported = (store: Store, text: string, closed: "skip" | "replace" = "skip", length = 64) =>
  fromCsv(
    Stream.fromIterable(
      Array.from({ length: Math.ceil(text.length / length) }, (_, part) =>
        text.slice(part * length, (part + 1) * length)
      )
    ),
    { closed }
  ).pipe(Effect.provideService(CostStore, store))

export const storeWith = Effect.fnUntraced(function* (hours: ReadonlyArray<Hour>) {
  const store = yield* freshStore
  yield* store.rewrite(hours)
  return store
})

/** A file of one hour, with some of its text put in the place of other. */
export const changed = (hour: Hour, from: string, to: string): string => {
  const file = Checksum.make()
  const text = `${HourCsv.line(HourCsv.HEADER)}${[...HourCsv.print(hour, file)].join("")}${HourCsv.printEnd(file)}`
  assert.include(text, from)
  return text.replace(from, to)
}
