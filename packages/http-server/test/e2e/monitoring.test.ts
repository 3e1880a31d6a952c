import { afterAll, assert } from "@effect/vitest"
import { eventually } from "@quarterdeck/harness"
import { Context, Effect, Metric, Schema } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parse, stringify } from "yaml"
import * as Monitoring from "../monitoring/Monitoring.ts"
import { keep } from "./costHistory.ts"
import { Deployment, to } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"

const directory = mkdtempSync(join(tmpdir(), "quarterdeck-monitoring-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const decodeKubeconfig = Schema.decodeUnknownEffect(
  Schema.StructWithRest(Schema.Struct({ contexts: Schema.Array(Schema.Unknown) }), [
    Schema.Record(Schema.String, Schema.Unknown)
  ])
)

/** The series of an exposition, by their metrics. */
const typesOf = (text: string): ReadonlyMap<string, string> =>
  new Map(Array.from(text.matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, name = "", type = ""]) => [name, type]))

const valueOf = (text: string, series: string): number =>
  Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length + 1)
  )

/** With one more context, whose cluster nobody describes. */
const withProblem = Effect.fnUntraced(function* (kubeconfig: string) {
  const { contexts, ...others } = yield* decodeKubeconfig(parse(kubeconfig))
  return stringify({
    ...others,
    contexts: [...contexts, { name: "adrift", context: { cluster: "none", user: "none" } }]
  })
})

const scrape = Effect.gen(function* () {
  const { text } = yield* (yield* Deployment).call("/metrics", { key: "admin" })
  return text
})

onOneDriver(
  "monitoring",
  {
    children: ["prod"],
    furnish: keep(["hub", "prod"]),
    kubeconfig: (fleet) => withProblem(fleet.kubeconfig),
    options: {
      limits: { keyPerSecond: 0, failedPerSecond: 1, failedBurst: 2 },
      audit: { export: { to: `file:${join(directory, "audit.ndjson")}` } }
    },
    // What other tests of this process counted is not this server's.
    limits: Context.make(Metric.MetricRegistry, new Map())
  },
  (it) => {
    it.effect("every metric that an alert or the dashboard reads is told by a running server", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        for (let attempt = 0; attempt < 3; attempt++) yield* deployment.call("/api/v1/whoami", { bearer: "none" })
        const queries = [...(yield* Monitoring.alerts), ...(yield* Monitoring.panels)]
        assert.isAbove(queries.length, 30)
        const asked = Effect.gen(function* () {
          // The second within a moment is answered by the bytes of the first.
          yield* Effect.forEach([1, 2, 3, 4], () => deployment.workloads("", { headers: to("*") }))
          const types = typesOf(yield* scrape)
          return queries.flatMap((query) => {
            const unknown = Monitoring.metricsOf(query).filter((name) => !isTold(types, name))
            return unknown.map((name) => `${query.of}: ${name}`)
          })
        })
        yield* eventually("all of them are told", asked, (unknown) => unknown.length === 0, { within: "30 seconds" })
      })
    )

    it.effect("every metric that a server tells is in the reference", () =>
      Effect.gen(function* () {
        const told = [...typesOf(yield* scrape).keys()]
        const documented = yield* Monitoring.documented
        assert.deepStrictEqual(
          told.filter((name) => !documented.has(name)),
          []
        )
      })
    )

    it.effect("the rows of a cluster are counted as they come and go, with their age", () =>
      Effect.gen(function* () {
        const { fleet } = yield* Deployment
        const [prod] = fleet.children
        if (prod === undefined) return assert.fail("no child")
        const series = `quarterdeck_rows{cluster="prod",kind="Namespace"}`
        const before = valueOf(yield* scrape, series)
        const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "counted" } }
        yield* prod.api.create(namespace)
        const text = yield* eventually("one more", scrape, (text) => valueOf(text, series) === before + 1, {
          within: "20 seconds"
        })
        const age = valueOf(text, `quarterdeck_cache_age_seconds{cluster="prod"}`)
        assert.isAtLeast(age, 0)
        assert.isBelow(age, 120)
        assert.strictEqual(valueOf(text, `quarterdeck_breaker_open{cluster="prod"}`), 0)
        assert.isAbove(valueOf(text, "quarterdeck_heap_used_bytes"), 1_000_000)
      })
    )

    it.effect("the longest delay of the event loop is told of each second", () =>
      Effect.gen(function* () {
        const count = "quarterdeck_loop_delay_seconds_count"
        const before = valueOf(yield* scrape, count)
        const until = performance.now() + 300
        while (performance.now() < until);
        const delayed = (text: string) => {
          const fast = valueOf(text, `quarterdeck_loop_delay_seconds_bucket{le="0.25"}`)
          return valueOf(text, count) > before && valueOf(text, count) > fast
        }
        yield* eventually("the delay was told", scrape, delayed, { within: "20 seconds" })
      })
    )
  }
)

/** A histogram is read by its buckets, its sum and its count. */
const isTold = (types: ReadonlyMap<string, string>, name: string): boolean =>
  types.has(name) || types.get(name.replace(/_(?:bucket|sum|count)$/, "")) === "histogram"
