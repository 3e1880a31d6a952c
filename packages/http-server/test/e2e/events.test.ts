import { assert } from "@effect/vitest"
import { EventSort } from "@quarterdeck/cluster-fanout/ListQuery"
import type { EventRow } from "@quarterdeck/cluster-fanout/Row"
import { eventually, type Fleet, Seed } from "@quarterdeck/harness"
import { Effect } from "effect"
import { type Call, Deployment, to } from "./Deployment.ts"
import { EVENT_REFUSED } from "./listCases.ts"
import { onBothKinds } from "./onEveryDriver.ts"

const everywhere: Call = { headers: to("*") }
const BEGIN = Date.UTC(2026, 0, 2)
const SECOND = 1_000
const second = (seconds: number): string => new Date(BEGIN + seconds * SECOND).toISOString().replace(".000Z", "Z")
const inByteOrder = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))

interface Happening {
  readonly name: string
  readonly about: { readonly kind: string; readonly namespace?: string; readonly name: string; readonly uid?: string }
  readonly at: number
  readonly type?: string
  readonly reason?: string
}

/** An event as a client of the older kind reports it. **Shape** one without a namespace is stored in `default`. */
const event = ({ about, at, name, reason = "BackOff", type = "Warning" }: Happening) => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { name, namespace: about.namespace ?? "default" },
  involvedObject: { apiVersion: "v1", ...about },
  type,
  reason,
  message: `${reason} of ${about.name}`,
  count: 3,
  firstTimestamp: second(0),
  lastTimestamp: second(at),
  source: { component: "kubelet", host: "node-1" }
})

const pod = (namespace: string, name: string) => ({ kind: "Pod", namespace, name, uid: `uid-of-${name}` })

const HAPPENINGS: ReadonlyArray<Happening> = [
  { name: "web.1", about: pod("shop", "web"), at: 10 },
  { name: "web.2", about: pod("shop", "web"), at: 40, type: "Normal", reason: "Pulled" },
  { name: "api.1", about: pod("shop", "api"), at: 20, reason: "FailedScheduling" },
  { name: "pay.1", about: pod("payments", "web"), at: 30 },
  { name: "node-1.1", about: { kind: "Node", name: "node-1" }, at: 50, reason: "NodeNotReady" }
]

const prepare = Effect.fnUntraced(function* (fleet: Fleet["Service"]) {
  yield* Seed.fill(fleet)
  for (const { api } of fleet.clusters) for (const each of HAPPENINGS) yield* api.apply(event(each))
})

/** Clusters report events of their own. */
const ours = (events: ReadonlyArray<EventRow>) =>
  events.filter(({ message }) => /^[A-Za-z]+ of [a-z0-9-]+$/.test(message))
const told = (events: ReadonlyArray<EventRow>) =>
  ours(events).map(({ cluster, namespace, reason, regarding }) =>
    [cluster, namespace ?? "-", regarding.kind, regarding.name, reason].join(" ")
  )

onBothKinds("events", { prepare }, (it) => {
  it.effect("are told with what they are about, how often and when they were seen, the newest first", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const { clusters, events, partial } = yield* deployment.events("", { headers: to("prod") })
      assert.isFalse(partial)
      assert.deepStrictEqual(told(events), [
        "prod - Node node-1 NodeNotReady",
        "prod shop Pod web Pulled",
        "prod payments Pod web BackOff",
        "prod shop Pod api FailedScheduling",
        "prod shop Pod web BackOff"
      ])
      assert.deepStrictEqual(
        clusters.map(({ count, name, source, status }) => [name, status, source, count]),
        [["prod", "ok", "cache", events.length]]
      )
      const [web] = ours(events).slice(-1)
      assert.deepInclude(web, {
        type: "Warning",
        message: "BackOff of web",
        count: 3,
        firstSeenAt: "2026-01-02T00:00:00.000Z",
        lastSeenAt: "2026-01-02T00:00:10.000Z",
        reportedBy: "kubelet",
        regarding: { kind: "Pod", name: "web", id: "uid-of-web" }
      })
      assert.deepStrictEqual(ours(events)[0]?.regarding, { kind: "Node", name: "node-1" })
    })
  )

  it.effect("are followed: one that is repeated is counted on, and a report of the newer kind is told likewise", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const { api } = deployment.fleet.parent
      const about = pod("shop", "followed")
      const about1 = yield* deployment.events("?regarding=Pod/followed")
      assert.deepStrictEqual(about1.events, [])
      yield* api.apply(event({ name: "followed.1", about, at: 5 }))
      const ask = deployment.events("?regarding=Pod/followed&sort=lastSeenAt&order=asc")
      const counts = Effect.map(ask, ({ events }) => events.map(({ count, lastSeenAt }) => [count, lastSeenAt]))
      yield* eventually("it is told", counts, (seen) => seen.length === 1, { within: "10 seconds" })
      yield* api.apply({ ...event({ name: "followed.1", about, at: 65 }), count: 4 })
      yield* eventually(
        "it is counted on",
        counts,
        (seen) => JSON.stringify(seen) === JSON.stringify([[4, "2026-01-02T00:01:05.000Z"]]),
        { within: "10 seconds" }
      )
      yield* api.apply({
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: "followed.2", namespace: "shop" },
        involvedObject: { apiVersion: "v1", ...about },
        type: "Normal",
        reason: "Killing",
        action: "Killing",
        message: "stopping",
        eventTime: "2026-01-02T00:02:00.250000Z",
        series: { count: 9, lastObservedTime: "2026-01-02T00:03:00.500000Z" },
        reportingComponent: "example.com/reporter",
        reportingInstance: "reporter-0"
      })
      const newest = Effect.map(ask, ({ events }) => events.at(-1))
      const row = yield* eventually("it is told", newest, (seen) => seen?.reason === "Killing", {
        within: "10 seconds"
      })
      assert.deepInclude(row, {
        message: "stopping",
        count: 9,
        firstSeenAt: "2026-01-02T00:02:00.250Z",
        lastSeenAt: "2026-01-02T00:03:00.500Z",
        reportedBy: "example.com/reporter"
      })
    })
  )

  it.effect("are narrowed by each parameter, as the whole list filtered is", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const { events: all } = yield* deployment.events("?limit=5000", everywhere)
      const ask = (query: string, isIt: (event: EventRow) => boolean) =>
        Effect.gen(function* () {
          const { clusters, events } = yield* deployment.events(`?limit=5000&${query}`, everywhere)
          const expected = all.filter(isIt)
          assert.isNotEmpty(expected, query)
          assert.deepStrictEqual(told(events), told(expected), query)
          for (const { count, name } of clusters) {
            assert.strictEqual(count, events.filter(({ cluster }) => cluster === name).length, query)
          }
        })
      yield* ask("namespace=shop", ({ namespace }) => namespace === "shop")
      yield* ask(
        "namespace=payments&namespace=shop",
        ({ namespace }) => namespace === "shop" || namespace === "payments"
      )
      yield* ask("type=Warning", ({ type }) => type === "Warning")
      yield* ask("type=warning", ({ type }) => type === "Warning")
      yield* ask("type=Warning&type=Normal", () => true)
      yield* ask("reason=Pulled&reason=FailedScheduling", ({ reason }) =>
        ["Pulled", "FailedScheduling"].includes(reason)
      )
      yield* ask("regarding=Pod/web", ({ regarding }) => regarding.kind === "Pod" && regarding.name === "web")
      yield* ask(
        "regarding=Node/node-1&type=Warning",
        ({ regarding, type }) => regarding.kind === "Node" && type === "Warning"
      )
      const { events: stored } = yield* deployment.events("?namespace=default&reason=NodeNotReady", everywhere)
      assert.deepStrictEqual(stored, [], "no namespace names what is about an object of the cluster scope")
    })
  )

  it.effect.each(EventSort.literals.map((sort) => [sort] as const))("sort by %s, both ways, and page so", ([sort]) =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      for (const order of ["asc", "desc"]) {
        const { events } = yield* deployment.events(`?limit=5000&sort=${sort}&order=${order}`, everywhere)
        const sign = order === "asc" ? 1 : -1
        const place = ({ cluster, id, namespace }: EventRow) => [cluster, namespace ?? "", id].join("\0")
        const sorted = events.toSorted(
          (one, other) =>
            sign * inByteOrder(one[sort] ?? "", other[sort] ?? "") || inByteOrder(place(one), place(other))
        )
        assert.deepStrictEqual(events.map(place), sorted.map(place), order)
        const paged: Array<EventRow> = []
        let cursor: string | undefined
        do {
          const behind: string = cursor === undefined ? "" : `&cursor=${cursor}`
          const page = yield* deployment.events(`?limit=4&sort=${sort}&order=${order}${behind}`, everywhere)
          paged.push(...page.events)
          cursor = page.nextCursor
        } while (cursor !== undefined)
        assert.deepStrictEqual(paged, events, order)
      }
    })
  )

  it.effect("live and cached answers hold the same", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const cached = yield* deployment.events("?limit=5000", everywhere)
      const live = yield* deployment.events("?limit=5000&consistency=live&timeoutMs=30000", everywhere)
      assert.deepStrictEqual(told(live.events), told(cached.events))
    })
  )

  it.effect.each(EVENT_REFUSED)("400 for ?%s", ([query, code, field]) =>
    Effect.gen(function* () {
      const problem = yield* (yield* Deployment).problem(`/api/v1/events?${query}`)
      assert.deepInclude(problem, { status: 400, code, field })
    })
  )

  it.effect("keys of namespaces see the events of these alone, none of the cluster scope; others are 403", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const { events: all } = yield* deployment.events("?limit=5000", everywhere)
      for (const key of ["shopViewer", "teamViewer"] as const) {
        const { namespaces } = yield* deployment.namespaces("?limit=5000", { ...everywhere, key })
        const reached = new Set(namespaces.map(({ cluster, name }) => `${cluster}/${name}`))
        const scoped = yield* deployment.events("?limit=5000", { ...everywhere, key })
        assert.isNotEmpty(scoped.events)
        assert.deepStrictEqual(
          told(scoped.events),
          told(all.filter(({ cluster, namespace }) => namespace !== null && reached.has(`${cluster}/${namespace}`)))
        )
        for (const { count, name } of scoped.clusters) {
          assert.strictEqual(count, scoped.events.filter(({ cluster }) => cluster === name).length)
        }
        for (const namespace of ["payments", "no-such-namespace"]) {
          const problem = yield* deployment.problem(`/api/v1/events?namespace=${namespace}`, { ...everywhere, key })
          assert.deepInclude(problem, { status: 403, code: "namespace_forbidden" })
        }
      }
    })
  )
})
