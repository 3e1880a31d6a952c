import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import type { Cluster } from "@quarterdeck/cluster-fanout/Cluster"
import { ClusterAnswerInvalid, ClusterError } from "@quarterdeck/cluster-fanout/ClusterError"
import { ClusterRegistry } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import { KubeApi } from "@quarterdeck/cluster-fanout/KubeApi"
import * as KubeconfigRegistry from "@quarterdeck/cluster-fanout/registry/KubeconfigRegistry"
import { Embedded, eventually, FakeKubelet, Fleet, Kubeconfig, Usage } from "@quarterdeck/harness"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Clock, Effect, Layer, Metric, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as MetricsApi from "../../src/usage/MetricsApi.ts"
import * as PodMetrics from "../../src/usage/PodMetrics.ts"
import { temporaryDirectory } from "../temporaryDirectory.ts"

const HUB = ClusterName.make("hub")
const MIB = 2 ** 20

describe("usage of a cluster that serves metrics.k8s.io", () => {
  const cpu: Usage.Curve = { _tag: "Wave", low: 0.2, high: 0.9, periodMs: 600_000, peakMs: 0 }

  const sourceOn = Effect.fnUntraced(function* (kubeconfig: string) {
    const file = join(yield* temporaryDirectory, "kubeconfig.yaml")
    yield* Effect.promise(() => writeFile(file, kubeconfig, { mode: 0o600 }))
    const services = Layer.mergeAll(KubeconfigRegistry.layer({ files: [file] }), KubeApi.layer)
    const context = yield* Layer.build(services.pipe(Layer.provide(NodeServices.layer)))
    const { clusters } = yield* Effect.provide(
      Effect.flatMap(ClusterRegistry, ({ snapshot }) => snapshot),
      context
    )
    const source = yield* Effect.provide(MetricsApi.make, context)
    return { source, name: clusters[0]?.name ?? HUB }
  })

  it.live(
    "is what its containers' curves say; until it is served, and to whom it is forbidden, the problem says what to do",
    () =>
      Effect.gen(function* () {
        const { parent } = yield* Fleet.make({ driver: Embedded.driver, parent: "hub", users: [{ name: "stranger" }] })
        const { api } = parent
        const { name, source } = yield* sourceOn(parent.kubeconfig)
        const missing = yield* Effect.flip(source.sample(name))
        assert.match(missing.problem, /^metrics\.k8s\.io is not served: install metrics-server/)

        yield* FakeKubelet.start(parent, { schedule: true })
        yield* api.create({ apiVersion: "v1", kind: "Node", metadata: { name: "node-a" } })
        yield* api.create({
          apiVersion: "v1",
          kind: "Pod",
          metadata: {
            name: "web",
            namespace: "default",
            annotations: { [Usage.Annotation.cpu]: Usage.print(cpu), [Usage.Annotation.memory]: "flat 300Mi" }
          },
          spec: { containers: ["main", "side"].map((name) => ({ name, image: `acme/${name}:1` })) }
        })
        yield* Usage.serve(parent)
        const samples = yield* eventually(
          "both containers are measured",
          source.sample(name),
          ({ length }) => length === 2,
          {
            within: "60 seconds"
          }
        )
        const nowMs = yield* Clock.currentTimeMillis
        for (const { atMs, cpuMillis, memoryBytes, namespace, pod, windowMs } of samples) {
          assert.deepStrictEqual([namespace, pod, windowMs, memoryBytes], ["default", "web", 15_000, 300 * MIB])
          assert.isAtMost(Math.abs(nowMs - atMs), 30_000)
          // The mean of a window that begins with the container, at an instant without its fraction of a second.
          const levels = Array.from(
            { length: 17 },
            (_, second) => 1_000 * Usage.at(cpu, atMs - windowMs + second * 1_000)
          )
          assert.isAtLeast(cpuMillis, Math.min(...levels))
          assert.isAtMost(cpuMillis, Math.max(...levels))
        }
        assert.deepStrictEqual(samples.map(({ container }) => container).toSorted(), ["main", "side"])

        const context = yield* parent.context("stranger")
        const stranger = yield* sourceOn(Kubeconfig.print([context]))
        const forbidden = yield* Effect.flip(stranger.source.sample(stranger.name))
        assert.include(forbidden.problem, "may not list pods of metrics.k8s.io")

        const unknown = yield* Effect.flip(source.sample(ClusterName.make("elsewhere")))
        assert.strictEqual(unknown.message, "usage of elsewhere from metrics.k8s.io: the cluster is not registered")
      }).pipe(Effect.scoped),
    120_000
  )
})

describe("what metrics.k8s.io tells", () => {
  const cluster: Cluster = {
    name: HUB,
    role: "parent",
    labels: {},
    origin: "registered",
    connection: { server: "https://127.0.0.1:1", insecureSkipTlsVerify: false, credential: { _tag: "None" } },
    generation: "1"
  }
  const answering = (list: KubeApi["Service"]["list"]) =>
    MetricsApi.make.pipe(
      Effect.provide([
        Layer.mock(KubeApi, { list }),
        Layer.succeed(ClusterRegistry, {
          snapshot: Effect.succeed({ parent: HUB, clusters: [cluster], problems: [] }),
          changes: Stream.empty
        })
      ]),
      Effect.flatMap(({ sample }) => sample(HUB))
    )
  const entry = (name: string, atMs: number, containers: ReadonlyArray<unknown>) => ({
    metadata: { name, namespace: "shop", uid: "", resourceVersion: "" },
    timestamp: new Date(atMs).toISOString(),
    window: "20.5s",
    containers
  })
  const usage = (cpu: string, memory: string) => [{ name: "main", usage: { cpu, memory } }]
  const NOW = Date.parse("2026-03-02T10:00:00Z")

  it.effect(
    "every page counts, what makes no sense is left out and counted, and a fast clock's samples are of now",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(NOW)
        const samples = yield* answering(() =>
          Stream.make(
            [entry("a", NOW - 20_000, usage("1500000n", "2Ki")), entry("fast", NOW + 90_000, usage("2500u", "1Mi"))],
            [
              entry("b", NOW - 1_000, usage("250m", "1.5Gi")),
              entry("hour-old", NOW - 3_600_000, usage("1", "1")),
              entry("wrong", NOW, [
                ...usage("much", "1Mi"),
                ...usage("1", "-1Mi"),
                { name: "side" },
                ...usage("2", "3")
              ]),
              { ...entry("windowless", NOW, usage("1", "1")), window: "soon" }
            ]
          )
        )
        assert.deepStrictEqual(
          samples.map(({ atMs, cpuMillis, memoryBytes, pod, windowMs }) => [
            pod,
            atMs - NOW,
            windowMs,
            cpuMillis,
            memoryBytes
          ]),
          [
            ["a", -20_000, 20_500, 1.5, 2_048],
            ["fast", 0, 20_500, 2.5, MIB],
            ["b", -1_000, 20_500, 250, 1.5 * 1_024 * MIB],
            ["wrong", 0, 20_500, 2_000, 3]
          ]
        )
        const counts = (yield* Metric.snapshot).filter(({ id }) => id === "quarterdeck_usage_entries_left_out_total")
        assert.deepStrictEqual(
          counts
            .map(({ attributes, state }) => `${attributes?.["reason"]} ${"count" in state ? state.count : 0}`)
            .toSorted(),
          ["distant 1", "invalid 4"]
        )
      }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )

  it.effect("a list that is all of another time is a problem that shows both clocks", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const error = yield* Effect.flip(answering(() => Stream.make([entry("a", NOW - 600_000, usage("1", "1"))])))
      assert.include(
        error.problem,
        "the newest sample is from 2026-03-02T09:50:00.000Z, but the time here is 2026-03-02T10:00:00.000Z"
      )
    })
  )

  it.effect("a registered API without a server behind it is said to be that", () =>
    Effect.gen(function* () {
      const reason = new ClusterAnswerInvalid({ status: 503, problem: "service unavailable" })
      const error = yield* Effect.flip(answering(() => Stream.fail(new ClusterError({ cluster: HUB, reason }))))
      assert.include(error.problem, "registered but does not answer (503)")
    })
  )

  it.prop(
    "nanocores and microcores keep their fractions",
    [Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e15 }))],
    ([count]) => {
      assert.strictEqual(PodMetrics.parseCpuMillis(`${count}n`), count / 1e6)
      assert.strictEqual(PodMetrics.parseCpuMillis(`${count}u`), count / 1e3)
    }
  )

  it("windows are Go's lengths, longer than nothing", () => {
    const read = ["15s", "1m0.5s", "1h", "350ms", "10.062s"].map(PodMetrics.parseWindow)
    assert.deepStrictEqual(read, [15_000, 60_500, 3_600_000, 350, 10_062])
    for (const text of ["", "15", "s", "-15s", "0s", "1h 2m", "1e3s", "99999h"]) {
      assert.isUndefined(PodMetrics.parseWindow(text), text)
    }
  })
})
