import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { at, textAt } from "../../src/core/Json.ts"
import { brief, configMap, connect, namesOf, patching, pod, revisionOf, started } from "../Client.ts"

const MAPS = "/api/v1/namespaces/default/configmaps"
const PODS = "/api/v1/namespaces/default/pods"
const INITIAL = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"

describe("a watch", () => {
  it.live("sends the initial objects, their bookmark, and then changes", () =>
    Effect.gen(function* () {
      const { call, watch } = yield* started()
      yield* call("POST", MAPS, { body: configMap("a") })
      const events = yield* watch(`${MAPS}?${INITIAL}`)
      const [added, mark] = yield* events.take(2)
      assert.strictEqual(brief(added), "ADDED a")
      assert.strictEqual(textAt(mark, "type"), "BOOKMARK")
      assert.deepStrictEqual(at(mark, "object", "metadata", "annotations"), { "k8s.io/initial-events-end": "true" })
      yield* call("POST", MAPS, { body: configMap("b") })
      yield* call("PATCH", `${MAPS}/b`, patching({ data: { key: "new" } }))
      yield* call("DELETE", `${MAPS}/b`)
      const received = yield* events.take(3)
      assert.deepStrictEqual(received.map(brief), ["ADDED b", "MODIFIED b", "DELETED b"])
      const revisions = received.map((event) => revisionOf(event["object"]))
      assert.deepStrictEqual(
        revisions,
        revisions.toSorted((left, right) => left - right)
      )
      assert.strictEqual(new Set(revisions).size, 3)
    })
  )

  it.live("resumes after a version, without gaps or duplicates", () =>
    Effect.gen(function* () {
      const { call, watch } = yield* started()
      const list = yield* call("GET", MAPS)
      yield* Effect.forEach(["a", "b"], (name) => call("POST", MAPS, { body: configMap(name) }))
      const events = yield* watch(`${MAPS}?watch=1&resourceVersion=${revisionOf(list.json)}`)
      yield* call("POST", MAPS, { body: configMap("c") })
      assert.deepStrictEqual((yield* events.take(3)).map(brief), ["ADDED a", "ADDED b", "ADDED c"])
    })
  )

  it.live(
    "sends DELETED with the old labels for an object that leaves the selector, and ADDED for one that enters",
    () =>
      Effect.gen(function* () {
        const { call, watch } = yield* started()
        yield* call("POST", MAPS, { body: configMap("a", { app: "web" }) })
        const events = yield* watch(`${MAPS}?watch=1&resourceVersion=0&labelSelector=app%3Dweb`)
        yield* call("PATCH", `${MAPS}/a`, patching({ metadata: { labels: { app: "api" } } }))
        yield* call("PATCH", `${MAPS}/a`, patching({ data: { unseen: "1" } }))
        const back = yield* call("PATCH", `${MAPS}/a`, patching({ metadata: { labels: { app: "web" } } }))
        const [, left, entered] = yield* events.take(3)
        assert.strictEqual(brief(left), "DELETED a")
        assert.deepStrictEqual(at(left, "object", "metadata", "labels"), { app: "web" })
        assert.strictEqual(revisionOf(left?.["object"]), revisionOf(back.json) - 2)
        assert.strictEqual(brief(entered), "ADDED a")
      })
  )

  it.live("a field selector follows pods to their node", () =>
    Effect.gen(function* () {
      const { call, watch } = yield* started()
      const events = yield* watch(`${PODS}?watch=1&fieldSelector=spec.nodeName%3Dn1`)
      yield* Effect.forEach(["a", "b"], (name) => call("POST", PODS, { body: pod(name) }))
      yield* call("POST", `${PODS}/b/binding`, {
        body: { metadata: { name: "b" }, target: { kind: "Node", name: "n1" } }
      })
      assert.deepStrictEqual((yield* events.take(1)).map(brief), ["ADDED b"])
    })
  )

  it.live("sends nothing for an update without changes", () =>
    Effect.gen(function* () {
      const { call, watch } = yield* started()
      const made = yield* call("POST", MAPS, { body: configMap("a") })
      const events = yield* watch(`${MAPS}?watch=1&resourceVersion=${revisionOf(made.json)}`)
      yield* call("PUT", `${MAPS}/a`, { body: made.json })
      yield* call("POST", MAPS, { body: configMap("b") })
      assert.deepStrictEqual((yield* events.take(1)).map(brief), ["ADDED b"])
    })
  )

  it.live("sends one change to many watches in their different forms", () =>
    Effect.gen(function* () {
      const { call, watch } = yield* started()
      const table = "application/json;as=Table;v=v1;g=meta.k8s.io"
      const partial = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
      const streams = yield* Effect.forEach(
        [{}, {}, { accept: table }, { accept: table }, { accept: partial }],
        (options) => watch(`${MAPS}?watch=1`, options)
      )
      yield* call("POST", MAPS, { body: configMap("a") })
      yield* call("POST", MAPS, { body: configMap("b") })
      const heard = yield* Effect.forEach(streams, (events) => events.take(2))
      assert.deepStrictEqual(
        heard.map((events) => textAt(events[1], "object", "kind")),
        ["ConfigMap", "ConfigMap", "Table", "Table", "PartialObjectMetadata"]
      )
      // Only the first table of a watch has column definitions.
      assert.isArray(at(heard[2]?.[0], "object", "columnDefinitions"))
      assert.isNull(at(heard[2]?.[1], "object", "columnDefinitions"))
    })
  )

  it.live("410 as an event if the history does not reach back, and a list returns a version to start from", () =>
    Effect.gen(function* () {
      const { call, watch } = yield* started({ historyCapacity: 3 })
      const before = revisionOf((yield* call("GET", MAPS)).json)
      yield* Effect.forEach(["a", "b", "c", "d"], (name) => call("POST", MAPS, { body: configMap(name) }))
      const events = yield* (yield* watch(`${MAPS}?watch=1&resourceVersion=${before}`)).rest
      assert.deepStrictEqual(events, [
        {
          type: "ERROR",
          object: {
            kind: "Status",
            apiVersion: "v1",
            metadata: {},
            status: "Failure",
            message: `too old resource version: ${before} (${before + 1})`,
            reason: "Expired",
            code: 410
          }
        }
      ])
      const resumed = yield* watch(`${MAPS}?watch=1&resourceVersion=${before + 1}`)
      assert.deepStrictEqual((yield* resumed.take(3)).map(brief), ["ADDED b", "ADDED c", "ADDED d"])
    })
  )

  it.live("504 as an event for initial objects at a future version, as after a data loss", () =>
    Effect.gen(function* () {
      const { call, watch } = yield* started()
      const now = revisionOf((yield* call("GET", MAPS)).json)
      const events = yield* watch(`${MAPS}?${INITIAL}&resourceVersion=${now + 400}`)
      const [refused, ...others] = yield* events.rest
      assert.strictEqual(textAt(refused, "type"), "ERROR")
      assert.deepInclude(at(refused, "object"), { code: 504, reason: "Timeout" })
      assert.isEmpty(others)
    })
  )

  it.live("of each version of a kind gets every change in its own version", () =>
    Effect.gen(function* () {
      const { call, watch } = yield* started()
      const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } }
      const names = { plural: "widgets", kind: "Widget" }
      const spec = {
        group: "example.com",
        scope: "Namespaced",
        names,
        versions: [
          { name: "v1", served: true, storage: true, schema },
          { name: "v2", served: true, storage: false, schema }
        ]
      }
      const defined = yield* call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
        body: { metadata: { name: "widgets.example.com" }, spec }
      })
      assert.strictEqual(defined.status, 201, defined.text)
      const pathOf = (version: string) => `/apis/example.com/${version}/namespaces/default/widgets`
      const watches = yield* Effect.forEach(["v1", "v2"], (version) => watch(`${pathOf(version)}?watch=1`))
      for (const name of ["a", "b"]) {
        const body = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name } }
        assert.strictEqual((yield* call("POST", pathOf("v1"), { body })).status, 201)
      }
      const received = yield* Effect.forEach(watches, (events) =>
        Effect.map(events.take(2), (both) => both.map((event) => textAt(event, "object", "apiVersion")))
      )
      assert.deepStrictEqual(received, [
        ["example.com/v1", "example.com/v1"],
        ["example.com/v2", "example.com/v2"]
      ])
    })
  )

  it.effect("gets bookmarks at the interval, a last one before its timeout, and then ends cleanly", () =>
    Effect.gen(function* () {
      const { call, watch } = yield* started({ bookmarkIntervalMs: 10_000 })
      const events = yield* watch(`${MAPS}?${INITIAL}&timeoutSeconds=15`)
      yield* events.next
      const other = yield* call("POST", PODS, { body: pod("elsewhere") })
      yield* TestClock.adjust("10 seconds")
      const bookmark = yield* events.next
      assert.strictEqual(textAt(bookmark, "type"), "BOOKMARK")
      assert.strictEqual(revisionOf(bookmark?.["object"]), revisionOf(other.json))
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(textAt(yield* events.next, "type"), "BOOKMARK")
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* events.rest, [])
    })
  )

  it.effect("sends no bookmark to a client that does not ask for them", () =>
    Effect.gen(function* () {
      const { watch } = yield* started({ bookmarkIntervalMs: 1_000 })
      const events = yield* watch(`${MAPS}?watch=1&resourceVersion=0&timeoutSeconds=5`)
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* events.rest, [])
    })
  )
})

describe("a list", () => {
  it.live("pages show one version despite writes in between, and each object once", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      const names = Array.from({ length: 7 }, (_, index) => `c${index}`)
      yield* Effect.forEach(names, (name) => call("POST", MAPS, { body: configMap(name) }))
      const first = yield* call("GET", `${MAPS}?limit=3`)
      assert.strictEqual(at(first.json, "metadata", "remainingItemCount"), 4)
      yield* call("DELETE", `${MAPS}/c4`)
      yield* call("POST", MAPS, { body: configMap("c3x") })
      const seen = [...namesOf(first.json)]
      let token = textAt(first.json, "metadata", "continue")
      while (token !== "") {
        const page = yield* call("GET", `${MAPS}?limit=3&continue=${token}`)
        assert.strictEqual(revisionOf(page.json), revisionOf(first.json))
        seen.push(...namesOf(page.json))
        token = textAt(page.json, "metadata", "continue")
      }
      assert.deepStrictEqual(seen, names)
      assert.deepStrictEqual(
        namesOf(
          (yield* call("GET", `${MAPS}?resourceVersion=${revisionOf(first.json)}&resourceVersionMatch=Exact`)).json
        ),
        names
      )
    })
  )

  it.live("410 for a page of a compacted version, with a token that continues at the present", () =>
    Effect.gen(function* () {
      const { call, server } = yield* started()
      yield* Effect.forEach(["a", "b", "c"], (name) => call("POST", MAPS, { body: configMap(name) }))
      const first = yield* call("GET", `${MAPS}?limit=1`)
      yield* call("POST", MAPS, { body: configMap("d") })
      yield* server.expireHistory
      const expired = yield* call("GET", `${MAPS}?limit=1&continue=${textAt(first.json, "metadata", "continue")}`)
      assert.deepStrictEqual([expired.status, expired.json["reason"]], [410, "Expired"])
      const rest = yield* call("GET", `${MAPS}?continue=${textAt(expired.json, "metadata", "continue")}`)
      assert.deepStrictEqual(namesOf(rest.json), ["b", "c", "d"])
      const exact = yield* call("GET", `${MAPS}?resourceVersion=${revisionOf(first.json)}&resourceVersionMatch=Exact`)
      assert.deepStrictEqual([exact.status, exact.json["reason"]], [410, "Expired"])
    })
  )

  it.live("504 for a future version", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      const now = revisionOf((yield* call("GET", MAPS)).json)
      const early = yield* call("GET", `${MAPS}?resourceVersion=${now + 5}`)
      assert.deepStrictEqual(early.json, {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: `Too large resource version: ${now + 5}, current: ${now}`,
        reason: "Timeout",
        details: {
          causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
          retryAfterSeconds: 1
        },
        code: 504
      })
    })
  )

  it.live("a long list does not block a short call on another connection", () =>
    Effect.gen(function* () {
      const { call, server } = yield* started()
      const big = "x".repeat(1_000_000)
      yield* Effect.forEach(
        Array.from({ length: 30 }, (_, index) => `m${index}`),
        (name) => call("POST", MAPS, { body: configMap(name, {}, { big }) })
      )
      const other = yield* connect(server)
      const [list, quick] = yield* Effect.all([call("GET", MAPS), other.call("GET", "/readyz")], { concurrency: 2 })
      assert.strictEqual(namesOf(list.json).length, 30)
      assert.strictEqual(quick.text, "ok")
    })
  )
})
