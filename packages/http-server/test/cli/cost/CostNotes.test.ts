import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:http"
import { parse } from "yaml"
import { FIGURES, reply, row } from "./costReply.ts"
import { API_KEY, coverage, json, listening, quarterdeck, service } from "../program.ts"

describe("quarterdeck cost, as the server answers", () => {
  it.live("sends every flag: the window in the query, the rest in the body, the target as the header", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(() => ({ body: reply() }))
      const args = ["cost", "--from", "2026-03-01", "--to", "1772928000000", "--namespace", "web,api"]
      yield* quarterdeck([...args, "--type", "Deployment", "-c", "prod|stage", "--limit", "7"], { env })
      assert.strictEqual(seen[0]?.method, "POST")
      assert.strictEqual(seen[0]?.url.pathname, "/detailedCostReport/getWorkloads")
      assert.deepStrictEqual(Object.fromEntries(seen[0]?.url.searchParams ?? []), {
        from: "2026-03-01T00:00:00Z",
        to: "1772928000000",
        limit: "7"
      })
      assert.strictEqual(seen[0]?.headers["x-service-cluster"], "prod|stage")
      assert.deepStrictEqual(json(seen[0]?.body ?? ""), { namespaces: ["web", "api"], workloadTypes: ["Deployment"] })
    })
  )

  it.live("shows parts that are rare where there are any, and weighs the efficiencies by their costs", () =>
    Effect.gen(function* () {
      const { env } = yield* service(() => ({ body: reply() }))
      const { stderr, stdout } = yield* quarterdeck(["cost"], { env })
      assert.strictEqual(
        stdout,
        "CLUSTER  NAMESPACE  TYPE        NAME        COST/HOUR  TOTAL    CPU  MEMORY  STORAGE   GPU  EFFICIENCY  SAVINGS  COVERED\n"
          + "prod     web        Deployment  shop          <0.0001  12.50  10.00    2.00     0.00  0.50         45%     4.00      50%\n"
          + "TOTAL                           1 workload          -  12.50  10.00    2.00     0.00  0.50         45%     4.00      50%\n"
          + "\n2026-03-01 10:00 to 2026-03-08 10:20 UTC (7 d), costs in EUR\n"
      )
      assert.strictEqual(stderr, "")
    })
  )

  it.live("calls volumes and load balancers that nobody uses so, and shows their parts", () =>
    Effect.gen(function* () {
      const unused = { ...FIGURES, totalCost: 0.75, cpuCost: 0, memoryCost: 0, gpuCost: 0, storageCost: 0.5 }
      const none = {
        cpuEfficiency: null,
        memoryEfficiency: null,
        efficiency: null,
        savingsAvailable: 0,
        costIncrease: 0,
        hoursExisted: 0
      }
      const figures = { ...unused, ...none, loadBalancerCost: 0.25 }
      const { aggregatedWorkloads: _, ...rest } = reply({ totals: figures })
      const rows = [{ group: { namespace: "data" }, unmounted: true, ...figures }]
      const { env } = yield* service(() => ({ body: { rows, ...rest } }))
      const { stdout } = yield* quarterdeck(["cost", "by", "namespace", "--idle", "show"], { env })
      const [titles, line] = stdout.split("\n")
      assert.strictEqual(
        titles,
        "NAMESPACE  COST OF                               TOTAL   CPU  MEMORY  STORAGE  BALANCER  EFFICIENCY  SAVINGS  COVERED"
      )
      assert.strictEqual(
        line,
        "data       unmounted volumes and load balancers   0.75  0.00    0.00     0.50      0.25           -        -        -"
      )
    })
  )

  it.live(
    "says that efficiency and savings are not known yet where no usage was seen, and whether some of it was",
    () =>
      Effect.gen(function* () {
        const unused = {
          ...{ hoursCovered: 0, cpuEfficiency: null, memoryEfficiency: null, efficiency: null, savingsAvailable: 0 },
          ...{ replicaHours: 0, spotPercent: 0 }
        }
        const body = reply({ aggregatedWorkloads: [row("shop", unused)], totals: { ...FIGURES, savingsAvailable: 0 } })
        const { env } = yield* service(() => ({ body }))
        const { stdout } = yield* quarterdeck(["cost", "-o", "wide"], { env })
        const [titles, line, total] = stdout.split("\n").map((text) => text.split(/ {2,}/).slice(-5))
        assert.deepStrictEqual(titles, ["EFFICIENCY", "SAVINGS", "COVERED", "REPLICA-H", "SPOT"])
        assert.deepStrictEqual(line, ["not known yet", "not known yet", "0%", "0.000", "-"])
        assert.deepStrictEqual(total, ["45%", "0.00", "50%", "24.000", "0%"])
      })
  )

  it.live("shows what recommendations above the requests would cost more, where there are any", () =>
    Effect.gen(function* () {
      const { env } = yield* service(() => ({ body: reply({ totals: { ...FIGURES, costIncrease: 1.25 } }) }))
      const [titles, , total] = (yield* quarterdeck(["cost"], { env })).stdout.split("\n")
      assert.match(titles ?? "", /SAVINGS {2}INCREASE/)
      assert.match(total ?? "", /4\.00 {6}1\.25/)
    })
  )

  it.live("tells, cluster by cluster, what does not answer and what is not covered", () =>
    Effect.gen(function* () {
      const clusters = [
        coverage("prod", { hoursCovered: 143.9, hoursInWindow: 168 }),
        coverage("down", {
          status: "timeout",
          count: 3,
          hoursCovered: 168,
          hoursInWindow: 168,
          error: { code: "timeout", message: "no answer\nwithin 3000 ms" }
        }),
        coverage("new", { status: "unreachable", count: 0, hoursCovered: 0, hoursInWindow: 168 }),
        coverage("silent", { status: "stale", count: 2, hoursCovered: 168, hoursInWindow: 168 }),
        coverage("blind", { missingKinds: ["Pod"], count: 0, hoursCovered: 168, hoursInWindow: 168 }),
        coverage("fine", { hoursCovered: 167.95, hoursInWindow: 168 }),
        coverage("late", { hoursCovered: 168.05, hoursInWindow: 168.6 })
      ]
      const { env } = yield* service(() => ({ body: reply({ clusters, partial: true }) }))
      const { status, stderr } = yield* quarterdeck(["cost", "-c", "*"], { env })
      assert.strictEqual(
        stderr,
        "quarterdeck: warning: cluster prod: covered 5 d 23 h of 7 d; what ran in the other 1 d is not counted\n"
          + "quarterdeck: warning: cluster down: timeout, its stored costs are shown: no answer\\u{a}within 3000 ms\n"
          + "quarterdeck: warning: cluster new: unreachable, none of its costs are shown\n"
          + "quarterdeck: warning: cluster new: covered 0 min of 7 d; what ran in the other 7 d is not counted\n"
          + "quarterdeck: warning: cluster silent: does not answer now (stale), its stored costs are shown\n"
          + "quarterdeck: warning: cluster blind: its Pod cannot be read now, none of its costs are shown\n"
          + "quarterdeck: warning: cluster late: covered all but 33 min of 7 d; what ran then is not counted\n"
      )
      assert.strictEqual(status, 0)
    })
  )

  it.live("shows what a replica should request, as a manifest takes it, and more of a row as wide", () =>
    Effect.gen(function* () {
      const recommended = {
        cpuRecommendedMillis: 250,
        memoryRecommendedBytes: 512 * 1024 ** 2 - 1,
        recommendationDays: 8
      }
      const { env } = yield* service(() => ({
        body: reply({ aggregatedWorkloads: [row("shop", recommended), row("new")] })
      }))
      const linesOf = (text: string) =>
        text
          .split("\n")
          .slice(0, 3)
          .map((line) => line.split(/ {2,}/).slice(-5))
      const { stdout } = yield* quarterdeck(["cost"], { env })
      assert.deepStrictEqual(linesOf(stdout).slice(0, 2), [
        ["EFFICIENCY", "SAVINGS", "REC. CPU", "REC. MEMORY", "COVERED"],
        ["45%", "4.00", "250m", "512Mi", "50%"]
      ])
      const wide = yield* quarterdeck(["cost", "-o", "wide"], { env })
      assert.deepStrictEqual(linesOf(wide.stdout).slice(0, 2), [
        ["REC. CPU", "REC. MEMORY", "COVERED", "REPLICA-H", "SPOT"],
        ["250m", "512Mi", "50%", "24.000", "0%"]
      ])
      assert.include(wide.stdout.split("\n")[0], "NETWORK")
      assert.strictEqual(
        (yield* quarterdeck(["cost", "-o", "name"], { env })).stdout,
        "prod/web/Deployment/shop\nprod/web/Deployment/new\n"
      )
      const yaml = yield* quarterdeck(["cost", "-o", "yaml"], { env })
      assert.deepStrictEqual(parse(yaml.stdout), json((yield* quarterdeck(["cost", "-o", "json"], { env })).stdout))
    })
  )

  it.live("asks for a day or month of UTC as from and to", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(() => ({ body: reply() }))
      const before = new Date().toISOString().slice(0, 7)
      yield* quarterdeck(["cost", "--range", "lastmonth"], { env })
      const asked = Object.fromEntries(seen[0]?.url.searchParams ?? [])
      assert.deepStrictEqual(Object.keys(asked), ["from", "to", "limit"])
      assert.match(asked["from"] ?? "", /^\d{4}-\d{2}-01T00:00:00\.000Z$/)
      assert.isBelow(Date.parse(asked["from"] ?? ""), Date.parse(asked["to"] ?? ""))
      assert.isTrue(asked["to"]?.startsWith(before) ?? false)
      yield* quarterdeck(["cost", "by", "namespace", "--range", "today"], { env })
      assert.deepStrictEqual([...(seen[1]?.url.searchParams.keys() ?? [])], ["from", "limit"])
    })
  )

  it.live("folds alike warnings of clusters into one line", () =>
    Effect.gen(function* () {
      const hours = { hoursCovered: 120, hoursInWindow: 168 }
      const clusters = ["a", "b", "c"].map((name) =>
        coverage(name, {
          status: "unreachable",
          count: 2,
          ...hours,
          error: { code: "cluster_unreachable", message: `cluster ${name} cannot be reached` }
        })
      )
      const { env } = yield* service(() => ({ body: reply({ clusters, partial: true }) }))
      const { stderr } = yield* quarterdeck(["cost", "-c", "*"], { env })
      assert.strictEqual(
        stderr,
        "quarterdeck: warning: clusters a, b, c: unreachable, their stored costs are shown: cannot be reached\n"
          + "quarterdeck: warning: clusters a, b, c: covered 5 d of 7 d; what ran in the other 2 d is not counted\n"
      )
    })
  )

  it.live("--all reads every page", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service((_, index) => ({
        body: reply({
          aggregatedWorkloads: [row(`w${index}`)],
          ...(index < 2 ? { nextCursor: `c${index}` } : {})
        })
      }))
      const { stderr, stdout } = yield* quarterdeck(["cost", "--all"], { env })
      assert.deepStrictEqual(
        stdout.split("\n").flatMap((line) => /w\d/.exec(line) ?? []),
        ["w0", "w1", "w2"]
      )
      assert.deepStrictEqual(
        seen.map(({ url }) => [url.searchParams.get("limit"), url.searchParams.get("cursor")]),
        [
          ["5000", null],
          ["5000", "c0"],
          ["5000", "c1"]
        ]
      )
      assert.strictEqual(stderr, "")
    })
  )

  it.live("by joins the steps of pages", () =>
    Effect.gen(function* () {
      const bucket = (day: number, app: string) => ({
        start: `2026-03-0${day}T00:00:00.000Z`,
        end: `2026-03-0${day + 1}T00:00:00.000Z`,
        clusters: [],
        rows: [{ group: { "label:app": app }, ...FIGURES }]
      })
      const { aggregatedWorkloads: _, ...head } = reply()
      const { env } = yield* service((_request, index) => ({
        body: {
          ...head,
          buckets: [1, 2].map((day) => bucket(day, index === 0 ? "api" : "db")),
          ...(index === 0 ? { nextCursor: "next" } : {})
        }
      }))
      const { stdout } = yield* quarterdeck(["cost", "by", "label:app", "--step", "day"], { env })
      assert.deepStrictEqual(
        stdout
          .split("\n")
          .slice(1, 5)
          .map((line) => line.split(/ {2,}/).slice(0, 2)),
        [
          ["2026-03-01 00:00", "api"],
          ["2026-03-01 00:00", "db"],
          ["2026-03-02 00:00", "api"],
          ["2026-03-02 00:00", "db"]
        ]
      )
    })
  )

  it.live("by says which steps are not covered in full, so that a gap is not taken for cheap hours", () =>
    Effect.gen(function* () {
      const bucket = (day: number, seen: number) => ({
        start: `2026-03-0${day}T00:00:00.000Z`,
        end: `2026-03-0${day + 1}T00:00:00.000Z`,
        clusters: [
          { name: "hub", hoursCovered: 23.95, hoursInWindow: 24 },
          { name: "prod", hoursCovered: seen, hoursInWindow: 24 }
        ],
        rows: [{ group: {}, ...FIGURES }]
      })
      const { aggregatedWorkloads: _, ...head } = reply()
      const { env } = yield* service(() => ({
        body: { ...head, buckets: [24, 18.45, 0, 24, 12, 6].map((seen, index) => bucket(index + 1, seen)) }
      }))
      const { stderr } = yield* quarterdeck(["cost", "by", "cluster", "--step", "day"], { env })
      assert.strictEqual(
        stderr,
        "quarterdeck: warning: cluster prod: some steps are not covered in full: 2026-03-02 00:00 (18 h 27 min of 1 d), "
          + "2026-03-03 00:00 (0 min of 1 d), 2026-03-05 00:00 (12 h of 1 d) and 1 more\n"
      )
    })
  )

  it.live("fails when a file breaks off, so that no part is taken for the whole", () =>
    Effect.gen(function* () {
      const port = yield* listening(
        createServer((request, response) => {
          if (request.url?.includes("format=csv") !== true) {
            response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(reply()))
            return
          }
          response.writeHead(200, { "content-type": "text/csv; charset=utf-8; header=present" })
          response.write("id,cluster\r\n", () => response.destroy())
        })
      )
      const env = { QUARTERDECK_URL: `http://127.0.0.1:${port}`, QUARTERDECK_API_KEY: API_KEY }
      const { status, stderr } = yield* quarterdeck(["cost", "-o", "csv"], { env })
      assert.match(stderr, /^quarterdeck: http:\/\/127\.0\.0\.1:\d+: [^\n]+\n$/)
      assert.strictEqual(status, 1)
    })
  )
})
