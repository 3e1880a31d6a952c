/** A test that fails the first time that it runs in a directory. */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

export const failsOnce = (name: string): void => {
  test("fails once", () => {
    const mark = join(process.env["PLANTED_MARKS"] ?? "", name)
    const isFirst = !existsSync(mark)
    writeFileSync(mark, "")
    expect(isFirst, `${name} met chance`).toBe(false)
  })
}
