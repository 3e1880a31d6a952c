/** One workload as its cluster has it now, beside what lists say of it. */
import { assert } from "@effect/vitest"
import type { WorkloadRow } from "@quarterdeck/cluster-fanout/Row"
import { WorkloadReply } from "@quarterdeck/contract/WorkloadGroup"
import { Seed } from "@quarterdeck/harness"
import { Effect, Schema } from "effect"
import { at, objectOf, workloadOf } from "./actedOn.ts"
import { type Call, Deployment, to } from "./Deployment.ts"
import { onBothKinds } from "./onEveryDriver.ts"

const everywhere: Call = { headers: to("*") }
const LIVE = "?limit=5000&consistency=live&timeoutMs=30000"

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(WorkloadReply), { onExcessProperty: "error" })

interface Place {
  readonly cluster: string
  readonly namespace: string
  readonly kind: string
  readonly name: string
}

const pathOf = ({ cluster, kind, name, namespace }: Place) =>
  `/api/v1/workloads/${cluster}/${namespace}/${kind}/${name}`

const look = Effect.fnUntraced(function* (place: Place, call: Call = {}) {
  const { status, text } = yield* (yield* Deployment).call(pathOf(place), call)
  if (status !== 200) return yield* Effect.die(new Error(`${status} ${text}`))
  return yield* decode(text)
})

const inProd = { cluster: "prod", namespace: "shop" } as const

/** Texts that stand where a workload keeps secrets. */
const SECRET = "hunter2-correct-horse"

const container = (name: string) => ({
  name,
  image: `acme/${name}:1`,
  command: ["sh", "-c", `run --password ${SECRET}`],
  args: [SECRET],
  env: [{ name: "PASSWORD", value: SECRET }],
  envFrom: [{ secretRef: { name: `ref-${SECRET}` } }],
  lifecycle: { preStop: { exec: { command: [SECRET] } } },
  ports: [
    { name: "http", containerPort: 8080 },
    { containerPort: 9000, protocol: "UDP" }
  ],
  resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { memory: "128Mi" } }
})

const told = {
  cpuRequestMillis: 100,
  memoryRequestBytes: 67_108_864,
  cpuLimitMillis: 0,
  memoryLimitBytes: 134_217_728,
  ports: [
    { name: "http", port: 8080, protocol: "TCP" },
    { port: 9000, protocol: "UDP" }
  ],
  restarts: 0
}

/** A Deployment that holds secrets wherever one can stand. */
const keeper = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "keeper", namespace: "shop", annotations: { note: SECRET } },
  spec: {
    replicas: 2,
    paused: true,
    progressDeadlineSeconds: 120,
    strategy: { type: "Recreate" },
    selector: {
      matchLabels: { app: "keeper" },
      matchExpressions: [
        { key: "tier", operator: "In", values: ["back", "front"] },
        { key: "canary", operator: "DoesNotExist" }
      ]
    },
    template: {
      metadata: { labels: { app: "keeper", tier: "back" }, annotations: { vault: SECRET } },
      spec: {
        volumes: [{ name: "files", configMap: { name: `cm-${SECRET}` } }],
        initContainers: [
          { ...container("setup"), lifecycle: undefined },
          { ...container("proxy"), restartPolicy: "Always" }
        ],
        containers: [container("main")]
      }
    }
  }
}

onBothKinds(
  "one workload",
  {
    prepare: (fleet) =>
      Effect.gen(function* () {
        yield* Seed.fill(fleet)
        const { api } = yield* fleet.cluster("prod")
        yield* api.create(keeper)
      })
  },
  (it) => {
    it.effect("is the row of the live list, with the pods that count to it there", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const { workloads } = yield* deployment.workloads(LIVE, everywhere)
        const { pods } = yield* deployment.pods(LIVE, everywhere)
        const kinds = new Set<string>()
        // One of each kind and cluster, those with pods before others.
        const chosen = new Map<string, WorkloadRow>()
        const podsOf = ({ cluster, kind, name, namespace }: Place) =>
          pods.filter(
            (pod) =>
              pod.cluster === cluster
              && pod.namespace === namespace
              && (pod.owner === null
                ? kind === "Pod" && pod.name === name
                : pod.owner.kind === kind && pod.owner.name === name)
          )
        for (const row of workloads) {
          const known = chosen.get(`${row.cluster}/${row.kind}`)
          if (known === undefined || podsOf(row).length > podsOf(known).length)
            chosen.set(`${row.cluster}/${row.kind}`, row)
        }
        for (const row of chosen.values()) {
          kinds.add(row.kind)
          const { clusters, partial, podCount, pods: found, workload } = yield* look(row)
          const { conditions, containers, resourceVersion, rollout, selector, ...shown } = workload
          assert.deepStrictEqual(shown, row)
          assert.sameDeepMembers([...found], podsOf(row))
          assert.strictEqual(podCount, found.length)
          assert.isFalse(partial)
          assert.deepInclude(clusters[0], { name: row.cluster, status: "ok", source: "live", count: 1 })
          assert.isNotEmpty(containers)
          assert.match(resourceVersion ?? "", /^\d+$/)
          assert.strictEqual(rollout.isPaused, row.status === "paused")
          assert.isTrue(row.kind !== "Deployment" || (selector !== null && Array.isArray(conditions)))
        }
        assert.includeMembers([...kinds], ["Deployment", "StatefulSet", "DaemonSet", "CronJob", "Pod"])
      })
    )

    it.effect("tells its rollout, selector and containers, and nothing that may hold a secret", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const place = { ...inProd, kind: "Deployment", name: "keeper" }
        const { text } = yield* deployment.call(pathOf(place))
        assert.notInclude(text, SECRET)
        const { workload } = yield* decode(text)
        assert.strictEqual(workload.selector, "app=keeper,tier in (back,front),!canary")
        assert.deepInclude(workload.rollout, { isPaused: true, strategy: "Recreate", progressDeadlineSeconds: 120 })
        assert.deepStrictEqual(workload.containers, [
          { name: "main", image: "acme/main:1", ...told },
          { name: "proxy", image: "acme/proxy:1", ...told }
        ])
        const stored = yield* objectOf("Deployment", "keeper")
        assert.strictEqual(workload.resourceVersion, at(stored, "metadata", "resourceVersion"))
      })
    )

    it.effect("a write that has ended is seen at once", () =>
      Effect.gen(function* () {
        const { api } = yield* (yield* Deployment).fleet.cluster("prod")
        for (const replicas of [1, 4]) {
          const made = workloadOf("StatefulSet", `grown-${replicas}`, "shop")
          yield* api.create({ ...made, spec: { ...made.spec, replicas } })
          const { workload } = yield* look({ ...inProd, kind: "StatefulSet", name: `grown-${replicas}` })
          assert.strictEqual(workload.replicas.desired, replicas)
        }
      })
    )

    it.effect("of a custom kind is made of its pods, in its namespace alone", () =>
      Effect.gen(function* () {
        const { api } = yield* (yield* Deployment).fleet.cluster("prod")
        const pod = (name: string, namespace: string, uid: string) => ({
          apiVersion: "v1",
          kind: "Pod",
          metadata: {
            name,
            namespace,
            ownerReferences: [
              { apiVersion: "argoproj.io/v1alpha1", kind: "Rollout", name: "canary", uid, controller: true }
            ]
          },
          spec: { containers: [container("main")] }
        })
        yield* api.create(pod("canary-1", "shop", "5d7a0d4f-8d0c-4d7e-9f59-0f6b4a7a1c01"))
        yield* api.create(pod("canary-2", "shop", "5d7a0d4f-8d0c-4d7e-9f59-0f6b4a7a1c01"))
        yield* api.create(pod("canary-3", "payments", "5d7a0d4f-8d0c-4d7e-9f59-0f6b4a7a1c02"))
        const { pods, workload } = yield* look({ ...inProd, kind: "Rollout", name: "canary" })
        assert.deepStrictEqual(
          pods.map(({ name }) => name),
          ["canary-1", "canary-2"]
        )
        assert.deepInclude(workload, { kind: "Rollout", name: "canary", resourceVersion: null, selector: null })
        assert.deepStrictEqual(workload.containers, [{ name: "main", image: "acme/main:1", ...told }])
      })
    )

    it.effect("what is not there, or belongs to another workload, is 404", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const { api } = yield* deployment.fleet.cluster("prod")
        const uid = String(at(yield* objectOf("Deployment", "keeper"), "metadata", "uid"))
        const owned = workloadOf("ReplicaSet", "keeper-1", "shop")
        yield* api.create({
          ...owned,
          metadata: {
            ...owned.metadata,
            ownerReferences: [{ apiVersion: "apps/v1", kind: "Deployment", name: "keeper", uid, controller: true }]
          }
        })
        for (const [kind, name] of [
          ["Deployment", "nobody"],
          ["ReplicaSet", "keeper-1"],
          ["Rollout", "nobody"],
          ["Pod", "nobody"]
        ] as const) {
          const problem = yield* deployment.problem(pathOf({ ...inProd, kind, name }))
          assert.deepInclude(problem, { status: 404, code: "workload_not_found", field: "name" })
        }
      })
    )
  }
)
