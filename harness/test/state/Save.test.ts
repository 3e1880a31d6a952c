/** Clusters that are saved into a directory and started from it. */
import { assert, describe, it, layer } from "@effect/vitest"
import { readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Redacted, Schema } from "effect"
import * as Drivers from "../../src/drivers/Drivers.ts"
import type { RunningCluster } from "../../src/drivers/ClusterDriver.ts"
import * as ControlPlane from "../../src/drivers/control-plane/ControlPlane.ts"
import * as Embedded from "../../src/drivers/embedded/Embedded.ts"
import { eventually } from "../../src/machine/Eventually.ts"
import type { HarnessError } from "../../src/machine/HarnessError.ts"
import { configMap } from "../conformance/Fixture.ts"
import { temporaryDirectory } from "../machine/Fixture.ts"
import {
  belowTheApi,
  Cluster,
  contents,
  definition,
  freshNamespace,
  serviceAccount,
  started,
  statusOf,
  WAIT,
  widget,
  WIDGETS
} from "./Fixture.ts"

const LIMIT = 120_000
const { run } = await Effect.runPromise(Drivers.selected)

const TokenReply = Schema.fromJsonString(Schema.Struct({ status: Schema.Struct({ token: Schema.String }) }))
const decodeToken = Schema.decodeUnknownEffect(TokenReply)

const fileIn = Effect.fnUntraced(function* (directory: string) {
  const names = yield* Effect.promise(() => readdir(directory))
  return join(directory, names[0] ?? "none")
})

/** Saves a cluster into a directory of its own, and gives that and its file. */
const saved = Effect.fnUntraced(function* (running: RunningCluster) {
  const directory = join(yield* temporaryDirectory, "saved")
  yield* running.save(directory)
  return { directory, file: yield* fileIn(directory) }
})

/** Rewrites a saved cluster's file. */
const rewrite = (file: string, change: (text: string) => string) =>
  Effect.promise(async () => writeFile(file, change(await readFile(file, "utf8"))))

/** Saves a small embedded cluster, changes its file, and gives what a start from it says. */
const refusedAfter = Effect.fnUntraced(function* (change: (text: string) => string) {
  const { running } = yield* started(Embedded.driver)
  const { directory, file } = yield* saved(running)
  yield* rewrite(file, change)
  const error: HarnessError = yield* Effect.flip(Effect.scoped(started(Embedded.driver, { from: directory })))
  return { directory, error }
})

for (const driver of belowTheApi(run)) {
  layer(Cluster.layer(driver), { timeout: "2 minutes" })(`a saved cluster of the ${driver.name} driver`, (it) => {
    it.effect(
      "starts with the same objects, for its own users and those with service accounts, and can be saved again",
      () =>
        Effect.gen(function* () {
          const directory = join(yield* temporaryDirectory, "a", "saved")
          const first = yield* Cluster
          const home = yield* freshNamespace(first.api)
          yield* first.api.create(configMap(home, "kept"))
          yield* first.api.create(serviceAccount(home, "robot"))
          const reply = yield* first.api.request({
            method: "POST",
            path: `/api/v1/namespaces/${home}/serviceaccounts/robot/token`,
            body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} }
          })
          const { status } = yield* decodeToken(reply.text)
          yield* first.api.create(definition)
          const widgets = statusOf(first.api, WIDGETS)
          yield* eventually("widgets are served", widgets, (status) => status === 200, WAIT)
          const { metadata } = yield* first.api.create(widget(home, "one"))
          const before = yield* contents(first.api)
          yield* first.running.save(directory)
          yield* first.api.create(configMap(home, "later"))

          const second = yield* started(driver, { name: "second", from: directory })
          const ownService = `/api/v1/namespaces/default/services/kubernetes`
          assert.strictEqual(yield* statusOf(second.api, ownService), 200)
          const withoutOwn = (objects: typeof before) =>
            objects.filter(({ metadata }) => metadata.name !== "kubernetes")
          assert.deepStrictEqual(withoutOwn(yield* contents(second.api)), withoutOwn(before))
          assert.strictEqual(yield* statusOf(second.api.as(first.token), "/api/v1/pods"), 401)

          const kind = { apiVersion: "state.example.com/v1", kind: "Widget", namespace: home }
          yield* eventually("widgets are served", statusOf(second.api, WIDGETS), (status) => status === 200, WAIT)
          assert.deepStrictEqual(
            (yield* second.api.list(kind)).items.map((one) => one.metadata.uid),
            [metadata.uid]
          )

          const restored = yield* contents(second.api)
          yield* second.api.create(configMap(home, "more"))
          yield* second.running.reset
          assert.deepStrictEqual(yield* contents(second.api), restored)
          yield* second.running.save(`${directory}-again`)
          const refused = yield* Effect.flip(second.running.save(directory))
          assert.strictEqual(refused.reason._tag, "MachineRefused")

          const third = yield* started(driver, { from: `${directory}-again` })
          for (const { api } of [second, third]) {
            const robot = api.as(Redacted.make(status.token))
            // Known, and without any right.
            assert.strictEqual(yield* statusOf(robot, "/api/v1/pods"), 403)
          }
        }),
      LIMIT
    )

    it.effect(
      "can be read by its owner alone",
      () =>
        Effect.gen(function* () {
          const { directory, file } = yield* saved((yield* Cluster).running)
          const modes = yield* Effect.promise(() => Promise.all([directory, file].map((path) => stat(path))))
          assert.deepStrictEqual(
            modes.map(({ mode }) => (mode & 0o777).toString(8)),
            ["700", "600"]
          )
        }),
      LIMIT
    )

    if (driver.name === ControlPlane.driver.name) {
      it.effect(
        "is refused by programs that are older than it",
        () =>
          Effect.gen(function* () {
            const { directory, file } = yield* saved((yield* Cluster).running)
            yield* rewrite(file, (text) => text.replace(/"kubernetes":"v1\.[0-9]+/, '"kubernetes":"v1.99'))
            const error = yield* Effect.flip(Effect.scoped(started(driver, { from: directory })))
            assert.match(error.message, /its objects are of Kubernetes v1\.99/)
          }),
        LIMIT
      )
    }
  })
}

describe("a saved cluster", () => {
  it.live("is refused when a newer release wrote it", () =>
    Effect.gen(function* () {
      const { directory, error } = yield* refusedAfter((text) => text.replace('"version":1', '"version":2'))
      assert.strictEqual(
        error.message,
        `cluster state: cannot start the cluster saved in ${directory}: `
          + "its file has version 2 of the format; this release reads versions up to 1"
      )
    })
  )

  it.live("is refused when another driver wrote it", () =>
    Effect.gen(function* () {
      const { error } = yield* refusedAfter((text) => text.replace('"driver":"embedded"', '"driver":"control-plane"'))
      assert.match(error.message, /it was saved by the control-plane driver, not embedded$/)
    })
  )

  it.live("is refused when it is truncated, at a line or within one", () =>
    Effect.gen(function* () {
      const cuts = [
        (text: string) => text.slice(0, -10),
        (text: string) => text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1),
        (text: string) => text.replace(/\n.*\n/, "\n")
      ]
      for (const cut of cuts) {
        const { error } = yield* refusedAfter(cut)
        assert.match(error.message, /its file is truncated$/)
      }
    })
  )

  it.live("is refused with the number of a line that is broken", () =>
    Effect.gen(function* () {
      const { error } = yield* refusedAfter((text) => text.replace(/\n\{[^\n]*\n/, '\n{"group":"","version":"v1"}\n'))
      assert.match(error.message, /line 2 of its file is broken$/)
    })
  )

  it.live("is refused when the directory holds something else, or nothing", () =>
    Effect.gen(function* () {
      const { error } = yield* refusedAfter(() => "something else\n")
      assert.match(error.message, /its file is not a saved cluster$/)
      const missing = yield* Effect.flip(
        Effect.scoped(started(Embedded.driver, { from: join(yield* temporaryDirectory, "none") }))
      )
      assert.strictEqual(missing.reason._tag, "MachineRefused")
    })
  )
})
