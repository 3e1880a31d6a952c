import { assert, layer } from "@effect/vitest"
import { WorkloadCosts } from "@quarterdeck/cost/CostRow"
import { Effect, Schema } from "effect"
import { CostWorld } from "../costWorld.ts"

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(WorkloadCosts), { onExcessProperty: "error" })

/** Cells of the lines of a table. */
const table = (stdout: string): ReadonlyArray<ReadonlyArray<string>> =>
  (stdout.split("\n\n")[0] ?? "").split("\n").map((line) => line.trim().split(/ {2,}/))

const LIMIT = { timeout: 120_000 }

layer(CostWorld.layer, { timeout: "60 seconds", excludeTestServices: true })("quarterdeck cost", (it) => {
  it.effect(
    "says that costs are not known yet in a window of which no hour was seen, and prints no zero",
    () =>
      Effect.gen(function* () {
        const { from, minute, run } = yield* CostWorld
        const hour = 3_600_000
        const unseen = ["--from", String(from - 240 * hour), "--to", String(from - 216 * hour)]
        const report = yield* run("cost", "-c", "*", ...unseen)
        assert.strictEqual(
          report.stdout,
          "CLUSTER  NAMESPACE  TYPE  NAME                 TOTAL            CPU         MEMORY        STORAGE     EFFICIENCY        SAVINGS  COVERED\n"
            + "TOTAL                     0 workloads  not known yet  not known yet  not known yet  not known yet  not known yet  not known yet        -\n"
            + `\n${minute(-240)} to ${minute(-216)} UTC (1 d), costs in USD\n`
        )
        assert.strictEqual(
          report.stderr,
          "quarterdeck: costs are not known yet: no hour of this window was seen (asked: hub ok, prod ok)\n"
            + "quarterdeck: warning: clusters hub, prod: covered 0 min of 1 d; what ran in the other 1 d is not counted\n"
        )
        const wide = yield* run("cost", "-c", "*", "-o", "wide", "-n", "shop", ...unseen)
        assert.notMatch(wide.stdout.split("\n\n")[0] ?? "", /0\.0|%/)

        const groups = yield* run("cost", "by", "cluster", "-c", "*", "--idle", "show", ...unseen)
        assert.deepStrictEqual(
          table(groups.stdout).map((line) => line.slice(0, 3)),
          [
            ["CLUSTER", "TOTAL", "CPU"],
            ["hub", "not known yet", "not known yet"],
            ["prod", "not known yet", "not known yet"],
            ["TOTAL", "not known yet", "not known yet"]
          ]
        )
        const steps = ["--from", String(from - 10 * hour), "--to", String(from - 7 * hour)]
        const cut = yield* run("cost", "by", "namespace", "-c", "prod", "--step", "hour", "--limit", "1", ...steps)
        assert.deepStrictEqual(
          table(cut.stdout).map((line) => line.slice(0, 3)),
          [
            ["START (UTC)", "NAMESPACE", "TOTAL"],
            [minute(-10), "-", "not known yet"],
            [minute(-9), "-", "not known yet"],
            [minute(-8), "payments", "3.00"],
            ["TOTAL", "5.75", "5.00"]
          ]
        )
        const json = yield* run("cost", "-c", "*", "-o", "json", ...unseen)
        assert.strictEqual((yield* decode(json.stdout)).totals.totalCost, 0)
      }),
    LIMIT
  )
})
