/** Whole runs of vitest, as users have them. */
import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { text } from "node:stream/consumers"
import { Effect, Schema } from "effect"
import { temporaryDirectory } from "../machine/Fixture.ts"

const VITEST = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs")

const Report = Schema.fromJsonString(
  Schema.Struct({
    testResults: Schema.Array(
      Schema.Struct({
        message: Schema.optionalKey(Schema.String),
        assertionResults: Schema.Array(
          Schema.Struct({
            title: Schema.String,
            status: Schema.String,
            failureMessages: Schema.Array(Schema.String)
          })
        )
      })
    )
  })
)
const decodeReport = Schema.decodeUnknownEffect(Report)

/** Runs vitest with a configuration; gives what became of its tests and what it printed. */
const runOf = Effect.fnUntraced(function* (name: string) {
  const config = new URL(`runs/${name}/vitest.config.ts`, import.meta.url).pathname
  const file = join(yield* temporaryDirectory, "report.json")
  const { code, printed } = yield* Effect.promise(async () => {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`]
    const child = spawn(process.execPath, [VITEST, "run", "--config", config, ...reporters], {
      // The run must not take itself for a part of the one that it stands in.
      env: Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith("VITEST"))),
      cwd: dirname(config),
      stdio: ["ignore", "pipe", "pipe"]
    })
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
    return { code: child.exitCode, printed: out + err }
  })
  const report = yield* Effect.promise(() => readFile(file, "utf8")).pipe(
    Effect.flatMap((text) => decodeReport(text)),
    Effect.mapError(() => new Error(`vitest gave no report:\n${printed}`))
  )
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults)
  return { code, printed, tests }
})

describe("a run of vitest", () => {
  it.effect(
    "shares one fleet between its files, with outages, resets and faults, lends another to one after the other, and ends both",
    () =>
      Effect.gen(function* () {
        const { code, printed, tests } = yield* runOf("shared")
        assert.deepStrictEqual(
          tests.filter(({ status }) => status !== "passed"),
          []
        )
        assert.strictEqual(tests.length, 12, printed)
        assert.strictEqual(code, 0)
      }),
    { timeout: 300_000 }
  )

  it.effect(
    "shows the ends of the clusters' logs for a test that fails, and for no other",
    () =>
      Effect.gen(function* () {
        const { code, printed, tests } = yield* runOf("failing")
        assert.strictEqual(code, 1)
        assert.deepStrictEqual(
          tests.map(({ status }) => status),
          ["passed", "failed"]
        )
        // The parent of that test was asked nothing, and the test that passed has nothing to explain.
        assert.strictEqual(printed.split("the end of the log of ").length, 2)
        assert.match(printed, /the end of the log of eu:\n(?:.*\n)*.*\/api\/v1\/namespaces/)
      }),
    { timeout: 300_000 }
  )

  it.effect(
    "names the rule that a test breaks: no shared fleet, a file's fleet inside of a suite, less time than the start takes",
    () =>
      Effect.gen(function* () {
        const { code, printed, tests } = yield* runOf("mistaken")
        assert.strictEqual(code, 1)
        const failed = tests.filter(({ status }) => status === "failed")
        const messageOf = (start: string) =>
          failed.find(({ title }) => title.startsWith(start))?.failureMessages[0] ?? ""
        const unshared = messageOf("has no fleet")
        assert.include(unshared, "no shared fleet: name the file with shareFleet's setup in globalSetup")
        assert.include(unshared, 'test: { globalSetup: "./fleet.setup.ts" }')
        assert.include(
          messageOf("has less time"),
          "the fleet was still starting when the test's time limit of 400 ms ended; the start counts towards it: raise the limit"
        )
        assert.deepStrictEqual(
          failed.map(({ title }) => title).toSorted(),
          ["has less time than its fleet needs to start", "has no fleet, because no setup shares one"],
          printed
        )
        assert.include(printed, 'fleetTest({ per: "file" }) must be called outside of describe, at the top of the file')
      }),
    { timeout: 300_000 }
  )
})
