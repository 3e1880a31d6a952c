import { assert, layer } from "@effect/vitest"
import { AggregatedCosts } from "@quarterdeck/cost/Aggregate"
import { WorkloadCosts } from "@quarterdeck/cost/CostRow"
import { Explanation } from "@quarterdeck/cost/Explanation"
import { Effect, Schema } from "effect"
import { CostWorld } from "../costWorld.ts"

const decode = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) =>
  Schema.decodeUnknownEffect(Schema.fromJsonString(schema), { onExcessProperty: "error" })

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

layer(CostWorld.layer, { timeout: "60 seconds", excludeTestServices: true })("quarterdeck cost", (it) => {
  it.effect(
    "prints a table of the dearest workloads, their total, the window and the currency",
    () =>
      Effect.gen(function* () {
        const { day, minute, run } = yield* CostWorld
        const { status, stderr, stdout } = yield* run("cost", "--cluster", "*", ...day)
        assert.strictEqual(
          stdout,
          "CLUSTER  NAMESPACE  TYPE         NAME         COST/HOUR   TOTAL     CPU  MEMORY  STORAGE  EFFICIENCY  SAVINGS  COVERED\n"
            + "prod     payments   Deployment   ledger          3.0000   72.00   72.00    0.00     0.00          0%     0.00     100%\n"
            + "prod     shop       Deployment   api             2.0000   48.00   48.00    0.00     0.00          0%     0.00     100%\n"
            + "hub      shop       Deployment   api             1.0000   24.00   24.00    0.00     0.00          0%     0.00     100%\n"
            + "prod     shop       StatefulSet  db              0.7500   18.00    0.00   12.00     6.00          0%     0.00     100%\n"
            + "hub      payments   Deployment   ledger          0.5000   12.00   12.00    0.00     0.00          0%     0.00     100%\n"
            + "TOTAL                            5 workloads          -  174.00  156.00   12.00     6.00          0%     0.00     100%\n"
            + `\n${minute(0)} to ${minute(24)} UTC (1 d), costs in USD\n`
        )
        assert.strictEqual(stderr, "")
        assert.strictEqual(status, 0)
      }),
    LIMIT
  )

  it.effect(
    "narrows by namespace and type, cuts by the limit, and its total is that of all that match",
    () =>
      Effect.gen(function* () {
        const { day, run } = yield* CostWorld
        const narrowed = yield* run("cost", "-c", "*", "-n", "shop", "--type", "deploy", ...day)
        assert.deepStrictEqual(
          table(narrowed.stdout).map((line) => line.slice(0, 6)),
          [
            ["CLUSTER", "NAMESPACE", "TYPE", "NAME", "COST/HOUR", "TOTAL"],
            ["prod", "shop", "Deployment", "api", "2.0000", "48.00"],
            ["hub", "shop", "Deployment", "api", "1.0000", "24.00"],
            ["TOTAL", "2 workloads", "-", "72.00", "72.00", "0.00"]
          ]
        )
        const cut = yield* run("cost", "-c", "*", "--limit", "1", ...day)
        assert.deepStrictEqual(table(cut.stdout).at(-1)?.slice(0, 4), [
          "TOTAL",
          "1 of 5 workloads shown",
          "-",
          "174.00"
        ])
        assert.strictEqual(cut.stderr, "quarterdeck: note: only the first 1 workloads are shown; --all shows all\n")
      }),
    LIMIT
  )

  it.effect(
    "names the namespaces that have costs to who asks for one that has none, and prints the same JSON as ever",
    () =>
      Effect.gen(function* () {
        const { day, run } = yield* CostWorld
        const { status, stderr } = yield* run("cost", "-c", "*", "-n", "shopp", ...day)
        assert.strictEqual(
          stderr,
          "quarterdeck: no costs match (asked: hub ok, prod ok)\n"
            + "quarterdeck: namespaces with costs in this window: shop, payments\n"
        )
        assert.strictEqual(status, 0)
        const printed = yield* run("cost", "-c", "*", "-n", "shopp", "-o", "json", ...day)
        assert.strictEqual(printed.stderr, "quarterdeck: no costs match (asked: hub ok, prod ok)\n")
        assert.lengthOf((yield* decode(WorkloadCosts)(printed.stdout)).aggregatedWorkloads, 0)
      }),
    LIMIT
  )

  it.effect(
    "says how much of the window no cost is known of",
    () =>
      Effect.gen(function* () {
        const { run } = yield* CostWorld
        const { status, stderr } = yield* run("cost", "--cluster", "prod", "--range", "9d")
        // The hour that is going on has its first samples, or none yet.
        assert.match(
          stderr,
          /^quarterdeck: warning: cluster prod: covered 2 d of 9 d; what ran in the other 7 d( 1 h)? is not counted\n$/
        )
        assert.strictEqual(status, 0)
      }),
    LIMIT
  )

  it.effect(
    "prints JSON that is the contract's, and files with every row as the server writes them",
    () =>
      Effect.gen(function* () {
        const { day, run } = yield* CostWorld
        const json = yield* run("cost", "-c", "prod", "-o", "json", ...day)
        const whole = yield* decode(WorkloadCosts)(json.stdout)
        assert.deepStrictEqual(
          whole.aggregatedWorkloads.map(({ id, totalCost }) => [id, totalCost]),
          [
            ["prod/payments/Deployment/ledger", 72],
            ["prod/shop/Deployment/api", 48],
            ["prod/shop/StatefulSet/db", 18]
          ]
        )
        const csv = yield* run("cost", "-c", "prod", "-o", "csv", ...day)
        assert.deepStrictEqual(
          records(csv.stdout).map((record) => [record[0], record[5], record.at(-1)]),
          [
            ["id", "totalCost", "currency"],
            ["prod/payments/Deployment/ledger", "72", "USD"],
            ["prod/shop/Deployment/api", "48", "USD"],
            ["prod/shop/StatefulSet/db", "18", "USD"]
          ]
        )
        const focus = yield* run("cost", "-c", "prod", "-o", "focus", "--limit", "1", ...day)
        assert.deepStrictEqual(
          records(focus.stdout).map((record) => record[0]),
          ["BilledCost", "72"]
        )
      }),
    LIMIT
  )

  it.effect(
    "by sums groups, says which costs no workload has, and cuts into steps",
    () =>
      Effect.gen(function* () {
        const { day, minute, run } = yield* CostWorld
        const idle = yield* run("cost", "by", "cluster", "-c", "*", "--idle", "show", ...day)
        assert.deepStrictEqual(
          table(idle.stdout).map((line) => line.slice(0, 3)),
          [
            ["CLUSTER", "COST OF", "TOTAL"],
            ["prod", "workloads", "138.00"],
            ["hub", "workloads", "36.00"],
            ["prod", "idle nodes", "36.00"],
            ["TOTAL", "210.00", "192.00"]
          ]
        )
        const steps = yield* run("cost", "by", "label:app", "-c", "prod", "--step", "hour", "--limit", "1", ...day)
        const lines = table(steps.stdout)
        assert.deepStrictEqual(lines[0]?.slice(0, 3), ["START (UTC)", "label:app", "TOTAL"])
        assert.deepStrictEqual(
          lines.slice(1, -1).map((line) => line.slice(0, 3)),
          Array.from({ length: 24 }, (_, hour) => [minute(hour), "ledger", "3.00"])
        )
        assert.deepStrictEqual(lines.at(-1)?.slice(0, 2), ["TOTAL", "138.00"])
        assert.include(steps.stderr, "only the first 1 groups are shown")

        const json = yield* run("cost", "by", "namespace,kind", "-c", "prod", "--step", "week", "-o", "json", ...day)
        const whole = yield* decode(AggregatedCosts)(json.stdout)
        const rows = "buckets" in whole ? whole.buckets.flatMap((bucket) => bucket.rows) : []
        assert.strictEqual(
          rows.reduce((sum, { totalCost }) => sum + totalCost, 0),
          138
        )
        const csv = yield* run("cost", "by", "namespace", "-c", "prod", "-o", "csv", ...day)
        assert.deepStrictEqual(
          records(csv.stdout).map((record) => [record[2], record[4]]),
          [
            ["namespace", "totalCost"],
            ["payments", "72"],
            ["shop", "66"]
          ]
        )
      }),
    LIMIT
  )

  it.effect(
    "explain shows quantity times price for every hour, and what they sum to",
    () =>
      Effect.gen(function* () {
        const { day, minute, run } = yield* CostWorld
        const { status, stderr, stdout } = yield* run("cost", "explain", "prod/shop/StatefulSet/db", ...day)
        const lines = table(stdout)
        assert.strictEqual(lines.length, 26)
        assert.deepStrictEqual(lines[1], [
          ...[minute(0), "0.000", "-", "0.0000", "0.500", "1", "0.5000"],
          ...["0.000", "-", "0.2500", "0.7500", "usage"]
        ])
        assert.deepStrictEqual(lines[25], [
          ...["SUM", "0.000", "-", "0.0000", "12.000", "1", "12.0000"],
          ...["0.000", "-", "6.0000", "18.0000"]
        ])
        assert.include(stdout, "\nprod/shop/StatefulSet/db, 18.00 USD\n")
        assert.include(stdout, "\nexisted 1 d, usage known for 1 d\n")
        assert.deepStrictEqual([stderr, status], ["", 0])

        const json = yield* run("cost", "explain", "prod/shop/sts/db", "-o", "json", ...day)
        assert.strictEqual((yield* decode(Explanation)(json.stdout)).row.totalCost, 18)
        const csv = records((yield* run("cost", "explain", "prod/shop/StatefulSet/db", "-o", "csv", ...day)).stdout)
        const column = csv[0]?.indexOf("totalCost") ?? -1
        assert.strictEqual(
          csv.slice(1).reduce((sum, record) => sum + Number(record[column]), 0),
          18
        )
        const nobody = yield* run("cost", "explain", "prod/shop/StatefulSet/nobody", ...day)
        assert.match(
          nobody.stderr,
          /^quarterdeck: Cost row not found: .* \(HTTP 404, code cost_row_not_found, field id, /
        )
        assert.strictEqual(nobody.status, 1)
      }),
    LIMIT
  )

  const REFUSED: ReadonlyArray<readonly [args: ReadonlyArray<string>, exit: number, line: RegExp]> = [
    [["cost", "--range", "7"], 2, /^quarterdeck: --range: must be a number from 1 to 9999 and a unit: /],
    [
      ["cost", "--range", "yesterday"],
      2,
      /^quarterdeck: --range: [^\n]* such as 7d; or one of today, month, lastmonth\n$/
    ],
    [["cost", "--from", "2026-03-01", "--range", "7d"], 2, /^quarterdeck: --range: cannot be combined with from or to/],
    [["cost", "--from", "yesterday"], 2, /^quarterdeck: --from must be a date such as 2026-03-01, RFC 3339 such as /],
    [
      ["cost", "--range", "month", "--from", "2026-03-01"],
      2,
      /^quarterdeck: --range month cannot be used with --from or --to\n$/
    ],
    [["cost", "--type", "de-ploy"], 2, /^quarterdeck: --type: expected a Kubernetes kind in its exact spelling, /],
    [["cost", "--namespace", "Shop"], 2, /^quarterdeck: --namespace: expected a namespace name/],
    [["cost", "by", "kind", "--step", "hour", "--range", "60d"], 2, /^quarterdeck: --step: [^\n]*744/],
    [["cost", "--limit", "x"], 2, /^quarterdeck: --limit must be a number\n/],
    [["cost", "--output", "x"], 2, /^quarterdeck: --output must be table, wide, name, json, yaml, csv or focus\n/],
    [
      ["cost", "--rnage", "7d"],
      2,
      /^quarterdeck: --rnage is not a flag of quarterdeck cost; did you mean --range\?\nquarterdeck: see quarterdeck cost --help\n$/
    ],
    [["cost", "--all", "--limit", "5"], 2, /^quarterdeck: --all cannot be used with --limit\n$/],
    [["cost", "-o", "csv", "--limit", "6000"], 2, /^quarterdeck: --limit of a file is at most 5000/],
    [
      ["cost", "by", "kind", "--step", "day", "--compare"],
      2,
      /^quarterdeck: --compare: cannot be combined with stepSize/
    ],
    [["cost", "--compare", "-o", "focus"], 2, /^quarterdeck: --compare: not allowed with format=focus/],
    [["cost", "by", "cluster,cluster"], 2, /^quarterdeck: groups must be one or more of cluster, /],
    [["cost", "by", "cluster", "--step", "month"], 2, /^quarterdeck: --step must be /],
    [["cost", "explain", "api"], 2, /^quarterdeck: id must be cluster\/namespace\/type\/name, /]
  ]

  it.effect.each(REFUSED)(
    "refuses %j with %d, in one line with the flag or field at fault",
    ([args, exit, line]) =>
      Effect.gen(function* () {
        const { run } = yield* CostWorld
        const { status, stderr, stdout } = yield* run(...args)
        assert.match(stderr, line)
        assert.deepStrictEqual([stdout, status], ["", exit])
      }),
    LIMIT
  )

  it.effect(
    "leaves the files of a server that runs alone",
    () =>
      Effect.gen(function* () {
        const { data, run } = yield* CostWorld
        for (const command of ["check", "repair", "export"]) {
          const { status, stderr, stdout } = yield* run("cost", command, "--data", data)
          assert.match(
            stderr,
            /^quarterdeck: dataDirectory: \S+ is in use by process \d+ on \S+, since \S+: stop it first, /
          )
          assert.deepStrictEqual([stdout, status], ["", 1])
        }
      }),
    LIMIT
  )
})
