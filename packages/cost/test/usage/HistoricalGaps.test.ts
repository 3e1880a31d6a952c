import { NodeHttpClient } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { HourFacts } from "../../src/allocation/HourFacts.ts"
import { HOUR_MS } from "../../src/hour/Units.ts"
import * as Exposition from "./Exposition.ts"
import { at, EU, HOUR, MIB, node, outage, pastOf, told } from "./HandWrittenSeries.ts"
import * as Prometheus from "../../src/usage/Prometheus.ts"
import * as RealPrometheus from "./RealPrometheus.ts"

layer(NodeHttpClient.layerUndici, { timeout: "2 minutes", excludeTestServices: true })(
  "what Prometheus does not know of the past",
  (it) => {
    RealPrometheus.sayIfLeftOut(it)
    if (RealPrometheus.runs) {
      it.effect(
        "where no exporter says what runs, a container ran while it was measured; else each pod of a name has its part",
        () =>
          Effect.gen(function* () {
            const usage = { cores: 0.5, memoryBytes: MIB }
            const lives = [
              { pod: "db-0", uid: "u1", fromMs: at(-30), toMs: at(20) },
              { pod: "db-0", uid: "u2", fromMs: at(40), toMs: at(90) },
              { pod: "web", uid: "u3", fromMs: at(30), toMs: at(90) }
            ]
            const measured = lives.flatMap((life) => Exposition.container({ ...usage, ...life }))
            const pods = lives.flatMap((life) => Exposition.pod(life))
            const runsOf = (hours: ReadonlyArray<HourFacts>) =>
              hours[0]?.pods.map(({ containers, uid }) => [
                uid,
                containers[0]?.runs[0]?.fromMs,
                containers[0]?.runs.at(-1)?.toMs
              ])
            const silent = yield* pastOf(
              yield* told([node, ...pods, ...measured.filter(({ name }) => !name.startsWith("kube_"))])
            )
            assert.deepStrictEqual(runsOf(silent), [["u3", at(30), HOUR + HOUR_MS]])
            assert.deepStrictEqual(runsOf(yield* pastOf(yield* told([node, ...pods, ...measured]))), [
              ["u1", HOUR, at(20)],
              ["u2", at(40), HOUR + HOUR_MS],
              ["u3", at(30), HOUR + HOUR_MS]
            ])
          })
      )

      it.effect("an hour of which pods are known and no node is not there, nor one under another cluster's label", () =>
        Effect.gen(function* () {
          const life = { pod: "web", uid: "u1", fromMs: at(-20), toMs: at(80) }
          const ours = { ...node, labels: { ...node.labels, cluster: "eu" }, at: Exposition.during(at(0), at(60)) }
          const url = yield* told([
            ours,
            ...Exposition.pod(life),
            ...Exposition.container({ ...life, cores: 1, memoryBytes: MIB })
          ])
          assert.deepStrictEqual(
            (yield* pastOf(url, 50, 50)).map(({ startMs }) => startMs),
            [HOUR]
          )
          const elsewhere = yield* Prometheus.make({ url, clusterLabel: { name: "cluster", value: () => "europe" } })
          const window = { startMs: HOUR - HOUR_MS, endMs: HOUR + 2 * HOUR_MS }
          assert.deepStrictEqual(yield* Stream.runCollect(elsewhere.past(EU, window)), [])
        })
      )

      it.effect(
        "minutes in which nothing was scraped are not seen, and hours of which nothing is left are not there",
        () =>
          Effect.gen(function* () {
            const url = yield* told([outage(node, at(10), at(40))])
            const hours = yield* pastOf(url, 50, 50)
            assert.deepStrictEqual(
              hours.map(({ startMs }) => startMs),
              [HOUR - HOUR_MS, HOUR, HOUR + HOUR_MS]
            )
            assert.deepStrictEqual(hours[1]?.seen, [
              { fromMs: HOUR, toMs: at(10) },
              { fromMs: at(40), toMs: HOUR + HOUR_MS }
            ])
            assert.deepStrictEqual(hours[0]?.seen, [{ fromMs: at(-20), toMs: HOUR }])
          })
      )
    }
  }
)
