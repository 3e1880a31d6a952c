import { assert, describe, it } from "@effect/vitest"
import * as HourBuilder from "../../src/allocation/HourBuilder.ts"
import { HOUR_MS } from "../../src/hour/Units.ts"
import type { PendingHour } from "../../src/sampler/ClusterHours.ts"
import { dueOf, stepsOf } from "../../src/sampler/HourClosing.ts"
import { OpenHour } from "../../src/sampler/OpenHour.ts"
import { at, prod } from "../store/samples.ts"

const monday = at("2026-03-02T00:00")

const pending = (index: number, isKnown: boolean): PendingHour => {
  const hour = new OpenHour(prod, monday + index * HOUR_MS)
  return { hour, isClosed: true, usage: isKnown ? HourBuilder.usageOf(hour.facts()) : undefined }
}

const told = (steps: ReturnType<typeof stepsOf>) =>
  steps.map(({ pending, step }) => [(pending.hour.startMs - monday) / HOUR_MS, step])

describe("hours that are over", () => {
  it("are due once their grace has passed", () => {
    const hours = [pending(0, false), pending(1, false)]
    assert.deepStrictEqual(dueOf(hours, monday + HOUR_MS + 59_999, 60), [])
    assert.deepStrictEqual(dueOf(hours, monday + HOUR_MS + 60_000, 60), hours.slice(0, 1))
  })

  it("are recommended from in order: one that waits for its usage holds up the later ones", () => {
    const hours = [pending(0, true), pending(1, false), pending(2, true)]
    assert.deepStrictEqual(told(stepsOf(hours, { oldest: undefined, mayFold: true })), [[0, "fold"]])
  })

  it("wait all together while older hours come in", () => {
    const hours = [pending(0, true), pending(1, true)]
    assert.deepStrictEqual(stepsOf(hours, { oldest: undefined, mayFold: false }), [])
  })

  it("are too many: the oldest is given up, and no longer waited for", () => {
    const hours = [pending(0, false), pending(1, true), pending(2, true)]
    assert.deepStrictEqual(told(stepsOf(hours, { oldest: hours[0], mayFold: true })), [
      [0, "giveUp"],
      [1, "fold"],
      [2, "fold"]
    ])
    assert.deepStrictEqual(told(stepsOf(hours, { oldest: hours[0], mayFold: false })), [[0, "giveUp"]])
  })

  it("are too many, but all is known of the oldest: the recommender takes it", () => {
    const hours = [pending(0, true)]
    assert.deepStrictEqual(told(stepsOf(hours, { oldest: hours[0], mayFold: true })), [[0, "fold"]])
  })
})
