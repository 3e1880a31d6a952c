/**
 * The command `test`: runs vitest with the arguments of `vitest run`, then each file that failed once more, alone.
 *
 * A file that passes the second time counts as passed, and the run lists it under `flaky` with its first error: as its
 * last lines, and in vitest's JSON report. More than three such files fail the run, for then it is no chance any more.
 */
import { readFile, writeFile } from "node:fs/promises"
import { relative, resolve } from "node:path"
import { JsonReporter, parseCLI, startVitest, type TestModule, type Vitest } from "vitest/node"

type Options = ReturnType<typeof parseCLI>["options"]

/** A file that failed and then passed. */
interface Flaky {
  readonly name: string
  /** The first test that failed, and why. */
  readonly error: string
}

const FLAKY_AT_MOST = 3

/** Where more files fail it is for a reason, and running each once more would only take long. */
const RERUNS_AT_MOST = 10

/** What failed in a run: files with their first errors, and whether something did that belongs to no file. */
interface Failures {
  readonly files: ReadonlyMap<TestModule, string>
  readonly elsewhere: boolean
}

const failuresOf = (vitest: Vitest): Failures => {
  const modules = vitest.state.getTestModules()
  const stray = strayErrors(vitest)
  const files = modules.flatMap((module) => {
    const error = errorOf(module) ?? stray.get(module.moduleId)
    return error === undefined ? [] : [[module, error] as const]
  })
  const isOfNoFile = [...stray.keys()].some((path) => modules.every(({ moduleId }) => moduleId !== path))
  return { files: new Map(files), elsewhere: isOfNoFile || (process.exitCode === 1 && files.length === 0) }
}

/** The first of what went wrong in a file, if anything did. */
const errorOf = (module: TestModule): string | undefined => {
  if (module.ok() && ["passed", "skipped"].includes(module.state())) return undefined
  for (const test of module.children.allTests("failed")) {
    return `${test.fullName}: ${test.result().errors?.[0]?.message ?? "failed"}`
  }
  const suites = [...module.children.allSuites()].flatMap((suite) =>
    suite.errors().map(({ message }) => `${suite.fullName}: ${message}`)
  )
  return suites[0] ?? module.errors()[0]?.message ?? "it did not end"
}

/** Errors outside of every test, such as a rejection that nobody handles, by file; of no file under the empty name. */
const strayErrors = (vitest: Vitest): ReadonlyMap<string, string> =>
  new Map(
    vitest.state.getUnhandledErrors().map((error) => {
      const isKnown = error instanceof Object && "VITEST_TEST_PATH" in error
      const message = error instanceof Object && "message" in error ? error.message : error
      return [isKnown ? String(error.VITEST_TEST_PATH) : "", String(message)] as const
    })
  )

const run = async (filter: ReadonlyArray<string>, options: Options) => {
  process.exitCode = 0
  const vitest = await startVitest([...filter], { ...options, watch: false })
  return { vitest, failures: failuresOf(vitest) }
}

/** Runs each file that failed once more, in a run of its own. */
const rerun = async (failed: Failures["files"], options: Options) => {
  const { bail: _bail, changed: _changed, outputFile: _file, reporter: _reporter, shard: _shard, ...kept } = options
  const flaky: Array<Flaky> = []
  const again = new Map<string, TestModule>()
  for (const [{ moduleId, project }, error] of failed) {
    const name = relative(process.cwd(), moduleId)
    process.stdout.write(`\n${name} failed; it runs once more, alone\n`)
    const { failures, vitest } = await run([moduleId], { ...kept, project: [project.name], reporter: ["default"] })
    for (const module of vitest.state.getTestModules()) again.set(module.moduleId, module)
    if (failures.files.size === 0 && !failures.elsewhere) flaky.push({ name, error })
  }
  return { flaky, again }
}

/** Where the JSON report goes, if the run writes one into a file. */
const reportFileOf = ({ config: { outputFile, reporters, root } }: Vitest): string | undefined => {
  const path = typeof outputFile === "string" ? outputFile : outputFile?.["json"]
  const isWritten = reporters.some((reporter) => Array.isArray(reporter) && reporter[0] === "json")
  return path === undefined || !isWritten ? undefined : resolve(root, path)
}

/** Writes vitest's JSON report anew, with the second run of a file in place of its first. */
const writeReport = async (
  vitest: Vitest,
  outputFile: string,
  modules: ReadonlyArray<TestModule>,
  outcome: { readonly success: boolean; readonly flaky: ReadonlyArray<Flaky> }
): Promise<void> => {
  const json = new JsonReporter({ outputFile })
  json.onInit(vitest)
  await json.onTestRunEnd(modules)
  const report: unknown = JSON.parse(await readFile(outputFile, "utf8"))
  await writeFile(outputFile, JSON.stringify(typeof report === "object" ? { ...report, ...outcome } : outcome))
}

const { filter, options } = parseCLI(["vitest", "run", ...process.argv.slice(2)])
const { failures, vitest } = await run(filter, options)
const failed = failures.files
const isRerun = failed.size > 0 && failed.size <= RERUNS_AT_MOST
const { again, flaky } = isRerun ? await rerun(failed, options) : { again: new Map<string, TestModule>(), flaky: [] }
const success = !failures.elsewhere && flaky.length === failed.size && flaky.length <= FLAKY_AT_MOST

const reportFile = reportFileOf(vitest)
if (reportFile !== undefined) {
  const modules = vitest.state.getTestModules().map((module) => again.get(module.moduleId) ?? module)
  await writeReport(vitest, reportFile, modules, { success, flaky })
}
if (failed.size > RERUNS_AT_MOST)
  process.stdout.write(`\n${failed.size} files failed: too many to run each once more\n`)
if (flaky.length > 0) {
  process.stdout.write("\nflaky: failed, and passed when they ran once more, alone\n")
  for (const { error, name } of flaky) process.stdout.write(`  ${name}: ${error.split("\n")[0]}\n`)
  if (flaky.length > FLAKY_AT_MOST) process.stdout.write(`more than ${FLAKY_AT_MOST} flaky files fail the run\n`)
}
process.exitCode = success ? 0 : 1
await vitest.exit()
