import { PodList } from "@quarterdeck/contract/PodsGroup"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { Pod } from "../src/api/PodQueries.ts"
import type { Workload } from "../src/api/WorkloadQueries.ts"
import { answerOf, podText, worstFirst } from "../src/workloads/WorkloadAnswer.ts"

const NOW = Date.parse("2026-11-27T09:30:00.000Z")
const GIB = 1_073_741_824

const decode = Schema.decodeUnknownSync(PodList.fields.pods.value)

const pod = (name: string, part: object = {}): Pod =>
  decode({
    id: name,
    cluster: "prod",
    namespace: "shop",
    name,
    labels: {},
    owner: { kind: "Deployment", name: "search" },
    phase: "Running",
    status: "Running",
    readyContainers: 1,
    containers: 1,
    restarts: 0,
    node: "node-1",
    images: [],
    cpuRequestMillis: 100,
    memoryRequestBytes: GIB,
    cpuLimitMillis: 0,
    memoryLimitBytes: 2 * GIB,
    createdAt: "2026-11-20T00:00:00.000Z",
    ...part
  })

const healthy = pod("search-a")
const killed = pod("search-w5fqv", {
  status: "CrashLoopBackOff",
  readyContainers: 0,
  restarts: 7,
  lastRestartAt: "2026-11-27T09:28:00.000Z",
  waiting: { reason: "CrashLoopBackOff", message: "back-off 5m0s restarting failed container" },
  lastTermination: { reason: "OOMKilled", exitCode: 137, finishedAt: "2026-11-27T09:27:00.000Z" }
})
const noImage = pod("search-b", {
  status: "ImagePullBackOff",
  readyContainers: 0,
  waiting: { reason: "ImagePullBackOff", message: "manifest unknown" }
})

const workload = (part: Partial<Workload> = {}): Pick<Workload, "kind" | "reason" | "replicas" | "status"> => ({
  kind: "Deployment",
  status: "degraded",
  replicas: { desired: 2, ready: 1, updated: 2, available: 1 },
  ...part
})

describe("the sentence of a workload's page", () => {
  it("says what happened to its worst pod, how often, and when", () => {
    assert.strictEqual(
      answerOf(workload({ reason: "OOMKilled" }), [healthy, killed], NOW),
      "1 of 2 ready. search-w5fqv: OOMKilled (exit 137), 7 restarts, last 2 min ago; memory limit 2 GiB"
    )
    assert.strictEqual(answerOf(workload(), [noImage], NOW), "1 of 2 ready. search-b: ImagePullBackOff")
  })

  it("says the controller's reason where every pod is ready", () => {
    const reason = "ProgressDeadlineExceeded"
    assert.strictEqual(answerOf(workload({ reason }), [healthy], NOW), `1 of 2 ready. ${reason}`)
  })

  it("says the status of a task, which has no ready replicas", () => {
    const replicas = { desired: 0, ready: 0, updated: 0, available: 0 }
    const job = workload({ kind: "Job", status: "failed", reason: "BackoffLimitExceeded", replicas })
    assert.strictEqual(answerOf(job, [], NOW), "Failed. BackoffLimitExceeded")
  })

  it("is short where nothing is wrong", () => {
    const replicas = { desired: 1, ready: 1, updated: 1, available: 1 }
    assert.strictEqual(answerOf(workload({ status: "healthy", replicas }), [healthy], NOW), "1 of 1 ready.")
  })

  it("names the limit only of a container that ran out of memory", () => {
    const crashed = pod("c", {
      status: "Error",
      readyContainers: 0,
      lastTermination: { reason: "Error", exitCode: 1, signal: 9, finishedAt: "2026-11-27T09:27:00.000Z" }
    })
    assert.strictEqual(podText(crashed, NOW), "Error (exit 1, signal 9)")
  })

  it("puts the worst pod first", () => {
    assert.deepStrictEqual(
      worstFirst([healthy, pod("search-0", { readyContainers: 0, status: "Pending" }), noImage, killed]).map(
        ({ name }) => name
      ),
      ["search-w5fqv", "search-b", "search-0", "search-a"]
    )
  })
})
