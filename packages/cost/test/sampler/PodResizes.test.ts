import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as PodResizes from "../../src/sampler/PodResizes.ts"

const Minute = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 }))
const Run = Schema.Struct({ from: Minute, length: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 })) })
const SEEN_TO = 60

const templatesOf = (cpuRequestMillis: number) => [
  { name: "main", role: "main" as const, cpuRequestMillis, memoryRequestBytes: 0, gpus: 0 }
]

describe("the parts of a container that is resized", () => {
  it.prop(
    "have each moment of its runs once, with the size of that moment",
    [Schema.Array(Minute).check(Schema.isMaxLength(6)), Schema.Array(Run).check(Schema.isMaxLength(3))],
    ([changes, drawn]) => {
      const instants = changes.toSorted((one, other) => one - other)
      const earlier = instants.reduce<ReadonlyArray<PodResizes.Earlier>>(
        (before, atMs, index) => PodResizes.changed(before, templatesOf(index), atMs),
        []
      )
      const runs = drawn.map(({ from, length }) => ({
        container: 0,
        startedAtMs: from,
        finishedAtMs: from + length > SEEN_TO ? undefined : from + length,
        isOomKilled: false
      }))
      const parts = PodResizes.partsOf(runs, earlier, templatesOf(instants.length), 0, SEEN_TO)
      for (let moment = 0; moment < SEEN_TO; moment++) {
        const sizes = parts.flatMap((part) =>
          part.runs
            .filter(({ fromMs, toMs }) => fromMs <= moment && moment < toMs)
            .map(() => part.template.cpuRequestMillis)
        )
        const running = drawn.filter(({ from, length }) => from <= moment && moment < from + length)
        const size = instants.filter((atMs) => atMs <= moment).length
        assert.deepStrictEqual(
          sizes,
          running.map(() => size)
        )
      }
    }
  )
})
