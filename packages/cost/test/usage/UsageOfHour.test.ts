import { NodeHttpClient } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import * as Name from "@quarterdeck/targeting/ClusterName"
import { Effect } from "effect"
import * as Prometheus from "../../src/usage/Prometheus.ts"
import * as Exposition from "./Exposition.ts"
import { at, EU, HOUR, meanOf, MIB, MINUTE_MS, near, outage, seconds, source, told } from "./HandWrittenSeries.ts"
import * as RealPrometheus from "./RealPrometheus.ts"

layer(NodeHttpClient.layerUndici, { timeout: "2 minutes", excludeTestServices: true })(
  "an hour of Prometheus",
  (it) => {
    RealPrometheus.sayIfLeftOut(it)
    if (RealPrometheus.runs) {
      for (const [name, stepMs, offsetMs] of [
        ["15 s", 15_000, 7_000],
        ["30 s", 30_000, 11_000],
        ["60 s, on the minute", 60_000, 0],
        ["60 s, off the minute", 60_000, 41_000],
        ["120 s", 120_000, 20_000]
      ] as const) {
        it.effect(`is the same with a scrape every ${name}`, () =>
          Effect.gen(function* () {
            const ends = at(40) + 30_000
            const series = [
              ...Exposition.container({
                pod: "long",
                uid: "u1",
                fromMs: at(-30),
                toMs: at(90),
                cores: 0.4,
                memoryBytes: 300 * MIB,
                requestCores: 0.25
              }),
              ...Exposition.container({
                pod: "seven",
                uid: "u2",
                fromMs: at(33) + 30_000,
                toMs: ends,
                cores: 2,
                memoryBytes: 100 * MIB,
                requestCores: 3
              })
            ]
            const { hour } = yield* source(yield* told(series, stepMs, offsetMs))
            const { containers } = yield* hour(EU, HOUR)
            const [long, seven] = ["long", "seven"].map((pod) => containers.find((one) => one.pod === pod)?.slices)
            assert.isDefined(long)
            assert.isDefined(seven)
            assert.strictEqual(seconds(long), 3_600)
            near(meanOf(long, long.cpuMillis), 400)
            near(meanOf(long, long.memoryBytes), 300 * MIB)
            near(meanOf(long, long.memoryPeakBytes ?? []), 300 * MIB)
            near(meanOf(long, long.cpuAllocatedMillis ?? []), 400)
            // No scrape sees a container's first and last seconds.
            assert.isAtLeast(seconds(seven), 420 - (3 * stepMs) / 1_000)
            assert.isAtMost(seconds(seven), 420 + (2 * Math.max(stepMs, MINUTE_MS)) / 1_000)
            near(meanOf(seven, seven.cpuMillis), 2_000)
            near(meanOf(seven, seven.cpuAllocatedMillis ?? []), 3_000)
          })
        )
      }

      it.effect("a restart is counted through, and 25 minutes without scrapes are a gap, not zero", () =>
        Effect.gen(function* () {
          const usage = { pod: "web", uid: "u1", cores: 0.5, memoryBytes: 64 * MIB }
          const series = [
            ...Exposition.container({ ...usage, fromMs: at(-30), toMs: at(12) + 20_000 }),
            ...Exposition.container({ ...usage, fromMs: at(12) + 20_000, toMs: at(90), run: "1" })
          ].map((one) => outage(one, at(20), at(45)))
          const { hour } = yield* source(yield* told(series))
          const { containers } = yield* hour(EU, HOUR)
          const slices = containers[0]?.slices
          assert.isDefined(slices)
          assert.strictEqual(containers.length, 1)
          near(meanOf(slices, slices.cpuMillis), 500, 0.03)
          near(meanOf(slices, slices.cpuMillis, at(10), at(15)), 500, 0.1)
          assert.isTrue(Array.from(slices.fromMs).every((fromMs) => fromMs < at(21) || fromMs >= at(45)))
          near(seconds(slices), 35 * 60, 0.03)
        })
      )

      it.effect("a counter that begins anew within one series loses nothing", () =>
        Effect.gen(function* () {
          const resets = (atMs: number) => ((atMs - at(-30)) % (17 * MINUTE_MS)) / 1_000
          const [cpu, ...others] = Exposition.container({
            pod: "web",
            uid: "u1",
            fromMs: at(-30),
            toMs: at(90),
            cores: 1,
            memoryBytes: MIB
          })
          assert.isDefined(cpu)
          const { hour } = yield* source(yield* told([{ ...cpu, at: resets }, ...others]))
          const slices = (yield* hour(EU, HOUR)).containers[0]?.slices
          assert.isDefined(slices)
          near(meanOf(slices, slices.cpuMillis), 1_000, 0.02)
        })
      )

      it.effect("what two scrapes tell of one container counts once, and another cluster's not at all", () =>
        Effect.gen(function* () {
          const own = Exposition.container({
            pod: "web",
            uid: "u1",
            fromMs: at(-30),
            toMs: at(90),
            cores: 0.5,
            memoryBytes: MIB
          })
          const label = (cluster: string, job: string) =>
            own.map((one) => ({ ...one, labels: { ...one.labels, cluster, job } }))
          const url = yield* told([
            ...label('eu "1"\\', "kubelet"),
            ...label('eu "1"\\', "rancher"),
            ...label("us", "kubelet")
          ])
          const value = (cluster: Name.ClusterName) => (cluster === EU ? 'eu "1"\\' : cluster)
          const { hour } = yield* Prometheus.make({ url, clusterLabel: { name: "cluster", value } })
          const { containers } = yield* hour(EU, HOUR)
          assert.strictEqual(containers.length, 1)
          near(meanOf(containers[0]?.slices ?? assert.fail(), containers[0]?.slices.cpuMillis ?? []), 500)
          assert.deepStrictEqual((yield* hour(Name.ClusterName.make("asia"), HOUR)).containers, [])
        })
      )

      it.effect(
        "egress counts once and by class where an exporter reports it, under both spellings of its labels",
        () =>
          Effect.gen(function* () {
            const egress = (pod: string, labels: Exposition.Labels, kibPerSecond: number): Exposition.Told => ({
              name: "kubecost_pod_network_egress_bytes_total",
              type: "counter",
              labels: { namespace: "shop", pod_name: pod, ...labels },
              at: (atMs) => (kibPerSecond * 1_024 * (atMs - at(-30))) / 1_000
            })
            const url = yield* told([
              egress("web", { internet: "true", same_zone: "false", same_region: "false" }, 1),
              egress("web", { internet: "false", same_zone: "true", same_region: "true" }, 100),
              egress("web", { internet: "false", same_zone: "false", same_region: "true" }, 2),
              egress("db", { internet: "false", sameZone: "false", sameRegion: "false" }, 4),
              ...["costs", "pods"].flatMap((job) => [
                egress("api", { job, instance: "10.0.0.1:3001", internet: "true", service: "" }, 1),
                egress("api", { job, instance: "10.0.0.1:3001", internet: "true", service: "s3" }, 2),
                egress("api", { job, instance: "10.0.0.2:3001", internet: "true", service: "" }, 4),
                egress("api", { job, instance: "10.0.0.2:3001", internet: "true", service: "", replica: "b" }, 4)
              ])
            ])
            const found = new Map(
              (yield* (yield* source(url)).hour(EU, HOUR)).egress.map((one) => [one.pod, one.egress])
            )
            near(found.get("web")?.internetKib ?? 0, 3_600)
            near(found.get("web")?.zoneKib ?? 0, 7_200)
            assert.strictEqual(found.get("web")?.regionKib, 0)
            near(found.get("db")?.regionKib ?? 0, 14_400)
            // Two jobs and a pair of servers tell the same of two nodes.
            near(found.get("api")?.internetKib ?? 0, 7 * 3_600)
          })
      )
    }
  }
)
