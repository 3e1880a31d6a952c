/**
 * Reads vitest's JSON report for `.ci/run`.
 *
 * `TestReport.ts count REPORT STATUS` prints how many tests passed and how many did not, where STATUS is the exit status of
 * the run: a skipped test did not pass, neither did a file that could not run, and a run that failed has at least one
 * failure. `TestReport.ts explain REPORT` prints each test that did not pass, and why, then the files that failed and passed
 * when they ran once more.
 */
import { readFile } from "node:fs/promises"
import { Schema } from "effect"

const Test = Schema.Struct({
  fullName: Schema.String,
  status: Schema.String,
  duration: Schema.optionalKey(Schema.NullOr(Schema.Number)),
  failureMessages: Schema.NullOr(Schema.Array(Schema.String))
})

const Report = Schema.Struct({
  testResults: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      status: Schema.String,
      message: Schema.String,
      assertionResults: Schema.Array(Test)
    })
  ),
  flaky: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String, error: Schema.String })))
})
type Report = typeof Report.Type

const MESSAGE_LENGTH = 3_000

const didNotPass = ({ status }: typeof Test.Type): boolean => status !== "passed"

/** Files that failed although no test of theirs did. */
const brokenFiles = ({ testResults }: Report) =>
  testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.every(({ status }) => status !== "failed")
  )

const count = (report: Report, status: string): void => {
  const tests = report.testResults.flatMap((file) => file.assertionResults)
  const broken = brokenFiles(report)
  for (const file of broken) process.stderr.write(`failed as a whole: ${file.name}\n`)
  for (const test of tests.filter(didNotPass)) {
    if (test.status !== "failed") process.stderr.write(`did not run: ${test.fullName}\n`)
  }
  const failed = tests.filter(didNotPass).length + broken.length
  const passed = tests.length - tests.filter(didNotPass).length
  process.stdout.write(`${passed} ${failed === 0 && status !== "0" ? 1 : failed}\n`)
}

const explain = ({ flaky = [], ...report }: Report): void => {
  for (const file of brokenFiles(report)) {
    process.stdout.write(`\n${file.name}: failed as a whole: ${file.message}\n`)
  }
  for (const { assertionResults, name } of report.testResults) {
    for (const { duration, failureMessages, fullName, status } of assertionResults.filter(didNotPass)) {
      process.stdout.write(`\n${name}: ${fullName}: ${status} after ${Math.round(duration ?? 0)} ms\n`)
      for (const message of failureMessages ?? []) process.stdout.write(`${message.slice(0, MESSAGE_LENGTH)}\n`)
    }
  }
  if (flaky.length > 0) process.stdout.write("\nflaky: failed, and passed when they ran once more, alone\n")
  for (const { error, name } of flaky) process.stdout.write(`  ${name}: ${error.slice(0, MESSAGE_LENGTH)}\n`)
}

const [command, path = "", status = ""] = process.argv.slice(2)
const report = Schema.decodeUnknownSync(Schema.fromJsonString(Report))(await readFile(path, "utf8"))
if (command === "count") count(report, status)
else explain(report)
