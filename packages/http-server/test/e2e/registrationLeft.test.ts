/** Clusters that are registered or dropped while somebody leaves, or reads on. */
import { assert } from "@effect/vitest"
import { eventually, Fault } from "@quarterdeck/harness"
import { Effect, Fiber, Option } from "effect"
import { prepare } from "./actedOn.ts"
import { Deployment, rawKey } from "./Deployment.ts"
import * as LogReader from "./LogReader.ts"
import { onOneDriver } from "./onEveryDriver.ts"
import { drop, partsOf, PATH, register } from "./registered.ts"
import { auditOf, namesOf } from "./registeredAudit.ts"
import { podOf } from "./writtenPods.ts"

onOneDriver(
  "registering clusters under way",
  {
    children: ["prod", "stage"],
    faults: true,
    kubeconfig: (fleet) => Effect.succeed(fleet.parent.kubeconfig),
    options: { clusters: { allowLoopback: true } }
  },
  (it) => {
    it.effect("who leaves while a cluster is registered has it registered, and the audit says so", () =>
      Effect.gen(function* () {
        const { fleet, url } = yield* Deployment
        const stage = yield* fleet.cluster("stage")
        const requests = Effect.map(Option.getOrThrow(stage.faults).counters, (counters) =>
          [...counters.requests.values()].reduce((sum, count) => sum + count, 0)
        )
        const body = JSON.stringify(yield* partsOf("stage"))
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* stage.inject(Fault.latency({ ms: 200 }))
            const before = yield* requests
            const headers = {
              authorization: `Bearer ${rawKey("admin")}`,
              "content-type": "application/json",
              "x-request-id": "left-in-the-middle"
            }
            const asking = Effect.promise((signal) => fetch(`${url}${PATH}`, { method: "POST", body, headers, signal }))
            const leaving = yield* Effect.forkChild(asking)
            yield* eventually("the cluster is asked", requests, (count) => count > before, { every: "1 millis" })
            yield* Fiber.interrupt(leaving)
            yield* eventually("it is registered", namesOf, (names) => names.includes("stage"))
          })
        )
        const [, outcome] = yield* auditOf("left-in-the-middle", 2)
        assert.strictEqual(outcome?.status, 201)
        assert.strictEqual((yield* drop("stage")).status, 204)
      })
    )

    it.effect("a log that is followed ends when its cluster is dropped, whatever the key's scope", () =>
      Effect.gen(function* () {
        const { fleet, url } = yield* Deployment
        const { api } = yield* fleet.cluster("prod")
        yield* prepare(yield* fleet.cluster("prod"))
        yield* api.create({ apiVersion: "v1", kind: "Node", metadata: { name: "n1" } })
        yield* api.create(podOf("talks", "shop", { main: "one\n" }))
        yield* register(yield* partsOf("prod"))
        const path = `${url}/api/v1/pods/prod/shop/talks/logs?follow=true`
        const readers = yield* Effect.forEach(["operator", "shopOperator", "teamOperator"], (key) =>
          LogReader.open({ url: path, key: rawKey(key) })
        )
        for (const reader of readers) yield* LogReader.until("the line", reader, ({ text }) => text === "one\n")
        assert.strictEqual((yield* drop("prod")).status, 204)
        for (const reader of readers) {
          yield* LogReader.until("the end", reader, ({ text }) =>
            /\nquarterdeck: the log ends here: cluster_/.test(text)
          )
        }
        assert.match(readers[0]?.text ?? "", /cluster_not_found: cluster prod is no longer registered/)
      }).pipe(Effect.scoped)
    )
  }
)
