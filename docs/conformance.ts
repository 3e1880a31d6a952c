/**
 * Writes into docs/harness.md which behaviours each driver of the harness supports, according to a test report, or
 * checks that the page matches the report.
 *
 * Run the conformance suite on every driver with vitest's JSON reporter, then `node docs/conformance.ts REPORT
 * [--check]`.
 */
import { readFile, writeFile } from "node:fs/promises"
import { Schema } from "effect"

const PAGE = "docs/harness.md"
const FROM = "<!-- made by docs/conformance.ts from a run of harness/test/conformance -->"
const TO = "<!-- end of what the run made -->"
const SUITE = "/harness/test/conformance/Conformance.test.ts"
const DRIVER = /^a cluster of the (\S+) driver$/

const Report = Schema.Struct({
  testResults: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      assertionResults: Schema.Array(
        Schema.Struct({ ancestorTitles: Schema.Array(Schema.String), title: Schema.String, status: Schema.String })
      )
    })
  )
})

/** The drivers that support each behaviour, by section, in the order of the test suite. */
interface Shown {
  readonly drivers: ReadonlyArray<string>
  readonly sections: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>
}

const shownBy = (report: typeof Report.Type): Shown => {
  const drivers = new Set<string>()
  const sections = new Map<string, Map<string, Set<string>>>()
  const tests = report.testResults.filter(({ name }) => name.endsWith(SUITE)).flatMap((file) => file.assertionResults)
  for (const { ancestorTitles, status, title } of tests) {
    const [suite = "", section = "basics"] = ancestorTitles
    const [, driver] = DRIVER.exec(suite) ?? []
    if (driver === undefined) continue
    if (status !== "passed")
      throw new Error(`${suite}: ${title} has ${status}: the page lists only behaviours whose tests passed`)
    drivers.add(driver)
    const behaviours = sections.get(section) ?? new Map<string, Set<string>>()
    sections.set(section, behaviours)
    behaviours.set(title, (behaviours.get(title) ?? new Set()).add(driver))
  }
  return { drivers: [...drivers], sections }
}

const row = (cells: ReadonlyArray<string>): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`

const table = ({ drivers, sections }: Shown): string =>
  [...sections]
    .map(([section, behaviours]) =>
      [
        `### ${section[0]?.toUpperCase() ?? ""}${section.slice(1)}`,
        "",
        row(["behaviour", ...drivers]),
        row(["---", ...drivers.map(() => ":-:")]),
        ...[...behaviours].map(([title, on]) => row([title, ...drivers.map((driver) => (on.has(driver) ? "✓" : "–"))]))
      ].join("\n")
    )
    .join("\n\n")

const [path, option] = process.argv.slice(2)
if (path === undefined) throw new Error("usage: node docs/conformance.ts REPORT [--check]")
const report = Schema.decodeUnknownSync(Schema.fromJsonString(Report))(await readFile(path, "utf8"))
const page = await readFile(PAGE, "utf8")
const [before, rest] = page.split(FROM)
const after = rest?.split(TO)[1]
if (before === undefined || after === undefined) throw new Error(`${PAGE} has lost its markers`)
const expected = `${before}${FROM}\n\n${table(shownBy(report))}\n\n${TO}${after}`
if (option !== "--check") {
  await writeFile(PAGE, expected)
} else if (page !== expected) {
  process.stderr.write(`${PAGE} does not match the report: run docs/conformance.ts REPORT\n`)
  process.exitCode = 1
}
