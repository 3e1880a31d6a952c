import { expect, test } from "vitest"

test("always fails", () => {
  expect("broken").toBe("whole")
})
