/** Tests how `.ci/run` evaluates the reports of the first run and of the rerun. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "@effect/vitest"

const PROGRAM = fileURLToPath(new URL("../TestReport.ts", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "quarterdeck-reports-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** Statuses of a file's tests; none for a file that could not run. */
type Files = Readonly<Record<string, ReadonlyArray<string>>>

const report = (name: string, files: Files): string => {
  const path = join(folder, name)
  const testResults = Object.entries(files).map(([file, statuses]) => ({
    name: file,
    status: statuses.length > 0 && statuses.every((status) => status !== "failed") ? "passed" : "failed",
    message: statuses.length === 0 ? "cannot be imported" : "",
    assertionResults: statuses.map((status, index) => ({
      fullName: `${file} ${index}`,
      status,
      failureMessages: status === "failed" ? ["expected 1 to be 2"] : []
    }))
  }))
  writeFileSync(path, JSON.stringify({ testResults }))
  return path
}

const read = (...args: ReadonlyArray<string>): string =>
  execFileSync(process.execPath, [PROGRAM, ...args], { encoding: "utf8" })

const first = report("first", {
  sound: ["passed", "passed"],
  broken: ["passed", "failed"],
  chance: ["failed"],
  empty: []
})
const again = report("again", { broken: ["passed", "failed"], chance: ["passed"], empty: [] })

describe("the report of the tests", () => {
  it("names the failed files to run again, unless they are many", () => {
    assert.strictEqual(read("failed", first), "broken\nchance\nempty\n")
    const many = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`file${index}`, ["failed"]]))
    assert.strictEqual(read("failed", report("many", many)), "")
  })

  it("counts a file that passes the second time as passed, a skipped test and an empty file as failed", () => {
    assert.strictEqual(read("count", "1", first), "3 3\n")
    assert.strictEqual(read("count", "1", first, again), "4 2\n")
    assert.strictEqual(read("count", "0", report("skipped", { one: ["passed", "skipped"] })), "1 1\n")
  })

  it("counts a run that fails outside of every test, and more than three flaky files, as one failure", () => {
    assert.strictEqual(read("count", "1", report("stray", { sound: ["passed"] })), "1 1\n")
    const names = ["a", "b", "c", "d"]
    const failed = report("flaky", Object.fromEntries(names.map((name) => [name, ["failed"]])))
    const passed = report("recovered", Object.fromEntries(names.map((name) => [name, ["passed"]])))
    assert.strictEqual(read("count", "1", failed, passed), "4 1\n")
  })

  it("explains each failure, and lists flaky files apart", () => {
    const [failures = "", flaky = ""] = read("explain", first, again).split("\nflaky: ")
    assert.include(failures, "broken: broken 1: failed after 0 ms\nexpected 1 to be 2")
    assert.include(failures, "empty: cannot be imported")
    assert.notInclude(failures, "chance")
    assert.include(flaky, "chance: chance 0: failed")
    assert.notInclude(flaky, "broken")
  })
})
