/** What a user sees of a cluster with which something goes wrong while the service follows it, and when it is well again. */
import { assert } from "@effect/vitest"
import type { Coverage } from "@quarterdeck/cluster-fanout/Coverage"
import type { Code } from "@quarterdeck/contract/Problem"
import { eventually, Fault } from "@quarterdeck/harness"
import { Effect } from "effect"
import { Deployment, to } from "./Deployment.ts"
import { deploymentNamed } from "./manifests.ts"
import { onEveryDriver } from "./onEveryDriver.ts"

const everywhere = { headers: to("*") }
const onProd = { headers: to("prod") }

/** Enough for those that are well to answer on a busy machine. */
const DEADLINE_MS = 5_000
/** Within how long the service notices on a busy machine, that something is wrong or that it is over. */
const NOTICED = { within: "40 seconds", every: "200 millis" } as const

interface Case {
  readonly what: string
  readonly fault: Fault.Fault
  /** What a live list says of the cluster. */
  readonly live: Coverage["status"]
  readonly code: string
  /** What a live list of that cluster alone is refused with. */
  readonly status: number
  readonly problem: Code
  /** What a cached list says of it, once the service has noticed: watches go on where only new requests are refused. */
  readonly cached: "ok" | "stale"
  readonly retryAfterMs?: number
}

const unreachable = { live: "unreachable", status: 502, problem: "cluster_unreachable", cached: "stale" } as const
const silent = {
  live: "timeout",
  code: "cluster_timeout",
  status: 504,
  problem: "cluster_timeout",
  cached: "stale"
} as const
const LISTS = { match: { verbs: ["list"] } } as const

const CASES: ReadonlyArray<Case> = [
  { what: "is cut off", fault: Fault.cut, ...unreachable, code: "cluster_unreachable" },
  { what: "swallows everything", fault: Fault.blackHole, ...silent },
  { what: "is too slow with lists", fault: Fault.slowReply({ bodyAfterMs: 60_000, ...LISTS }), ...silent },
  {
    what: "does not know the service's credential (401)",
    fault: Fault.unauthorized(),
    live: "unauthorized",
    code: "cluster_unauthorized",
    cached: "ok",
    status: 502,
    problem: "cluster_unreachable"
  },
  {
    what: "forbids everything (403)",
    fault: Fault.forbidden(),
    live: "forbidden",
    code: "cluster_forbids",
    cached: "ok",
    status: 502,
    problem: "cluster_unreachable"
  },
  {
    what: "throttles (429)",
    fault: Fault.tooManyRequests({ retryAfterSeconds: 2 }),
    live: "throttled",
    code: "cluster_throttled",
    cached: "ok",
    retryAfterMs: 2_000,
    status: 503,
    problem: "cluster_throttled"
  },
  {
    what: "shows a certificate that has expired",
    fault: Fault.staleCertificate(),
    ...unreachable,
    code: "cluster_certificate_invalid"
  }
]

const look = Effect.gen(function* () {
  const deployment = yield* Deployment
  const { clusters } = yield* deployment.clusters("", onProd)
  const [row] = clusters
  assert.isDefined(row)
  return row
})

/** Waits until the service says that prod is well: it asks, and what it keeps is fresh. */
const isWell = Effect.gen(function* () {
  const deployment = yield* Deployment
  const live = Effect.map(deployment.workloads("?consistency=live", everywhere), ({ partial }) => !partial)
  yield* eventually("prod answers again", live, (whole) => whole, NOTICED)
  yield* eventually(
    "prod is ok again",
    look,
    ({ coverage, reachable }) => reachable && coverage.status === "ok",
    NOTICED
  )
})

onEveryDriver(
  "faults",
  {
    faults: true,
    prepare: ({ clusters }) =>
      Effect.forEach(clusters, ({ api, name }) => api.create(deploymentNamed(`from-${name}`)), { discard: true })
  },
  (it) => {
    it.effect.each(CASES)(
      "a cluster that $what is told apart from others, what is known of it stays, and it comes back by itself",
      ({ cached, code, fault, live, problem, retryAfterMs, status }) =>
        Effect.gen(function* () {
          const deployment = yield* Deployment
          const prod = yield* deployment.fleet.cluster("prod")
          yield* isWell
          yield* Effect.scoped(
            Effect.gen(function* () {
              yield* prod.inject(fault)
              const list = yield* deployment.workloads(
                `?consistency=live&name=from-&timeoutMs=${DEADLINE_MS}`,
                everywhere
              )
              const [hub, sick, stage] = list.clusters
              assert.deepStrictEqual([hub?.status, sick?.status, stage?.status], ["ok", live, "ok"])
              assert.deepStrictEqual([sick?.error?.code, sick?.error?.retryAfterMs], [code, retryAfterMs])
              assert.isTrue(list.partial)
              assert.deepStrictEqual(
                list.workloads.map(({ name }) => name),
                ["from-hub", "from-stage"]
              )

              // What answers nothing is waited for in vain; of the others a busy machine may take its time.
              const timeoutMs = problem === "cluster_timeout" ? 1_000 : DEADLINE_MS
              const alone = yield* deployment.problem(
                `/api/v1/workloads?consistency=live&timeoutMs=${timeoutMs}`,
                onProd
              )
              assert.deepStrictEqual([alone.reply.status, alone.code], [status, problem])
              assert.deepStrictEqual(
                alone.clusters?.map((coverage) => [coverage.name, coverage.status, coverage.error?.code]),
                [["prod", live, code]]
              )

              const { reachable } = yield* eventually(
                `prod is ${cached}, and its row says why`,
                look,
                (row) => row.coverage.status === cached && row.errorCode === code,
                NOTICED
              )
              assert.strictEqual(reachable, cached === "ok")
              const rows = yield* deployment.workloads("?name=from-", everywhere)
              assert.deepStrictEqual(
                rows.workloads.map(({ name }) => name),
                ["from-hub", "from-prod", "from-stage"]
              )
              assert.isFalse(rows.partial)
            })
          )
          yield* isWell
        }),
      180_000
    )

    it.effect(
      "a cluster that is slow within the deadline answers in full, and coverage says how long it took",
      () =>
        Effect.gen(function* () {
          const deployment = yield* Deployment
          const prod = yield* deployment.fleet.cluster("prod")
          yield* isWell
          yield* prod.inject(Fault.latency({ ms: 150 }))
          const list = yield* deployment.workloads(`?consistency=live&name=from-&timeoutMs=30000`, everywhere)
          assert.isFalse(list.partial)
          assert.isAtLeast(list.clusters[1]?.latencyMs ?? 0, 300)
          assert.deepStrictEqual(
            list.workloads.map(({ name }) => name),
            ["from-hub", "from-prod", "from-stage"]
          )
        }),
      120_000
    )

    it.effect(
      "a cluster that has forgotten what the service has seen (410) loses no change, and is never missing",
      () =>
        Effect.gen(function* () {
          const deployment = yield* Deployment
          const prod = yield* deployment.fleet.cluster("prod")
          yield* isWell
          yield* Effect.scoped(
            Effect.gen(function* () {
              yield* prod.inject(Fault.expiredWatch())
              yield* prod.api.create(deploymentNamed("while-expired"))
              const { clusters } = yield* eventually(
                "what was written meanwhile is listed",
                deployment.workloads("?name=while-expired", onProd),
                ({ workloads }) => workloads.length === 1,
                NOTICED
              )
              assert.strictEqual(clusters[0]?.status, "ok")
            })
          )
          const ref = { apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "while-expired" }
          yield* prod.api.delete(ref)
          yield* eventually(
            "what is deleted afterwards is gone",
            deployment.workloads("?name=while-expired", onProd),
            ({ workloads }) => workloads.length === 0,
            NOTICED
          )
          yield* isWell
        }),
      120_000
    )

    it.effect(
      "a cluster that restarts without its data shows what it holds now, and nothing of before",
      () =>
        Effect.gen(function* () {
          const deployment = yield* Deployment
          const prod = yield* deployment.fleet.cluster("prod")
          yield* isWell
          yield* prod.inject(Fault.lostData)
          yield* prod.api.create(deploymentNamed("from-the-new-one"))
          const { clusters } = yield* eventually(
            "prod's rows are those of the new cluster",
            deployment.workloads("?name=from-", onProd),
            ({ workloads }) => workloads.length === 1 && workloads[0]?.name === "from-the-new-one",
            { ...NOTICED, within: "90 seconds" }
          )
          assert.strictEqual(clusters[0]?.status, "ok")
          const { namespaces } = yield* deployment.namespaces("?consistency=live", onProd)
          assert.includeMembers(
            namespaces.map(({ name }) => name),
            ["default", "kube-system"]
          )
          yield* isWell
        }),
      180_000
    )
  }
)
