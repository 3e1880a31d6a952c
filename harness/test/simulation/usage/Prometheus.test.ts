import { assert, layer } from "@effect/vitest"
import { createWriteStream } from "node:fs"
import { execFile } from "node:child_process"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { promisify } from "node:util"
import { Clock, Context, Effect, Layer, Stream } from "effect"
import * as Embedded from "../../../src/drivers/embedded/Embedded.ts"
import { eventually } from "../../../src/machine/Eventually.ts"
import { Fleet } from "../../../src/fleet/Fleet.ts"
import type { FleetCluster } from "../../../src/fleet/FleetCluster.ts"
import { inRealTime } from "../../../src/machine/Machine.ts"
import * as Usage from "../../../src/simulation/usage/Usage.ts"
import { sayLeftOut } from "../../drivers/LeftOut.ts"
import { CPU, MEMORY, NODE, OS_IMAGE, populate, SIDE_CPU } from "./Fixture.ts"
import { needed, pathOf, temporaryDirectory } from "./Programs.ts"
import * as Prometheus from "./Prometheus.ts"

const run = promisify(execFile)
const prometheus = await needed("prometheus")
const promtool = await needed("promtool")

const HOUR_MS = 3_600_000
const now = inRealTime(Clock.currentTimeMillis)

class Populated extends Context.Service<Populated, FleetCluster>()("@quarterdeck/harness/test/Populated") {
  static readonly layer = Layer.effect(
    Populated,
    Effect.gen(function* () {
      const { parent } = yield* Fleet
      yield* populate(parent)
      return parent
    })
  )
}

const fetched = (url: string) => Effect.promise(() => fetch(url).then((reply) => reply.text()))
const text = (stream: Stream.Stream<string, unknown>) =>
  Stream.runFold(
    stream,
    () => "",
    (all, part) => all + part
  )
const isWithin = (value: number, expected: number, share: number) => Math.abs(value - expected) <= share * expected

layer(Populated.layer.pipe(Layer.provide(Fleet.layer({ driver: Embedded.driver, parent: "hub" }))), {
  timeout: "2 minutes"
})("the metrics of a cluster", (it) => {
  it.effect("a scrape names containers, pods and nodes as the real exporters do", () =>
    Effect.gen(function* () {
      const { cadvisor, kubeState, url } = yield* Usage.exporter(yield* Populated)
      const usage = yield* fetched(`${url}${cadvisor}`)
      assert.match(
        usage,
        /^# HELP container_cpu_usage_seconds_total .+\n# TYPE container_cpu_usage_seconds_total counter\n/m
      )
      assert.match(
        usage,
        /^container_cpu_usage_seconds_total\{container="side",cpu="total",id="\/kubepods[^"]+",image="acme\/side:1",name="[^"]+",namespace="default",node="node-a",pod="web"\} [0-9.e-]+ [0-9]{13}$/m
      )
      const node = 512 * 2 ** 20 + 2 * Usage.highest(MEMORY)
      assert.match(
        usage,
        new RegExp(`^container_memory_working_set_bytes.container="",id="/",.* ${node} [0-9]{13}$`, "m")
      )
      assert.notInclude(usage, 'pod="done"')
      const state = yield* fetched(`${url}${kubeState}`)
      assert.match(state, /^kube_pod_status_phase\{namespace="default",pod="done",uid="[^"]+",phase="Succeeded"\} 1$/m)
      assert.match(state, /^kube_pod_labels\{.*pod="web".*label_acme_io_team="shop",label_app="web"\} 1$/m)
      assert.include(state, `kube_node_labels{node="${NODE}",label_acme_io_rack_name="r1"} 1`)
      assert.include(state, 'os_image="Acme \\"Linux\\" \\\\ 1\\n2"')
      assert.match(
        state,
        /^kube_pod_container_resource_requests\{.*container="main",node="node-a",resource="cpu",unit="core"\} 0\.5$/m
      )
      assert.strictEqual((yield* Effect.promise(() => fetch(`${url}/other`))).status, 404)
    })
  )

  it.effect("a history has a sample a step, in seconds, and an end", () =>
    Effect.gen(function* () {
      const toMs = yield* now
      const fromMs = toMs - HOUR_MS
      const told = yield* text(
        Usage.history(yield* Populated, { fromMs, toMs, stepMs: HOUR_MS / 4, labels: [["cluster", "hub"]] })
      )
      const samples = told.split("\n").filter((line) => /^container_cpu.*container="main"/.test(line))
      assert.strictEqual(samples.length, 5)
      assert.isTrue(samples.every((line) => line.includes('{cluster="hub",')))
      assert.isTrue(samples.at(-1)?.endsWith(` ${toMs / 1_000}`))
      assert.include(told, "# TYPE container_cpu_usage_seconds counter\n")
      assert.isTrue(told.endsWith("\n# EOF\n"))
    })
  )

  for (const { name } of [prometheus, promtool].filter(({ runs }) => !runs)) {
    sayLeftOut(it, `there is no ${name} on the PATH`)
  }
  if (prometheus.runs) {
    it.effect(
      "the rates that a real Prometheus finds are within 1 % of what the curves integrate to",
      () =>
        Effect.gen(function* () {
          const { cadvisor, kubeState, url } = yield* Usage.exporter(yield* Populated)
          const targets = [new URL(cadvisor, url), new URL(kubeState, url)]
          const server = yield* Prometheus.start(prometheus, yield* temporaryDirectory, targets)
          const windowMs = 10_000
          const rate = `rate(container_cpu_usage_seconds_total{pod="web",container!=""}[${windowMs}ms])`
          const measured = Effect.gen(function* () {
            const atMs = yield* now
            const expected = (curve: Usage.Curve) => Usage.average(curve, atMs - windowMs, atMs)
            const rates = yield* Prometheus.query(server, rate, atMs)
            const close = rates.filter(({ labels, value }) =>
              isWithin(value, expected(labels["container"] === "side" ? SIDE_CPU : CPU), 0.01)
            )
            return new Set(close.map(({ labels }) => labels["container"] ?? ""))
          })
          yield* eventually("both rates are right", measured, ({ size }) => size === 2, {
            within: "60 seconds",
            every: "500 millis"
          })
          // A scrape that this process answers too late takes what has no instant of its own away until the next one.
          const found = (promql: string) =>
            eventually(
              `there is ${promql}`,
              Effect.flatMap(now, (atMs) => Prometheus.query(server, promql, atMs)),
              ({ length }) => length > 0,
              { within: "60 seconds" }
            )
          // The way in which cost tools put usage and owner together.
          const [memory] = yield* found(`sum by (label_acme_io_team) (container_memory_working_set_bytes{container!=""}
            * on (namespace, pod) group_left (label_acme_io_team) kube_pod_labels{label_app="web"})`)
          assert.deepStrictEqual(memory, {
            labels: { label_acme_io_team: "shop" },
            value: 2 * Usage.highest(MEMORY)
          })
          const [info] = yield* found("kube_node_info")
          assert.strictEqual(info?.labels["os_image"], OS_IMAGE)
        }),
      120_000
    )
  }

  if (promtool.runs && prometheus.runs) {
    it.effect(
      "a day that promtool backfills is answered as if it had been scraped",
      () =>
        Effect.gen(function* () {
          const directory = yield* temporaryDirectory
          const file = join(directory, "history.txt")
          const data = join(directory, "data")
          const toMs = Math.floor((yield* now) / HOUR_MS) * HOUR_MS
          const fromMs = toMs - 24 * HOUR_MS
          const told = yield* text(Usage.history(yield* Populated, { fromMs, toMs, labels: [["cluster", "hub"]] }))
          yield* Effect.promise(() => pipeline(Readable.from([told]), createWriteStream(file)))
          yield* Effect.promise(() => mkdir(data))
          const tool = yield* pathOf(promtool)
          yield* Effect.promise(() => run(tool, ["tsdb", "create-blocks-from", "openmetrics", file, data]))
          const server = yield* Prometheus.start(prometheus, directory, [])
          for (const endMs of [fromMs + 2 * HOUR_MS, toMs - HOUR_MS]) {
            const selector = '{cluster="hub",pod="web",container="main"}'
            const [found] = yield* Prometheus.query(
              server,
              `increase(container_cpu_usage_seconds_total${selector}[1h])`,
              endMs
            )
            const expected = Usage.integral(CPU, endMs - HOUR_MS, endMs)
            assert.isTrue(isWithin(found?.value ?? 0, expected, 0.01), `${found?.value} is not ${expected}`)
            const mean = `avg_over_time(container_memory_working_set_bytes${selector}[1h])`
            const [memory] = yield* Prometheus.query(server, mean, endMs)
            assert.strictEqual(memory?.value, Usage.at(MEMORY, endMs))
          }
        }),
      120_000
    )
  }
})
