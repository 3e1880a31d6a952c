/** Faults before clusters of both kinds: what they need of a cluster, real ones have too. */
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Drivers from "../../src/drivers/Drivers.ts"
import { eventually } from "../../src/machine/Eventually.ts"
import * as Fault from "../../src/faults/Fault.ts"
import * as Faults from "../../src/faults/Faults.ts"
import { Fleet } from "../../src/fleet/Fleet.ts"
import { bothKinds } from "../drivers/BothKinds.ts"
import { client, outcome, PODS } from "./Fixture.ts"
import { upgrade } from "./Upgraded.ts"

const { run } = await Effect.runPromise(Drivers.selected)
const NAMESPACES = "/api/v1/namespaces?watch=true&allowWatchBookmarks=true"

for (const driver of bothKinds(run)) {
  const fleet = Fleet.layer({ driver, parent: "hub", users: [{ name: "viewer" }] })
  layer(fleet, { timeout: "2 minutes" })(`faults before a cluster of the ${driver.name} driver`, (it) => {
    const before = Effect.gen(function* () {
      const { parent } = yield* Fleet
      const token = yield* parent.token("admin")
      const viewer = { name: "viewer", groups: [], token: yield* parent.token("viewer") }
      const { caPem, name, server } = parent
      const faults = yield* Faults.make({
        name,
        server,
        caPem,
        users: [viewer],
        outages: { kill: parent.kill, restart: parent.restart, restartEmpty: parent.restartEmpty }
      })
      const made = yield* client(faults)
      const through: typeof made = {
        ask: (path, options) => made.ask(path, { token: Redacted.value(token), ...options }),
        watch: (path, options) => made.watch(path, { token: Redacted.value(token), ...options })
      }
      return { parent, faults, through, token, viewer: Redacted.value(viewer.token) }
    })

    it.effect("a 403 is worded as the cluster's own", () =>
      Effect.gen(function* () {
        const { faults, through, viewer } = yield* before
        const ask = Effect.promise(() => through.ask(PODS, { token: viewer }))
        const own = yield* ask
        assert.strictEqual(own.status, 403)
        yield* faults.inject(Fault.forbidden())
        const made = yield* ask
        assert.deepStrictEqual([made.status, JSON.parse(made.text)], [own.status, JSON.parse(own.text)])
      })
    )

    it.effect("a 401 is worded as the cluster's own", () =>
      Effect.gen(function* () {
        const { faults, through } = yield* before
        const own = yield* Effect.promise(() => through.ask(PODS, { token: "nobody" }))
        yield* faults.inject(Fault.unauthorized())
        const made = yield* Effect.promise(() => through.ask(PODS))
        assert.deepStrictEqual([made.status, JSON.parse(made.text)], [own.status, JSON.parse(own.text)])
      })
    )

    it.effect("a version that a fault expires is told as one that the cluster has forgotten", () =>
      Effect.gen(function* () {
        const { faults, through } = yield* before
        const watching = yield* through.watch(NAMESPACES)
        yield* eventually("it is told", Effect.sync(watching.events), (events) => events.includes("ADDED default"))
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* faults.inject(Fault.expiredWatch())
            yield* eventually("the watch ends", Effect.sync(watching.ended), (ended) => ended === "end")
            const resumed = yield* through.watch(`${NAMESPACES}&resourceVersion=5`)
            yield* eventually("it is told 410", Effect.sync(resumed.text), (text) => text.includes('"code":410'))
          })
        )
        const healed = yield* through.watch(NAMESPACES)
        yield* eventually("it is told", Effect.sync(healed.events), (events) => events.includes("ADDED default"))
      })
    )

    it.effect("a watch loses its bookmarks and has them again", () =>
      Effect.gen(function* () {
        const { faults, parent, through } = yield* before
        const path = `${NAMESPACES}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* faults.inject(Fault.lostBookmarks())
            const watching = yield* through.watch(path)
            const told = (event: string) =>
              eventually("it is told", Effect.sync(watching.events), (events) => events.includes(event))
            yield* told("ADDED default")
            // The mark behind what was there would have come before this.
            yield* parent.api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "behind" } })
            yield* told("ADDED behind")
            assert.isFalse(watching.events().some((event) => event.startsWith("BOOKMARK")))
          })
        )
        const healed = yield* through.watch(path)
        yield* eventually("a bookmark comes", Effect.sync(healed.events), (events) =>
          events.some((event) => event.startsWith("BOOKMARK"))
        )
      })
    )

    it.effect(
      "a cluster that is down resets clients, and answers again with its data",
      () =>
        Effect.gen(function* () {
          const { faults, parent, through } = yield* before
          yield* parent.api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "kept" } })
          const watching = yield* through.watch(NAMESPACES)
          yield* eventually("it is told", Effect.sync(watching.events), (events) => events.includes("ADDED kept"))
          yield* Effect.scoped(
            Effect.gen(function* () {
              yield* faults.inject(Fault.down)
              yield* eventually("the watch breaks off", Effect.sync(watching.ended), (ended) => ended !== undefined)
              assert.notStrictEqual(watching.ended(), "end")
              assert.include(["ECONNRESET", "other side closed"], yield* outcome(() => through.ask("/version")))
            })
          )
          assert.strictEqual(yield* outcome(() => through.ask("/api/v1/namespaces/kept")), 200)
        }),
      120_000
    )

    it.effect(
      "a cluster that has lost its data answers without it",
      () =>
        Effect.gen(function* () {
          const { faults, parent, through } = yield* before
          yield* parent.api.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "lost" } })
          yield* Effect.scoped(faults.inject(Fault.lostData))
          assert.strictEqual(yield* outcome(() => through.ask("/api/v1/namespaces/lost")), 404)
          assert.strictEqual(yield* outcome(() => through.ask("/api/v1/namespaces/default")), 200)
        }),
      120_000
    )

    it.effect(
      "a cluster that loses its data while it is down stays down, and comes back without it",
      () =>
        Effect.gen(function* () {
          const { faults, parent, through } = yield* before
          yield* parent.api.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "lost-meanwhile" } })
          yield* Effect.scoped(
            Effect.gen(function* () {
              yield* faults.inject(Fault.down)
              yield* Effect.scoped(faults.inject(Fault.lostData))
              assert.include(["ECONNRESET", "other side closed"], yield* outcome(() => through.ask("/version")))
            })
          )
          assert.strictEqual(yield* outcome(() => through.ask("/api/v1/namespaces/lost-meanwhile")), 404)
          assert.strictEqual(yield* outcome(() => through.ask("/api/v1/namespaces/default")), 200)
        }),
      120_000
    )

    if (driver.name !== "embedded") {
      it.effect("a watch by WebSocket passes, and is cut with the wire", () =>
        Effect.gen(function* () {
          const { faults, token } = yield* before
          const session = yield* upgrade(faults, NAMESPACES, {
            authorization: `Bearer ${Redacted.value(token)}`,
            origin: faults.server,
            upgrade: "websocket",
            "sec-websocket-version": "13",
            "sec-websocket-key": Buffer.alloc(16).toString("base64")
          })
          assert.strictEqual(session.status, 101)
          yield* eventually("an event comes", Effect.sync(session.text), (text) => text.includes('"type":"ADDED"'))
          yield* faults.inject(Fault.cut)
          yield* eventually("it breaks off", Effect.sync(session.ended), (ended) => ended === "ECONNRESET")
        })
      )
    }
  })
}
