/** Rows and pages stay within their bounds, whatever stands in the labels of a cluster. */
import { assert } from "@effect/vitest"
import type { WorkloadRow } from "@quarterdeck/cluster-fanout/Row"
import { WorkloadReply } from "@quarterdeck/contract/WorkloadGroup"
import { Seed } from "@quarterdeck/harness"
import { Effect, Schema } from "effect"
import { type Call, Deployment, to } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"

const COUNT = 400
const PAGE_BYTES = 4 * 2 ** 20
const prod: Call = { headers: to("prod") }

const value = "v".repeat(63)
const labels = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`junk.test/l${index}`, value]))

/** A Deployment with 24 KiB of labels, the wanted one among them. */
const labelled = (index: number) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {
    name: `big-${String(index).padStart(3, "0")}`,
    namespace: "shop",
    labels: { ...labels, app: "big", "zone.test/number": `n${index % 2}` }
  },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: "big" } },
    template: {
      metadata: { labels: { app: "big" } },
      spec: {
        containers: Array.from({ length: 40 }, (_, at) => ({ name: `c${at}`, image: `acme/${"c".repeat(250)}:${at}` }))
      }
    }
  }
})

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(WorkloadReply), { onExcessProperty: "error" })

onOneDriver(
  "bounds of rows",
  {
    prepare: (fleet) =>
      Effect.gen(function* () {
        yield* Seed.fill(fleet)
        const { api } = yield* fleet.cluster("prod")
        for (let index = 0; index < COUNT; index++) yield* api.create(labelled(index))
      })
  },
  (it) => {
    it.effect.each(["cache", "live"])("a page of %s rows ends at 4 MiB, and its cursor leads to the rest", (source) =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const query = `?name=big-&limit=5000&consistency=${source}&timeoutMs=30000`
        const found: Array<WorkloadRow> = []
        let cursor: string | undefined
        let pages = 0
        do {
          const next: string = cursor === undefined ? query : `${query}&cursor=${cursor}`
          const { text } = yield* deployment.call(`/api/v1/workloads${next}`, prod)
          assert.isAtMost(Buffer.byteLength(text), PAGE_BYTES)
          const { nextCursor, workloads } = yield* deployment.workloads(next, prod)
          found.push(...workloads)
          cursor = nextCursor
          pages++
        } while (cursor !== undefined)
        assert.isAbove(pages, 1)
        assert.deepStrictEqual(
          found.map(({ name }) => name),
          Array.from({ length: COUNT }, (_, index) => labelled(index).metadata.name)
        )
        for (const row of found) {
          assert.isAtMost(Object.keys(row.labels).length, 64)
          assert.isTrue(row.labelsTruncated)
          assert.strictEqual(row.labels["app"], "big")
          assert.strictEqual(row.images.length, 32)
        }
      })
    )

    it.effect("a label that no row shows still selects", () =>
      Effect.gen(function* () {
        const { workloads } = yield* (yield* Deployment).workloads(
          "?labelSelector=zone.test/number%3Dn1&limit=300",
          prod
        )
        assert.strictEqual(workloads.length, COUNT / 2)
        assert.isUndefined(workloads[0]?.labels["zone.test/number"])
      })
    )

    it.effect("one workload shows as few labels", () =>
      Effect.gen(function* () {
        const { text } = yield* (yield* Deployment).call("/api/v1/workloads/prod/shop/Deployment/big-000")
        const { workload } = yield* decode(text)
        assert.isTrue(workload.labelsTruncated)
        assert.isAtMost(Object.keys(workload.labels).length, 64)
      })
    )

    it.effect("a row within the bounds says nothing of it", () =>
      Effect.gen(function* () {
        const { workloads } = yield* (yield* Deployment).workloads("?name=web", prod)
        assert.isAbove(workloads.length, 0)
        for (const row of workloads) assert.notProperty(row, "labelsTruncated")
      })
    )
  }
)
