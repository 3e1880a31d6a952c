/** The command `test` against chance: what it reruns, what it lists, and what fails it nevertheless. */
import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const execute = promisify(execFile)

/** Runs a script of this repository; an exit status is no error. */
const node = async (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = process.env) => {
  try {
    return { status: 0, ...(await execute(process.execPath, args, { env })) }
  } catch (error) {
    if (!(error instanceof Error && "code" in error && "stdout" in error && "stderr" in error)) throw error
    return { status: Number(error.code), stdout: String(error.stdout), stderr: String(error.stderr) }
  }
}

const decodeReport = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      success: Schema.Boolean,
      flaky: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String })))
    })
  )
)

/** Runs planted files by the command; gives what it says, what its report says, and what `.ci/run` reads in that. */
const tested = Effect.fnUntraced(function* (...files: ReadonlyArray<string>) {
  const marks = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "quarterdeck-planted-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true }))
  )
  return yield* Effect.promise(async () => {
    const report = join(marks, "report.json")
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]
    // The run must not take itself for a part of the one that it stands in.
    const own = Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST"))
    const env = { ...Object.fromEntries(own), PLANTED_MARKS: marks, NO_COLOR: "1" }
    const { status, stdout } = await node([at("../Test.ts"), "--root", at("planted"), ...reporters, ...files], env)
    const read = (...args: ReadonlyArray<string>) => node([at("../TestReport.ts"), ...args])
    const counted = (await read("count", report, String(status))).stdout.trim()
    const explained = (await read("explain", report)).stdout
    return { status, stdout, counted, explained, report: decodeReport(await readFile(report, "utf8")) }
  })
})

const PLANTED = (name: string) => `.ci/test/planted/${name}.inner.ts`

const FLAKY = "flaky: failed, and passed when they ran once more, alone\n"

describe("a run of the tests", () => {
  it.live("counts files that pass the second time as passed, and lists them with their first errors", () =>
    Effect.gen(function* () {
      const { counted, explained, report, status, stdout } = yield* tested("flaky-one", "stray", "sound")
      assert.strictEqual(status, 0, stdout)
      assert.isTrue(report.success)
      assert.strictEqual(counted, "3 0")
      assert.deepStrictEqual(report.flaky?.map(({ name }) => name).toSorted(), [PLANTED("flaky-one"), PLANTED("stray")])
      for (const text of [stdout, explained]) {
        const list = text.slice(text.indexOf(FLAKY))
        assert.include(list, `  ${PLANTED("flaky-one")}: fails once: one met chance: expected true to be false`)
        assert.include(list, `  ${PLANTED("stray")}: nobody handles this\n`)
        assert.notInclude(list, "sound")
      }
    }).pipe(Effect.scoped)
  )

  it.live("fails with a file that fails again, and says of which files it was chance", () =>
    Effect.gen(function* () {
      const { counted, explained, report, status, stdout } = yield* tested("flaky-one", "broken", "sound")
      assert.strictEqual(status, 1)
      assert.isFalse(report.success)
      assert.strictEqual(counted, "2 1")
      assert.strictEqual(stdout.split(`${PLANTED("broken")} failed; it runs once more, alone`).length, 2)
      assert.match(explained, /broken\.inner\.ts: always fails: failed after \d+ ms\n/)
      assert.include(explained, `${FLAKY}  ${PLANTED("flaky-one")}: `)
      assert.deepStrictEqual(
        report.flaky?.map(({ name }) => name),
        [PLANTED("flaky-one")]
      )
    }).pipe(Effect.scoped)
  )

  it.live("fails with four flaky files", () =>
    Effect.gen(function* () {
      const { counted, report, status, stdout } = yield* tested("flaky", "sound")
      assert.strictEqual(status, 1)
      assert.isFalse(report.success)
      assert.lengthOf(report.flaky ?? [], 4)
      assert.strictEqual(counted, "5 1")
      assert.include(stdout, "more than 3 flaky files fail the run\n")
    }).pipe(Effect.scoped)
  )
})
