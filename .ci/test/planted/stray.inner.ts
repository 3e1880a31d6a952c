/** A file whose test passes, and which rejects a promise that nobody handles the first time that it runs. */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { expect, test } from "vitest"

test("passes", async () => {
  const mark = join(process.env["PLANTED_MARKS"] ?? "", "stray")
  if (!existsSync(mark)) void Promise.reject(new Error("nobody handles this"))
  writeFileSync(mark, "")
  // Node tells of such a promise once its turn is over.
  await setImmediate()
  expect(existsSync(mark)).toBe(true)
})
