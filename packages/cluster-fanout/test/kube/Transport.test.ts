import { assert, describe, layer } from "@effect/vitest"
import { Fault } from "@quarterdeck/harness"
import { Effect, Fiber, Layer } from "effect"
import type { Connection } from "../../src/registry/Cluster.ts"
import { Transport, TransportLimits, type TransportRequest, type Waiting } from "../../src/kube/Transport.ts"
import { clusterAt, token } from "../fixture/ClusterAt.ts"
import { EmbeddedCluster, type FaultyCluster, pod } from "../fixture/EmbeddedCluster.ts"
import { ask, facts, limits, onCluster, pods, reasonOf, transport } from "../fixture/TransportCalls.ts"
import { eventually } from "../fixture/Waiting.ts"

layer(EmbeddedCluster.layer({ tokens: ["one", "two"] }), { excludeTestServices: true })((it) => {
  describe("connections", () => {
    const watching: TransportRequest = { ...pods, path: "/api/v1/pods?watch=1" }
    const watch = (server: FaultyCluster) => Transport.use((service) => service.open(server.entered(), watching))
    /** A reply whose body waits until the test is over or heals it. */
    const held = Fault.slowReply({ match: { next: 1 }, bodyAfterMs: 3_600_000 })

    /** What the cluster itself has seen; no proxy stands between, as no fault is needed. */
    const seenBy = ({ embedded }: FaultyCluster) =>
      Effect.map(embedded.counters, ({ connectionsAccepted, requests }) => ({
        made: connectionsAccepted,
        lists: requests.get("list pods") ?? 0
      }))
    const direct = ({ embedded }: FaultyCluster) => clusterAt(embedded, { credential: token("one") })

    it.effect("200 calls at once open at most 4 connections", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          const before = yield* seenBy(server)
          yield* Effect.all(
            Array.from({ length: 200 }, () => ask(direct(server))),
            { concurrency: 200 }
          )
          const { lists, made } = yield* seenBy(server)
          assert.strictEqual(lists - before.lists, 200)
          assert.isAtMost(made - before.made, 4)
        })
      )
    )

    it.effect("200 calls one after another use one connection", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          const before = yield* seenBy(server)
          yield* Effect.repeat(ask(direct(server)), { times: 199 })
          const { made } = yield* seenBy(server)
          assert.strictEqual(made - before.made, 1)
        })
      )
    )

    it.effect("open watches take nothing from the connections of calls", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          yield* Effect.all(
            Array.from({ length: 10 }, () => watch(server)),
            { concurrency: 10 }
          )
          yield* Effect.all(
            Array.from({ length: 8 }, () => ask(server.entered())),
            { concurrency: 8 }
          )
          const { made } = yield* server.connections
          assert.isAtLeast(made, 11)
          assert.isAtMost(made, 14)
        })
      )
    )

    it.effect("more watches than the pool holds are refused as throttled, not left waiting", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          yield* Effect.all([watch(server), watch(server)])
          const error = yield* Effect.flip(watch(server))
          assert.strictEqual(error.reason._tag, "ClusterThrottled")
        })
      ).pipe(Effect.provideService(TransportLimits, { ...limits, watchConnections: 2 }))
    )

    it.effect("logs that come slowly, however many are asked for, take nothing from watches and calls", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          yield* server.inject(Fault.slowReply({ match: { verbs: ["list"] }, bodyAfterMs: 3_600_000 }))
          const log = Transport.use((service) => service.open(server.entered(), pods, "log"))
          const logs = yield* Effect.forEach(Array.from({ length: 64 }), () => Effect.forkChild(log))
          yield* eventually(server.connections, ({ made }) => made === limits.logConnections)
          const beyond = yield* Effect.flip(log)
          assert.strictEqual(beyond.reason._tag, "ClusterThrottled")
          yield* Effect.forEach(Array.from({ length: 64 }), () => watch(server), { concurrency: 64 })
          yield* ask(server.entered(), { ...pods, path: "/version", action: { verb: "get", resource: "version" } })
          assert.isAtMost((yield* server.connections).made, limits.logConnections + 65)
          const seen = server.requests.filter(({ path, query }) => path === pods.path && !query.has("watch")).length
          assert.strictEqual(seen, limits.logConnections)
          yield* Effect.forEach(logs, Fiber.interrupt)
        })
      )
    )

    it.effect("a changed connection opens new sockets, and the old pool is let go after its last call", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          const before = server.entered({ credential: token("one") })
          const after = server.entered({ credential: token("two") })
          assert.notStrictEqual(before.generation, after.generation)
          const release = yield* server.begin(held)
          const slow = yield* Effect.forkChild(ask(before))
          yield* eventually(
            Effect.sync(() => server.requests.length),
            (seen) => seen === 1
          )
          const { body: whole } = yield* ask(after)
          assert.strictEqual((yield* server.connections).made, 2)
          yield* eventually(server.connections, ({ open }) => open === 1)
          yield* release
          const { body } = yield* Fiber.join(slow)
          assert.strictEqual(body.toString(), whole.toString())
          yield* eventually(server.connections, ({ open }) => open === 0)
        })
      ).pipe(Effect.provideService(TransportLimits, { ...limits, idleMs: 50 }))
    )

    it.effect("closing the transport closes its sockets", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          yield* ask(server.entered()).pipe(Effect.provide(Layer.fresh(transport)))
          yield* eventually(server.connections, ({ open }) => open === 0)
        })
      )
    )

    it.effect("an interrupted call is ended at the server too", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          yield* server.inject(held)
          const call = yield* Effect.forkChild(ask(server.entered()))
          yield* eventually(
            Effect.sync(() => server.requests.length),
            (seen) => seen === 1
          )
          yield* Fiber.interrupt(call)
          yield* eventually(server.connections, ({ open }) => open === 0)
        })
      )
    )

    it.effect(
      "a read whose kept connection was closed meanwhile succeeds on a new one; a write is not sent twice",
      () =>
        onCluster((server) =>
          Effect.gen(function* () {
            yield* server.inject(Fault.resetReply({ match: { verbs: ["list"], next: 1 } }))
            assert.strictEqual((yield* ask(server.entered())).status, 200)
            assert.strictEqual(server.requests.length, 2)
            yield* server.inject(Fault.resetReply({ match: { verbs: ["create"], next: 1 } }))
            const write = yield* reasonOf(server.entered(), { ...pods, method: "POST" })
            assert.strictEqual(write._tag, "ClusterUnreachable")
            assert.strictEqual(server.requests.filter((seen) => seen.method === "POST").length, 1)
          })
        )
    )
  })

  describe("answers", () => {
    /** What a call comes to while the faults are active. */
    const answering = (faults: ReadonlyArray<Fault.Fault>, more: Partial<Connection> = {}, request = pods) =>
      onCluster((server) =>
        Effect.gen(function* () {
          for (const fault of faults) yield* server.inject(fault)
          return facts(yield* reasonOf(server.entered(more), request))
        })
      )
    const status = (code: number, reason: string, message: string) =>
      JSON.stringify({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code, reason, message })
    const broken = (code: number, headers: Readonly<Record<string, string>>) =>
      Fault.fixedReply({ status: code, headers, body: status(code, "Broken", "it broke") })

    const cases: ReadonlyArray<readonly [number, Record<string, string>, object, Fault.Fault, path?: string]> = [
      [401, {}, { _tag: "ClusterUnauthorized" }, Fault.unauthorized()],
      [403, {}, { _tag: "ClusterForbids", verb: "list", resource: "pods" }, Fault.forbidden()],
      [404, {}, { _tag: "ClusterUnsupported", resource: "pods" }, broken(404, {})],
      [410, {}, { _tag: "ClusterExpired" }, Fault.expiredWatch(), "/api/v1/pods?limit=1&continue=old"],
      [429, {}, { _tag: "ClusterThrottled" }, broken(429, {})],
      [
        429,
        { "retry-after": "7" },
        { _tag: "ClusterThrottled", retryAfterMs: 7000 },
        Fault.tooManyRequests({ retryAfterSeconds: 7 })
      ],
      [
        503,
        { "retry-after": "1" },
        { _tag: "ClusterThrottled", retryAfterMs: 1000 },
        broken(503, { "retry-after": "1" })
      ],
      [503, {}, { _tag: "ClusterAnswerInvalid", status: 503, problem: "Broken: it broke" }, broken(503, {})],
      [500, {}, { _tag: "ClusterAnswerInvalid", status: 500, problem: "Broken: it broke" }, broken(500, {})]
    ]
    for (const [code, headers, reason, fault, path = pods.path] of cases) {
      it.effect(`${code} ${JSON.stringify(headers)} is ${JSON.stringify(reason)}`, () =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* answering([fault], {}, { ...pods, path }), reason)
        })
      )
    }

    it.effect("a redirect is never followed, wherever it leads", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          const { embedded } = server
          const elsewhere = Effect.map(embedded.counters, ({ connectionsAccepted }) => connectionsAccepted)
          const before = yield* elsewhere
          for (const code of [301, 302, 303, 307, 308]) {
            const headers = { location: `${embedded.server}/api/v1/pods` }
            const reason = yield* Effect.scoped(
              Effect.andThen(
                server.inject(Fault.fixedReply({ status: code, headers, body: "" })),
                reasonOf(server.entered())
              )
            )
            assert.deepInclude(facts(reason), { _tag: "ClusterAnswerInvalid", status: code })
          }
          assert.strictEqual(yield* elsewhere, before)
        })
      )
    )

    it.effect("a server that echoes the credential does not get it into the error", () =>
      Effect.gen(function* () {
        const secret = "s3cr3t-token"
        const echo = status(500, "Echo", `you sent Bearer ${secret}\u001b[31m`)
        const got = yield* answering([Fault.fixedReply({ status: 500, body: echo })], { credential: token(secret) })
        assert.deepStrictEqual(got, {
          _tag: "ClusterAnswerInvalid",
          status: 500,
          problem: "Echo: you sent Bearer *** [31m"
        })
      })
    )

    it.effect("an answer over the size limit is refused", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          yield* server.objects.create(pod("large", { annotations: { text: "x".repeat(2_000) } }))
          assert.deepStrictEqual(facts(yield* reasonOf(server.entered())), {
            _tag: "ClusterTooLarge",
            excess: "answer",
            resource: "pods",
            limit: 1_000
          })
        })
      ).pipe(Effect.provideService(TransportLimits, { ...limits, answerBytes: 1_000 }))
    )

    it.effect("a connection cut in the middle of a body is unreachable", () =>
      Effect.gen(function* () {
        const got = yield* answering([Fault.truncatedReply({ afterBytes: 4 })])
        assert.strictEqual(got["_tag"], "ClusterUnreachable")
      })
    )

    it.effect("each wait for the cluster is wrapped: for the head, for what follows a pause, and for the end", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          yield* server.objects.create(pod("first"))
          const seen = { begun: 0, ended: 0 }
          const waiting: Waiting = (wait) =>
            Effect.suspend(() => {
              seen.begun++
              return Effect.tap(wait, () => Effect.sync(() => seen.ended++))
            })
          // The answer to a watch comes in pieces, with pauses as long as nothing happens.
          const watched = { ...pods, path: "/api/v1/pods?watch=1", waiting }
          const call = yield* Effect.forkChild(ask(server.entered(), watched))
          // The head and the first piece are here, what follows is not.
          yield* eventually(
            Effect.sync(() => ({ ...seen })),
            ({ begun, ended }) => begun === 3 && ended === 2
          )
          yield* server.objects.create(pod("second"))
          yield* eventually(
            Effect.sync(() => seen.ended),
            (ended) => ended === 3
          )
          yield* server.inject(Fault.watchCutEvery("1 milli", { match: { next: 1 } }))
          const lines = (yield* Fiber.join(call)).body.toString().trimEnd().split("\n")
          assert.deepStrictEqual(
            lines.map((line) => /"name":"(first|second)"/.exec(line)?.[1]),
            ["first", "second"]
          )
          assert.isAtLeast(seen.ended, 4)
          assert.strictEqual(seen.ended, seen.begun)
        })
      )
    )

    it.effect("a server that is not there is unreachable, with the system's code", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          yield* server.inject(Fault.down)
          const reason = yield* reasonOf(clusterAt(server.embedded))
          assert.deepStrictEqual(facts(reason), { _tag: "ClusterUnreachable", code: "ECONNREFUSED" })
        })
      )
    )

    it.effect("a server that says nothing is a timeout", () =>
      Effect.gen(function* () {
        const got = yield* answering([Fault.blackHole])
        assert.deepStrictEqual(got, { _tag: "ClusterTimeout", timeoutMs: 100 })
      }).pipe(Effect.provideService(TransportLimits, { ...limits, callMs: 100 }))
    )

    it.effect("a path prefix of the server stands before every path", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          yield* server.inject(Fault.fixedReply({ match: { path: "/k8s/clusters/c-1/" } }))
          yield* ask(server.entered({ server: `${server.server}/k8s/clusters/c-1` }))
          assert.strictEqual(server.requests[0]?.path, "/k8s/clusters/c-1/api/v1/pods")
        })
      )
    )
  })
})
