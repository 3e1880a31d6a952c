/** A run of a suite: what it does with parts that cannot be measured. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { Claim } from "../../src/claim/Claim.ts"
import * as Outcome from "../../src/claim/Outcome.ts"
import * as Report from "../../src/claim/Report.ts"
import type { Part } from "../../src/claim/Suite.ts"

const claim: Claim = {
  claim: "a start",
  ours: { value: 5, unit: "ms" },
  goal: { _tag: "absolute", atMost: 10 }
}
const measured: Part = { name: "starts, embedded", measure: () => Effect.succeed([claim]) }
const lacking: Part = {
  name: "starts, k3s",
  lacks: Effect.succeed(Option.some("start Docker")),
  measure: () => Effect.die("was measured all the same")
}
const failing: Part = { name: "seeds", measure: () => Effect.fail(new Error("a cluster did not answer")) }
const dying: Part = { name: "memory", measure: () => Effect.die(new TypeError("is not a function")) }

const run = (...parts: ReadonlyArray<Part>) => Outcome.of({ name: "some", parts: () => parts }, { quick: true })

layer(NodeServices.layer)((it) => {
  it.effect("what the machine lacks is left out and said, and is no miss", () =>
    Effect.gen(function* () {
      const outcome = yield* run(lacking, measured)
      assert.deepStrictEqual(outcome.claims, [claim])
      assert.isTrue(Outcome.isGood(outcome))
      assert.strictEqual(Report.verdict("some", outcome), "some: met 1 of 1, left out 1")
      assert.include(Report.text(outcome), "- starts, k3s: start Docker")
    })
  )

  it.effect("what was measured is kept when another part breaks off, and the run is not good", () =>
    Effect.gen(function* () {
      const outcome = yield* run(failing, measured, dying)
      assert.deepStrictEqual(outcome.claims, [claim])
      assert.isFalse(Outcome.isGood(outcome))
      assert.strictEqual(Report.verdict("some", outcome), "some: met 1 of 1, broke off 2")
      assert.include(Report.text(outcome), "- seeds: a cluster did not answer\n- memory: is not a function")
      assert.include(Report.text(outcome), "| a start | 5 ms |")
    })
  )
})
