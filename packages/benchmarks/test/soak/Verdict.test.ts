import { assert, describe, it } from "@effect/vitest"
import * as Verdict from "../../src/soak/Verdict.ts"

const sound: Verdict.Run = {
  asked: 30_000,
  due: 30_000,
  compared: 66,
  wrong: 0,
  heaps: [90, 100, 100, 101, 100, 101, 102, 101, 102, 102],
  answers: 3_000,
  silences: 0,
  held: 0
}

const FAULTS: ReadonlyArray<readonly [name: string, run: Partial<Verdict.Run>, problem: RegExp]> = [
  ["an answer that is wrong", { wrong: 1 }, /1 answers were wrong/],
  ["a server that stopped answering", { asked: 28_000 }, /28000 of 30000/],
  ["a heap that was never measured", { heaps: [] }, /not measured/],
  ["a heap that grew", { heaps: [100, 100, 100, 102, 104, 106, 108, 110] }, /grew/],
  ["probes that reached nothing", { answers: 0 }, /no probe/],
  ["clusters that were busy for a tenth of the time", { held: 0.1 }, /too busy/]
]

describe("the verdict on a soak", () => {
  it("finds nothing in a run that holds", () => {
    assert.isUndefined(Verdict.problemOf(sound))
  })

  it.each(FAULTS)("finds %s", (_, fault, problem) => {
    assert.match(Verdict.problemOf({ ...sound, ...fault }) ?? "", problem)
  })
})
