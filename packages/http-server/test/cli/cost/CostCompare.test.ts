import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CostWorld } from "../costWorld.ts"

/** Cells of a line that stand two spaces apart. */
const cells = (line: string): ReadonlyArray<string> => line.trim().split(/ {2,}/)
const table = (stdout: string): ReadonlyArray<ReadonlyArray<string>> =>
  (stdout.split("\n\n")[0] ?? "").split("\n").map(cells)
const records = (csv: string): ReadonlyArray<ReadonlyArray<string>> =>
  csv
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => line.split(","))

const LIMIT = { timeout: 120_000 }

layer(CostWorld.layer, { timeout: "60 seconds", excludeTestServices: true })("quarterdeck cost --compare", (it) => {
  it.effect(
    "prints costs and changes of the window before, and which clusters it cannot compare",
    () =>
      Effect.gen(function* () {
        const { day, from, run } = yield* CostWorld
        const hour = 3_600_000
        const second = ["--from", String(from + 16 * hour), "--to", String(from + 36 * hour)]
        const groups = yield* run("cost", "by", "namespace", "-c", "prod", "--compare", ...second)
        assert.deepStrictEqual(
          table(groups.stdout).map((line) => line.slice(0, 4)),
          [
            ["NAMESPACE", "TOTAL", "BEFORE", "CHANGE"],
            ["payments", "60.00", "60.00", "0.00 (0%)"],
            ["shop", "55.00", "55.00", "0.00 (0%)"],
            ["TOTAL", "115.00", "115.00", "0.00 (0%)"]
          ]
        )
        assert.match(groups.stdout, /costs in USD, compared with .* UTC\n$/)
        assert.strictEqual(groups.stderr, "")
        const early = yield* run("cost", "-c", "prod", "--compare", ...day)
        assert.deepStrictEqual(table(early.stdout)[1]?.slice(0, 8), [
          ...["prod", "payments", "Deployment", "ledger", "3.0000", "72.00", "-", "-"]
        ])
        assert.include(early.stderr, "cluster prod: observed for 1 d now and 8 h before, so its costs are not compared")
        const csv = yield* run("cost", "by", "namespace", "-c", "prod", "--compare", "-o", "csv", ...second)
        const [header = [], ...rows] = records(csv.stdout)
        const place = header.indexOf("previousTotalCost")
        assert.deepStrictEqual(
          rows.map((record) => record[place]),
          ["60", "55"]
        )
      }),
    LIMIT
  )
})
