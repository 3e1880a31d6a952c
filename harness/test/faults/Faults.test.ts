import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { IncomingMessage } from "node:http"
import { get } from "node:https"
import { InvalidFault } from "../../src/machine/HarnessError.ts"
import { eventually } from "../../src/machine/Eventually.ts"
import * as Fault from "../../src/faults/Fault.ts"
import * as Faults from "../../src/faults/Faults.ts"
import { ADMIN, client, CONFIG_MAPS, createConfigMap, faulty, outcome, PODS, USERS } from "./Fixture.ts"

describe("a cluster behind faults, none of them active", () => {
  it.live("tells what its clients sent, header by header", () =>
    Effect.gen(function* () {
      const requests: Array<Faults.ClientRequest> = []
      const { faults } = yield* faulty({}, { onRequest: (request) => void requests.push(request) })
      const through = yield* client(faults)
      yield* Effect.promise(() => through.ask(`${PODS}?limit=1`, { headers: { accept: "application/json" } }))
      const [request] = requests
      assert.deepStrictEqual([request?.method, request?.path, request?.query.get("limit")], ["GET", PODS, "1"])
      assert.deepInclude(request?.headers, { accept: ["application/json"], authorization: [`Bearer ${ADMIN}`] })
    }).pipe(Effect.scoped)
  )

  it.live("answers as it does without them", () =>
    Effect.gen(function* () {
      const { cluster, faults } = yield* faulty()
      const [direct, through] = [yield* client(cluster), yield* client(faults)]
      yield* createConfigMap(direct, "large", 500_000)
      for (const [path, headers] of [
        ["/version", {}],
        ["/readyz", {}],
        [CONFIG_MAPS, { "accept-encoding": "gzip" }],
        [CONFIG_MAPS, {}],
        ["/api/v1/namespaces/none/pods/none", {}],
        [`${PODS}?labelSelector=%21%21`, {}],
        ["/api/v1/namespaces", { "impersonate-user": "x", accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }]
      ] as const) {
        const ask = { headers }
        const [one, other] = yield* Effect.promise(() => Promise.all([direct.ask(path, ask), through.ask(path, ask)]))
        assert.deepStrictEqual([other.status, other.text], [one.status, one.text])
        const { "keep-alive": _, connection: __, date: ___, ...passed } = one.headers
        assert.deepInclude(other.headers, passed)
      }
      assert.strictEqual(yield* outcome(() => through.ask("/version", { token: "nobody" })), 401)
      assert.strictEqual(yield* outcome(() => through.ask("/api/v1/pods", { token: "viewer-token" })), 403)
    }).pipe(Effect.scoped)
  )

  it.live("takes bodies, and tells watches at once", () =>
    Effect.gen(function* () {
      const { faults } = yield* faulty()
      const through = yield* client(faults)
      const watching = yield* through.watch(`${CONFIG_MAPS}?watch=true`)
      const large = yield* createConfigMap(through, "large", 900_000)
      assert.strictEqual(large.status, 201)
      yield* eventually("the event is told", Effect.sync(watching.events), (events) => events.includes("ADDED large"))
    }).pipe(Effect.scoped)
  )

  it.live("opens one connection to the cluster for each of the client's, and ends it with the client's", () =>
    Effect.gen(function* () {
      const { cluster, faults } = yield* faulty()
      yield* Effect.gen(function* () {
        const through = yield* client(faults, 3)
        const asked = Array.from({ length: 40 }, () => outcome(() => through.ask("/version")))
        assert.isTrue((yield* Effect.all(asked, { concurrency: "unbounded" })).every((status) => status === 200))
        assert.strictEqual((yield* cluster.counters).connectionsAccepted, 3)
        const { connectionsAccepted, connectionsOpen, requests } = yield* faults.counters
        assert.deepStrictEqual([connectionsAccepted, connectionsOpen], [3, 3])
        assert.strictEqual(requests.get("get path"), 40)
      }).pipe(Effect.scoped)
      yield* eventually("nothing is open", cluster.counters, ({ connectionsOpen }) => connectionsOpen === 0)
      yield* eventually("nothing is open here", faults.counters, ({ connectionsOpen }) => connectionsOpen === 0)
    }).pipe(Effect.scoped)
  )

  it.live("counts requests, bytes and what met a fault", () =>
    Effect.gen(function* () {
      const { faults } = yield* faulty()
      const through = yield* client(faults)
      yield* createConfigMap(through, "a", 10_000)
      yield* faults.inject(Fault.unauthorized({ match: { resources: ["pods"], next: 1 } }))
      yield* outcome(() => through.ask(PODS))
      yield* outcome(() => through.ask(PODS))
      const counters = yield* faults.counters
      assert.deepStrictEqual(Object.fromEntries(counters.requests), { "create configmaps": 1, "list pods": 2 })
      assert.deepStrictEqual(Object.fromEntries(counters.met), { Unauthorized: 1 })
      assert.isAbove(counters.bytesToCluster, 10_000)
      assert.isAbove(counters.bytesToClient, 10_000)
    }).pipe(Effect.scoped)
  )

  it.live("does not read what the client does not read", () =>
    Effect.gen(function* () {
      const { cluster, faults } = yield* faulty()
      const direct = yield* client(cluster)
      const names = Array.from({ length: 40 }, (_, index) => `m-${index}`)
      yield* Effect.forEach(names, (name) => createConfigMap(direct, name, 900_000), { concurrency: 4 })
      const response = yield* Effect.acquireRelease(
        Effect.promise(
          () =>
            new Promise<IncomingMessage>((resolve, reject) => {
              const options = { ca: faults.caPem, headers: { authorization: `Bearer ${ADMIN}` } }
              get(`${faults.server}${CONFIG_MAPS}`, options, resolve).once("error", reject)
            })
        ),
        (response) => Effect.sync(() => response.destroy())
      )
      const seen: Array<number> = []
      const look = Effect.map(faults.counters, ({ bytesToClient }) => seen.push(bytesToClient))
      const isStill = () => seen.at(-1) === seen.at(-2)
      yield* eventually("nothing moves any more", look, isStill, { every: "300 millis" })
      assert.isBelow(seen.at(-1) ?? 0, 25_000_000)
      const read = yield* Effect.promise(() => lengthOf(response))
      assert.isAbove(read, 36_000_000)
    }).pipe(Effect.scoped)
  )

  it.live("is gone with its scope", () =>
    Effect.gen(function* () {
      const place = yield* Effect.scoped(Effect.map(faulty(), ({ faults }) => ({ ...faults })))
      const through = yield* client(place)
      assert.strictEqual(yield* outcome(() => through.ask("/version")), "ECONNREFUSED")
    }).pipe(Effect.scoped)
  )
})

describe("faults", () => {
  it.live("start by a promise and heal when disposed, or with the proxy", () =>
    Effect.gen(function* () {
      const { faults } = yield* faulty()
      const through = yield* client(faults)
      yield* Effect.promise(async () => {
        await using fault = await faults.start(Fault.serverError({ status: 503 }))
        assert.strictEqual(fault.fault._tag, "ServerError")
        assert.strictEqual((await through.ask("/version")).status, 503)
      })
      assert.strictEqual(yield* outcome(() => through.ask("/version")), 200)
      const left = yield* Effect.promise(() => faults.start(Fault.unauthorized()))
      yield* Effect.promise(() => left.heal())
      yield* Effect.promise(() => left.heal())
      assert.strictEqual(yield* outcome(() => through.ask("/version")), 200)
    }).pipe(Effect.scoped)
  )

  it.live("are active together: the oldest refusal answers, and wire faults act on it too", () =>
    Effect.gen(function* () {
      const { faults } = yield* faulty()
      const through = yield* client(faults)
      yield* faults.inject(Fault.forbidden({ match: { next: 1 } }))
      yield* faults.inject(Fault.serverError({ status: 502 }))
      yield* faults.inject(Fault.bandwidth({ bytesPerSecond: 1_000_000 }))
      assert.deepStrictEqual(
        [yield* outcome(() => through.ask("/version")), yield* outcome(() => through.ask("/version"))],
        [403, 502]
      )
    }).pipe(Effect.scoped)
  )

  it.live("that take the cluster away give it back with the last of them", () =>
    Effect.gen(function* () {
      const { faults } = yield* faulty()
      const through = yield* client(faults)
      yield* createConfigMap(through, "kept")
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* faults.inject(Fault.down)
          yield* Effect.scoped(faults.inject(Fault.down))
          assert.strictEqual(yield* outcome(() => through.ask("/version")), "ECONNRESET")
        })
      )
      assert.strictEqual(yield* outcome(() => through.ask(`${CONFIG_MAPS}/kept`)), 200)
    }).pipe(Effect.scoped)
  )

  it.live("with numbers that make no sense, or without what they need, are refused", () =>
    Effect.gen(function* () {
      const { cluster } = yield* faulty()
      const passing = yield* Faults.make({ name: "eu", server: cluster.server, caPem: cluster.caPem, tls: "passed" })
      const why = (fault: Fault.Fault) =>
        passing.inject(fault).pipe(
          Effect.flip,
          Effect.map(({ reason }) => (reason instanceof InvalidFault ? reason.fault : reason._tag))
        )
      assert.strictEqual(yield* why({ _tag: "Latency", ms: -1 }), "Latency")
      assert.strictEqual(yield* why(Fault.unauthorized()), "Unauthorized")
      assert.strictEqual(yield* why(Fault.staleCertificate()), "StaleCertificate")
      assert.strictEqual(yield* why(Fault.down), "Down")
      yield* Effect.promise(() =>
        passing.start(Fault.lostData).then(
          () => assert.fail("it was injected"),
          (error: unknown) => assert.include(String(error), "LostData")
        )
      )
    }).pipe(Effect.scoped)
  )

  it.live("of the wire work where TLS is passed, with the cluster's own certificate", () =>
    Effect.gen(function* () {
      const { cluster, faults } = yield* faulty({}, { tls: "passed", users: USERS })
      assert.strictEqual(faults.caPem, cluster.caPem)
      const through = yield* client(faults)
      assert.strictEqual(yield* outcome(() => through.ask("/version")), 200)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* faults.inject(Fault.cut)
          assert.strictEqual(yield* outcome(() => through.ask("/version")), "ECONNRESET")
        })
      )
      assert.strictEqual(yield* outcome(() => through.ask("/version")), 200)
    }).pipe(Effect.scoped)
  )
})

const lengthOf = async (stream: AsyncIterable<unknown>): Promise<number> => {
  let length = 0
  for await (const chunk of stream) if (Buffer.isBuffer(chunk)) length += chunk.length
  return length
}
