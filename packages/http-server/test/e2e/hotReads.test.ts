import { NodeHttpServer, NodeServices } from "@effect/platform-node"
import { assert, describe, layer } from "@effect/vitest"
import { Embedded, eventually, Fault, Faults, Kubeconfig, Seed } from "@quarterdeck/harness"
import { Deferred, Effect, FileSystem, Logger, Metric, Schema } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as HotTelling from "../../src/http/hot/HotTelling.ts"
import * as Listener from "../../src/Listener.ts"
import { Quarterdeck } from "../../src/Quarterdeck.ts"
import { ROLES } from "./accessCases.ts"
import { type Call, Deployment, type DeploymentOptions, rawKey, send, to } from "./Deployment.ts"
import { REFUSED, SORTS } from "./listCases.ts"
import { deploymentNamed } from "./manifests.ts"
import * as MovableClock from "./MovableClock.ts"
import { ANSWERED, NO_TARGET, OUTSIDE, UNKNOWN } from "./targetingCases.ts"

const WITHIN = { within: "20 seconds", every: "10 millis" } as const
const LISTS = ["/api/v1/clusters", "/api/v1/namespaces", "/api/v1/workloads"]
const everywhere: Call = { headers: to("*") }

/** How many requests the hot way answered in this process. */
const hits = Effect.map(Metric.value(HotTelling.hits), ({ count }) => count)

/** What a reply is made of, but for the moment at which Node sent it. */
const bytesOf = ({ headers: { date: _date, ...headers }, status, text }: Effect.Success<ReturnType<typeof send>>) =>
  JSON.stringify([status, Object.entries(headers), text])

/** Serves the same service over a socket that has the ordinary way alone. */
const ordinary = Effect.gen(function* () {
  const { app } = yield* Deployment
  const handler = yield* NodeHttpServer.makeHandler(app, { scope: yield* Effect.scope }).pipe(
    Effect.provideService(Logger.CurrentLoggers, new Set())
  )
  const { url } = yield* Listener.listen(handler, { host: "127.0.0.1", port: 0, shutdownMs: 1_000 })
  return (path: string, call: Call) => send(`${url}${path}`, call)
})

/** A suite of its own clusters, service and clock. */
const suite = (options: Partial<DeploymentOptions> = {}) => {
  const clock = MovableClock.make()
  const deployed = Deployment.layer({
    driver: Embedded.driver,
    limits: clock.services,
    prepare: (fleet) => Seed.fill(fleet),
    ...options
  })
  return { clock, it: layer(deployed, { timeout: "60 seconds", excludeTestServices: true }) }
}

const ids: Call["headers"] = [["X-Request-Id", "both-ways"]]
const withId = (call: Call): Call => ({ ...call, headers: [...(call.headers ?? []), ...ids] })
const basic = (key: string) => `Basic ${Buffer.from(`anyone:${key}`).toString("base64")}`

const CASES: ReadonlyArray<readonly [path: string, call: Call]> = [
  ...LISTS.flatMap((path) => ANSWERED.map(([, call]) => [path, call] as const)),
  ...["/api/v1/clusters", "/api/v1/workloads"].flatMap((path) => [
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
        yield* eventually(
          "nothing happens meanwhile",
          Effect.gen(function* () {
            yield* wasHit
            clock.advance(20)
            const young = yield* wasHit
            clock.advance(1)
            return [young, yield* wasHit]
          }),
          ([young, old]) => young === true && old === false,
          WITHIN
        )
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
        yield* eventually(
          "its list is answered by the hot way",
          Effect.gen(function* () {
            const before = yield* hits
            assert.strictEqual((yield* list).status, 200)
            return (yield* hits) > before
          }),
          (isHit) => isHit,
          WITHIN
        )
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
        yield* eventually(
          "its list is answered by the hot way",
          Effect.gen(function* () {
            const before = yield* hits
            assert.strictEqual((yield* list).status, 200)
            return (yield* hits) > before
          }),
          (isHit) => isHit,
          WITHIN
        )
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

const decodeEvents = Schema.decodeUnknownEffect(
  Schema.fromJsonString(
    Schema.Struct({
      events: Schema.Array(
        Schema.Struct({
          actor: Schema.Record(Schema.String, Schema.Unknown),
          count: Schema.optionalKey(Schema.Number),
          route: Schema.String,
          resource: Schema.String,
          verb: Schema.String,
          via: Schema.String,
          decision: Schema.String,
          status: Schema.Number,
          address: Schema.String,
          target: Schema.Unknown
        })
      )
    })
  )
)

describe("the limit of a key on the hot way", () => {
  const { clock, it: registered } = suite({
    children: ["prod"],
    options: { limits: { keyPerSecond: 1, keyBurst: 6, failedPerSecond: 0 } }
  })
  registered((it) => {
    it.effect("counts in limits, and tells what is left, as the ordinary way does", () =>
      Effect.gen(function* () {
        const { call: askHot } = yield* Deployment
        const askOrdinary = yield* ordinary
        const asked = (ask: typeof askOrdinary, key: "viewer" | "operator") =>
          Effect.forEach(Array.from({ length: 8 }), () =>
            Effect.map(ask("/api/v1/clusters", withId({ key })), ({ headers, status }) => [
              status,
              headers["ratelimit-policy"],
              headers["ratelimit"],
              headers["retry-after"]
            ])
          )
        const before = yield* hits
        const hot = yield* asked(askHot, "viewer")
        assert.isAbove((yield* hits) - before, 0)
        assert.deepStrictEqual(hot, yield* asked(askOrdinary, "operator"))
        assert.deepStrictEqual(
          hot.map(([status]) => status),
          [200, 200, 200, 200, 200, 200, 429, 429]
        )
      }).pipe(clock.whileStopped)
    )
  })
})

describe("what is told of the hot way", () => {
  const { clock, it: registered } = suite({ children: ["prod"], options: { audit: { reads: "all" } } })
  registered((it) => {
    it.effect("leaves the same in audit and metrics as the ordinary way does", () =>
      Effect.gen(function* () {
        const { call: askHot } = yield* Deployment
        const askOrdinary = yield* ordinary
        const served = Effect.map(askHot("/metrics", { key: "admin" }), ({ text }) =>
          text
            .split("\n")
            .filter((line) => line.includes('route="/api/v1/namespaces"') && line.includes("_total"))
            .map((line) => Number(line.split(" ").at(-1)))
            .reduce((sum, count) => sum + count, 0)
        )
        const start = yield* served
        const before = yield* hits
        for (let time = 0; time < 4; time++) {
          assert.strictEqual((yield* askHot("/api/v1/namespaces", withId({ key: "shopViewer" }))).status, 200)
          assert.strictEqual((yield* askOrdinary("/api/v1/namespaces", withId({ key: "shopAdmin" }))).status, 200)
        }
        assert.isAbove((yield* hits) - before, 0)
        assert.strictEqual((yield* served) - start, 8)

        // Reads of a minute are one event, written when it is over.
        clock.advance(61_000)
        const events = yield* eventually(
          "the reads are in the audit",
          Effect.flatMap(askHot("/api/v1/audit?resource=namespaces", { key: "admin" }), ({ text }) =>
            decodeEvents(text)
          ),
          ({ events: found }) => found.length === 2,
          WITHIN
        )
        const [one, other] = events.events.map(({ actor, ...event }) => {
          assert.include(["shopViewer", "shopAdmin"], actor["name"])
          return event
        })
        assert.deepStrictEqual(one, other)
        assert.deepInclude(one, { count: 4, route: "/api/v1/namespaces", verb: "read", status: 200, decision: "allow" })
      }).pipe(clock.whileStopped)
    )

    it.effect("a hit is the last use of its key", () =>
      Effect.gen(function* () {
        const { kubeconfigFile } = yield* Deployment
        const directory = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
        const dataDirectory = join(directory, "data")
        const bootstrapFile = join(directory, "first-key")
        let usedAt = 0
        const running = Effect.gen(function* () {
          const { nodeHandler } = yield* Quarterdeck
          const { url } = yield* Listener.listen(nodeHandler, { host: "127.0.0.1", port: 0, shutdownMs: 1_000 })
          const bearer = readFileSync(bootstrapFile, "utf8").trim()
          yield* eventually(
            "its list is answered by the hot way",
            Effect.gen(function* () {
              const before = yield* hits
              yield* send(`${url}/api/v1/clusters`, withId({ bearer }))
              clock.advance(10)
              const { status } = yield* send(`${url}/api/v1/clusters`, withId({ bearer }))
              assert.strictEqual(status, 200)
              usedAt = clock.now()
              return (yield* hits) > before
            }),
            (isHit) => isHit,
            WITHIN
          )
        }).pipe(Effect.scoped, clock.whileStopped)
        const service = Quarterdeck.layer({
          clusters: { kubeconfig: [kubeconfigFile] },
          keys: { bootstrapFile },
          dataDirectory
        })
        yield* running.pipe(Effect.provide(service), Effect.provide(clock.services))
        const file = new DatabaseSync(join(dataDirectory, "keys.sqlite"), { readOnly: true })
        const rows = file.prepare("SELECT last_used_at_ms AS at FROM keys").all()
        file.close()
        assert.deepStrictEqual(
          rows.map((row) => row["at"]),
          [usedAt]
        )
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
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
