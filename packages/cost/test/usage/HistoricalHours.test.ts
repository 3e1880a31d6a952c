import { NodeHttpClient } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HOUR_MS } from "../../src/hour/Units.ts"
import * as Exposition from "./Exposition.ts"
import { at, HOUR, MIB, node, pastOf, told } from "./HandWrittenSeries.ts"
import * as RealPrometheus from "./RealPrometheus.ts"

layer(NodeHttpClient.layerUndici, { timeout: "2 minutes", excludeTestServices: true })(
  "what an hour of the past in Prometheus holds",
  (it) => {
    RealPrometheus.sayIfLeftOut(it)
    if (RealPrometheus.runs) {
      it.effect("a pod of seven minutes has run seven minutes, to the second, and one of forty seconds forty", () =>
        Effect.gen(function* () {
          const short = { pod: "job-x", uid: "u2", fromMs: at(20) + 13_000, toMs: at(27) + 13_000 }
          const blink = { pod: "job-y", uid: "u3", fromMs: at(50) + 8_000, toMs: at(50) + 48_000 }
          const lasting = (name: string, uid: string, value: number): Exposition.Told => ({
            name,
            labels: { namespace: "shop", pod: uid === "u2" ? "job-x" : "job-y", uid },
            at: Exposition.during(uid === "u2" ? short.toMs : blink.toMs, at(80), () => value / 1_000)
          })
          const url = yield* told(
            [
              node,
              ...Exposition.pod({ ...short, toMs: at(80), owner: ["Job", "job"] }),
              ...Exposition.container({ ...short, cores: 1, memoryBytes: MIB, requestCores: 0.5 }),
              lasting("kube_pod_completion_time", "u2", short.toMs),
              ...Exposition.pod({ ...blink, toMs: at(80) }),
              lasting("kube_pod_start_time", "u3", blink.fromMs),
              lasting("kube_pod_completion_time", "u3", blink.toMs),
              {
                name: "kube_pod_container_resource_requests",
                labels: {
                  namespace: "shop",
                  pod: "job-y",
                  uid: "u3",
                  container: "main",
                  resource: "memory",
                  unit: "byte"
                },
                at: Exposition.during(blink.fromMs, at(80), () => MIB)
              },
              {
                name: "kube_job_owner",
                labels: {
                  namespace: "shop",
                  job_name: "job",
                  owner_kind: "CronJob",
                  owner_name: "nightly",
                  owner_is_controller: "true"
                },
                at: () => 1
              },
              {
                name: "kube_cronjob_labels",
                labels: {
                  namespace: "shop",
                  cronjob: "nightly",
                  label_team: "data",
                  label_app_kubernetes_io_part_of: "shop"
                },
                at: () => 1
              }
            ],
            60_000,
            30_000
          )
          const [hour] = yield* pastOf(url)
          assert.deepStrictEqual(
            hour?.pods.map(({ containers, name }) => [name, containers[0]?.runs]),
            [
              ["job-x", [{ fromMs: short.fromMs, toMs: short.toMs }]],
              ["job-y", [{ fromMs: blink.fromMs, toMs: blink.toMs }]]
            ]
          )
          assert.deepStrictEqual(hour?.pods[0]?.workload, {
            namespace: "shop",
            kind: "CronJob",
            name: "nightly",
            uid: "",
            labels: { team: "data", "app.kubernetes.io/part-of": "shop" }
          })
          assert.deepStrictEqual(hour?.pods[1]?.workload, {
            namespace: "shop",
            kind: "Pod",
            name: "job-y",
            uid: "u3",
            labels: {}
          })
        })
      )

      it.effect("roles, OOM kills, claims, load balancers and price labels of nodes are read", () =>
        Effect.gen(function* () {
          const [fromMs, toMs] = [at(-30), at(90)]
          const of = (
            name: string,
            labels: Exposition.Labels,
            value: Exposition.Values = () => 1
          ): Exposition.Told => ({
            name,
            labels,
            at: value
          })
          const web = { namespace: "shop", pod: "web-0", uid: "u1" }
          const url = yield* told([
            node,
            { ...node, labels: { node: "n2" }, at: Exposition.during(at(10) + 25_000, toMs) },
            of(
              "kube_node_created",
              { node: "n2" },
              Exposition.during(at(10) + 25_000, toMs, () => (at(10) + 25_000) / 1_000)
            ),
            of("kube_node_status_capacity", { node: "n1", resource: "cpu", unit: "core" }, () => 4),
            of("kube_node_status_capacity", { node: "n1", resource: "memory", unit: "byte" }, () => 16 * 1_024 * MIB),
            of("kube_node_status_capacity", { node: "n1", resource: "nvidia_com_gpu", unit: "integer" }, () => 2),
            of("kube_node_status_capacity", { node: "n1", resource: "pods", unit: "integer" }, () => 110),
            of("kube_node_labels", {
              node: "n1",
              label_eks_amazonaws_com_capacity_type: "SPOT",
              label_node_kubernetes_io_instance_type: "m5.large",
              label_rack: "r1"
            }),
            ...Exposition.pod({ pod: "web-0", uid: "u1", fromMs, toMs, owner: ["StatefulSet", "web"], ip: "10.0.0.7" }),
            ...Exposition.container({
              pod: "web-0",
              uid: "u1",
              fromMs,
              toMs: at(30),
              cores: 0.1,
              memoryBytes: MIB,
              requestCores: 0.2
            }),
            ...Exposition.container({
              pod: "web-0",
              uid: "u1",
              fromMs: at(30),
              toMs,
              cores: 0.1,
              memoryBytes: MIB,
              run: "1"
            }).filter(({ name }) => name.startsWith("container_")),
            of("kube_pod_container_status_running", { ...web, container: "main" }, Exposition.during(at(30), toMs)),
            of("kube_pod_container_status_restarts_total", { ...web, container: "main" }, (atMs) =>
              atMs < at(30) ? 0 : 1
            ),
            of(
              "kube_pod_container_status_last_terminated_reason",
              { ...web, container: "main", reason: "OOMKilled" },
              Exposition.during(at(30), toMs)
            ),
            of("kube_pod_init_container_status_running", { ...web, container: "proxy" }),
            of("kube_pod_init_container_info", { ...web, container: "proxy", restart_policy: "Always" }),
            of("kube_pod_init_container_status_running", { ...web, container: "setup" }, (atMs) =>
              atMs < at(5) ? 1 : 0
            ),
            of(
              "kube_pod_init_container_resource_requests",
              { ...web, container: "setup", resource: "cpu", unit: "core" },
              () => 1
            ),
            of("kube_pod_spec_volumes_persistentvolumeclaims_info", {
              ...web,
              volume: "data",
              persistentvolumeclaim: "data-web-0"
            }),
            of("kube_persistentvolumeclaim_info", {
              namespace: "shop",
              persistentvolumeclaim: "data-web-0",
              storageclass: "fast",
              volumename: "pv-1"
            }),
            of("kube_persistentvolumeclaim_info", {
              namespace: "shop",
              persistentvolumeclaim: "waiting",
              storageclass: "fast",
              volumename: ""
            }),
            of(
              "kube_persistentvolumeclaim_resource_requests_storage_bytes",
              { namespace: "shop", persistentvolumeclaim: "data-web-0" },
              () => 10 * MIB
            ),
            of("kube_persistentvolume_info", { persistentvolume: "pv-1", storageclass: "fast" }),
            of(
              "kube_persistentvolume_info",
              { persistentvolume: "pv-2", storageclass: "slow" },
              Exposition.during(at(15), at(45))
            ),
            of("kube_persistentvolume_capacity_bytes", { persistentvolume: "pv-2" }, () => 20 * MIB),
            of("kube_service_status_load_balancer_ingress", {
              namespace: "shop",
              service: "front",
              uid: "s1",
              ip: "203.0.113.1"
            }),
            of("kube_endpoint_address", { namespace: "shop", endpoint: "front", ip: "10.0.0.7", ready: "true" })
          ])
          const [hour] = yield* pastOf(url)
          assert.isDefined(hour)
          assert.deepStrictEqual(hour.nodes.find(({ name }) => name === "n2")?.spans, [
            { fromMs: at(10) + 25_000, toMs: HOUR + HOUR_MS }
          ])
          assert.deepStrictEqual(
            hour.nodes.filter(({ name }) => name === "n1"),
            [
              {
                name: "n1",
                uid: "m-1",
                labels: {
                  "eks.amazonaws.com/capacityType": "SPOT",
                  "node.kubernetes.io/instance-type": "m5.large",
                  rack: "r1"
                },
                providerId: "aws:///eu-central-1a/i-1",
                cpuMillis: 4_000,
                memoryBytes: 16 * 1_024 * MIB,
                gpus: 2,
                spans: [{ fromMs: HOUR, toMs: HOUR + HOUR_MS }]
              }
            ]
          )
          const [pod] = hour.pods
          assert.deepStrictEqual(pod?.claims, ["data-web-0"])
          const byName = new Map(pod?.containers.map((one) => [one.name, one]))
          assert.deepStrictEqual(
            [...byName.values()].map(({ isOomKilled, name, role }) => `${name} ${role} ${isOomKilled}`).toSorted(),
            ["main main true", "proxy sidecar false", "setup init false"]
          )
          assert.strictEqual(byName.get("main")?.cpuRequestMillis, 200)
          assert.deepStrictEqual(byName.get("setup")?.runs, [{ fromMs: HOUR, toMs: at(5) }])
          assert.strictEqual(byName.get("setup")?.cpuRequestMillis, 1_000)
          const whole = [{ fromMs: HOUR, toMs: HOUR + HOUR_MS }]
          assert.deepStrictEqual(hour.volumes, [
            {
              namespace: "shop",
              claim: "data-web-0",
              name: "pv-1",
              storageClass: "fast",
              bytes: 10 * MIB,
              spans: whole
            },
            {
              namespace: "",
              claim: "",
              name: "pv-2",
              storageClass: "slow",
              bytes: 20 * MIB,
              spans: [{ fromMs: at(15), toMs: at(45) }]
            }
          ])
          assert.deepStrictEqual(hour.loadBalancers, [{ namespace: "shop", name: "front", spans: whole, pods: ["u1"] }])
        })
      )
    }
  }
)
