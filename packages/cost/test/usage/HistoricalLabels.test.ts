import { NodeHttpClient } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as HourBuilder from "../../src/allocation/HourBuilder.ts"
import type { HourFacts } from "../../src/allocation/HourFacts.ts"
import { HOUR_MS } from "../../src/hour/Units.ts"
import * as Exposition from "./Exposition.ts"
import { at, HOUR, MIB, node, pastOf, told } from "./HandWrittenSeries.ts"
import * as RealPrometheus from "./RealPrometheus.ts"

const [fromMs, toMs] = [at(-20), at(80)]

/** The series as an installation keeps them that drops some labels from kube-state-metrics. */
const without = (
  names: ReadonlyArray<string>,
  series: ReadonlyArray<Exposition.Told>
): ReadonlyArray<Exposition.Told> =>
  series.map((one) =>
    one.name.startsWith("kube_")
      ? { ...one, labels: Object.fromEntries(Object.entries(one.labels).filter(([name]) => !names.includes(name))) }
      : one
  )

const one = (name: string, labels: Exposition.Labels, from = fromMs, to = toMs, value = 1): Exposition.Told => ({
  name,
  labels,
  at: Exposition.during(from, to, () => value)
})

const life = (pod: string, uid: string, owner: readonly [string, string], from = fromMs, to = toMs) => [
  ...Exposition.pod({ pod, uid, owner, fromMs: from, toMs: to, ip: `10.0.0.${uid}` }),
  ...Exposition.container({ pod, uid, fromMs: from, toMs: to, cores: 0.1, memoryBytes: MIB, requestCores: 0.5 })
]

/** CPU that is charged in an hour, in core-seconds by workload. */
const chargedOf = (facts: HourFacts | undefined): Readonly<Record<string, number>> => {
  assert.isDefined(facts)
  const hour = HourBuilder.build(facts)
  const sums: Record<string, number> = {}
  for (const [index, { kind, name }] of hour.series.entries()) {
    const seconds = (hour.columns.cpuAllocatedMilliSeconds[index] ?? 0) / 1_000
    if (!kind.startsWith("__")) sums[`${kind}/${name}`] = (sums[`${kind}/${name}`] ?? 0) + seconds
  }
  return sums
}

layer(NodeHttpClient.layerUndici, { timeout: "2 minutes", excludeTestServices: true })(
  "labels in the past of Prometheus",
  (it) => {
    RealPrometheus.sayIfLeftOut(it)
    if (RealPrometheus.runs) {
      it.effect("without uid lose nothing: pods, owners, volumes and balancers are found by name", () =>
        Effect.gen(function* () {
          const series = [
            node,
            ...life("web-1", "1", ["StatefulSet", "web"]),
            ...life("web-2", "2", ["StatefulSet", "web"]),
            ...life("api-1", "3", ["DaemonSet", "api"]),
            ...life("alone", "4", ["", ""]),
            one("kube_pod_spec_volumes_persistentvolumeclaims_info", {
              namespace: "shop",
              pod: "web-1",
              uid: "1",
              persistentvolumeclaim: "data"
            }),
            one("kube_service_status_load_balancer_ingress", { namespace: "shop", service: "front", uid: "s" }),
            one("kube_endpoint_address", { namespace: "shop", endpoint: "front", ip: "10.0.0.3" })
          ]
          const [whole] = yield* pastOf(yield* told(series))
          const [kept] = yield* pastOf(yield* told(without(["uid"], series)))
          assert.deepStrictEqual(chargedOf(kept), chargedOf(whole))
          assert.deepStrictEqual(chargedOf(kept), {
            "StatefulSet/web": 3_600,
            "DaemonSet/api": 1_800,
            "Pod/alone": 1_800
          })
          const named = new Map(kept?.pods.map((pod) => [pod.name, pod]))
          const api = named.get("api-1")
          assert.isDefined(api)
          assert.deepStrictEqual(named.get("web-1")?.claims, ["data"])
          assert.deepStrictEqual(kept?.loadBalancers[0]?.pods, [api.uid])
          assert.strictEqual(named.get("alone")?.workload.uid, "")
        })
      )

      it.effect("that lose uid within the hour make no second pod of the first", () =>
        Effect.gen(function* () {
          const before = life("web-1", "1", ["StatefulSet", "web"], fromMs, at(30))
          const after = without(["uid"], life("web-1", "1", ["StatefulSet", "web"], at(30), toMs))
          const [hour] = yield* pastOf(yield* told([node, ...before, ...after]))
          assert.deepStrictEqual(
            hour?.pods.map(({ name, uid }) => `${name} ${uid}`),
            ["web-1 1"]
          )
          assert.deepStrictEqual(hour?.pods[0]?.containers[0]?.runs, [{ fromMs: HOUR, toMs: HOUR + HOUR_MS }])
        })
      )

      it.effect("without uid keep pods apart that followed each other under one name on two nodes", () =>
        Effect.gen(function* () {
          const other = { ...node, labels: { node: "n0", system_uuid: "m-0" } }
          const first = life("db-0", "1", ["StatefulSet", "db"], fromMs, at(20))
          const second = life("db-0", "2", ["StatefulSet", "db"], at(25), toMs).map((series) =>
            series.labels["node"] === undefined ? series : { ...series, labels: { ...series.labels, node: "n0" } }
          )
          const [hour] = yield* pastOf(yield* told([node, other, ...without(["uid"], [...first, ...second])]))
          assert.deepStrictEqual(
            hour?.pods.toSorted((a, b) => (a.node < b.node ? -1 : 1)).map((pod) => [pod.node, pod.containers[0]?.runs]),
            [
              ["n0", [{ fromMs: at(25), toMs: HOUR + HOUR_MS }]],
              ["n1", [{ fromMs: HOUR, toMs: at(20) }]]
            ]
          )
          assert.deepStrictEqual(chargedOf(hour), { "StatefulSet/db": (55 * 60) / 2 })
        })
      )

      it.effect("that changed within the hour count by time: the last of a machine, and of each machine its own", () =>
        Effect.gen(function* () {
          const machine = (system_uuid: string, from: number, to: number) =>
            one("kube_node_info", { node: "n1", system_uuid }, from, to)
          const cores = (resource: string, from: number, to: number, value: number) =>
            one("kube_node_status_capacity", { node: "n1", resource }, from, to, value)
          const series = [
            machine("m-1", fromMs, at(30)),
            machine("m-2", at(32), toMs),
            one("kube_node_labels", { node: "n1", label_pool: "z-spot" }, fromMs, at(30)),
            one("kube_node_labels", { node: "n1", label_pool: "m-demand" }, at(32), at(45)),
            one("kube_node_labels", { node: "n1", label_pool: "a-demand" }, at(45), toMs),
            cores("cpu", fromMs, at(30), 4),
            cores("memory", fromMs, at(30), 100 * MIB),
            cores("cpu", at(32), toMs, 8),
            cores("memory", at(32), toMs, 200 * MIB),
            ...life("web-1", "1", ["StatefulSet", "web"]),
            one("kube_statefulset_labels", { namespace: "shop", statefulset: "web", label_team: "z" }, fromMs, at(50)),
            one("kube_statefulset_labels", { namespace: "shop", statefulset: "web", label_team: "a" }, at(50), toMs)
          ]
          const [hour] = yield* pastOf(yield* told(series))
          assert.deepStrictEqual(
            hour?.nodes.map(({ cpuMillis, labels, memoryBytes, uid }) => [uid, labels, cpuMillis, memoryBytes]),
            [
              ["m-1", { pool: "z-spot" }, 4_000, 100 * MIB],
              ["m-2", { pool: "a-demand" }, 8_000, 200 * MIB]
            ]
          )
          assert.deepStrictEqual(hour?.pods[0]?.workload.labels, { team: "a" })
        })
      )

      it.effect("of EndpointSlices name the pods behind a load balancer, by label, by name and by address", () =>
        Effect.gen(function* () {
          const slice = (endpointslice: string, pod: string, namespace = "shop") =>
            one("kube_endpointslice_endpoints", {
              namespace,
              endpointslice,
              address: "10.9.9.9",
              targetref_kind: "Pod",
              targetref_namespace: "shop",
              targetref_name: pod
            })
          const long = "a".repeat(60)
          const series = [
            node,
            ...["1", "2", "3", "4", "5"].flatMap((uid) => life(`web-${uid}`, uid, ["StatefulSet", "web"])),
            ...["front", "front-web", "labelled", "plain", long].map((service) =>
              one("kube_service_status_load_balancer_ingress", { namespace: "shop", service })
            ),
            // Of old versions the namespace is that of kube-state-metrics.
            slice("front-abcde", "web-1", "monitoring"),
            slice("front-web-x7k2p", "web-2"),
            slice("of-another-name", "web-3"),
            one("kube_endpointslice_labels", {
              namespace: "shop",
              endpointslice: "of-another-name",
              label_kubernetes_io_service_name: "labelled"
            }),
            one("kube_endpointslice_endpoints", {
              namespace: "shop",
              endpointslice: "plain-b2c3d",
              address: "10.0.0.4"
            }),
            slice(`${"a".repeat(58)}zzzzz`, "web-5")
          ]
          const [hour] = yield* pastOf(yield* told(series))
          assert.deepStrictEqual(Object.fromEntries(hour?.loadBalancers.map(({ name, pods }) => [name, pods]) ?? []), {
            front: ["1"],
            "front-web": ["2"],
            labelled: ["3"],
            plain: ["4"],
            [long]: ["5"]
          })
        })
      )
    }
  }
)
