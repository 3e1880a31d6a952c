import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { join } from "node:path"
import { parse } from "yaml"
import type { ClusterDriver } from "../../src/drivers/ClusterDriver.ts"
import * as Embedded from "../../src/drivers/embedded/Embedded.ts"
import * as Fault from "../../src/faults/Fault.ts"
import { Fleet } from "../../src/fleet/Fleet.ts"
import { HarnessError, PortsTaken } from "../../src/machine/HarnessError.ts"
import { temporaryDirectory } from "../machine/Fixture.ts"

const { driver } = Embedded
const options = { driver, parent: "hub", children: ["eu", "us"], users: [{ name: "viewer", groups: ["readers"] }] }
const namespaces = { apiVersion: "v1", kind: "Namespace" }

layer(Fleet.layer(options))("a fleet", (it) => {
  it.effect("has its parent first, then the children in the order of their names' list", () =>
    Effect.gen(function* () {
      const fleet = yield* Fleet
      assert.deepStrictEqual(
        fleet.clusters.map(({ name, role }) => [name, role]),
        [
          ["hub", "parent"],
          ["eu", "child"],
          ["us", "child"]
        ]
      )
      assert.strictEqual(yield* fleet.cluster("eu"), fleet.children[0])
    })
  )

  it.effect("says which cluster or user it does not have", () =>
    Effect.gen(function* () {
      const fleet = yield* Fleet
      assert.strictEqual((yield* Effect.flip(fleet.cluster("mars"))).message, "no cluster is named mars")
      assert.include((yield* Effect.flip(fleet.kubeconfigFor("nobody"))).message, "no user is named nobody")
    })
  )

  it.effect("gives every user a token of its own in every cluster", () =>
    Effect.gen(function* () {
      const fleet = yield* Fleet
      const tokens = yield* Effect.forEach(fleet.clusters, (cluster) =>
        Effect.all([cluster.token("admin"), cluster.token("viewer")])
      )
      assert.strictEqual(new Set(tokens.flat().map(Redacted.value)).size, 6)
    })
  )

  it.effect("gives a kubeconfig for one cluster and one for all", () =>
    Effect.gen(function* () {
      const fleet = yield* Fleet
      const all: unknown = parse(fleet.kubeconfig)
      assert.deepInclude(all, { "current-context": "hub" })
      const one: unknown = parse((yield* fleet.cluster("us")).kubeconfig)
      assert.deepInclude(one, { "current-context": "us" })
      const own: unknown = parse(yield* fleet.kubeconfigFor("viewer"))
      assert.deepInclude(own, {
        contexts: fleet.clusters.map(({ name }) => ({
          name,
          context: { cluster: name, user: `viewer@${name}` }
        }))
      })
    })
  )

  it.effect("keeps its clusters apart", () =>
    Effect.gen(function* () {
      const fleet = yield* Fleet
      yield* fleet.parent.api.create({ ...namespaces, metadata: { name: "only-here" } })
      const eu = yield* fleet.cluster("eu")
      const { items } = yield* eu.api.list({ ...namespaces, fieldSelector: "metadata.name=only-here" })
      assert.isEmpty(items)
    })
  )
})

describe("a cluster that was killed", () => {
  it.effect("is not reset, saved or expired until it is restarted, and says so", () =>
    Effect.gen(function* () {
      const { parent } = yield* Fleet.make({ driver, parent: "hub" })
      yield* parent.kill
      for (const [what, action] of [
        ["reset it", parent.reset],
        ["take a checkpoint", parent.checkpoint],
        ["save it", parent.save("/nowhere")],
        ["expire its history", parent.expireHistory]
      ] as const) {
        assert.strictEqual(
          (yield* Effect.flip(action)).message,
          `cluster hub: cannot ${what} while it is down; restart it first`
        )
      }
      yield* parent.restart
      yield* parent.reset
    })
  )
})

describe("a fleet that cannot be saved", () => {
  it.effect("leaves nothing behind, and is saved in the same place once it can be", () =>
    Effect.gen(function* () {
      const directory = join(yield* temporaryDirectory, "saved")
      const fleet = yield* Fleet.make({ driver, parent: "hub", children: ["eu"] })
      const eu = yield* fleet.cluster("eu")
      yield* eu.kill
      assert.include(
        (yield* Effect.flip(fleet.save(directory))).message,
        "cluster eu: cannot save it while it is down; restart it first"
      )
      yield* eu.restart
      yield* fleet.save(directory)
      const again = yield* Fleet.make({ driver, parent: "hub", children: ["eu"], from: directory })
      assert.strictEqual(again.clusters.length, 2)
    })
  )
})

describe("starting a fleet", () => {
  for (const [why, wrong] of [
    ["two clusters are named eu", { ...options, children: ["eu", "eu"] }],
    ["two clusters are named hub", { ...options, children: ["hub"] }],
    ["two users are named admin", { ...options, users: [{ name: "admin" }] }],
    ["cluster names are 1 to 253 printable characters without spaces", { ...options, parent: "two words" }],
    ["user names are 1 to 253 printable characters without spaces", { ...options, users: [{ name: "" }] }]
  ] as const) {
    it.effect(`is refused: ${why}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(Effect.scoped(Fleet.make(wrong)))
        assert.strictEqual(error.message, why)
      })
    )
  }

  it.effect("fails when one cluster fails, and leaves none of the others", () =>
    Effect.gen(function* () {
      const servers: Array<string> = []
      const failing: ClusterDriver = {
        ...driver,
        start: (asked) =>
          asked.name === "us"
            ? Effect.fail(new HarnessError({ cluster: "us", reason: new PortsTaken({ attempts: 5 }) }))
            : Effect.tap(driver.start(asked), ({ server }) => Effect.sync(() => servers.push(server)))
      }
      const error = yield* Effect.flip(Effect.scoped(Fleet.make({ ...options, driver: failing })))
      assert.strictEqual(error.message, "cluster us: other programs took the cluster's ports in each of 5 attempts")
      for (const server of servers) {
        const refused = yield* Effect.promise(() =>
          fetch(server).then(
            () => "answered",
            () => "refused"
          )
        )
        assert.strictEqual(refused, "refused")
      }
    })
  )

  it("works without Effect, and ends with its block", async () => {
    let server = ""
    {
      await using fleet = await Fleet.start(options)
      const eu = fleet.cluster("eu")
      server = eu.server
      await eu.create({ ...namespaces, metadata: { name: "shop", labels: { team: "storefront" } } })
      const { items } = await eu.list({ ...namespaces, labelSelector: "team=storefront" })
      assert.strictEqual(items.length, 1)
      await eu.kill()
      const lost: unknown = await eu.get({ ...namespaces, name: "shop" }).then(
        () => undefined,
        (error: unknown) => error
      )
      assert.propertyVal(lost, "_tag", "ApiError")
      await eu.restart()
      assert.strictEqual((await eu.get({ ...namespaces, name: "shop" })).metadata.name, "shop")
      assert.throws(() => fleet.cluster("mars"), "no cluster is named mars")
    }
    assert.strictEqual(
      await fetch(server).then(
        () => "answered",
        () => "refused"
      ),
      "refused"
    )
  })

  it("fails every operation after the fleet has been stopped", async () => {
    const fleet = await Fleet.start({ ...options, faults: true })
    await fleet[Symbol.asyncDispose]()
    const eu = fleet.cluster("eu")
    const messageOf = (call: Promise<unknown>) =>
      call.then(
        () => "it worked",
        (error: unknown) => (error instanceof Error ? error.message : "something else")
      )
    assert.strictEqual(
      await messageOf(eu.list({ apiVersion: "v1", kind: "Pod" })),
      "GET /api/v1 on eu: its fleet has been stopped"
    )
    const calls = [
      [eu.kill(), "kill it"],
      [eu.restart(), "restart it"],
      [eu.restartEmpty(), "restart it"],
      [eu.reset(), "reset it"],
      [eu.inject(Fault.cut), "inject a fault"]
    ] as const
    for (const [call, action] of calls) {
      assert.strictEqual(await messageOf(call), `cluster eu: cannot ${action}: its fleet has been stopped`)
    }
  })

  it("says what a driver is to whoever gives none", async () => {
    for (const given of [[], [{ parent: "hub" }], [{ parent: "hub", driver: "embedded" }]]) {
      const started: unknown = Reflect.apply(Fleet.start, Fleet, given)
      const refused: unknown = await Promise.resolve(started).catch((error: unknown) => error)
      assert.include(refused instanceof Error ? refused.message : "", "a fleet needs a driver: Embedded.driver, ")
    }
  })

  it("rejects with the driver's own words", async () => {
    const refused: unknown = await Fleet.start({ ...options, children: ["hub"] }).then(
      () => undefined,
      (error: unknown) => error
    )
    assert.propertyVal(refused, "message", "two clusters are named hub")
  })
})
