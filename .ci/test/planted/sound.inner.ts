import { expect, test } from "vitest"

test("passes", () => {
  expect("whole").toBe("whole")
})
