import { WorkloadList } from "@quarterdeck/contract/WorkloadsGroup"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { countsOf } from "../src/workloads/LiveRows.ts"
import { STATUSES } from "../src/workloads/WorkloadFilter.ts"

const decode = Schema.decodeUnknownSync(WorkloadList.fields.workloads.value)

const row = (name: string, status: string) =>
  decode({
    id: name,
    cluster: "prod",
    namespace: "shop",
    kind: "Deployment",
    name,
    labels: {},
    images: [],
    replicas: { desired: 1, ready: 1, updated: 1, available: 1 },
    status,
    cpuRequestMillis: 0,
    memoryRequestBytes: 0,
    cpuLimitMillis: 0,
    memoryLimitBytes: 0,
    createdAt: "2026-11-20T00:00:00.000Z"
  })

const READ = { failed: 3, degraded: 2, progressing: 1, paused: 0, healthy: 9, completed: 0, idle: 4 }
const rows = new Map([row("a", "failed"), row("b", "healthy")].map((one) => [one.name, one]))

describe("the number of workloads of each status", () => {
  it("is that of the list until the stream has sent its rows", () => {
    assert.strictEqual(countsOf(READ, undefined, STATUSES), READ)
    assert.strictEqual(countsOf(undefined, { rows }, STATUSES), undefined)
  })

  it("follows the stream for the statuses that it delivers", () => {
    const none = { failed: 0, degraded: 0, progressing: 0, paused: 0, healthy: 0, completed: 0, idle: 0 }
    assert.deepStrictEqual(countsOf(READ, { rows }, STATUSES), { ...none, failed: 1, healthy: 1 })
    const failed = new Map([...rows].filter(([, { status }]) => status === "failed"))
    assert.deepStrictEqual(countsOf(READ, { rows: failed }, ["failed"]), { ...READ, failed: 1 })
  })
})
