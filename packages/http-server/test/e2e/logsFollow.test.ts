/** Logs that are followed: what is told, and how each ends. */
import { assert } from "@effect/vitest"
import type { Code } from "@quarterdeck/contract/Problem"
import { eventually, Fault } from "@quarterdeck/harness"
import { Context, Effect, Option } from "effect"
import { StreamLimits } from "../../src/http/stream/Streams.ts"
import { prepare } from "./actedOn.ts"
import { Deployment, type KeyName, rawKey } from "./Deployment.ts"
import * as LogReader from "./LogReader.ts"
import { onOneDriver } from "./onEveryDriver.ts"
import { slowReaders } from "./slowReaders.ts"
import { podOf } from "./writtenPods.ts"

const POD = { apiVersion: "v1", kind: "Pod", namespace: "shop" }

/** A pod of its own for a test, and what lets it write on. */
const writing = Effect.fnUntraced(function* (name: string, log: string, repeat = 1) {
  const { api } = yield* (yield* Deployment).fleet.cluster("prod")
  const pod = podOf(name, "shop", { main: log })
  yield* api.create({
    ...pod,
    metadata: {
      ...pod.metadata,
      annotations: { ...pod.metadata.annotations, "repeat.log.harness.quarterdeck.dev/main": String(repeat) }
    }
  })
  let written = log
  return {
    write: (more: string) => {
      written += more
      const annotations = { "log.harness.quarterdeck.dev/main": written }
      return api.patch({ ...POD, name }, { metadata: { annotations } })
    },
    remove: api.delete({ ...POD, name }, { gracePeriodSeconds: 0 })
  }
})

const pathOf = (pod: string, query = "") => `/api/v1/pods/prod/shop/${pod}/logs?follow=true${query}`

const follow = Effect.fnUntraced(function* (pod: string, key: string = rawKey("operator"), query: string = "") {
  const { url } = yield* Deployment
  return yield* LogReader.open({ url: `${url}${pathOf(pod, query)}`, key })
})

/** Connections to the parent, to which nothing else changes. */
const opened = Effect.gen(function* () {
  const { parent } = (yield* Deployment).fleet
  return (yield* Option.getOrThrow(parent.faults).counters).connectionsOpen
})

const limits = { ...StreamLimits.defaultValue(), stalledMs: 1_000, endMs: 500, logsOfKey: 3 }

onOneDriver(
  "logs that are followed",
  {
    children: ["prod"],
    faults: true,
    limits: Context.make(StreamLimits, limits),
    prepare: (fleet) =>
      Effect.gen(function* () {
        const prod = yield* fleet.cluster("prod")
        yield* prepare(prod)
        yield* prod.api.create({ apiVersion: "v1", kind: "Node", metadata: { name: "n1" } })
      })
  },
  (it) => {
    it.effect("begin with the newest lines, go on with what is written, and end with the container", () =>
      Effect.gen(function* () {
        const pod = yield* writing("talks", "one\ntwo\nthree\n")
        const reader = yield* follow("talks", rawKey("operator"), "&tailLines=2")
        assert.strictEqual(reader.status, 200)
        assert.strictEqual(reader.headers["content-type"], "text/plain; charset=utf-8")
        assert.strictEqual(reader.headers["cache-control"], "no-store")
        yield* LogReader.until("the tail", reader, ({ text }) => text === "two\nthree\n")
        yield* pod.write("fo")
        yield* LogReader.until("half a line", reader, ({ text }) => text === "two\nthree\nfo")
        yield* pod.write("ur")
        yield* pod.remove
        yield* LogReader.until("the end", reader, ({ isClosed }) => isClosed)
        assert.strictEqual(
          reader.text,
          "two\nthree\nfour\nquarterdeck: the log ends here: container_ended: the container has ended, or its log was rotated\n"
        )
      }).pipe(Effect.scoped)
    )

    it.effect("of a container that has written nothing yet wait for its first line", () =>
      Effect.gen(function* () {
        const pod = yield* writing("silent", "")
        const reader = yield* follow("silent")
        assert.strictEqual(reader.status, 200)
        yield* pod.write("at last\n")
        yield* LogReader.until("the first line", reader, ({ text }) => text.endsWith("at last\n"))
      }).pipe(Effect.scoped)
    )

    it.effect("end with a key that is revoked, narrowed or expires, within 5 s, and say so", () =>
      Effect.gen(function* () {
        const { call, createKey } = yield* Deployment
        yield* writing("guarded", "one\n")
        const rule = { role: "Operator" }
        const revoked = yield* createKey({ name: "leaving", rule })
        const narrowed = yield* createKey({ name: "narrowing", rule })
        const expire = new Date(Date.now() + 3_000).toISOString()
        const expiring = yield* createKey({ name: "expiring", rule, expire })
        const readers = yield* Effect.forEach([revoked, narrowed, expiring], ({ raw }) => follow("guarded", raw))
        yield* call(`/api/v1/apiKeys/${revoked.apiKey.id}`, { method: "DELETE", key: "admin" })
        const body = { rule: { ...rule, targetNamespaces: [{ namespaceNames: ["shop"] }] } }
        yield* call(`/api/v1/apiKeys/${narrowed.apiKey.id}`, { method: "PATCH", key: "admin", body })
        for (const reader of readers) {
          yield* LogReader.until("the end", reader, ({ isClosed }) => isClosed, "8 seconds")
        }
        assert.deepStrictEqual(
          readers.map(({ endCode }) => endCode),
          ["key_revoked", "key_narrowed", "key_expired"]
        )
      }).pipe(Effect.scoped)
    )

    it.effect("end when the namespace leaves the key's reach", () =>
      Effect.gen(function* () {
        const { fleet } = yield* Deployment
        const { api } = yield* fleet.cluster("prod")
        const metadata = { name: "moving", labels: { team: "storefront" } }
        yield* api.create({ apiVersion: "v1", kind: "Namespace", metadata })
        yield* api.create(podOf("moved", "moving", { main: "one\n" }))
        const { url } = yield* Deployment
        const path = `${url}/api/v1/pods/prod/moving/moved/logs?follow=true`
        const reader = yield* eventually(
          "the namespace is reached",
          LogReader.open({ url: path, key: rawKey("teamOperator") }),
          ({ status }) => status === 200,
          { within: "10 seconds" }
        )
        yield* LogReader.until("the line", reader, ({ text }) => text === "one\n")
        yield* api.patch(
          { apiVersion: "v1", kind: "Namespace", name: "moving" },
          { metadata: { labels: { team: "x" } } }
        )
        yield* LogReader.until("the end", reader, ({ isClosed }) => isClosed, "5 seconds")
        assert.strictEqual(reader.endCode, "namespace_forbidden")
      }).pipe(Effect.scoped)
    )

    it.effect("end when their cluster breaks off", () =>
      Effect.gen(function* () {
        yield* writing("broken", "one\n")
        const reader = yield* follow("broken")
        yield* LogReader.until("the line", reader, ({ text }) => text === "one\n")
        const prod = yield* (yield* Deployment).fleet.cluster("prod")
        yield* Effect.scoped(prod.inject(Fault.cut))
        yield* LogReader.until("the end", reader, ({ isClosed }) => isClosed, "5 seconds")
        assert.strictEqual(reader.endCode, "cluster_unreachable")
      }).pipe(Effect.scoped)
    )

    it.effect("end for a reader that takes nothing, and others read on", () =>
      Effect.gen(function* () {
        const { url } = yield* Deployment
        // More than the sockets between hold for a reader that takes nothing.
        yield* writing("wide", `${"x".repeat(99_999)}\n`, 200)
        const wide = { url: `${url}${pathOf("wide", "&tailLines=10000")}`, key: rawKey("operator") }
        const stuck = yield* LogReader.open(wide, "count")
        stuck.pause()
        const before = yield* slowReaders
        const fast = yield* LogReader.open(wide, "count")
        yield* LogReader.until("all of it", fast, ({ taken }) => taken === 20_000_000)
        yield* eventually("the stuck reader's connection is closed", slowReaders, (count) => count === before + 1, {
          within: "10 seconds"
        })
      }).pipe(Effect.scoped)
    )

    it.effect("that nobody reads any more are asked for no more", () =>
      Effect.gen(function* () {
        const { fleet, url } = yield* Deployment
        yield* prepare(fleet.parent)
        yield* fleet.parent.api.create({ apiVersion: "v1", kind: "Node", metadata: { name: "n1" } })
        yield* fleet.parent.api.create(podOf("left", "shop", { main: "one\n" }))
        const before = yield* opened
        const path = `${url}/api/v1/pods/hub/shop/left/logs?follow=true`
        const reader = yield* LogReader.open({ url: path, key: rawKey("operator") })
        yield* LogReader.until("the line", reader, ({ text }) => text === "one\n")
        assert.isAbove(yield* opened, before)
        reader.leave()
        yield* eventually("the connection is given back", opened, (count) => count <= before, { within: "5 seconds" })
      }).pipe(Effect.scoped)
    )

    it.effect("are refused beyond what a key may follow, and streams of events are none of them", () =>
      Effect.gen(function* () {
        const { problem } = yield* Deployment
        yield* writing("popular", "one\n")
        const key = rawKey("prodOperator")
        yield* Effect.forEach([1, 2, 3], () => follow("popular", key))
        const refused = yield* problem(pathOf("popular"), { key: "prodOperator" })
        assert.deepInclude(refused, { status: 429, code: "too_many_streams" })
        assert.match(String(refused.reply.headers["retry-after"]), /^[1-9][0-9]*$/)
        assert.strictEqual((yield* follow("popular", rawKey("admin"))).status, 200)
      }).pipe(Effect.scoped)
    )

    it.effect.each<[KeyName, string, number, Code]>([
      ["viewer", "popular", 403, "role_forbidden"],
      ["shopOperator", "nobody", 404, "pod_not_found"],
      ["operator", "waits", 409, "logs_unavailable"]
    ])("%s on %s is refused with %i before anything is told", ([key, pod, status, code]) =>
      Effect.gen(function* () {
        const { api } = yield* (yield* Deployment).fleet.cluster("prod")
        const waiting = podOf("waits", "shop", {})
        const containers = [{ name: "main", image: "acme/web:1" }]
        yield* Effect.ignore(api.create({ ...waiting, spec: { nodeName: "n1", containers } }))
        assert.deepInclude(yield* (yield* Deployment).problem(pathOf(pod), { key }), { status, code })
      })
    )
  }
)
