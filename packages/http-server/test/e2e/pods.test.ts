import { assert } from "@effect/vitest"
import { PodSort } from "@quarterdeck/cluster-fanout/ListQuery"
import type { PodRow } from "@quarterdeck/cluster-fanout/Row"
import { Seed } from "@quarterdeck/harness"
import { Effect } from "effect"
import { type Call, Deployment, to } from "./Deployment.ts"
import { POD_REFUSED } from "./listCases.ts"
import { onBothKinds } from "./onEveryDriver.ts"

const everywhere: Call = { headers: to("*") }
/** Byte order, as the service sorts. */
const inByteOrder = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))
const spelled = (pods: ReadonlyArray<PodRow>) => pods.map(({ cluster, name, namespace }) => [cluster, namespace, name])

onBothKinds("pods", { prepare: (fleet) => Seed.fill(fleet) }, (it) => {
  it.effect("a merged list counts the pods of each cluster, and what they ask for together", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const { clusters, partial, pods } = yield* deployment.pods("?limit=5000", everywhere)
      assert.isFalse(partial)
      const sizes = yield* deployment.clusters()
      for (const [place, { count, name, source, status }] of clusters.entries()) {
        assert.deepStrictEqual([status, source], ["ok", "cache"])
        const own = pods.filter(({ cluster }) => cluster === name)
        assert.isNotEmpty(own)
        assert.strictEqual(count, own.length)
        const size = sizes.clusters[place]
        assert.strictEqual(count, size?.pods)
        const sum = (field: "cpuRequestMillis" | "memoryRequestBytes") =>
          own.reduce((total, pod) => total + pod[field], 0)
        assert.strictEqual(sum("cpuRequestMillis"), size?.cpuRequestMillis)
        assert.strictEqual(sum("memoryRequestBytes"), size?.memoryRequestBytes)
      }
    })
  )

  it.effect("each pod counts to a workload of the list of workloads, and a bare one is its own", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const { pods } = yield* deployment.pods("?limit=5000", everywhere)
      const { workloads } = yield* deployment.workloads("?limit=5000", everywhere)
      const known = new Set(workloads.map((row) => `${row.cluster}/${row.namespace}/${row.kind}/${row.name}`))
      const owners = new Set<string>()
      for (const { cluster, name, namespace, owner } of pods) {
        const { kind, name: workload } = owner ?? { kind: "Pod", name }
        owners.add(kind)
        assert.isTrue(known.has(`${cluster}/${namespace}/${kind}/${workload}`), `${kind}/${workload} of ${name}`)
      }
      for (const kind of ["Deployment", "StatefulSet", "DaemonSet", "CronJob", "Pod"]) {
        assert.isTrue(owners.has(kind), kind)
      }
      assert.isFalse(owners.has("ReplicaSet"))
    })
  )

  it.effect("live and cached answers of a quiet fleet hold the same rows", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const cached = yield* deployment.pods("?limit=5000", everywhere)
      const live = yield* deployment.pods("?limit=5000&consistency=live&timeoutMs=30000", everywhere)
      assert.deepStrictEqual(live.pods, cached.pods)
      assert.deepStrictEqual(
        live.clusters.map(({ name, source }) => `${name} ${source}`),
        ["hub live", "prod live", "stage live"]
      )
    })
  )

  it.effect("filters meet: namespace, label, part of a name, workload, node and status", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const { pods: all } = yield* deployment.pods("?limit=5000", everywhere)
      const ask = Effect.fnUntraced(function* (query: string, isWanted: (pod: PodRow) => boolean) {
        const { clusters, pods } = yield* deployment.pods(`?limit=5000&${query}`, everywhere)
        assert.isNotEmpty(pods, query)
        assert.deepStrictEqual(pods, all.filter(isWanted), query)
        assert.strictEqual(
          clusters.reduce((sum, { count }) => sum + count, 0),
          pods.length
        )
      })
      const first = all.find(({ owner }) => owner?.kind === "Deployment") ?? assert.fail("no pod of a Deployment")
      const bare = all.find(({ owner }) => owner === null) ?? assert.fail("no bare pod")
      const [key = "", value = ""] = Object.entries(first.labels)[0] ?? []
      const statuses = [...new Set(all.map(({ status }) => status))]
      const nodes = [...new Set(all.flatMap(({ node }) => node ?? []))]
      const isOf = ({ owner }: PodRow) => owner?.kind === "Deployment" && owner.name === first.owner?.name

      yield* ask("namespace=shop", ({ namespace }) => namespace === "shop")
      yield* ask("name=check", ({ name }) => name.includes("check"))
      yield* ask(`labelSelector=${encodeURIComponent(`${key}=${value}`)}`, ({ labels }) => labels[key] === value)
      yield* ask(`workload=Deployment/${first.owner?.name}`, isOf)
      yield* ask(`workload=Pod/${bare.name}`, ({ name, owner }) => owner === null && name === bare.name)
      yield* ask(`node=${nodes[0]}&node=${nodes[1]}`, ({ node }) => node === nodes[0] || node === nodes[1])
      for (const status of statuses) yield* ask(`status=${encodeURIComponent(status)}`, (pod) => pod.status === status)
      yield* ask(statuses.map((status) => `status=${encodeURIComponent(status)}`).join("&"), () => true)
      yield* ask(
        `namespace=${first.namespace}&workload=Deployment/${first.owner?.name}&status=${first.status}`,
        (pod) => isOf(pod) && pod.namespace === first.namespace && pod.status === first.status
      )
    })
  )

  it.effect.each(PodSort.literals.map((sort) => [sort] as const))("sorts by %s, both ways, and pages so", ([sort]) =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const valueOf = (pod: PodRow) => pod[sort] ?? ""
      for (const order of ["asc", "desc"]) {
        const { pods } = yield* deployment.pods(`?limit=5000&sort=${sort}&order=${order}`, everywhere)
        const sign = order === "asc" ? 1 : -1
        const sorted = pods.toSorted((one, other) => {
          const [left, right] = [valueOf(one), valueOf(other)]
          const first =
            typeof left === "number" && typeof right === "number" ? left - right : inByteOrder(`${left}`, `${right}`)
          if (first !== 0) return sign * first
          const place = ({ cluster, id, name, namespace }: PodRow) => [cluster, namespace, name, id].join("\0")
          return inByteOrder(place(one), place(other))
        })
        assert.deepStrictEqual(spelled(pods), spelled(sorted), order)
        const paged: Array<PodRow> = []
        let cursor: string | undefined
        do {
          const page = yield* deployment.pods(
            `?limit=11&sort=${sort}&order=${order}${cursor === undefined ? "" : `&cursor=${cursor}`}`,
            everywhere
          )
          paged.push(...page.pods)
          cursor = page.nextCursor
        } while (cursor !== undefined)
        assert.deepStrictEqual(paged, pods, order)
      }
    })
  )

  it.effect("a cursor opens for nothing but its own key, filter and order, nor for another list", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const { nextCursor } = yield* deployment.pods("?limit=3", everywhere)
      assert.isDefined(nextCursor)
      const codeOf = (route: string, options: Call = everywhere) =>
        Effect.map(deployment.problem(`/api/v1/${route}cursor=${nextCursor}`, options), ({ code }) => code)
      for (const query of ["sort=node", "order=desc", "namespace=shop", "node=x", "status=Running", "workload=Job/x"]) {
        assert.strictEqual(yield* codeOf(`pods?${query}&`), "invalid_cursor", query)
      }
      assert.strictEqual(yield* codeOf("pods?", { ...everywhere, key: "admin" }), "invalid_cursor")
      assert.strictEqual(yield* codeOf("workloads?"), "invalid_cursor")
    })
  )

  it.effect.each(POD_REFUSED)("400 for ?%s", ([query, code, field]) =>
    Effect.gen(function* () {
      const problem = yield* (yield* Deployment).problem(`/api/v1/pods?${query}`)
      assert.deepInclude(problem, { status: 400, code, field })
      assert.include(problem.detail, field.replace("[0]", ""))
    })
  )

  it.effect("keys of namespaces, by name and by label, see their pods alone; others are 403", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const { pods: all } = yield* deployment.pods("?limit=5000", everywhere)
      for (const key of ["shopViewer", "teamViewer"] as const) {
        const { namespaces } = yield* deployment.namespaces("?limit=5000", { ...everywhere, key })
        const reached = new Set(namespaces.map(({ cluster, name }) => `${cluster}/${name}`))
        const scoped = yield* deployment.pods("?limit=5000", { ...everywhere, key })
        assert.isNotEmpty(scoped.pods)
        assert.deepStrictEqual(
          scoped.pods,
          all.filter(({ cluster, namespace }) => reached.has(`${cluster}/${namespace}`))
        )
        for (const { count, name } of scoped.clusters) {
          assert.strictEqual(count, scoped.pods.filter(({ cluster }) => cluster === name).length)
        }
        for (const namespace of ["payments", "no-such-namespace"]) {
          const problem = yield* deployment.problem(`/api/v1/pods?namespace=${namespace}`, { ...everywhere, key })
          assert.deepInclude(problem, { status: 403, code: "namespace_forbidden" })
        }
      }
    })
  )
})
