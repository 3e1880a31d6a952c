import { assert, describe } from "@effect/vitest"
import { PodSort, WorkloadSort } from "@quarterdeck/cluster-fanout/ListQuery"
import { ClusterStore } from "@quarterdeck/cluster-fanout"
import { eventually } from "@quarterdeck/harness"
import { Effect, Metric, Schema } from "effect"
import * as HitRecorder from "../../src/http/hot/HitRecorder.ts"
import { type Call, Deployment, type KeyName, to } from "./Deployment.ts"
import { bytesOf, ordinary, suite, WITHIN, withId } from "./HotSuite.ts"

/** How many pages were made in one step in this process. */
const made = Effect.map(Metric.value(HitRecorder.pages), ({ count }) => count)

/** How many clusters' answers were counted by the service under test. */
const asked = Effect.gen(function* () {
  const { call } = yield* Deployment
  const { text } = yield* call("/metrics", { key: "admin" })
  return text
    .split("\n")
    .filter((line) => line.startsWith("quarterdeck_fanout_answers_total"))
    .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0)
})

const decodeCursor = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ nextCursor: Schema.String })))

/** Who asks for which clusters. */
const CALLERS: ReadonlyArray<readonly [key: KeyName, target: string]> = [
  ["viewer", "*"],
  ["viewer", "stage|prod"],
  ["prodViewer", "prod"],
  ["prodViewer", "*"],
  ["shopViewer", "*"],
  ["childrenViewer", "*"]
]

const NARROWED: ReadonlyArray<string> = [
  "limit=3",
  "name=a",
  "name=%61pi",
  "name=none-such",
  "namespace=shop",
  "namespace=payments",
  "namespace=shop&namespace=payments",
  "labelSelector=app%3Dapi",
  "labelSelector=app+in+(api,web)",
  "labelSelector=%21app",
  "timeoutMs=900"
]
const WORKLOADS = ["kind=Deployment", "kind=StatefulSet&kind=DaemonSet", "kind=Job&name=a&limit=2", ...NARROWED]
const PODS = [
  "workload=Deployment%2Fapi",
  "workload=Deployment/api",
  "node=node-1&node=node-2",
  "status=Running",
  ...NARROWED
]

const paths = (list: string, sorts: ReadonlyArray<string>, narrowed: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...sorts.flatMap((sort) =>
    ["asc", "desc"].map((order, place) => `${list}?sort=${sort}&order=${order}&limit=${5 + place}`)
  ),
  ...narrowed.map((query) => `${list}?${query}`)
]

const PATHS = [
  ...paths("/api/v1/workloads", WorkloadSort.literals, WORKLOADS),
  ...paths("/api/v1/pods", PodSort.literals, PODS)
]

/** Has a caller let in, in its own words, so that its next question can be answered in one step. */
const letIn = (path: string, call: Call) =>
  Effect.gen(function* () {
    const { call: ask } = yield* Deployment
    assert.strictEqual((yield* ask(path, call)).status, 200)
  })

describe("pages that are made in one step", () => {
  const { clock, it: registered } = suite()
  registered((it) => {
    it.effect.each(CALLERS)(
      "say what the ordinary way says, page by page: %s asks for %s",
      ([key, target]) =>
        Effect.gen(function* () {
          const { call: askHot } = yield* Deployment
          const askOrdinary = yield* ordinary
          const call = withId({ key, headers: to(target) })
          yield* letIn("/api/v1/workloads", call)
          yield* letIn("/api/v1/pods", call)
          const before = yield* made
          let asked = 0
          for (const path of PATHS) {
            let next: string | undefined = path
            for (let page = 0; next !== undefined && page < 3; page++) {
              const place: string = next
              asked++
              const { one } = yield* eventually(
                `${place} is answered alike`,
                Effect.all({ one: askHot(place, call), other: askOrdinary(place, call) }),
                ({ one: hot, other }) => bytesOf(hot) === bytesOf(other),
                WITHIN
              )
              const cursor = decodeCursor(one.text)
              next = cursor._tag === "Some" ? `${path}&cursor=${cursor.value.nextCursor}` : undefined
            }
          }
          // Spellings that readers of queries read in different ways, refusals, and orders at their first use go the ordinary way.
          assert.isAbove((yield* made) - before, asked * 0.8)
        }).pipe(clock.whileStopped),
      60_000
    )

    it.effect("are made for two seconds after their caller was let in", () =>
      Effect.gen(function* () {
        const { call } = yield* Deployment
        const asked = withId({ headers: to("*") })
        let number = 0
        const isMade = Effect.gen(function* () {
          const before = yield* made
          assert.strictEqual((yield* call(`/api/v1/workloads?limit=${++number}`, asked)).status, 200)
          return (yield* made) > before
        })
        yield* letIn("/api/v1/workloads", asked)
        assert.isTrue(yield* isMade)
        clock.advance(2_000)
        assert.isTrue(yield* isMade)
        clock.advance(1)
        assert.isFalse(yield* isMade)
        assert.isTrue(yield* isMade)
      }).pipe(clock.whileStopped)
    )

    it.effect.each<[string, (id: string) => readonly [path: string, method: string, body?: object], number]>([
      ["revoked", (id) => [`/api/v1/apiKeys/${id}`, "DELETE"], 401],
      ["rotated without grace", (id) => [`/api/v1/apiKeys/${id}/rotate`, "POST", {}], 401],
      [
        "narrowed to other clusters",
        (id) => [`/api/v1/apiKeys/${id}`, "PATCH", { rule: { role: "Viewer", targetClusters: ["stage"] } }],
        403
      ],
      [
        "narrowed to other namespaces",
        (id) => [
          `/api/v1/apiKeys/${id}`,
          "PATCH",
          { rule: { role: "Viewer", targetNamespaces: [{ namespaceNames: ["payments"] }] } }
        ],
        403
      ]
    ])("end with their key: one that is %s gets none by the next question", ([, callOf, expected]) =>
      Effect.gen(function* () {
        const { call, createKey } = yield* Deployment
        const { apiKey, raw } = yield* createKey({ name: "hot", rule: { role: "Viewer" } })
        const asked = withId({ bearer: raw, headers: to("prod") })
        yield* letIn("/api/v1/workloads", asked)
        const before = yield* made
        assert.strictEqual((yield* call("/api/v1/workloads?namespace=shop&limit=9", asked)).status, 200)
        assert.strictEqual((yield* made) - before, 1)
        const [path, method, body] = callOf(apiKey.id)
        const changed = yield* call(path, { method, key: "admin", ...(body === undefined ? {} : { body }) })
        assert.isBelow(changed.status, 300, changed.text)
        assert.strictEqual((yield* call("/api/v1/workloads?namespace=shop&limit=8", asked)).status, expected)
      }).pipe(clock.whileStopped)
    )

    it.effect("end with the instant at which their key expires", () =>
      Effect.gen(function* () {
        const { call, createKey } = yield* Deployment
        const expiresAt = clock.now() + 60_000
        const { raw } = yield* createKey({
          name: "ending",
          rule: { role: "Viewer" },
          expire: new Date(expiresAt).toISOString()
        })
        const asked = withId({ bearer: raw })
        clock.advance(expiresAt - clock.now() - 5)
        yield* letIn("/api/v1/workloads", asked)
        assert.strictEqual((yield* call("/api/v1/workloads?limit=8", asked)).status, 200)
        clock.advance(5)
        assert.strictEqual((yield* call("/api/v1/workloads?limit=9", asked)).status, 401)
      }).pipe(clock.whileStopped)
    )

    it.effect("are of the clusters that each request names, and of no other's header", () =>
      Effect.gen(function* () {
        const { call, workloads } = yield* Deployment
        const prod = withId({ key: "prodViewer", headers: to("prod") })
        yield* letIn("/api/v1/workloads", prod)
        const list = yield* workloads("?limit=4", prod)
        assert.deepStrictEqual(
          list.clusters.map(({ name }) => name),
          ["prod"]
        )
        for (const target of ["stage", "prod|stage", "none-such"])
          assert.strictEqual((yield* call("/api/v1/workloads?limit=4", { ...prod, headers: to(target) })).status, 403)
        assert.strictEqual((yield* call("/api/v1/workloads?limit=4", withId({ key: "prodViewer" }))).status, 403)
      }).pipe(clock.whileStopped)
    )

    it.effect("hold a namespace's own key to its namespace, whatever it asks for next", () =>
      Effect.gen(function* () {
        const { call, workloads } = yield* Deployment
        const shop = withId({ key: "shopViewer", headers: to("*") })
        yield* letIn("/api/v1/workloads", shop)
        assert.strictEqual((yield* call("/api/v1/workloads?namespace=payments", shop)).status, 403)
        const list = yield* workloads("?sort=namespace&order=desc", shop)
        assert.deepStrictEqual([...new Set(list.workloads.map(({ namespace }) => namespace))], ["shop"])
      }).pipe(clock.whileStopped)
    )
  })
})

describe("what cannot be made", () => {
  const { clock, it: registered } = suite({ children: ["prod"] })
  registered((it) => {
    it.effect("a defect while a page is made is the cluster's that has it, and the service goes on", () =>
      Effect.gen(function* () {
        const { call } = yield* Deployment
        const asked = withId({ headers: to("*") })
        yield* letIn("/api/v1/workloads", asked)
        const { prototype } = ClusterStore.ClusterStore
        const rows = Object.getOwnPropertyDescriptor(prototype, "rows") ?? {}
        const fail = () => {
          throw new RangeError("a row that goes was not kept")
        }
        const broken = Effect.acquireRelease(
          Effect.sync(() => Object.defineProperty(prototype, "rows", { configurable: true, get: fail })),
          () => Effect.sync(() => Object.defineProperty(prototype, "rows", rows))
        )
        const reply = yield* Effect.scoped(Effect.andThen(broken, call("/api/v1/workloads?limit=3", asked)))
        assert.deepStrictEqual([reply.status, reply.text.includes("internal_error")], [502, true])
        assert.strictEqual((yield* call("/api/v1/workloads?limit=4", asked)).status, 200)
      }).pipe(clock.whileStopped)
    )
  })
})

describe("the limit of a key", () => {
  const { clock, it: registered } = suite({
    children: ["prod"],
    options: { limits: { keyPerSecond: 1, keyBurst: 6, failedPerSecond: 0 } }
  })
  registered((it) => {
    it.effect("counts each page that is made in one step, and tells what is left", () =>
      Effect.gen(function* () {
        const { call } = yield* Deployment
        const before = yield* made
        const replies = yield* Effect.forEach(Array.from({ length: 8 }).keys(), (place) =>
          Effect.map(call(`/api/v1/workloads?limit=${place + 1}`, withId({})), ({ headers, status }) => [
            status,
            headers["ratelimit"]?.includes(`r=${Math.max(0, 5 - place)}`)
          ])
        )
        assert.isAbove((yield* made) - before, 3)
        assert.deepStrictEqual(replies, [
          ...Array.from({ length: 6 }, () => [200, true]),
          ...Array.from({ length: 2 }, () => [429, true])
        ])
        const fanOuts = yield* asked
        for (let place = 8; place < 12; place++)
          assert.strictEqual((yield* call(`/api/v1/workloads?limit=${place + 1}`, withId({}))).status, 429)
        assert.strictEqual(yield* asked, fanOuts, "nothing is asked of clusters for who is over the limit")
      }).pipe(clock.whileStopped)
    )
  })
})
