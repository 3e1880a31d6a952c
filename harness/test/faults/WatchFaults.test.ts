import { assert, describe, it } from "@effect/vitest"
import { CoreV1Api, KubeConfig, makeInformer } from "@kubernetes/client-node"
import { Effect, Redacted, Scope } from "effect"
import { TestClock } from "effect/testing"
import { eventually } from "../../src/machine/Eventually.ts"
import * as Fault from "../../src/faults/Fault.ts"
import * as Kubeconfig from "../../src/client/Kubeconfig.ts"
import {
  ADMIN,
  client,
  CONFIG_MAPS,
  createConfigMap,
  faulty,
  isJson,
  outcome,
  type PlainClient,
  type Watching
} from "./Fixture.ts"

const WATCH = `${CONFIG_MAPS}?watch=true&allowWatchBookmarks=true`

const has = (watching: Watching, event: string) =>
  eventually(`the watch tells ${event}`, Effect.sync(watching.events), (events) => events.includes(event))

const endsWith = (watching: Watching, end: string) =>
  eventually(`the watch ends with ${end}`, Effect.sync(watching.ended), (ended) => ended === end)

const versionOf = (through: PlainClient) =>
  Effect.promise(async () => {
    const { text } = await through.ask(`${CONFIG_MAPS}?limit=1`)
    const list: unknown = JSON.parse(text)
    return /"resourceVersion":"(\d+)"/.exec(JSON.stringify(list))?.[1] ?? ""
  })

describe("an expired version", () => {
  it.live("ends open watches; watches from a version are told 410 and pages are refused", () =>
    Effect.gen(function* () {
      const { faults } = yield* faulty()
      const through = yield* client(faults)
      for (const name of ["a", "b", "c"]) yield* createConfigMap(through, name)
      const version = yield* versionOf(through)
      const { text } = yield* Effect.promise(() => through.ask(`${CONFIG_MAPS}?limit=1`))
      const token = /"continue":"([^"]+)"/.exec(text)?.[1] ?? ""
      const open = yield* through.watch(WATCH)
      yield* has(open, "ADDED a")
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* faults.inject(Fault.expiredWatch({ match: { resources: ["configmaps"] } }))
          yield* endsWith(open, "end")
          const resumed = yield* through.watch(`${WATCH}&resourceVersion=${version}`)
          yield* endsWith(resumed, "end")
          assert.deepStrictEqual(JSON.parse(resumed.text()), {
            type: "ERROR",
            object: {
              kind: "Status",
              apiVersion: "v1",
              metadata: {},
              status: "Failure",
              message: `too old resource version: ${version} (${Number(version) + 1})`,
              reason: "Expired",
              code: 410
            }
          })
          assert.strictEqual(yield* outcome(() => through.ask(`${CONFIG_MAPS}?limit=1&continue=${token}`)), 410)
          assert.strictEqual(yield* outcome(() => through.ask(CONFIG_MAPS)), 200)
          yield* has(yield* through.watch(WATCH), "ADDED a")
        })
      )
      const healed = yield* through.watch(`${WATCH}&resourceVersion=${version}`)
      yield* createConfigMap(through, "d")
      yield* has(healed, "ADDED d")
      assert.strictEqual(yield* outcome(() => through.ask(`${CONFIG_MAPS}?limit=1&continue=${token}`)), 200)
    }).pipe(Effect.scoped)
  )

  it.live("makes the informer of Node's client list again", () =>
    Effect.gen(function* () {
      const { faults } = yield* faulty()
      const through = yield* client(faults)
      const config = new KubeConfig()
      const context = { name: "eu", server: faults.server, caPem: faults.caPem, user: "admin" }
      config.loadFromString(Kubeconfig.print([{ ...context, token: Redacted.make(ADMIN) }]))
      const maps = config.makeApiClient(CoreV1Api)
      const seen = new Set<string>()
      const informer = makeInformer(config, CONFIG_MAPS, () => maps.listNamespacedConfigMap({ namespace: "default" }))
      informer.on("add", (map) => seen.add(map.metadata?.name ?? ""))
      // Stopping it is told as an error too.
      informer.on("error", () => undefined)
      yield* Effect.acquireRelease(
        Effect.promise(() => informer.start()),
        () => Effect.promise(() => informer.stop())
      )
      yield* createConfigMap(through, "a")
      yield* eventually(
        "a is seen",
        Effect.sync(() => seen.has("a")),
        (found) => found
      )
      yield* faults.inject(Fault.expiredWatch({ match: { next: 1 } }))
      yield* eventually(
        "it lists again",
        faults.counters,
        ({ requests }) => (requests.get("list configmaps") ?? 0) >= 2
      )
      yield* createConfigMap(through, "b")
      yield* eventually(
        "b is seen",
        Effect.sync(() => seen.has("b")),
        (found) => found
      )
    }).pipe(Effect.scoped)
  )
})

describe("lost bookmarks", () => {
  it.live("take all bookmarks out of a watch, and no other event; healed, they come again", () =>
    Effect.gen(function* () {
      const { faults } = yield* faulty({ bookmarkIntervalMs: 20 })
      const through = yield* client(faults)
      const before = yield* through.watch(WATCH)
      yield* has(before, "BOOKMARK")
      const path = `${WATCH}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`
      const scope = yield* Scope.Scope
      const during = yield* Effect.scoped(
        Effect.gen(function* () {
          yield* faults.inject(Fault.lostBookmarks())
          yield* endsWith(before, "end")
          const during = yield* Scope.provide(through.watch(path), scope)
          for (const name of ["a", "b", "c"]) {
            yield* createConfigMap(through, name)
            yield* has(during, `ADDED ${name}`)
          }
          assert.notInclude(during.events(), "BOOKMARK")
          return during
        })
      )
      yield* has(during, "BOOKMARK")
    }).pipe(Effect.scoped)
  )

  it.live("keep the end of the initial events where asked, though the client would rather have protobuf or gzip", () =>
    Effect.gen(function* () {
      const { faults } = yield* faulty({ bookmarkIntervalMs: 20 })
      const through = yield* client(faults)
      yield* faults.inject(Fault.lostBookmarks({ keepInitialEventsEnd: true }))
      const path = `${WATCH}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`
      const accept = "application/vnd.kubernetes.protobuf;stream=watch,application/json"
      const watching = yield* through.watch(path, { headers: { accept, "accept-encoding": "gzip" } })
      yield* has(watching, "BOOKMARK")
      yield* createConfigMap(through, "a")
      yield* has(watching, "ADDED a")
      assert.strictEqual(watching.events().filter((event) => event === "BOOKMARK").length, 1)
    }).pipe(Effect.scoped)
  )
})

describe("watches that are cut every so often", () => {
  const cutting = (manner: "end" | "reset", end: string) =>
    Effect.gen(function* () {
      const { faults } = yield* faulty({}, { clock: "caller" })
      const through = yield* client(faults)
      yield* createConfigMap(through, "a")
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* faults.inject(Fault.watchCutEvery("10 seconds", { manner, match: { resources: ["configmaps"] } }))
          for (const round of [1, 2]) {
            const watching = yield* through.watch(WATCH)
            const other = yield* through.watch("/api/v1/namespaces?watch=true")
            yield* has(watching, "ADDED a")
            yield* has(other, "ADDED default")
            yield* TestClock.adjust("9999 millis")
            assert.isUndefined(watching.ended())
            yield* TestClock.adjust("1 millis")
            yield* endsWith(watching, end)
            assert.isUndefined(other.ended())
            assert.strictEqual((yield* faults.counters).met.get("WatchCutEvery"), round)
          }
        })
      )
      const healed = yield* through.watch(WATCH)
      yield* has(healed, "ADDED a")
      yield* TestClock.adjust("1 hour")
      yield* createConfigMap(through, "b")
      yield* has(healed, "ADDED b")
    }).pipe(Effect.scoped)

  it.effect("end properly, each time", () => cutting("end", "end"))
  it.effect("or are reset", () => cutting("reset", "ECONNRESET"))
})

describe("malformed events", () => {
  it.live("come line by line, and none of them parses; healed, they are whole again", () =>
    Effect.gen(function* () {
      const { faults } = yield* faulty()
      const through = yield* client(faults)
      const scope = yield* Scope.Scope
      const watching = yield* Effect.scoped(
        Effect.gen(function* () {
          yield* faults.inject(Fault.malformedJson({ match: { verbs: ["watch"] } }))
          const watching = yield* Scope.provide(through.watch(WATCH), scope)
          yield* createConfigMap(through, "a")
          yield* eventually("a line comes", Effect.sync(watching.text), (text) => text.endsWith("\n"))
          assert.throws(() => watching.events())
          return watching
        })
      )
      yield* createConfigMap(through, "b")
      const lineOfB = () =>
        watching
          .text()
          .split("\n")
          .slice(0, -1)
          .find((line) => line.includes('"name":"b"'))
      const line = yield* eventually("the next event comes", Effect.sync(lineOfB), (line) => line !== undefined)
      assert.isTrue(isJson(line ?? ""))
    }).pipe(Effect.scoped)
  )
})
