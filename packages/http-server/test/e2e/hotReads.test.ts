import { PodSort } from "@quarterdeck/cluster-fanout/ListQuery"
import { assert, describe } from "@effect/vitest"
import { eventually, Fault, Faults, Kubeconfig } from "@quarterdeck/harness"
import { Deferred, Effect } from "effect"
import { ROLES } from "./accessCases.ts"
import { type Call, Deployment, rawKey, to } from "./Deployment.ts"
import { bytesOf, hits, ordinary, suite, WITHIN, withId } from "./HotSuite.ts"
import { POD_REFUSED, REFUSED, SORTS } from "./listCases.ts"
import { deploymentNamed } from "./manifests.ts"
import { ANSWERED, NO_TARGET, OUTSIDE, UNKNOWN } from "./targetingCases.ts"

const LISTS = ["/api/v1/clusters", "/api/v1/namespaces", "/api/v1/workloads", "/api/v1/pods"]
const everywhere: Call = { headers: to("*") }

/** Asks for a list until it is answered by the hot way. */
const becomesHot = <E, R>(list: Effect.Effect<{ readonly status: number }, E, R>) =>
  eventually(
    "the list is answered by the hot way",
    Effect.gen(function* () {
      const before = yield* hits
      assert.strictEqual((yield* list).status, 200)
      return (yield* hits) > before
    }),
    (isHit) => isHit,
    WITHIN
  )

const basic = (key: string) => `Basic ${Buffer.from(`anyone:${key}`).toString("base64")}`

const CASES: ReadonlyArray<readonly [path: string, call: Call]> = [
  ...LISTS.flatMap((path) => ANSWERED.map(([, call]) => [path, call] as const)),
  ...["/api/v1/clusters", "/api/v1/workloads", "/api/v1/pods"].flatMap((path) => [
    ...NO_TARGET.map(([, target]) => [path, { headers: to(target) }] as const),
    [path, { headers: [...to("prod"), ...to("prod")] }] as const,
    ...[...OUTSIDE, ...UNKNOWN].map(([, key, target]) => [path, { key, headers: to(target) }] as const)
  ]),
  ...ROLES.filter(([, path]) => LISTS.includes(path)).flatMap(([, path, call, answered]) =>
    answered.map((key) => [path, { ...call, key }] as const)
  ),
  ...SORTS.flatMap(([sort]) =>
    ["asc", "desc"].map((order) => [`/api/v1/workloads?limit=50&sort=${sort}&order=${order}`, everywhere] as const)
  ),
  ...REFUSED.map(([query]) => [`/api/v1/workloads?${query}`, everywhere] as const),
  ...PodSort.literals.flatMap((sort) =>
    ["asc", "desc"].map((order) => [`/api/v1/pods?limit=50&sort=${sort}&order=${order}`, everywhere] as const)
  ),
  ...POD_REFUSED.map(([query]) => [`/api/v1/pods?${query}`, everywhere] as const),
  ...[
    "workload=Deployment/api",
    "node=node-1&node=node-2",
    "status=Running&status=Completed",
    "limit=7",
    "cursor=x"
  ].map((query) => [`/api/v1/pods?${query}`, everywhere] as const),
  ...[
    "kind=StatefulSet&kind=DaemonSet",
    "namespace=shop",
    "name=check",
    "name=none-such",
    "labelSelector=%21app",
    "limit=7",
    "consistency=cache",
    "timeoutMs=1000",
    "cursor=x"
  ].map((query) => [`/api/v1/workloads?${query}`, everywhere] as const),
  ...(["shopViewer", "teamViewer"] as const).flatMap((key) =>
    LISTS.flatMap((path) => [
      [path, { ...everywhere, key }] as const,
      [`${path}?namespace=shop`, { ...everywhere, key }] as const,
      [`${path}?namespace=payments`, { ...everywhere, key }] as const
    ])
  ),
  ...[basic(rawKey("viewer")), `bEARER ${rawKey("viewer")}`, "Bearer nobody", "Digest x", "Basic ***"].map(
    (value) => ["/api/v1/workloads", { key: null, headers: [["Authorization", value]] }] as const
  ),
  ["/api/v1/workloads", { key: null }],
  ["/api/v1/workloads", { bearer: rawKey("expired") }],
  ["/api/v1/workloads", { ...everywhere, method: "HEAD" }],
  ["/api/v1/workloads", { headers: [["Origin", "https://evil.example"]] }],
  ["/api/v1/workloads", { headers: [["If-None-Match", "*"]] }],
  ["/api/v1/clusters", { headers: [["If-None-Match", 'W/"other", *']] }],
  ["/api/v1/clusters", { headers: [["If-None-Match", 'W/"other"']] }],
  ["/api/v1/workloads", { method: "POST" }],
  ["/api/v1/workloads/", {}]
]

/** Whether the hot way may answer the like of what was answered so. */
const isHot = ({ body, method = "GET" }: Call, status: number): boolean =>
  method === "GET" && body === undefined && (status === 200 || status === 304)

describe("lists by the hot way and by the ordinary one", () => {
  const { clock, it: registered } = suite()
  registered((it) => {
    it.effect(
      "every case of the lists is answered by the same bytes, under a clock that stands still",
      () =>
        Effect.gen(function* () {
          const { call: askHot } = yield* Deployment
          const askOrdinary = yield* ordinary
          for (const [path, bare] of CASES) {
            const call = withId(bare)
            // A cluster may tell something in between: then both ways are right, and the next time is judged.
            yield* eventually(
              `${path} of ${JSON.stringify(call)} is answered alike`,
              Effect.gen(function* () {
                const before = yield* askOrdinary(path, call)
                const filled = yield* askHot(path, call)
                const hitsBefore = yield* hits
                const again = yield* askHot(path, call)
                const wasHit = (yield* hits) - hitsBefore
                const after = yield* askOrdinary(path, call)
                return { before, filled, again, after, wasHit }
              }),
              ({ after, again, before, filled, wasHit }) =>
                bytesOf(before) === bytesOf(after)
                && bytesOf(filled) === bytesOf(before)
                && bytesOf(again) === bytesOf(before)
                && wasHit === (isHot(call, before.status) ? 1 : 0),
              WITHIN
            )
          }
        }).pipe(clock.whileStopped),
      120_000
    )

    it.effect("a reply is given again for 20 ms, and not longer", () =>
      Effect.gen(function* () {
        const { call } = yield* Deployment
        const wasHit = Effect.gen(function* () {
          const before = yield* hits
          assert.strictEqual((yield* call("/api/v1/workloads", withId(everywhere))).status, 200)
          return (yield* hits) > before
        })
        // Whatever a cluster tells ends a reply too; it does not tell something five times in a row just then.
        for (let time = 0; time < 5; time++) {
          yield* eventually(
            "a reply of 20 ms ago is given",
            Effect.gen(function* () {
              clock.advance(21)
              yield* wasHit
              clock.advance(20)
              return yield* wasHit
            }),
            (isHit) => isHit,
            WITHIN
          )
          clock.advance(1)
          assert.isFalse(yield* wasHit)
        }
      }).pipe(clock.whileStopped)
    )

    it.effect("a row that changes is seen at once, however young the reply of before", () =>
      Effect.gen(function* () {
        const { fleet, workloads } = yield* Deployment
        const prod = yield* fleet.cluster("prod")
        const names = Effect.map(workloads("?name=hot-row", everywhere), (list) =>
          list.workloads.map(({ name }) => name)
        )
        assert.deepStrictEqual(yield* names, [])
        yield* prod.api.create(deploymentNamed("hot-row"))
        yield* eventually("the row is there", names, (seen) => seen.length === 1, WITHIN)
        yield* prod.api.delete({ apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "hot-row" })
        yield* eventually("the row is gone", names, (seen) => seen.length === 0, WITHIN)
      }).pipe(clock.whileStopped)
    )

    it.effect.each<[string, (id: string) => readonly [path: string, method: string, body?: object], number]>([
      ["revoked", (id) => [`/api/v1/apiKeys/${id}`, "DELETE"], 401],
      ["rotated without grace", (id) => [`/api/v1/apiKeys/${id}/rotate`, "POST", {}], 401],
      [
        "narrowed",
        (id) => [`/api/v1/apiKeys/${id}`, "PATCH", { rule: { role: "Viewer", targetClusters: ["stage"] } }],
        403
      ]
    ])("a key that is %s gets nothing from before by the next request", ([, callOf, expected]) =>
      Effect.gen(function* () {
        const { call, createKey } = yield* Deployment
        const { apiKey, raw } = yield* createKey({ name: "hot", rule: { role: "Viewer" } })
        const list = call("/api/v1/workloads", withId({ bearer: raw, headers: to("prod") }))
        yield* becomesHot(list)
        const [path, method, body] = callOf(apiKey.id)
        const changed = yield* call(path, { method, key: "admin", ...(body === undefined ? {} : { body }) })
        assert.isBelow(changed.status, 300, changed.text)
        assert.strictEqual((yield* list).status, expected)
      }).pipe(clock.whileStopped)
    )

    it.effect("a key that expires gets nothing from then on, however young its reply of before", () =>
      Effect.gen(function* () {
        const { call, createKey } = yield* Deployment
        const expiresAt = clock.now() + 60_000
        const expire = new Date(expiresAt).toISOString()
        const { raw } = yield* createKey({ name: "ending", rule: { role: "Viewer" }, expire })
        const list = call("/api/v1/namespaces", withId({ bearer: raw }))
        clock.advance(expiresAt - clock.now() - 5)
        yield* becomesHot(list)
        clock.advance(5)
        const { status, text } = yield* list
        assert.deepStrictEqual([status, text.includes("key_expired")], [401, true])
      }).pipe(clock.whileStopped)
    )

    it.effect("requests that come together share one ordinary way", () =>
      Effect.gen(function* () {
        const { call } = yield* Deployment
        const replies = yield* eventually(
          "nothing happens meanwhile",
          Effect.gen(function* () {
            clock.advance(21)
            const before = yield* hits
            const all = yield* Effect.all(
              Array.from({ length: 20 }, () => call("/api/v1/workloads?limit=5000", withId(everywhere))),
              { concurrency: "unbounded" }
            )
            return { all, hit: (yield* hits) - before }
          }),
          ({ hit }) => hit === 19,
          WITHIN
        )
        assert.strictEqual(new Set(replies.all.map(bytesOf)).size, 1)
      }).pipe(clock.whileStopped)
    )
  })
})

/** What stands between the service and `prod`. */
const prodFaults = Deferred.makeUnsafe<Faults.ClusterFaults>()

describe("rights that hang on labels", () => {
  const { clock, it: registered } = suite({
    children: ["prod"],
    kubeconfig: Effect.fnUntraced(function* (fleet) {
      const prod = yield* fleet.cluster("prod")
      const faults = yield* Faults.make({ name: prod.name, server: prod.server, caPem: prod.caPem })
      yield* Deferred.succeed(prodFaults, faults)
      const contexts = yield* Effect.forEach(fleet.clusters, (cluster) => cluster.context("admin"))
      const { caPem, server } = faults
      return Kubeconfig.print(
        contexts.map((context) => (context.name === "prod" ? { ...context, server, caPem } : context))
      )
    })
  })
  registered((it) => {
    it.effect("end with the proof of the labels, however young the reply of before", () =>
      Effect.gen(function* () {
        const { call, fleet, namespaces } = yield* Deployment
        const query = "?timeoutMs=500"
        const asked: Call = { key: "teamViewer", headers: to("prod") }
        const names = Effect.map(namespaces(query, asked), (list) => list.namespaces.map(({ name }) => name))
        // An event proves the labels, at the moment at which the clock stands.
        const prod = yield* fleet.cluster("prod")
        const labels = { team: "storefront" }
        yield* prod.api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "labelled", labels } })
        yield* eventually("the namespace is in sight", names, (seen) => seen.includes("labelled"), WITHIN)

        yield* (yield* Deferred.await(prodFaults)).inject(Fault.blackHole)
        clock.advance(29_990)
        yield* eventually(
          "its list is answered by the hot way",
          Effect.gen(function* () {
            const before = yield* hits
            assert.include((yield* call(`/api/v1/namespaces${query}`, asked)).text, "labelled")
            return (yield* hits) > before
          }),
          (isHit) => isHit,
          WITHIN
        )
        clock.advance(15)
        assert.notInclude((yield* call(`/api/v1/namespaces${query}`, asked)).text, "labelled")
      }).pipe(Effect.scoped, clock.whileStopped)
    )
  })
})
