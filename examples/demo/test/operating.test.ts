import { assert, describe, it } from "@effect/vitest"
import { PodList } from "@quarterdeck/contract/PodsGroup"
import { WorkloadList } from "@quarterdeck/contract/WorkloadsGroup"
import { eventually } from "@quarterdeck/harness"
import { Effect, Schema } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

const PROGRAM = fileURLToPath(new URL("../src/main.ts", import.meta.url))
const READY = "Ctrl-C ends the demo"
/** The demo itself scales the workload to 3 before it waits. */
const REPLICAS = 5

/** Runs the demo until it waits for Ctrl-C. Returns its address and its keys. */
const demo = Effect.acquireRelease(
  Effect.sync(() => spawn(process.execPath, ["--conditions=@quarterdeck/source", PROGRAM, "--port", "0"])),
  (child) =>
    Effect.promise(async () => {
      const exit = once(child, "exit")
      if (child.kill("SIGINT")) await exit
    })
).pipe(
  Effect.flatMap((child) => {
    let output = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (output += part.toString()))
    return eventually(
      "the demo waits for Ctrl-C",
      Effect.sync(() => output),
      (text) => text.includes(READY),
      { within: "60 seconds" }
    )
  }),
  Effect.map((output) => ({
    url: /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] ?? "",
    keyOf: (name: string) => new RegExp(`^${name}=(\\S+)$`, "m").exec(output)?.[1] ?? ""
  }))
)

const decodePods = Schema.decodeUnknownEffect(Schema.fromJsonString(PodList))
const decodeWorkloads = Schema.decodeUnknownEffect(Schema.fromJsonString(WorkloadList))

const send = (url: string, key: string, call: RequestInit = {}) =>
  Effect.promise(async () => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "x-service-cluster": "hub" }
    const response = await fetch(url, { ...call, headers })
    const text = await response.text()
    assert.strictEqual(response.status, 200, text)
    return text
  })

describe("operating the demo", () => {
  it.live(
    "a scaled Deployment gets pods that run, are new and write a log",
    () =>
      Effect.gen(function* () {
        const { keyOf, url } = yield* demo
        const pods = Effect.flatMap(
          send(`${url}/api/v1/pods?namespace=shop&name=assistant`, keyOf("VIEWER")),
          decodePods
        ).pipe(Effect.map((list) => list.pods))
        const before = new Set((yield* pods).map(({ name }) => name))
        assert.strictEqual(before.size, 3)

        const body = JSON.stringify({ replicas: REPLICAS })
        const path = "/api/v1/workloads/hub/shop/Deployment/assistant/scale"
        yield* send(`${url}${path}`, keyOf("OPERATOR"), { method: "POST", body })
        const after = yield* eventually(
          "the new pods run",
          pods,
          (rows) => rows.length === REPLICAS && rows.every(({ status }) => status === "Running")
        )
        const added = after.filter(({ name }) => !before.has(name))
        assert.strictEqual(added.length, 2)
        for (const { name } of added) {
          const log = yield* send(`${url}/api/v1/pods/hub/shop/${name}/logs`, keyOf("OPERATOR"))
          assert.include(log, `starting assistant as ${name}`)
        }
        const { workloads } = yield* Effect.flatMap(
          send(`${url}/api/v1/workloads?namespace=shop&name=assistant`, keyOf("VIEWER")),
          decodeWorkloads
        )
        assert.deepStrictEqual(
          workloads.map(({ replicas, status }) => [status, replicas.ready, replicas.desired]),
          [["healthy", REPLICAS, REPLICAS]]
        )
      }).pipe(Effect.scoped),
    90_000
  )
})
