/**
 * Evaluates vitest's JSON reports for `.ci/run`: the report of all tests, and the report of the rerun of failed files.
 *
 * `TestReport.ts failed REPORT` prints the files to rerun: the failed files, or none if more than ten failed.
 * `TestReport.ts count STATUS REPORT [RERUN]` prints how many tests passed and how many failed. STATUS is the exit status of
 * the first run. A skipped test counts as failed, as does a file that could not run. A file that passes in the rerun counts
 * as passed; more than three such flaky files count as one failure.
 * `TestReport.ts explain REPORT [RERUN]` prints each failed test with its messages, then the flaky files.
 */
import { readFile } from "node:fs/promises"
import { Schema } from "effect"

const Test = Schema.Struct({
  fullName: Schema.String,
  status: Schema.String,
  duration: Schema.optionalKey(Schema.NullOr(Schema.Number)),
  failureMessages: Schema.NullOr(Schema.Array(Schema.String))
})

const File = Schema.Struct({
  name: Schema.String,
  status: Schema.String,
  message: Schema.String,
  assertionResults: Schema.Array(Test)
})
type File = typeof File.Type

const Report = Schema.Struct({ testResults: Schema.Array(File) })

const MESSAGE_LENGTH = 3_000
const RERUNS_AT_MOST = 10
const FLAKY_AT_MOST = 3

const failedTests = ({ assertionResults }: File) => assertionResults.filter(({ status }) => status !== "passed")

const isFailed = (file: File): boolean => file.status === "failed" || failedTests(file).length > 0

/** A file without a failed test fails as a whole, for example when an import fails. */
const failuresOf = (file: File): number => (isFailed(file) ? Math.max(failedTests(file).length, 1) : 0)

const explain = (file: File): void => {
  if (file.message !== "") process.stdout.write(`\n${file.name}: ${file.message.slice(0, MESSAGE_LENGTH)}\n`)
  for (const { duration, failureMessages, fullName, status } of failedTests(file)) {
    process.stdout.write(`\n${file.name}: ${fullName}: ${status} after ${Math.round(duration ?? 0)} ms\n`)
    for (const message of failureMessages ?? []) process.stdout.write(`${message.slice(0, MESSAGE_LENGTH)}\n`)
  }
}

const read = async (path: string | undefined): Promise<ReadonlyArray<File>> =>
  path === undefined
    ? []
    : Schema.decodeUnknownSync(Schema.fromJsonString(Report))(await readFile(path, "utf8")).testResults

const [command, ...args] = process.argv.slice(2)
const [path, rerunPath] = command === "count" ? args.slice(1) : args
const first = await read(path)
const second = new Map((await read(rerunPath)).map((file) => [file.name, file]))
const files = first.map((file) => second.get(file.name) ?? file)
const flaky = first.filter(
  (file) => isFailed(file) && files.every((final) => final.name !== file.name || !isFailed(final))
)

if (command === "failed") {
  const failed = first.filter(isFailed)
  if (failed.length <= RERUNS_AT_MOST) process.stdout.write(failed.map(({ name }) => `${name}\n`).join(""))
} else if (command === "count") {
  const passed = files.reduce((sum, file) => sum + file.assertionResults.length - failedTests(file).length, 0)
  const failed = files.reduce((sum, file) => sum + failuresOf(file), flaky.length > FLAKY_AT_MOST ? 1 : 0)
  // vitest also fails on errors outside of all tests.
  const isOutsideTests = args[0] !== "0" && !first.some(isFailed)
  process.stdout.write(`${passed} ${failed + (isOutsideTests ? 1 : 0)}\n`)
} else {
  files.filter(isFailed).forEach(explain)
  if (flaky.length > 0) process.stdout.write("\nflaky: failed in the first run, passed when run again\n")
  flaky.forEach(explain)
}
