import { assert, describe, it } from "@effect/vitest"
import { isSchedule } from "../../src/checks/ScheduleCheck.ts"

describe("ScheduleCheck", () => {
  it.each([
    "* * * * *",
    "0 12 * jan-MAR/2 mon,?",
    "*/5 8-18 1,15 * 0-6",
    "3/10 * * * *",
    "@daily",
    "@midnight",
    "@every 1h30m"
  ])("takes %s", (text) => {
    assert.isTrue(isSchedule(text))
  })

  it.each([
    "bad",
    "* * * *",
    "60 * * * *",
    "a * * * *",
    "5-1 * * * *",
    "-5 * * * *",
    "1-2-3 * * * *",
    "1/2/3 * * * *",
    "*/0 * * * *",
    "*/x * * * *",
    "* * 0 * *",
    "* * * foo *",
    "* * * * 7",
    "@foo",
    "@every x",
    "@every h"
  ])("refuses %s", (text) => {
    assert.isFalse(isSchedule(text))
  })
})
