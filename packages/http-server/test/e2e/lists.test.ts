import { assert } from "@effect/vitest"
import { type Fleet, Seed } from "@quarterdeck/harness"
import { Effect } from "effect"
import { type Call, Deployment, to } from "./Deployment.ts"
import { BY_SEVERITY, REFUSED, SORTS } from "./listCases.ts"
import { deploymentNamed } from "./manifests.ts"
import { onEveryDriver } from "./onEveryDriver.ts"

const everywhere: Call = { headers: to("*") }
const names = (rows: ReadonlyArray<{ readonly name: string }>) => rows.map(({ name }) => name)
/** Byte order, as the service sorts. */
const inByteOrder = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))

/** A shop in each cluster, and in one of them a Deployment without a label, which the seed has none of. */
const prepare = Effect.fnUntraced(function* (fleet: Fleet["Service"]) {
  yield* Seed.fill(fleet)
  const { metadata, spec, ...bare } = deploymentNamed("bare")
  yield* fleet.parent.api.create({
    ...bare,
    metadata: { ...metadata, namespace: "shop" },
    spec: { ...spec, replicas: 0 }
  })
})

onEveryDriver("lists", { prepare }, (it) => {
  it.effect("a merged list says for each cluster how its part was obtained, and counts its rows", () =>
    Effect.gen(function* () {
      const { clusters, partial, workloads } = yield* (yield* Deployment).workloads("?limit=5000", everywhere)
      assert.deepStrictEqual(names(clusters), ["hub", "prod", "stage"])
      assert.isFalse(partial)
      for (const { count, name, source, status } of clusters) {
        assert.deepStrictEqual([status, source], ["ok", "cache"])
        assert.strictEqual(count, workloads.filter(({ cluster }) => cluster === name).length)
        assert.isAbove(count, 5)
      }
    })
  )

  it.effect("every kind and state of a real cluster is told apart", () =>
    Effect.gen(function* () {
      const { workloads } = yield* (yield* Deployment).workloads("?limit=5000", everywhere)
      const kinds = new Set(workloads.map(({ kind }) => kind))
      for (const kind of ["Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "Pod"])
        assert.isTrue(kinds.has(kind), kind)
      const states = new Set(workloads.map(({ status }) => status))
      for (const status of ["healthy", "progressing", "degraded", "paused", "idle", "completed", "failed"] as const) {
        assert.isTrue(states.has(status), status)
      }
      assert.isFalse(
        workloads.some(({ kind }) => kind === "ReplicaSet"),
        "a Deployment's ReplicaSets are not workloads"
      )
    })
  )

  it.effect("live and cached answers of a quiet fleet hold the same rows", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const cached = yield* deployment.workloads("?limit=5000", everywhere)
      const live = yield* deployment.workloads("?limit=5000&consistency=live&timeoutMs=30000", everywhere)
      assert.deepStrictEqual(live.workloads, cached.workloads)
      for (const [source, { clusters, workloads }] of [["cache", cached] as const, ["live", live] as const]) {
        assert.deepStrictEqual(
          clusters.map((part) => `${part.name} ${part.source}`),
          ["hub", "prod", "stage"].map((name) => `${name} ${source}`)
        )
        for (const name of ["hub", "prod", "stage"]) {
          assert.isAbove(workloads.filter(({ cluster }) => cluster === name).length, 5, `${source} of ${name}`)
        }
      }
    })
  )

  it.effect("filters meet: kind, namespace, label and part of a name", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const all = (yield* deployment.workloads("?limit=5000", everywhere)).workloads
      const ask = (query: string) =>
        Effect.map(deployment.workloads(`?limit=5000&${query}`, everywhere), ({ workloads }) => {
          assert.isNotEmpty(workloads, query)
          return workloads
        })
      assert.deepStrictEqual(
        yield* ask("kind=StatefulSet"),
        all.filter(({ kind }) => kind === "StatefulSet")
      )
      assert.deepStrictEqual(
        yield* ask("kind=StatefulSet&kind=DaemonSet"),
        all.filter(({ kind }) => kind === "StatefulSet" || kind === "DaemonSet")
      )
      assert.deepStrictEqual(
        yield* ask("namespace=shop"),
        all.filter(({ namespace }) => namespace === "shop")
      )
      assert.deepStrictEqual(
        yield* ask("name=check"),
        all.filter(({ name }) => name.includes("check"))
      )
      const first = all.find(({ labels }) => Object.keys(labels).length > 0)
      const [key, value] = Object.entries(first?.labels ?? {})[0] ?? ["", ""]
      assert.deepStrictEqual(
        yield* ask(`labelSelector=${encodeURIComponent(`${key}=${value}`)}`),
        all.filter(({ labels }) => labels[key] === value)
      )
      assert.deepStrictEqual(
        yield* ask(`namespace=shop&kind=Deployment&labelSelector=${encodeURIComponent(`!${key}`)}`),
        all.filter(({ kind, labels, namespace }) => namespace === "shop" && kind === "Deployment" && !(key in labels))
      )
    })
  )

  it.effect.each(SORTS)("sorts by %s, both ways", ([sort]) =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const up = (yield* deployment.workloads(`?limit=5000&sort=${sort}`, everywhere)).workloads
      const down = (yield* deployment.workloads(`?limit=5000&sort=${sort}&order=desc`, everywhere)).workloads
      const valueOf = (row: (typeof up)[number]) => (sort === "status" ? BY_SEVERITY.indexOf(row.status) : row[sort])
      const values = up.map(valueOf)
      const sorted = values.toSorted((one, other) =>
        typeof one === "number" && typeof other === "number" ? one - other : inByteOrder(String(one), String(other))
      )
      assert.deepStrictEqual(values, sorted)
      assert.deepStrictEqual(down.map(valueOf), sorted.toReversed())
    })
  )

  it.effect("pages follow each other through every row once, whatever their size", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const whole = (yield* deployment.workloads("?limit=5000&sort=status", everywhere)).workloads
      const seen: Array<string> = []
      let cursor: string | undefined
      do {
        const page = yield* deployment.workloads(
          `?limit=7&sort=status${cursor === undefined ? "" : `&cursor=${cursor}`}`,
          everywhere
        )
        assert.isAtMost(page.workloads.length, 7)
        seen.push(...page.workloads.map(({ id }) => id))
        cursor = page.nextCursor
      } while (cursor !== undefined)
      assert.deepStrictEqual(
        seen,
        whole.map(({ id }) => id)
      )
    })
  )

  it.effect("a cursor opens for nothing but its own key, filter and order", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const { nextCursor } = yield* deployment.workloads("?limit=3", everywhere)
      assert.isDefined(nextCursor)
      const code = (query: string, options: Call = everywhere) =>
        Effect.map(deployment.problem(`/api/v1/workloads?cursor=${nextCursor}${query}`, options), ({ code }) => code)
      assert.strictEqual(yield* code("&sort=kind"), "invalid_cursor")
      assert.strictEqual(yield* code("&order=desc"), "invalid_cursor")
      assert.strictEqual(yield* code("&namespace=shop"), "invalid_cursor")
      assert.strictEqual(yield* code("", { ...everywhere, key: "admin" }), "invalid_cursor")
      assert.strictEqual(yield* code("x"), "invalid_cursor")
      assert.strictEqual(yield* code("", { headers: to("prod") }), "invalid_cursor")
    })
  )

  it.effect.each(REFUSED)("400 for ?%s", ([query, code, field]) =>
    Effect.gen(function* () {
      const problem = yield* (yield* Deployment).problem(`/api/v1/workloads?${query}`)
      assert.deepInclude(problem, { status: 400, code, field })
    })
  )

  it.effect("a key of one namespace sees its rows alone, and counts them alone", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const all = (yield* deployment.workloads("?limit=5000", everywhere)).workloads
      const scoped = yield* deployment.workloads("?limit=5000", { ...everywhere, key: "shopViewer" })
      assert.deepStrictEqual(
        scoped.workloads,
        all.filter(({ namespace }) => namespace === "shop")
      )
      for (const { count, name } of scoped.clusters) {
        assert.strictEqual(count, scoped.workloads.filter(({ cluster }) => cluster === name).length)
      }
      const { namespaces } = yield* deployment.namespaces("", { ...everywhere, key: "shopViewer" })
      assert.deepStrictEqual(names(namespaces), ["shop", "shop", "shop"])
    })
  )

  it.effect("403 for a namespace outside the scope, the same whether it exists or not", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      for (const key of ["shopViewer", "teamViewer"] as const) {
        for (const namespace of ["payments", "no-such-namespace"]) {
          const problem = yield* deployment.problem(`/api/v1/workloads?namespace=${namespace}`, { ...everywhere, key })
          assert.deepInclude(problem, { status: 403, code: "namespace_forbidden" })
        }
        assert.strictEqual(
          (yield* deployment.call("/api/v1/workloads?namespace=shop", { ...everywhere, key })).status,
          200
        )
      }
    })
  )

  it.effect("the list of clusters tells health and size, and neither size nor address to a key of a namespace", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const whole = yield* deployment.clusters()
      for (const row of whole.clusters) {
        assert.isTrue(row.reachable)
        assert.match(row.version ?? "", /^v1\.36/)
        assert.isAbove(row.nodes ?? 0, 0)
        assert.isAbove(row.cpuAllocatableMillis ?? 0, 0)
        assert.isAbove(row.cpuRequestMillis ?? 0, 0)
        assert.isAbove(row.memoryRequestBytes ?? 0, 0)
      }
      assert.deepStrictEqual(
        whole.clusters.map(({ role }) => role),
        ["parent", "child", "child"]
      )
      const scoped = yield* deployment.clusters("", { key: "shopViewer" })
      for (const [index, row] of scoped.clusters.entries()) {
        const { cpuAllocatableMillis, cpuRequestMillis, memoryAllocatableBytes, memoryRequestBytes, nodes } = row
        assert.deepStrictEqual(
          [nodes, cpuAllocatableMillis, memoryAllocatableBytes, cpuRequestMillis, memoryRequestBytes],
          [null, null, null, null, null]
        )
        assert.isBelow(row.pods ?? 0, whole.clusters[index]?.pods ?? 0)
      }
      for (const { server } of deployment.fleet.clusters) assert.notInclude(JSON.stringify(whole), server)
    })
  )
})
