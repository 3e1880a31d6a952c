import { NodeHttpClient } from "@effect/platform-node"
import { assert, it, layer } from "@effect/vitest"
import { Embedded, Fleet, Seed, Usage } from "@quarterdeck/harness"
import * as Name from "@quarterdeck/targeting/ClusterName"
import { Clock, Context, Effect, Layer } from "effect"
import type { HourFacts, UsageSlices } from "../../src/allocation/HourFacts.ts"
import { HOUR_MS, hourOf } from "../../src/hour/Units.ts"
import * as Prometheus from "../../src/usage/Prometheus.ts"
import { readPast } from "./HandWrittenSeries.ts"
import * as RealPrometheus from "./RealPrometheus.ts"

const HUB = Name.ClusterName.make("hub")
/** Offset of a scrape within its interval. */
const SCRAPE_MS = 7_000
/** Scrape interval. With a longer one, the mean of a curve with spikes would be inaccurate by any method. */
const EVERY_MS = 15_000
const CLOCK = Clock.Clock.defaultValue()

/** Hours of a seeded cluster in a real Prometheus, with a day missing in between: three before it and three after it. */
class Told extends Context.Service<
  Told,
  {
    readonly plan: Seed.ClusterPlan
    readonly hours: ReadonlyArray<HourFacts>
    /** The first hour after the gap. */
    readonly endMs: number
    readonly usage: Effect.Success<ReturnType<Effect.Success<ReturnType<typeof Prometheus.make>>["hour"]>>
  }
>()("@quarterdeck/cost/test/usage/Told") {
  static readonly layer = Layer.effect(
    Told,
    Effect.gen(function* () {
      const { parent } = yield* Fleet
      const plan = yield* Seed.fillCluster(parent, 0, { size: "small" })
      const endMs = hourOf(yield* Clock.currentTimeMillis)
      const told = (fromMs: number, toMs: number) =>
        Usage.history(parent, { fromMs, toMs, stepMs: EVERY_MS, labels: [["cluster", "hub"]] })
      const url = yield* RealPrometheus.start([
        told(endMs - 30 * HOUR_MS + SCRAPE_MS, endMs - 27 * HOUR_MS),
        told(endMs - 3 * HOUR_MS + SCRAPE_MS, endMs)
      ])
      const source = yield* Prometheus.make({ url, clusterLabel: { name: "cluster" } })
      const hours = yield* readPast(source.past(HUB, { startMs: endMs - 40 * HOUR_MS, endMs: endMs + HOUR_MS }))
      const usage = yield* source.hour(HUB, endMs - 2 * HOUR_MS)
      return Told.of({ plan, hours, endMs, usage })
    }).pipe(Effect.provideService(Clock.Clock, CLOCK))
  )
}

const isWithin = (actual: number, expected: number, share: number) =>
  Math.abs(actual - expected) <= share * Math.abs(expected)

/** The area of a column over the slices. */
const areaOf = ({ fromMs, toMs }: UsageSlices, column: ArrayLike<number>): number => {
  let sum = 0
  for (let index = 0; index < fromMs.length; index++) {
    sum += ((column[index] ?? 0) * ((toMs[index] ?? 0) - (fromMs[index] ?? 0))) / 1_000
  }
  return sum
}

/** Age of the first written hour. **Units** hours. */
const HOURS = [30, 29, 28, 3, 2, 1]

const meanOf = (slices: UsageSlices, column: ArrayLike<number>): number => (areaOf(slices, column) * 1_000) / HOUR_MS

/** The mean of the greater of request and curve, found in steps of a second. */
const greaterMean = (curve: Usage.Curve, request: number, startMs: number): number => {
  let sum = 0
  for (let atMs = startMs + 500; atMs < startMs + HOUR_MS; atMs += 1_000)
    sum += Math.max(request, Usage.at(curve, atMs))
  return sum / 3_600
}

const services = Told.layer.pipe(
  Layer.provide([Fleet.layer({ driver: Embedded.driver, parent: "hub" }), NodeHttpClient.layerUndici])
)
RealPrometheus.sayIfLeftOut(it)
if (RealPrometheus.runs) {
  layer(services, { timeout: "2 minutes" })("hours of a real Prometheus with known curves", (it) => {
    it.effect("are there, oldest first, but for the day that is missing", () =>
      Effect.gen(function* () {
        const { endMs, hours } = yield* Told
        assert.deepStrictEqual(
          hours.map(({ startMs }) => (endMs - startMs) / HOUR_MS),
          HOURS
        )
        for (const { cluster, seen, startMs } of hours) {
          assert.strictEqual(cluster, HUB)
          assert.deepStrictEqual(seen, [{ fromMs: startMs, toMs: startMs + HOUR_MS }])
        }
      })
    )

    it.effect("charge every pod to the workload that it was planned for, on its node, from when it began", () =>
      Effect.gen(function* () {
        const { endMs, hours, plan } = yield* Told
        const planned = plan.workloads.flatMap(({ namespace, pods, template }) =>
          pods
            .filter(({ state }) => state === "running")
            .map((pod) => [namespace, pod.name, pod.node.name, template.kind, template.name].join(" "))
        )
        assert.isAtLeast(planned.length, 20)
        for (const { pods, startMs } of hours) {
          const names = new Set(planned.map((line) => line.split(" ")[1]))
          const seen = pods.filter(({ name }) => names.has(name))
          assert.deepStrictEqual(
            seen
              .map(({ name, namespace, node, workload }) =>
                [namespace, name, node, workload.kind, workload.name].join(" ")
              )
              .toSorted(),
            planned.toSorted()
          )
          for (const { containers } of seen) {
            // A container that runs now appears to have started with the first scrape.
            const begins = [30, 3].includes((endMs - startMs) / HOUR_MS)
            const fromMs = begins ? startMs + SCRAPE_MS : startMs
            assert.deepStrictEqual(containers[0]?.runs, [{ fromMs, toMs: startMs + HOUR_MS }])
          }
        }
      })
    )

    it.effect("say of every container what its curves come to, within 1 %", () =>
      Effect.gen(function* () {
        const { hours, plan } = yield* Told
        const templates = new Map(
          plan.workloads.map(({ namespace, template }) => [`${namespace}/${template.kind}/${template.name}`, template])
        )
        let compared = 0
        const wrong: Array<string> = []
        for (const { pods, startMs } of hours) {
          for (const { containers, name, namespace, workload } of pods) {
            const resources = templates.get(`${namespace}/${workload.kind}/${workload.name}`)?.resources
            const [container] = containers
            if (resources === undefined || container?.usage === undefined) continue
            const cpuRequest = resources.cpuRequestMillis / 1_000
            const memoryRequest = resources.memoryRequestMib * 2 ** 20
            const { cpuCores, memoryBytes } = Usage.assign(
              1,
              { namespace, kind: workload.kind, name: workload.name, container: container.name },
              {
                cpuRequestCores: cpuRequest,
                cpuLimitCores: resources.cpuLimitMillis / 1_000,
                memoryRequestBytes: memoryRequest,
                memoryLimitBytes: resources.memoryLimitMib * 2 ** 20
              }
            )
            assert.strictEqual(container.cpuRequestMillis, resources.cpuRequestMillis)
            assert.strictEqual(container.memoryRequestBytes, memoryRequest)
            const { usage } = container
            const pairs: ReadonlyArray<readonly [string, number, number]> = [
              ["cpu", meanOf(usage, usage.cpuMillis), 1_000 * Usage.average(cpuCores, startMs, startMs + HOUR_MS)],
              ["memory", meanOf(usage, usage.memoryBytes), Usage.average(memoryBytes, startMs, startMs + HOUR_MS)],
              ["peak", Math.max(...Array.from(usage.memoryPeakBytes ?? [])), peakOf(memoryBytes, startMs)],
              [
                "cpu allocated",
                meanOf(usage, usage.cpuAllocatedMillis ?? []),
                1_000 * greaterMean(cpuCores, cpuRequest, startMs)
              ],
              [
                "memory allocated",
                meanOf(usage, usage.memoryAllocatedBytes ?? []),
                greaterMean(memoryBytes, memoryRequest, startMs)
              ]
            ]
            for (const [what, actual, expected] of pairs) {
              compared++
              if (!isWithin(actual, expected, 0.01))
                wrong.push(`${name} ${cpuCores._tag} ${what} ${actual / expected} at ${startMs}`)
            }
          }
        }
        assert.deepStrictEqual(wrong, [])
        assert.isAtLeast(compared, 600)
      })
    )

    it.effect("have the nodes' machines and price labels, and the claims' volumes", () =>
      Effect.gen(function* () {
        const { hours, plan } = yield* Told
        for (const { nodes, pods, volumes } of hours) {
          assert.deepStrictEqual(
            nodes.map(({ name }) => name).toSorted(),
            plan.nodes.map(({ name }) => name).toSorted()
          )
          for (const node of plan.nodes) {
            const found = nodes.find(({ name }) => name === node.name)
            assert.isDefined(found)
            assert.strictEqual(found.labels["node.kubernetes.io/instance-type"], node.machine.name)
            assert.deepInclude(found.labels, node.priceLabels)
            assert.isAbove(found.cpuMillis, 0)
            assert.isAbove(found.memoryBytes, 0)
          }
          const mounted = pods.flatMap(({ claims, namespace }) => claims.map((claim) => `${namespace}/${claim}`))
          assert.isAtLeast(mounted.length, 1)
          const known = new Set(volumes.map(({ claim, namespace }) => `${namespace}/${claim}`))
          assert.deepStrictEqual(
            mounted.filter((claim) => !known.has(claim)),
            []
          )
          assert.isTrue(volumes.every(({ bytes, name }) => bytes > 0 && name !== ""))
        }
      })
    )

    it.effect("have the same usage when they are asked for as one that has just ended", () =>
      Effect.gen(function* () {
        const { endMs, hours, usage } = yield* Told
        const past = hours.find(({ startMs }) => startMs === endMs - 2 * HOUR_MS)
        const slices = new Map(
          past?.pods.flatMap(({ containers, name }) =>
            containers.map((one) => [`${name}/${one.name}`, one.usage] as const)
          )
        )
        for (const { container, pod, slices: own } of usage.containers) {
          assert.deepStrictEqual(slices.get(`${pod}/${container}`), own)
        }
        assert.isAtLeast(usage.containers.length, 20)
      })
    )
  })
}

/** The most that scrapes, one a minute, can see. */
const peakOf = (curve: Usage.Curve, startMs: number): number => {
  let most = 0
  for (let minute = 1; minute <= 60; minute++)
    most = Math.max(most, Usage.at(curve, startMs + (minute - 1) * 60_000 + SCRAPE_MS))
  return most
}
