/** What people open first: statuses, reasons and counts, each only of what the key may see. */
import { assert } from "@effect/vitest"
import { type StatusCounts, type WorkloadRow, WorkloadStatus } from "@quarterdeck/cluster-fanout/Row"
import { Overview } from "@quarterdeck/contract/OverviewGroup"
import { BulkActionResult } from "@quarterdeck/contract/WorkloadsGroup"
import { eventually, type Fleet, Seed } from "@quarterdeck/harness"
import { Effect, Schema } from "effect"
import { type Call, Deployment, type KeyName, to } from "./Deployment.ts"
import { BY_SEVERITY } from "./listCases.ts"
import { onOneDriver } from "./onEveryDriver.ts"

const SECRET = "hunter2-correct-horse"
const SINCE = "2026-01-02T03:04:05Z"

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Overview), { onExcessProperty: "error" })
const decodeBulk = Schema.decodeUnknownEffect(Schema.fromJsonString(BulkActionResult), { onExcessProperty: "error" })

const READY = { replicas: 1, readyReplicas: 1, updatedReplicas: 1, availableReplicas: 1 }

/** A Deployment that its controller calls available, without a selector that any pod has. */
const deployment = (name: string, namespace: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace, labels: { part: "looping" } },
  spec: {
    paused: false,
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "main", image: "acme/main:1" }] } }
  }
})

/** A bare pod in a crash loop, whose last run left a line of its log with a secret. */
const looping = (name: string, namespace: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace },
  spec: { containers: [{ name: "main", image: "acme/main:1" }] }
})

const LOOPING = {
  phase: "Running",
  conditions: [{ type: "Ready", status: "False", reason: "ContainersNotReady", lastTransitionTime: SINCE }],
  containerStatuses: [
    {
      name: "main",
      image: "acme/main:1",
      imageID: "",
      ready: false,
      restartCount: 7,
      state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 5m0s restarting failed container" } },
      lastState: {
        terminated: {
          exitCode: 2,
          reason: "Error",
          startedAt: SINCE,
          finishedAt: SINCE,
          message: `refused password=${SECRET}`
        }
      }
    }
  ]
}

const prepare = Effect.fnUntraced(function* (fleet: Fleet["Service"]) {
  yield* Seed.fill(fleet)
  for (const cluster of fleet.clusters) {
    for (const namespace of ["shop", "payments"]) {
      const name = `looping-${cluster.name}`
      yield* cluster.api.create(looping(name, namespace))
      yield* cluster.api.patch(
        { apiVersion: "v1", kind: "Pod", namespace, name },
        { status: LOOPING },
        { subresource: "status" }
      )
    }
  }
})

const everywhere = (key: KeyName = "viewer"): Call => ({ key, headers: to("*") })

const NONE: StatusCounts = { failed: 0, degraded: 0, progressing: 0, paused: 0, healthy: 0, completed: 0, idle: 0 }

const countsOf = (rows: ReadonlyArray<Pick<WorkloadRow, "status">>): StatusCounts => ({
  ...NONE,
  ...Object.fromEntries(
    Array.from(
      Map.groupBy(rows, ({ status }) => status),
      ([status, all]) => [status, all.length]
    )
  )
})

const read = Effect.fnUntraced(function* (call: Call) {
  const { status, text } = yield* (yield* Deployment).call("/api/v1/overview", call)
  assert.strictEqual(status, 200, text)
  return yield* decode(text)
})

const KEYS = ["admin", "viewer", "prodViewer", "shopViewer", "shopAdmin", "teamViewer", "childrenViewer"] as const
const BAD: ReadonlySet<string> = new Set(["failed", "degraded"])

onOneDriver("what needs attention", { faults: true, prepare }, (it) => {
  it.effect.each(KEYS)(
    "first pages count by status what %s may see, whatever status is asked, and later ones do not",
    (key) =>
      Effect.gen(function* () {
        const { workloads } = yield* Deployment
        const all = yield* workloads("?limit=5000", everywhere(key))
        assert.isNotEmpty(all.workloads)
        assert.deepStrictEqual(all.statusCounts, countsOf(all.workloads))
        for (const filter of ["kind=Deployment", "kind=Pod", "name=w", "namespace=shop", "labelSelector=app"]) {
          const whole = yield* workloads(`?limit=5000&${filter}`, everywhere(key))
          assert.deepStrictEqual(whole.statusCounts, countsOf(whole.workloads), filter)
          for (const query of [`status=degraded&${filter}`, `status=failed&status=idle&${filter}`]) {
            const part = yield* workloads(`?limit=5000&${query}`, everywhere(key))
            assert.deepStrictEqual(part.statusCounts, whole.statusCounts, query)
            assert.deepStrictEqual(
              part.workloads,
              whole.workloads.filter(({ status }) => query.includes(`status=${status}`)),
              query
            )
          }
        }
        const first = yield* workloads("?limit=2", everywhere(key))
        const second = yield* workloads(`?limit=2&cursor=${first.nextCursor ?? ""}`, everywhere(key))
        assert.deepStrictEqual(first.statusCounts, all.statusCounts)
        assert.isUndefined(second.statusCounts)
      })
  )

  it.effect.each(["asc", "desc"] as const)("sorted by status %s, pages lose and repeat no row", (order) =>
    Effect.gen(function* () {
      const { workloads } = yield* Deployment
      const all = (yield* workloads("?limit=5000", everywhere())).workloads
      const rank = ({ status }: WorkloadRow) => BY_SEVERITY.indexOf(status) * (order === "asc" ? 1 : -1)
      const found: Array<WorkloadRow> = []
      let cursor: string | undefined
      do {
        const query = `?limit=3&sort=status&order=${order}${cursor === undefined ? "" : `&cursor=${cursor}`}`
        const page = yield* workloads(query, everywhere())
        found.push(...page.workloads)
        cursor = page.nextCursor
      } while (cursor !== undefined)
      assert.deepStrictEqual(
        found.map(rank),
        all.map(rank).toSorted((left, right) => left - right)
      )
      assert.sameDeepMembers(found, [...all])
      assert.sameMembers(BY_SEVERITY, [...WorkloadStatus.literals])
    })
  )

  it.effect("a crash loop is degraded with its reason, in cached and live lists and alone", () =>
    Effect.gen(function* () {
      const { call, workloads } = yield* Deployment
      for (const query of ["?name=looping-prod", "?name=looping-prod&consistency=live"]) {
        const found = (yield* workloads(query, everywhere())).workloads
        assert.lengthOf(found, 2)
        for (const { reason, since, status } of found)
          assert.deepStrictEqual(
            { reason, since, status },
            { reason: "CrashLoopBackOff", since: SINCE, status: "degraded" }
          )
      }
      const alone = yield* call("/api/v1/workloads/prod/shop/Pod/looping-prod")
      assert.include(alone.text, '"reason":"CrashLoopBackOff"')
      const all = (yield* workloads("?limit=5000", everywhere())).workloads
      for (const { name, reason, status } of all) assert.strictEqual(reason !== undefined, BAD.has(status), name)
    })
  )

  it.effect("the end of a container's run may be log text: Viewers get it without its message, others masked", () =>
    Effect.gen(function* () {
      const { call, pods } = yield* Deployment
      const end = { reason: "Error", exitCode: 2, finishedAt: SINCE }
      const asked = "?name=looping-prod&namespace=shop"
      const rowFor = (key: KeyName) => Effect.map(pods(asked, { key, headers: to("prod") }), ({ pods: [row] }) => row)
      const seen = yield* rowFor("viewer")
      assert.isDefined(seen)
      assert.deepStrictEqual(seen.lastTermination, end)
      assert.deepStrictEqual(seen.waiting, {
        reason: "CrashLoopBackOff",
        message: "back-off 5m0s restarting failed container"
      })
      for (const key of ["operator", "admin", "shopOperator"] as const) {
        assert.deepStrictEqual((yield* rowFor(key))?.lastTermination, { ...end, message: "refused password=***" }, key)
      }
      for (const key of ["viewer", "operator", "admin"] as const) {
        const { text } = yield* call("/api/v1/workloads/prod/shop/Pod/looping-prod", { key })
        assert.notInclude(text, SECRET)
        assert.strictEqual(text.includes("refused password"), key !== "viewer", key)
      }
    })
  )

  it.effect.each(KEYS)("the overview of %s has what its lists have, and nothing else", (key) =>
    Effect.gen(function* () {
      const { clusters: listClusters, costs, workloads } = yield* Deployment
      const { access, attention, clusterCounts, clusters, cost, partial, podReasons, statusCounts } = yield* read(
        everywhere(key)
      )
      const all = yield* workloads("?limit=5000&sort=status", everywhere(key))
      assert.deepStrictEqual(statusCounts, all.statusCounts)
      assert.deepStrictEqual(attention, all.workloads.filter(({ status }) => BAD.has(status)).slice(0, 20))
      assert.deepStrictEqual(
        clusters.map(({ count, name }) => [name, count]),
        all.clusters.map(({ count, name }) => [name, count])
      )
      assert.deepStrictEqual(clusterCounts, { ok: clusters.length, stale: 0, failed: 0 })
      assert.isFalse(partial)
      const loops = all.workloads.filter(({ kind, reason }) => kind === "Pod" && reason === "CrashLoopBackOff").length
      assert.isAtLeast(podReasons.find(({ reason }) => reason === "CrashLoopBackOff")?.count ?? 0, loops)

      assert.deepStrictEqual(cost?.perDay.length, 14)
      const { totals } = yield* costs("?range=7d", { multiCluster: true }, { key })
      assert.closeTo(cost?.last7d ?? -1, totals.totalCost, 0.01 * Math.max(1, totals.totalCost))
      assert.strictEqual(cost?.today, cost?.perDay.at(-1)?.cost)
      const isAdmin = key === "admin" || key === "shopAdmin"
      assert.strictEqual(access !== undefined, isAdmin)
      assert.strictEqual(access?.denials24h !== undefined, key === "admin")

      const { clusters: rows } = yield* listClusters("", { key })
      for (const { name, unhealthyWorkloads } of rows) {
        const bad = all.workloads.filter(({ cluster, status }) => cluster === name && BAD.has(status))
        assert.strictEqual(unhealthyWorkloads, bad.length, name)
      }
    })
  )

  it.effect("pods by reason count only the key's namespaces", () =>
    Effect.gen(function* () {
      const loops = (key: KeyName, target: string) =>
        Effect.map(
          read({ key, headers: to(target) }),
          ({ podReasons }) => podReasons.find(({ reason }) => reason === "CrashLoopBackOff")?.count
        )
      const [whole = 0, shop = 0] = [yield* loops("viewer", "prod"), yield* loops("shopViewer", "prod")]
      assert.isAbove(shop, 0)
      assert.isAbove(whole, shop)
    })
  )

  it.effect("a status selects for a bulk action, beside labels only", () =>
    Effect.gen(function* () {
      const { call, fleet, problem, workloads } = yield* Deployment
      const prod = yield* fleet.cluster("prod")
      for (const name of ["calm", "stuck"]) {
        yield* prod.api.create(deployment(name, "shop"))
        const status =
          name === "calm"
            ? READY
            : { conditions: [{ type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" }] }
        const place = { apiVersion: "apps/v1", kind: "Deployment", namespace: "shop", name }
        yield* prod.api.patch(place, { spec: { replicas: 1 } })
        yield* prod.api.patch(place, { status: { observedGeneration: 2, ...status } }, { subresource: "status" })
      }
      yield* eventually(
        "stuck is degraded",
        workloads("?labelSelector=part%3Dlooping&status=degraded", { headers: to("prod") }),
        (page) => page.workloads.length === 1 && page.workloads[0]?.name === "stuck",
        { within: "20 seconds" }
      )
      const body = { action: "restart", dryRun: true, labelSelector: "part=looping", status: ["degraded"] }
      const reply = yield* call("/api/v1/workloads/actions", {
        method: "POST",
        key: "operator",
        headers: to("prod"),
        body
      })
      const { outcomes } = yield* decodeBulk(reply.text)
      assert.deepStrictEqual(
        outcomes.map(({ name, status }) => [name, status]),
        [["stuck", "dryRun"]]
      )
      const targets = [{ cluster: "prod", namespace: "shop", kind: "Deployment", name: "stuck" }]
      for (const [selection, field] of [
        [{ targets, status: ["degraded"] }, "status"],
        [{ status: ["degraded"] }, "status"]
      ] as const) {
        const refused = yield* problem("/api/v1/workloads/actions", {
          method: "POST",
          key: "operator",
          body: { action: "restart", ...selection }
        })
        assert.deepStrictEqual([refused.code, refused.field], ["invalid_body", field])
      }
    })
  )

  it.effect("an unknown status is refused, and so is a parameter that the overview does not have", () =>
    Effect.gen(function* () {
      const { problem } = yield* Deployment
      for (const path of [
        "/api/v1/workloads?status=sick",
        "/api/v1/overview?limit=3",
        "/api/v1/workloads/watch?status="
      ]) {
        assert.strictEqual((yield* problem(path)).status, 400, path)
      }
    })
  )

  it.effect("a cluster that does not answer is counted, and its rows are no zero: the overview is partial", () =>
    Effect.gen(function* () {
      const { fleet } = yield* Deployment
      const before = yield* read(everywhere("prodViewer"))
      yield* (yield* fleet.cluster("prod")).kill
      const stale = yield* eventually(
        "prod is stale",
        read(everywhere()),
        ({ clusterCounts }) => clusterCounts.stale === 1,
        {
          within: "30 seconds"
        }
      )
      assert.deepStrictEqual(stale.clusterCounts, { ok: 2, stale: 1, failed: 0 })
      const only = yield* read(everywhere("prodViewer"))
      assert.deepStrictEqual(only.statusCounts, before.statusCounts, "stale rows are shown")
    })
  )
})
